// SPDX-License-Identifier: Apache-2.0
// The multiply-add limit of the machine, measured with each target's own vectors: what kernels are
// compared with.

#ifndef TERN_TOOLS_BENCH_KERNELS_FMA_PEAK_H_
#define TERN_TOOLS_BENCH_KERNELS_FMA_PEAK_H_

#include <stdint.h>

namespace tern::kernels {

// Runs `rounds` rounds of multiply-adds in independent registers; returns the floating-point
// operations done. *sink keeps the compiler from dropping them.
using FmaPeak = int64_t(int64_t rounds, float* sink);

// The one compiled for the table of that name, null for plain loops.
FmaPeak* FindFmaPeak(const char* target);

}  // namespace tern::kernels

#endif  // TERN_TOOLS_BENCH_KERNELS_FMA_PEAK_H_
