// SPDX-License-Identifier: Apache-2.0
// Samples of both sides in turns, so that a busy machine disturbs both alike.
#include <utility>

#include "tools/bench/support/timer.h"

namespace tern::bench {

Times TimeLoops(const Loop& ours, const Loop& rival, int samples) {
  const int64_t our_count = ChooseIterations(ours);
  const int64_t rival_count = rival ? ChooseIterations(rival) : 0;
  std::vector<double> our_times, rival_times;
  for (int sample = 0; sample < samples; ++sample) {
    our_times.push_back(Seconds(ours, our_count) / static_cast<double>(our_count));
    if (rival)
      rival_times.push_back(Seconds(rival, rival_count) / static_cast<double>(rival_count));
  }
  Times times{.ours = Median(std::move(our_times)), .rival = {}};
  if (rival) times.rival = Median(std::move(rival_times));
  return times;
}

}  // namespace tern::bench
