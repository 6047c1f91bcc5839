// SPDX-License-Identifier: Apache-2.0
// Softmax and its logarithm, in double precision.

#include <math.h>

#include "core/kernels/kernel_table.h"

namespace tern::kernels::reference {
namespace {

void SoftmaxColumn(const TernSoftmaxArgs& args, const float* x, float* y) {
  double maximum = -HUGE_VAL, sum = 0;
  for (int64_t i = 0; i < args.axis; ++i) {
    const double v = static_cast<double>(x[i * args.inner]);
    maximum = v > maximum ? v : maximum;
  }
  // About the maximum, so that no term overflows and one of them is 1.
  for (int64_t i = 0; i < args.axis; ++i)
    sum += exp(static_cast<double>(x[i * args.inner]) - maximum);
  for (int64_t i = 0; i < args.axis; ++i) {
    const double v = static_cast<double>(x[i * args.inner]) - maximum;
    y[i * args.inner] = static_cast<float>(args.log != 0 ? v - log(sum) : exp(v) / sum);
  }
}

}  // namespace

int32_t softmax(const TernSoftmaxArgs* args, const TernKernelContext*) {
  for (int64_t o = 0; o < args->outer; ++o) {
    for (int64_t i = 0; i < args->inner; ++i) {
      const int64_t at = o * args->axis * args->inner + i;
      SoftmaxColumn(*args, args->x + at, args->y + at);
    }
  }
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::reference
