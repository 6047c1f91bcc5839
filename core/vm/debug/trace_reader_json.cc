// SPDX-License-Identifier: Apache-2.0
// Records of runs as JSON: the same three looks as the texts of trace_reader.cc.
#include <algorithm>

#include "core/base/json.h"
#include "core/vm/debug/trace_reader.h"

namespace tern::vm {
namespace {

// One change of a step; `step` is the state before it.
void WriteChange(const SavedTrace& trace, const TraceEvent& event, uint64_t step,
                 JsonWriter* json) {
  switch (event.kind()) {
    case TraceEventKind::kPush:
      json->BeginObject().Field("kind", "into");
      json->Field("function", trace.functions()[event.target].name).EndObject();
      return;
    case TraceEventKind::kPop: json->BeginObject().Field("kind", "out").EndObject(); return;
    case TraceEventKind::kWrite:
      json->BeginObject().Field("kind", "write").Field("register", event.target);
      json->Field("value", trace.ValueText(event.after, step + 1)).EndObject();
  }
}

}  // namespace

void WriteSummaryJson(const SavedTrace& trace, JsonWriter* json) {
  json->BeginObject().Field("first", trace.first_step()).Field("end", trace.end_step());
  json->Field("events", uint64_t{trace.event_count()});
  json->Field("keyFrames", uint64_t{trace.key_count()});
  json->Field("values", uint64_t{trace.value_count()});
  json->Key("functions").BeginArray();
  for (const SavedTrace::Function& function : trace.functions()) json->String(function.name);
  json->EndArray().Key("code").BeginArray();
  for (const SavedTrace::Function& function : trace.functions()) {
    json->BeginObject().Field("name", function.name).Field("first", function.first);
    json->Field("count", function.count).EndObject();
  }
  json->EndArray();
  if (!trace.call().function.empty()) json->Field("function", trace.call().function);
  json->EndObject();
}

// Steps outside of the trace are left out, as in ListText.
void WriteListJson(const SavedTrace& trace, uint64_t from, uint64_t to, JsonWriter* json) {
  json->BeginArray();
  to = std::min(to, trace.end_step());
  for (uint64_t step = std::max(from, trace.first_step()); step < to; ++step) {
    json->BeginObject().Field("step", step).Field("place", trace.PlaceText(trace.pc(step)));
    json->Key("changes").BeginArray();
    for (const TraceEvent& event : trace.events(step)) WriteChange(trace, event, step, json);
    json->EndArray().EndObject();
  }
  json->EndArray();
}

Status WriteStateJson(const SavedTrace& trace, uint64_t step, JsonWriter* json) {
  TERN_TRY_ASSIGN(const TraceState state, trace.StateAt(step));
  json->BeginObject().Field("step", step).Field("end", trace.end_step());
  json->Key("frames").BeginArray();
  // Innermost frame first, as people read a stack.
  for (size_t i = state.frames.size(); i-- > 0;) {
    const auto& names = trace.functions()[state.frames[i].function].registers;
    json->BeginObject().Field("place", trace.PlaceText(state.frames[i].pc));
    json->Key("registers").BeginArray();
    const std::span<const ValueId> registers = state.registers(i);
    for (size_t reg = 0; reg < registers.size(); ++reg) {
      // Registers without a value are left out, as in the text.
      if (registers[reg] == kNoneValue) continue;
      json->BeginObject().Field("index", uint64_t{reg}).Field("name", names[reg]);
      json->Field("value", trace.ValueText(registers[reg], step)).EndObject();
    }
    json->EndArray().EndObject();
  }
  json->EndArray().EndObject();
  return OkStatus();
}

}  // namespace tern::vm
