// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/kernels/rates.h"

#ifdef __EMSCRIPTEN__
#include <emscripten.h>
#endif

#include <algorithm>
#include <cstdint>
#include <ctime>

namespace tern::kernels {
namespace {

constexpr int kRounds = 21;
constexpr double kSampleSeconds = 4e-3;

// Processor time of this thread: other programs on a busy machine do not count, nor do threads that
// a rival has started and that wait for work.
double Seconds() {
#ifdef __EMSCRIPTEN__
  return EM_ASM_DOUBLE({
    if (typeof process == 'undefined') return performance.now() * 1e-3;
    var usage = process.cpuUsage();
    return (usage.user + usage.system) * 1e-6;
  });
#else
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
#endif
}

double SecondsOf(const std::function<void()>& run, int64_t runs) {
  const double start = Seconds();
  for (int64_t i = 0; i < runs; ++i) run();
  return Seconds() - start;
}

// So many that a sample takes kSampleSeconds; reading the clock then costs nothing of it.
int64_t ChooseRuns(const std::function<void()>& run) {
  run();
  for (int64_t runs = 1;; runs *= 2) {
    const double taken = SecondsOf(run, runs);
    if (taken < kSampleSeconds / 4) continue;
    return std::max<int64_t>(
        1, static_cast<int64_t>(static_cast<double>(runs) * kSampleSeconds / taken));
  }
}

}  // namespace

std::vector<double> BestRates(const std::vector<std::function<void()>>& sides, double work) {
  std::vector<int64_t> runs;
  for (const auto& side : sides) runs.push_back(ChooseRuns(side));
  std::vector<double> rates(sides.size(), 0.0);
  for (int round = 0; round < kRounds; ++round) {
    for (size_t i = 0; i < sides.size(); ++i) {
      const double taken = SecondsOf(sides[i], runs[i]);
      rates[i] = std::max(rates[i], 1e-9 * work * static_cast<double>(runs[i]) / taken);
    }
  }
  return rates;
}

}  // namespace tern::kernels
