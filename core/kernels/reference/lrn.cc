// SPDX-License-Identifier: Apache-2.0
// Local response normalization over channels, in double precision.

#include <math.h>

#include "core/kernels/kernel_table.h"

namespace tern::kernels::reference {

int32_t lrn(const TernLrnArgs* args, const TernKernelContext*) {
  // Of an even size the longer side is behind, as the standard has it.
  const int64_t before = (args->size - 1) / 2, after = args->size - 1 - before;
  for (int64_t p = 0; p < args->pixels; ++p) {
    const float* x = args->x + p * args->channels;
    for (int64_t c = 0; c < args->channels; ++c) {
      double sum = 0;
      for (int64_t k = c - before; k <= c + after; ++k) {
        if (k >= 0 && k < args->channels)
          sum += static_cast<double>(x[k]) * static_cast<double>(x[k]);
      }
      const double base = static_cast<double>(args->bias) +
                          static_cast<double>(args->alpha) / static_cast<double>(args->size) * sum;
      args->y[p * args->channels + c] = static_cast<float>(
          static_cast<double>(x[c]) / pow(base, static_cast<double>(args->beta)));
    }
  }
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::reference
