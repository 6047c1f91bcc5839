// SPDX-License-Identifier: Apache-2.0
// Summaries of a record for pictures of it: what a time line shows, and how often each instruction
// ran. One pass over the log each; nothing is computed per step by who draws.
#ifndef TERN_CORE_VM_DEBUG_TRACE_SUMMARY_H_
#define TERN_CORE_VM_DEBUG_TRACE_SUMMARY_H_

#include <cstdint>
#include <vector>

#include "core/vm/debug/debugger.h"

namespace tern::vm {

inline constexpr uint32_t kMaxTimelineBuckets = 4096;
inline constexpr uint32_t kTimelineBands = 16;  // of instructions, for their density
// Reading elements for NaNs ends after so many bytes of tensors.
inline constexpr uint64_t kMostBytesRead = uint64_t{64} << 20;
inline constexpr size_t kMostMarkedSteps = 1000;

// Consecutive steps.
struct TimelineBucket {
  uint32_t depth = 0;                   // of the deepest call
  uint64_t allocated = 0;               // bytes
  uint32_t breakpoints = 0;             // times that the place of an enabled breakpoint was come to
  uint32_t bands[kTimelineBands] = {};  // steps by where their instruction lies in the code
};

// A call that is at least a bucket long.
struct TimelineCall {
  uint32_t function = 0;
  uint32_t depth = 0;  // 0 is the outermost frame
  uint64_t enter = 0;  // the first state that has the frame
  uint64_t leave = 0;  // the first that has it no more, or the end of the record
};

struct TimelineSummary {
  uint64_t first = 0;
  uint64_t end = 0;
  uint64_t steps_per_bucket = 1;
  std::vector<TimelineBucket> buckets;
  std::vector<TimelineCall> calls;
  // Steps whose instruction wrote a value with NaNs or infinities that was not there before; the
  // first kMostMarkedSteps.
  std::vector<uint64_t> not_finite;
  bool read_all = true;  // false: tensors of more than kMostBytesRead were not looked into
};

// buckets: how many there may be, 1 … kMaxTimelineBuckets.
TimelineSummary SummarizeTimeline(const Debugger& debugger, uint32_t buckets);

// Of each instruction of the program how many recorded steps executed it.
std::vector<uint64_t> CountHits(const Debugger& debugger);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_DEBUG_TRACE_SUMMARY_H_
