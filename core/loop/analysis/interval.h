// SPDX-License-Identifier: Apache-2.0
// Interval: what an integer can be, for the analyses of indices (Moore, "Interval Analysis", 1966).
//
// Arithmetic is that of the mathematical integers. An end that 64 bits cannot hold becomes "no
// bound", which is always true, so an interval is at worst useless and never wrong. Whether the
// program's own arithmetic wraps is asked by those who depend on it.
#ifndef TERN_CORE_LOOP_ANALYSIS_INTERVAL_H_
#define TERN_CORE_LOOP_ANALYSIS_INTERVAL_H_

#include <cstdint>

#include "core/object/dtype.h"

namespace tern::loop {

inline constexpr int64_t kNoLow = INT64_MIN, kNoHigh = INT64_MAX;

// Inclusive; the extreme values of int64 stand for "no bound".
struct Interval {
  int64_t low = kNoLow;
  int64_t high = kNoHigh;
};

bool IsBounded(Interval interval);

// What a value of a type can be at all. Unsigned numbers of 64 bits have no bounds here, because
// some of them are negative as int64.
Interval RangeOfType(DType type);

Interval Plus(Interval a, Interval b);
Interval Times(Interval a, Interval b);

// Rounds towards minus infinity, as the loop IR's / does. The divisor is not 0, and the quotient
// not that of INT64_MIN and -1.
int64_t FloorDivide(int64_t a, int64_t b);

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_ANALYSIS_INTERVAL_H_
