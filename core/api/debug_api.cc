// SPDX-License-Identifier: Apache-2.0
// Debuggers.
#include "core/api/debug_handles.h"
#include "core/base/json.h"
#include "core/vm/debug/debugger_json.h"
#include "core/vm/debug/debugger_views.h"
#include "core/vm/debug/trace_file.h"

namespace tern::api {
namespace {

vm::DebugBudgets BudgetsOf(const tern_debug_options& options) {
  vm::DebugBudgets budgets;
  budgets.steps = options.max_steps;
  budgets.bytes = options.max_bytes;
  if (options.max_depth != 0) budgets.depth = options.max_depth;
  // Milliseconds become nanoseconds in int64_t; larger times are as good as none.
  constexpr uint64_t kMostMs = INT64_MAX / 1'000'000;
  budgets.time_ns =
      static_cast<int64_t>(options.max_time_ms < kMostMs ? options.max_time_ms : kMostMs) *
      1'000'000;
  return budgets;
}

Result<std::unique_ptr<vm::Debugger>> CreateDebugger(const tern_program& program,
                                                     const tern_debug_options& options) {
  vm::DebuggerOptions made;
  made.budgets = BudgetsOf(options);
  made.platform = program.runtime->platform_or_null;
  made.parallel = program.runtime->platform.parallel;
  // The debugger has a machine of its own, with the devices of the program's runtime.
  made.devices = program.runtime->devices;
  // Zero keeps the recorder's own limits.
  if (options.trace_bytes != 0) made.recorder.trace.max_bytes = options.trace_bytes;
  if (options.trace_steps != 0) made.recorder.trace.max_steps = options.trace_steps;
  return vm::Debugger::Create(program.program, made);
}

Result<std::string> StateJson(const vm::Debugger& debugger, std::string_view what) {
  // Breakpoints and code exist ahead of a run; everything else is about one.
  JsonWriter json;
  if (what == "breakpoints") {
    WriteBreakpointsJson(debugger, &json);
    return json.Take();
  }
  // Views answer for themselves whether they need a run.
  const bool is_state = what == "stop" || what == "state" || what == "heap" || what == "trace";
  if (!is_state) {
    TERN_TRY(WriteViewJson(debugger, what, &json));
    return json.Take();
  }
  if (!debugger.begun()) return InvalidArgument("no run was begun").SetErrorCode("E0304");
  if (what == "stop")
    WriteStopJson(debugger, &json);
  else if (what == "state")
    WriteStateJson(debugger, &json);
  else if (what == "heap")
    WriteHeapJson(debugger, &json);
  else
    WriteTraceStatsJson(debugger, &json);
  return json.Take();
}

// Errors: there is no such breakpoint, or no such action.
Status ChangeBreakpoint(vm::Debugger* debugger, uint32_t id, int32_t action, uint64_t times) {
  switch (action) {
    case TERN_BREAKPOINT_REMOVE: return debugger->RemoveBreakpoint(id);
    case TERN_BREAKPOINT_ENABLE: return debugger->EnableBreakpoint(id, true);
    case TERN_BREAKPOINT_DISABLE: return debugger->EnableBreakpoint(id, false);
    case TERN_BREAKPOINT_IGNORE: return debugger->IgnoreBreakpoint(id, times);
  }
  return InvalidArgument("there is no action ", action, " on breakpoints").SetErrorCode("E0304");
}

}  // namespace
}  // namespace tern::api

// Functions of C stand outside of the namespace; each hands on to one above.
using tern::api::Give;
using tern::api::NewBuffer;
using tern::api::ToHandle;

tern_status* tern_debugger_create(tern_program* program, const tern_debug_options* options,
                                  tern_debugger** debugger) {
  TERN_CHECK_OPTIONS(tern_debug_options, options);
  auto made = tern::api::CreateDebugger(*program, tern::api::ReadOptions(options));
  if (!made.ok()) return ToHandle(std::move(made).status());
  *debugger = new tern_debugger{*std::move(made), {}, {}, {}};
  return nullptr;
}

void tern_debugger_free(tern_debugger* debugger) { delete debugger; }

tern_status* tern_debugger_begin(tern_debugger* debugger, const char* function, const TernAny* args,
                                 int32_t num_args) {
  const tern::AnyArgs views = tern::api::Args(args, num_args);
  tern::Status status = debugger->debugger->Begin(function, views);
  if (!status.ok()) return ToHandle(std::move(status));
  // What the console needs to begin the run again.
  debugger->function = function;
  debugger->console.reset();
  debugger->arguments.clear();
  // Any and not AnyView: the caller's arguments may go away after this call.
  for (const tern::AnyView& view : views) debugger->arguments.emplace_back(view);
  return nullptr;
}

tern_status* tern_debugger_run(tern_debugger* debugger, int32_t command, uint64_t argument,
                               uint64_t slice, tern_buffer** stop) {
  // A caller in C can pass any number as a command.
  if (command < TERN_DEBUG_STEP || command > TERN_DEBUG_RESUME)
    return ToHandle(
        tern::InvalidArgument("there is no debug command ", command).SetErrorCode("E0304"));
  // One call runs until the next stop or until `slice` is used up, whichever is first.
  tern::vm::Debugger& it = *debugger->debugger;
  auto stopped = it.Run(static_cast<tern::vm::DebugCommand>(command), argument, slice);
  if (!stopped.ok()) return ToHandle(std::move(stopped).status());
  tern::JsonWriter json;
  WriteStopJson(it, &json);
  *stop = NewBuffer(json.text());
  return nullptr;
}

void tern_debugger_cancel(tern_debugger* debugger) { debugger->debugger->Cancel(); }

tern_status* tern_debugger_set_budgets(tern_debugger* debugger, const tern_debug_options* options) {
  TERN_CHECK_OPTIONS(tern_debug_options, options);
  debugger->debugger->set_budgets(tern::api::BudgetsOf(tern::api::ReadOptions(options)));
  return nullptr;
}

tern_status* tern_debugger_break(tern_debugger* debugger, const char* text, uint32_t* id) {
  tern::Result<uint32_t> made = debugger->debugger->AddBreakpoint(text);
  if (!made.ok()) return ToHandle(std::move(made).status());
  *id = *made;
  return nullptr;
}

tern_status* tern_debugger_breakpoint(tern_debugger* debugger, uint32_t id, int32_t action,
                                      uint64_t times) {
  return ToHandle(tern::api::ChangeBreakpoint(debugger->debugger.get(), id, action, times));
}

tern_status* tern_debugger_state(tern_debugger* debugger, const char* what, tern_buffer** json) {
  tern::Result<std::string> text = tern::api::StateJson(*debugger->debugger, what);
  if (!text.ok()) return ToHandle(std::move(text).status());
  *json = NewBuffer(*text);
  return nullptr;
}

tern_status* tern_debugger_register(tern_debugger* debugger, uint32_t frame, uint32_t reg,
                                    TernAny* value) {
  return Give(debugger->debugger->Register(frame, reg), value);
}

tern_status* tern_debugger_set_register(tern_debugger* debugger, uint32_t frame, uint32_t reg,
                                        const TernAny* value) {
  return ToHandle(debugger->debugger->SetRegister(frame, reg, tern::Any(tern::api::View(value))));
}

tern_status* tern_debugger_rewind(tern_debugger* debugger) {
  return ToHandle(debugger->debugger->Rewind());
}

tern_status* tern_debugger_evaluate(tern_debugger* debugger, const char* expression, uint32_t frame,
                                    TernAny* value) {
  return Give(debugger->debugger->Evaluate(expression, frame), value);
}

tern_status* tern_debugger_result(tern_debugger* debugger, TernAny* result) {
  return Give(debugger->debugger->TakeResult(), result);
}

tern_status* tern_debugger_trace(tern_debugger* debugger, const char* format, tern_buffer** trace) {
  const tern::vm::Debugger& it = *debugger->debugger;
  const std::string_view name = format;
  if (!it.begun()) return ToHandle(tern::InvalidArgument("no run was begun").SetErrorCode("E0304"));
  // The file that `tern replay` reads; json is for people and other tools.
  if (name == "binary") {
    *trace = NewBuffer(SaveTrace(it.trace(), it.executable()));
    return nullptr;
  }
  if (name == "json") {
    *trace = NewBuffer(TraceJson(it.trace(), it.executable()));
    return nullptr;
  }
  return ToHandle(
      tern::InvalidArgument("there is no trace format '", name, "': there are binary and json")
          .SetErrorCode("E0304"));
}
