// SPDX-License-Identifier: Apache-2.0
// Reduction over one axis, in double precision.

#include <math.h>

#include "core/kernels/kernel_table.h"
#include "core/kernels/reference/functions.h"

namespace tern::kernels::reference {

// The neutral element, which is also what an axis of extent 0 gives: minus infinity for the
// maximum, 1 for the product.
double StartOfReduction(TernReduceOp op) {
  if (op == TERN_REDUCE_max) return -HUGE_VAL;
  if (op == TERN_REDUCE_min) return HUGE_VAL;
  return op == TERN_REDUCE_prod ? 1.0 : 0.0;
}

double ReduceStep(TernReduceOp op, double total, double x, double offset) {
  switch (op) {
    // NaN stays, whichever side it came from: comparisons with it are false.
    case TERN_REDUCE_max: return total > x || isnan(total) ? total : x;
    case TERN_REDUCE_min: return total < x || isnan(total) ? total : x;
    case TERN_REDUCE_prod: return total * x;
    case TERN_REDUCE_sum_square:
    case TERN_REDUCE_l2: return total + x * x;
    case TERN_REDUCE_l1: return total + fabs(x);
    // The offset is subtracted from every exponent, so that none overflows; FinishReduction adds it
    // again.
    case TERN_REDUCE_log_sum_exp: return total + exp(x - offset);
    case TERN_REDUCE_sum:
    case TERN_REDUCE_mean:
    case TERN_REDUCE_log_sum: return total + x;
    case TERN_REDUCE_COUNT: break;
  }
  return total;
}

double FinishReduction(TernReduceOp op, double total, int64_t count, double offset) {
  if (op == TERN_REDUCE_mean) return total / static_cast<double>(count);
  if (op == TERN_REDUCE_l2) return sqrt(total);
  if (op == TERN_REDUCE_log_sum_exp) return log(total) + offset;
  return op == TERN_REDUCE_log_sum ? log(total) : total;
}

int32_t reduce(const TernReduceArgs* args, const TernKernelContext*) {
  const TernReduceOp op = static_cast<TernReduceOp>(args->op);
  for (int64_t o = 0; o < args->outer; ++o) {
    for (int64_t i = 0; i < args->inner; ++i) {
      // The tensor is [outer][axis][inner]; elements of one column lie `inner` apart.
      const float* column = args->x + o * args->axis * args->inner + i;
      args->y[o * args->inner + i] =
          static_cast<float>(ReduceColumn(op, column, args->axis, args->inner));
    }
  }
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::reference
