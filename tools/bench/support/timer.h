// SPDX-License-Identifier: Apache-2.0
// How a row of rows.h is timed. Natively by Google Benchmark (timer_google.cc), whose repetitions
// of both sides come in random order; where that is not to be had (WebAssembly, cross compilers) by
// a clock (timer_plain.cc), in turns.
#ifndef TERN_TOOLS_BENCH_SUPPORT_TIMER_H_
#define TERN_TOOLS_BENCH_SUPPORT_TIMER_H_

#include <optional>
#include <vector>

#include "tools/bench/support/rows.h"

namespace tern::bench {

// Medians, in seconds per iteration.
struct Times {
  double ours = 0;
  std::optional<double> rival;
};

// rival may be empty. samples of about kSampleSeconds each.
Times TimeLoops(const Loop& ours, const Loop& rival, int samples);

// For both ways.
inline constexpr double kSampleSeconds = 1e-3;
double Seconds(const Loop& loop, int64_t iterations);
// So many that a sample takes kSampleSeconds.
int64_t ChooseIterations(const Loop& loop);
double Median(std::vector<double> values);

}  // namespace tern::bench

#endif  // TERN_TOOLS_BENCH_SUPPORT_TIMER_H_
