// SPDX-License-Identifier: Apache-2.0
// Stops, states, breakpoints and objects as JSON for the C interface and the page (debugger_json.h
// has the forms).
#include "core/vm/debug/debugger_json.h"

#include "core/object/graph/print.h"
#include "core/vm/debug/debugger_heap.h"
#include "core/vm/text/disassembler.h"

namespace tern::vm {

// Enough for a page to show where the run is on its time line.
void WriteStopJson(const Debugger& debugger, JsonWriter* json) {
  const DebugStopInfo& stop = debugger.stop();
  json->BeginObject().Field("reason", std::string_view(stop.name));
  json->Field("text", std::string_view(stop.text)).Field("breakpoint", stop.breakpoint);
  json->Field("step", debugger.step()).Field("first", debugger.trace().first_step());
  json->Field("end", debugger.trace().end_step()).Field("past", debugger.in_past());
  json->Field("depth", uint64_t{debugger.depth()}).EndObject();
}

void WriteStateJson(const Debugger& debugger, JsonWriter* json) {
  json->BeginObject().Field("step", debugger.step()).Field("past", debugger.in_past());
  if (debugger.step() > debugger.trace().first_step())
    json->Field("lastPc", debugger.trace().pc(debugger.step() - 1));
  json->Key("frames").BeginArray();
  for (size_t i = 0; i < debugger.depth(); ++i) {
    const DebugFrame frame = debugger.frame(i);
    const FunctionInfo& info = debugger.executable().functions()[frame.function];
    json->BeginObject().Field("function", std::string_view(info.name)).Field("pc", frame.pc);
    json->Key("instruction").String(InstructionText(debugger.executable(), frame.pc));
    // Only where it is known, so that readers can tell.
    if (const DebugEntry* source = debugger.executable().FindDebug(frame.pc); source != nullptr)
      json->Field("source", source->text());
    json->Key("registers").BeginArray();
    for (uint32_t reg = 0; reg < frame.register_count; ++reg) {
      json->BeginObject().Field("index", reg).Field("name", info.RegisterName(reg));
      json->Field("changed", debugger.RegisterChanged(i, reg)).Key("value");
      // Both indices are in range, so Register cannot fail.
      WriteValueJson(*debugger.Register(i, reg), json);
      json->EndObject();
    }
    json->EndArray().EndObject();
  }
  const AllocatorStats memory = debugger.machine().memory();
  json->EndArray().Key("memory").BeginObject();
  json->Field("live", memory.live_bytes).Field("peak", memory.peak_bytes).EndObject().EndObject();
}

// Also those that are switched off, so that a page can switch them on again.
void WriteBreakpointsJson(const Debugger& debugger, JsonWriter* json) {
  json->BeginArray();
  for (const Breakpoint& breakpoint : debugger.breakpoints()) {
    json->BeginObject().Field("id", breakpoint.id);
    json->Key("text").String(BreakpointText(breakpoint, debugger.executable()));
    json->Field("enabled", breakpoint.enabled).Field("hits", breakpoint.hits);
    json->Field("ignore", breakpoint.ignore).Field("failures", breakpoint.failures);
    json->Field("failure", std::string_view(breakpoint.failure)).EndObject();
  }
  json->EndArray();
}

void WriteHeapJson(const Debugger& debugger, JsonWriter* json) {
  const HeapListing heap = ListHeap(debugger);
  json->BeginObject().Key("objects").BeginArray();
  for (const HeapObject& object : heap.objects) {
    json->BeginObject().Field("number", object.number).Key("value");
    WriteValueJson(object.value, json);
    json->Field("bytes", object.bytes).Field("references", object.references);
    json->Field("byTrace", object.by_trace).Field("elsewhere", object.elsewhere);
    json->Key("holders").BeginArray();
    for (const HeapHolder& holder : object.holders) {
      json->BeginObject().Field("text", std::string_view(holder.text));
      json->Field("object", holder.object).EndObject();
    }
    json->EndArray().EndObject();
  }
  json->EndArray().Field("bytes", heap.bytes).EndObject();
}

// What the recording costs, for display.
void WriteTraceStatsJson(const Debugger& debugger, JsonWriter* json) {
  const TraceStats stats = debugger.trace().stats();
  json->BeginObject().Field("first", stats.first_step).Field("end", stats.end_step);
  json->Field("events", stats.events).Field("segments", stats.segments);
  json->Field("values", stats.values).Field("logBytes", stats.log_bytes);
  json->Field("valueBytes", stats.value_bytes).Field("dropped", stats.dropped_steps).EndObject();
}

}  // namespace tern::vm
