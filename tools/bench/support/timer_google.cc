// SPDX-License-Identifier: Apache-2.0
// Each side is a benchmark of Google Benchmark's, registered for the time of one row; repetitions
// are interleaved at random, which disturbs both sides alike on a busy machine.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "tools/bench/support/timer.h"

namespace tern::bench {
namespace {

// Keeps the time of every repetition by the benchmark's name, and prints nothing.
class Keeper : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration || run.iterations == 0) continue;
      times[run.run_name.function_name].push_back(run.real_accumulated_time /
                                                  static_cast<double>(run.iterations));
    }
  }

  std::map<std::string, std::vector<double>> times;
};

void InitializeOnce() {
  static const bool done = [] {
    char program[] = "bench", interleave[] = "--benchmark_enable_random_interleaving=true";
    char* argv[] = {program, interleave, nullptr};
    int argc = 2;
    benchmark::Initialize(&argc, argv);
    return true;
  }();
  static_cast<void>(done);
}

void Register(const char* name, const Loop& loop, int samples) {
  constexpr int64_t kBatchesPerSample = 16;  // between looks at the clock's counter
  const int64_t batch = std::max<int64_t>(1, ChooseIterations(loop) / kBatchesPerSample);
  benchmark::RegisterBenchmark(name,
                               [&loop, batch](benchmark::State& state) {
                                 while (state.KeepRunningBatch(batch)) loop(batch);
                               })
      ->UseRealTime()
      ->MinTime(kSampleSeconds)
      ->Repetitions(samples);
}

}  // namespace

Times TimeLoops(const Loop& ours, const Loop& rival, int samples) {
  InitializeOnce();
  Register("ours", ours, samples);
  if (rival) Register("rival", rival, samples);
  Keeper keeper;
  benchmark::RunSpecifiedBenchmarks(&keeper);
  benchmark::ClearRegisteredBenchmarks();
  Times times{.ours = Median(std::move(keeper.times["ours"])), .rival = {}};
  if (rival) times.rival = Median(std::move(keeper.times["rival"]));
  return times;
}

}  // namespace tern::bench
