// SPDX-License-Identifier: Apache-2.0
// The debugger's console. A file of its own, so that a module without it does not carry its text.
#include "core/api/debug_handles.h"
#include "core/vm/debug/debugger_console.h"

tern_status* tern_debugger_execute(tern_debugger* debugger, const char* line, tern_buffer** text,
                                   int32_t* done) {
  if (!debugger->debugger->begun())
    return tern::api::ToHandle(tern::InvalidArgument("no run was begun").SetErrorCode("E0304"));
  // Made at the first line, and kept: it remembers what was typed before.
  if (debugger->console == nullptr) {
    debugger->console = std::make_shared<tern::vm::DebugConsole>(
        debugger->debugger.get(), debugger->function, debugger->arguments);
  }
  auto& console = *static_cast<tern::vm::DebugConsole*>(debugger->console.get());
  *text = tern::api::NewBuffer(console.Execute(line));
  *done = console.done() ? 1 : 0;
  return nullptr;
}
