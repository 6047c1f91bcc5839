// SPDX-License-Identifier: Apache-2.0
#include "core/loop/analysis/interval.h"

#include <algorithm>

namespace tern::loop {
namespace {

// Ends of intervals, exact in 128 bits: operands have 64.
using Wide = __int128;

// Saturates: what does not fit has no bound on that side.
Interval Narrow(Wide low, Wide high) {
  return {low <= kNoLow || low >= kNoHigh ? kNoLow : static_cast<int64_t>(low),
          high >= kNoHigh || high <= kNoLow ? kNoHigh : static_cast<int64_t>(high)};
}

}  // namespace

bool IsBounded(Interval interval) { return interval.low != kNoLow && interval.high != kNoHigh; }

Interval RangeOfType(DType type) {
  if (type.is_bool()) return {0, 1};
  if (!type.is_int() || type.bits >= 64) return {};
  const int64_t half = int64_t{1} << (type.bits - 1);
  return type.is_signed_int() ? Interval{-half, half - 1} : Interval{0, 2 * half - 1};
}

Interval Plus(Interval a, Interval b) {
  const bool low = a.low != kNoLow && b.low != kNoLow;
  const bool high = a.high != kNoHigh && b.high != kNoHigh;
  return Narrow(low ? Wide{a.low} + b.low : Wide{kNoLow},
                high ? Wide{a.high} + b.high : Wide{kNoHigh});
}

Interval Times(Interval a, Interval b) {
  // The extremes of a product are at corners.
  if (IsBounded(a) && IsBounded(b)) {
    const Wide ends[] = {Wide{a.low} * b.low, Wide{a.low} * b.high, Wide{a.high} * b.low,
                         Wide{a.high} * b.high};
    return Narrow(*std::min_element(ends, ends + 4), *std::max_element(ends, ends + 4));
  }
  // Not negative: the least product is that of the least factors even without upper bounds.
  if (a.low >= 0 && b.low >= 0) {
    const Interval low = Narrow(Wide{a.low} * b.low, 0);
    return {low.low == kNoLow ? 0 : low.low, kNoHigh};
  }
  return {};
}

int64_t FloorDivide(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a % b < 0) != (b < 0)); }

}  // namespace tern::loop
