// SPDX-License-Identifier: Apache-2.0
// The structs behind the handles of debuggers and profiles. The entries for debuggers, consoles and
// profiles share them, because each takes handles that another one made.
#ifndef TERN_CORE_API_DEBUG_HANDLES_H_
#define TERN_CORE_API_DEBUG_HANDLES_H_

#include <memory>
#include <string>
#include <vector>

#include "core/api/handles.h"
#include "core/vm/debug/debugger.h"
#include "core/vm/debug/profiler.h"

struct tern_debugger {
  std::unique_ptr<tern::vm::Debugger> debugger;
  // The function and the arguments of the run that was begun last, for beginning it again.
  std::string function;
  std::vector<tern::Any> arguments;
  std::shared_ptr<void> console;  // a vm::DebugConsole of that run, once one was asked for
};

struct tern_profile {
  tern::vm::Profiler profiler;
};

#endif  // TERN_CORE_API_DEBUG_HANDLES_H_
