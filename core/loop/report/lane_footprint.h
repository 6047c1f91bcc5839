// SPDX-License-Identifier: Apache-2.0
// Footprint: which cache lines a loop touches of a buffer. Buffers are taken to begin at a line.
#ifndef TERN_CORE_LOOP_REPORT_LANE_FOOTPRINT_H_
#define TERN_CORE_LOOP_REPORT_LANE_FOOTPRINT_H_

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tern::loop {

inline constexpr int64_t kCacheLineBytes = 64;

// Elements that one access touches, by number; what is off is not among them.
struct TouchedElements {
  std::vector<int64_t> indices;
  int64_t element_bytes = 1;
};

// The lines of one access, each once, in ascending order.
std::vector<int64_t> LinesOf(const TouchedElements& touched);

// A set of lines as ranges.
class Footprint {
 public:
  void Add(const TouchedElements& touched);
  // The same elements, moved on by `step` elements once, twice, … `times` times. Where the parts
  // are far from each other and more than can be listed, the number of lines is unknown from here.
  void AddSteps(const TouchedElements& touched, int64_t step, int64_t times);

  // -1: unknown.
  int64_t CountLines();

 private:
  void AddRange(int64_t first, int64_t last);
  void Merge();

  std::vector<std::pair<int64_t, int64_t>> ranges_;  // first and last line
  size_t merged_ = 0;                                // so many were left by the last Merge
  bool is_known_ = true;
};

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_REPORT_LANE_FOOTPRINT_H_
