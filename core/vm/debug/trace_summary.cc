// SPDX-License-Identifier: Apache-2.0
// One walk over the log per summary. Frames are followed by their events, so no state is built.
#include "core/vm/debug/trace_summary.h"

#include <algorithm>
#include <cmath>

#include "core/object/graph/print.h"

namespace tern::vm {
namespace {

class TimelineWalk {
 public:
  TimelineWalk(const Debugger& debugger, uint32_t buckets)
      : debugger_(debugger), trace_(debugger.trace()) {
    summary_.first = trace_.first_step();
    summary_.end = trace_.end_step();
    const uint64_t steps = summary_.end - summary_.first;
    const uint64_t most = std::clamp<uint64_t>(buckets, 1, kMaxTimelineBuckets);
    summary_.steps_per_bucket = std::max<uint64_t>(1, (steps + most - 1) / most);
    const uint64_t count = (steps + summary_.steps_per_bucket - 1) / summary_.steps_per_bucket;
    summary_.buckets.resize(static_cast<size_t>(count));
    seen_.resize(trace_.value_limit());
  }

  TimelineSummary Run() {
    TraceCursor cursor(&trace_);
    cursor.Seek(summary_.first);
    for (const TraceFrame& frame : cursor.state().frames) Enter(frame.function, summary_.first);
    // What the run was begun with did not appear in it.
    for (const ValueId id : cursor.state().ids) seen_[id] = 1;
    begins_frame_ = summary_.first == 0;
    trace_.ForEachStep([this](const TraceStep& step) { Add(step); });
    while (!calls_.empty()) Leave(summary_.end);
    return std::move(summary_);
  }

 private:
  void Enter(uint32_t function, uint64_t step) {
    calls_.push_back({function, static_cast<uint32_t>(calls_.size()), step, step});
  }

  void Leave(uint64_t step) {
    TimelineCall call = calls_.back();
    calls_.pop_back();
    call.leave = step;
    // Shorter ones are a part of what `depth` tells.
    if (call.leave - call.enter >= summary_.steps_per_bucket) summary_.calls.push_back(call);
  }

  void Add(const TraceStep& step) {
    const uint64_t index = (step.step - summary_.first) / summary_.steps_per_bucket;
    TimelineBucket& bucket = summary_.buckets[static_cast<size_t>(index)];
    const size_t code = debugger_.executable().instruction_count();
    ++bucket.bands[uint64_t{step.pc} * kTimelineBands / code];
    bucket.depth = std::max(bucket.depth, static_cast<uint32_t>(calls_.size()));
    bucket.allocated += step.allocation.bytes;
    bucket.breakpoints += PlacesAt(step);
    bool is_marked = false;
    begins_frame_ = false;
    for (const TraceEvent& event : step.events) {
      if (event.kind() == TraceEventKind::kPush) Enter(event.target, step.step + 1);
      if (event.kind() == TraceEventKind::kPop) Leave(step.step + 1);
      if (event.kind() == TraceEventKind::kWrite)
        is_marked |= AppearsNotFinite(event.after, step.step);
      begins_frame_ |= event.kind() == TraceEventKind::kPush;
    }
    if (is_marked && summary_.not_finite.size() < kMostMarkedSteps)
      summary_.not_finite.push_back(step.step);
  }

  // Conditions are not evaluated: a mark says that the place was come to.
  uint32_t PlacesAt(const TraceStep& step) const {
    uint32_t count = 0;
    for (const Breakpoint& breakpoint : debugger_.breakpoints()) {
      if (!breakpoint.enabled) continue;
      const bool is_there = breakpoint.pc == step.pc;
      count += (breakpoint.kind == BreakpointKind::kInstruction && is_there) ||
               (breakpoint.kind == BreakpointKind::kFunction && is_there && begins_frame_) ||
               (breakpoint.kind == BreakpointKind::kAllocation && step.allocation.count > 0 &&
                step.allocation.largest >= breakpoint.bytes);
    }
    return count;
  }

  // Each value is looked into once, when a register first gets it.
  bool AppearsNotFinite(ValueId id, uint64_t step) {
    if (seen_[id] != 0) return false;
    seen_[id] = 1;
    const Any& value = trace_.value(id);
    if (value.type_code() == TERN_TYPE_FLOAT) return !std::isfinite(*value.TryCast<double>());
    const Tensor* tensor = value.TryCast<Tensor>();
    if (tensor == nullptr || !tensor->dtype().is_float() || !tensor->on_host()) return false;
    read_bytes_ += tensor->byte_size();
    if (read_bytes_ > kMostBytesRead) {
      summary_.read_all = false;
      return false;
    }
    // As it was then: something may have been written into it since.
    const Any then = trace_.Materialize(id, step + 1);
    const TensorStatistics statistics = ComputeStatistics(*then.TryCast<Tensor>());
    return statistics.nan + statistics.inf > 0;
  }

  const Debugger& debugger_;
  const Trace& trace_;
  TimelineSummary summary_;
  std::vector<TimelineCall> calls_;  // that have not returned
  std::vector<uint8_t> seen_;        // by ValueId
  uint64_t read_bytes_ = 0;
  bool begins_frame_ = false;  // the step before pushed the innermost frame
};

}  // namespace

TimelineSummary SummarizeTimeline(const Debugger& debugger, uint32_t buckets) {
  return TimelineWalk(debugger, buckets).Run();
}

std::vector<uint64_t> CountHits(const Debugger& debugger) {
  std::vector<uint64_t> hits(debugger.executable().instruction_count());
  debugger.trace().ForEachStep([&hits](const TraceStep& step) { ++hits[step.pc]; });
  return hits;
}

}  // namespace tern::vm
