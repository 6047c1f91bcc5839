// SPDX-License-Identifier: Apache-2.0
// Going to a step: from the key frame before it, or from where the cursor stands, whichever takes
// fewer events.
#include "core/base/check.h"
#include "core/vm/debug/trace.h"

namespace tern::vm {

namespace {

// The inverse of ApplyEvent; events of a step are undone from the last to the first.
void Undo(const TraceEvent& event, TraceState* state) {
  switch (event.kind()) {
    case TraceEventKind::kWrite:
      state->ids[state->frames[event.frame()].first + event.target] = event.before;
      return;
    case TraceEventKind::kPush:
      state->ids.resize(state->frames.back().first);
      state->frames.pop_back();
      return;
    case TraceEventKind::kPop:
      // The caller stands at its call again.
      if (!state->frames.empty()) state->frames.back().pc = event.before;
      state->frames.push_back({event.target, 0, static_cast<uint32_t>(state->ids.size())});
      state->ids.resize(state->ids.size() + event.after, kNoneValue);
      return;
  }
}

}  // namespace

void TraceCursor::Load(const TraceState& key, uint64_t step) {
  state_ = key;
  step_ = step;
  valid_ = true;
  work_ += key.ids.size() + key.frames.size();
}

void TraceCursor::Forward() {
  const std::span<const TraceEvent> events = trace_->events(step_);
  // While its instruction runs, a frame stands at it; a push leaves the caller there.
  if (!state_.frames.empty()) state_.frames.back().pc = trace_->pc(step_);
  for (const TraceEvent& event : events) ApplyEvent(event, &state_);
  work_ += events.size() + 1;
  ++step_;
}

void TraceCursor::Backward() {
  --step_;
  const std::span<const TraceEvent> events = trace_->events(step_);
  for (size_t i = events.size(); i-- > 0;) Undo(events[i], &state_);
  work_ += events.size() + 1;
}

void TraceCursor::Seek(uint64_t step) {
  TERN_CHECK(!trace_->empty() && step >= trace_->first_step() && step <= trace_->end_step());
  const Trace::Segment& segment = trace_->SegmentOf(step);
  const uint64_t from_key = step - segment.first_step;
  // The distance in steps stands for the number of events, and registers of a key frame for the
  // cost of loading it.
  const uint64_t from_here = step_ > step ? step_ - step : step - step_;
  if (!valid_ || step_ < trace_->first_step() || step_ > trace_->end_step() ||
      from_here > from_key + segment.key.ids.size() / 2)
    Load(segment.key, segment.first_step);
  while (step_ < step) Forward();
  while (step_ > step) Backward();
  // Only the innermost frame's pc changes with every step, so it is set at the end.
  if (!state_.frames.empty())
    state_.frames.back().pc = step < trace_->end_step() ? trace_->pc(step) : trace_->end_pc();
}

}  // namespace tern::vm
