// SPDX-License-Identifier: Apache-2.0
// Other libraries as sides of the benchmark, each on one thread; none where they are not linked.

#ifndef TERN_TOOLS_BENCH_KERNELS_RIVALS_H_
#define TERN_TOOLS_BENCH_KERNELS_RIVALS_H_

#include <vector>

#include "tools/bench/kernels/problem.h"

namespace tern::kernels {

// Adds the sides that a library has for a problem.
struct Rival {
  void (*products)(const Product& product, std::vector<Side>* sides);              // or null
  void (*convolutions)(const Convolution& convolution, std::vector<Side>* sides);  // or null
};

#ifdef TERN_HAS_RIVALS
extern const Rival kOneDnn, kXnnPack, kOpenBlas;
inline constexpr const Rival* kRivals[] = {&kOneDnn, &kXnnPack, &kOpenBlas};
#endif

// Of all libraries. A convolution has rivals if its activation is ReLU and it is not
// transposed: what all of them have.
std::vector<Side> RivalSides(const Product& product);
std::vector<Side> RivalSides(const Convolution& convolution);

}  // namespace tern::kernels

#endif  // TERN_TOOLS_BENCH_KERNELS_RIVALS_H_
