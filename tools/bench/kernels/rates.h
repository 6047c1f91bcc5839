// SPDX-License-Identifier: Apache-2.0
// How fast several sides do the same work.

#ifndef TERN_TOOLS_BENCH_KERNELS_RATES_H_
#define TERN_TOOLS_BENCH_KERNELS_RATES_H_

#include <functional>
#include <vector>

namespace tern::kernels {

// The best rate of each side over short samples that the sides take in turns, in 1e9 of `work` a
// second, where `work` is what one run does. Taking turns, a busy machine disturbs all alike; of
// what disturbs, the best sample has least.
std::vector<double> BestRates(const std::vector<std::function<void()>>& sides, double work);

}  // namespace tern::kernels

#endif  // TERN_TOOLS_BENCH_KERNELS_RATES_H_
