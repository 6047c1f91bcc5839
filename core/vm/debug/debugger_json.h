// SPDX-License-Identifier: Apache-2.0
// What a debugger shows as JSON, for the C API.
#ifndef TERN_CORE_VM_DEBUG_DEBUGGER_JSON_H_
#define TERN_CORE_VM_DEBUG_DEBUGGER_JSON_H_

#include "core/base/json.h"
#include "core/vm/debug/debugger.h"

namespace tern::vm {

// {"reason": "breakpoint", "text", "breakpoint", "step", "first", "end", "past", "depth"}
void WriteStopJson(const Debugger& debugger, JsonWriter* json);
// {"step", "past", "lastPc": of the instruction before it, where that is recorded, "frames":
// [{"function", "pc", "instruction", "source", "entered": the first state with it, "registers":
// [{"index", "name", "changed", "writtenAt", "writtenBy": the step that wrote the value and its
// instruction, "value"}]}], "memory": {"live", "peak"}}, innermost frame first. "entered" and what
// wrote a value are told where they are among the last few thousand steps.
void WriteStateJson(const Debugger& debugger, JsonWriter* json);
// [{"id", "text", "enabled", "hits", "ignore", "failures", "failure"}]
void WriteBreakpointsJson(const Debugger& debugger, JsonWriter* json);
// {"objects": [{"number", "value", "bytes", "references", "byTrace", "elsewhere", "holders":
// [{"text", "object"}]}], "bytes"}
void WriteHeapJson(const Debugger& debugger, JsonWriter* json);
// {"first", "end", "events", "segments", "values", "logBytes", "valueBytes", "dropped"}
void WriteTraceStatsJson(const Debugger& debugger, JsonWriter* json);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_DEBUG_DEBUGGER_JSON_H_
