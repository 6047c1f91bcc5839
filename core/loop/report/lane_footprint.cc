// SPDX-License-Identifier: Apache-2.0
#include "core/loop/report/lane_footprint.h"

#include <algorithm>

namespace tern::loop {
namespace {

// Steps with gaps are listed one by one up to this number; beyond it the time would be felt.
constexpr int64_t kMaxListedSteps = int64_t{1} << 14;
// So many ranges are merged at the latest.
constexpr size_t kMergeAt = 1024;

int64_t LineOf(int64_t index, int64_t element_bytes) {
  return index * element_bytes / kCacheLineBytes;
}

}  // namespace

std::vector<int64_t> LinesOf(const TouchedElements& touched) {
  std::vector<int64_t> lines;
  for (int64_t index : touched.indices) lines.push_back(LineOf(index, touched.element_bytes));
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

void Footprint::Add(const TouchedElements& touched) {
  for (int64_t line : LinesOf(touched)) AddRange(line, line);
}

void Footprint::AddSteps(const TouchedElements& touched, int64_t step, int64_t times) {
  // The first access was added already.
  if (touched.indices.empty() || step == 0) return;
  const auto [least, greatest] =
      std::minmax_element(touched.indices.begin(), touched.indices.end());
  const std::vector<int64_t> lines = LinesOf(touched);
  // A contiguous access that moves by no more than its own length covers all lines between its
  // ends.
  const bool has_gaps = lines.back() - lines.front() >= static_cast<int64_t>(lines.size());
  const int64_t reach = *greatest - *least + 1, way = step * times;
  if (!has_gaps && std::max(step, -step) <= reach) {
    const int64_t low = *least + std::min(way, int64_t{0});
    const int64_t high = *greatest + std::max(way, int64_t{0});
    return AddRange(LineOf(low, touched.element_bytes), LineOf(high, touched.element_bytes));
  }
  if (times > kMaxListedSteps) {
    is_known_ = false;
    return;
  }
  TouchedElements moved = touched;
  for (int64_t i = 0; i < times; ++i) {
    for (int64_t& index : moved.indices) index += step;
    Add(moved);
  }
}

int64_t Footprint::CountLines() {
  if (!is_known_) return -1;
  Merge();
  int64_t count = 0;
  for (const auto& [first, last] : ranges_) count += last - first + 1;
  return count;
}

// Most accesses continue the last range, which keeps the list short without sorting.
void Footprint::AddRange(int64_t first, int64_t last) {
  if (!ranges_.empty() && first >= ranges_.back().first && first <= ranges_.back().second + 1) {
    ranges_.back().second = std::max(ranges_.back().second, last);
    return;
  }
  ranges_.emplace_back(first, last);
  // At twice as many ranges as the last merge left, so that the time of merging stays in proportion
  // to what is added.
  if (ranges_.size() >= std::max(kMergeAt, 2 * merged_)) Merge();
}

void Footprint::Merge() {
  std::sort(ranges_.begin(), ranges_.end());
  std::vector<std::pair<int64_t, int64_t>> merged;
  for (const auto& range : ranges_) {
    if (!merged.empty() && range.first <= merged.back().second + 1)
      merged.back().second = std::max(merged.back().second, range.second);
    else
      merged.push_back(range);
  }
  ranges_ = std::move(merged);
  merged_ = ranges_.size();
}

}  // namespace tern::loop
