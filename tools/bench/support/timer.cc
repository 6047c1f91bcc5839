// SPDX-License-Identifier: Apache-2.0
// What both ways of timing need.
#include "tools/bench/support/timer.h"

#include <algorithm>
#include <chrono>

namespace tern::bench {

double Seconds(const Loop& loop, int64_t iterations) {
  const auto start = std::chrono::steady_clock::now();
  loop(iterations);
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  return passed.count();
}

int64_t ChooseIterations(const Loop& loop) {
  int64_t iterations = 1;
  for (;;) {
    const double seconds = Seconds(loop, iterations);
    if (seconds >= kSampleSeconds / 2 || iterations >= int64_t{1} << 40) {
      const double scale = kSampleSeconds / std::max(seconds, 1e-9);
      return std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(iterations) * scale));
    }
    iterations *= seconds > kSampleSeconds / 50 ? 2 : 8;
  }
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace tern::bench
