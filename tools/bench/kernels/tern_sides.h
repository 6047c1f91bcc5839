// SPDX-License-Identifier: Apache-2.0
// Tern's own kernels as sides of the benchmark.

#ifndef TERN_TOOLS_BENCH_KERNELS_TERN_SIDES_H_
#define TERN_TOOLS_BENCH_KERNELS_TERN_SIDES_H_

#include "core/kernels/kernel_table.h"
#include "tools/bench/kernels/problem.h"

namespace tern::kernels {

Side TernSide(const KernelTable& table, const Product& product);
Side TernSide(const KernelTable& table, const Convolution& convolution);

}  // namespace tern::kernels

#endif  // TERN_TOOLS_BENCH_KERNELS_TERN_SIDES_H_
