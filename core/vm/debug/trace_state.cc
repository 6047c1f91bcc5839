// SPDX-License-Identifier: Apache-2.0
#include "core/vm/debug/trace_state.h"

namespace tern::vm {

// Registers of all frames lie in one list; a frame ends where the next begins.
size_t TraceState::register_count(size_t frame) const {
  const size_t end = frame + 1 < frames.size() ? frames[frame + 1].first : ids.size();
  return end - frames[frame].first;
}

std::span<const ValueId> TraceState::registers(size_t frame) const {
  return {ids.data() + frames[frame].first, register_count(frame)};
}

// The log is one's own or was checked (trace_reader.cc), so nothing is tested here.
void ApplyEvent(const TraceEvent& event, TraceState* state) {
  switch (event.kind()) {
    case TraceEventKind::kWrite:
      state->ids[state->frames[event.frame()].first + event.target] = event.after;
      return;
    case TraceEventKind::kPush:
      state->frames.push_back({event.target, 0, static_cast<uint32_t>(state->ids.size())});
      state->ids.resize(state->ids.size() + event.after, kNoneValue);
      return;
    case TraceEventKind::kPop:
      state->ids.resize(state->frames.back().first);
      state->frames.pop_back();
      return;
  }
}

}  // namespace tern::vm
