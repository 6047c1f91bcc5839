// SPDX-License-Identifier: Apache-2.0
// Stops, states, breakpoints and objects as JSON for the C interface and the page (debugger_json.h
// has the forms).
#include "core/vm/debug/debugger_json.h"

#include <algorithm>
#include <span>
#include <vector>

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

namespace {

// How far back is looked for who wrote a register.
constexpr uint64_t kMostStepsBack = 4096;

// The steps that wrote what the registers of a state hold, frames from the outermost.
class Writers {
 public:
  explicit Writers(const Debugger& debugger) : debugger_(debugger) {
    for (size_t i = debugger.depth(); i-- > 0;)
      steps_.emplace_back(debugger.frame(i).register_count, kUnknown);
    begun_.resize(steps_.size());
    entered_.resize(steps_.size(), kUnknown);
    const uint64_t first = debugger.trace().first_step();
    // Frames that begin after the step that is looked at are none of this state.
    size_t known = steps_.size();
    for (uint64_t at = debugger.step(); at-- > first && known > 0;) {
      if (debugger.step() - at > kMostStepsBack) break;
      const std::span<const TraceEvent> events = debugger.trace().events(at);
      for (size_t i = events.size(); i-- > 0;) Take(events[i], at);
      known = static_cast<size_t>(std::count(begun_.begin(), begun_.end(), false));
    }
  }

  // The first state that has the frame, where that is known.
  void WriteEntered(size_t frame, JsonWriter* json) const {
    const size_t index = steps_.size() - 1 - frame;
    if (entered_[index] != kUnknown) json->Field("entered", entered_[index]);
  }

  // Nothing where nothing is known.
  void Write(size_t frame, uint32_t reg, JsonWriter* json) const {
    const uint64_t step = steps_[steps_.size() - 1 - frame][reg];
    if (step == kUnknown) return;
    json->Field("writtenAt", step).Field("writtenBy", debugger_.trace().pc(step));
  }

 private:
  static constexpr uint64_t kUnknown = UINT64_MAX;

  // Going back, the first write of a register that is seen is the last one.
  void Take(const TraceEvent& event, uint64_t step) {
    const size_t frame = event.frame();
    if (frame >= steps_.size()) return;
    if (event.kind() == TraceEventKind::kPush && !begun_[frame]) {
      begun_[frame] = true;
      entered_[frame] = step + 1;
    }
    if (event.kind() != TraceEventKind::kWrite || begun_[frame]) return;
    if (event.target < steps_[frame].size() && steps_[frame][event.target] == kUnknown)
      steps_[frame][event.target] = step;
  }

  const Debugger& debugger_;
  std::vector<std::vector<uint64_t>> steps_;
  std::vector<bool> begun_;        // by frame: its beginning was gone past
  std::vector<uint64_t> entered_;  // by frame
};

}  // namespace

void WriteStateJson(const Debugger& debugger, JsonWriter* json) {
  const Writers writers(debugger);
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
    writers.WriteEntered(i, json);
    json->Key("registers").BeginArray();
    for (uint32_t reg = 0; reg < frame.register_count; ++reg) {
      json->BeginObject().Field("index", reg).Field("name", info.RegisterName(reg));
      json->Field("changed", debugger.RegisterChanged(i, reg));
      writers.Write(i, reg, json);
      json->Key("value");
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
