// SPDX-License-Identifier: Apache-2.0
// What the machine that runs kernel tests and benchmarks can do.

#ifndef TERN_TESTS_KERNELS_CPU_H_
#define TERN_TESTS_KERNELS_CPU_H_

#include <cstdint>

namespace tern::kernels {

// The longest vector of the machine in floats: lengths 0 ... 2 * lanes + 1 are worth testing.
int64_t TestLanes();

}  // namespace tern::kernels

#endif  // TERN_TESTS_KERNELS_CPU_H_
