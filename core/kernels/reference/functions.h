// SPDX-License-Identifier: Apache-2.0
// The functions of kernel.h in double precision: what reference/ and the operators on f64 compute.

#ifndef TERN_CORE_KERNELS_REFERENCE_FUNCTIONS_H_
#define TERN_CORE_KERNELS_REFERENCE_FUNCTIONS_H_

#include <math.h>
#include <stdint.h>

#include "core/kernels/kernel.h"

namespace tern::kernels::reference {

double EvaluateUnary(TernUnaryOp op, double x, double alpha, double beta);
double EvaluateBinary(TernBinaryOp op, double a, double b);

// A reduction: what it begins with, what an element makes of the total, and what the total becomes.
// offset: what log_sum_exp subtracts from each element.
double StartOfReduction(TernReduceOp op);
double ReduceStep(TernReduceOp op, double total, double x, double offset);
double FinishReduction(TernReduceOp op, double total, int64_t count, double offset);

// Of elements of any type, `stride` apart.
template <class T>
double ReduceColumn(TernReduceOp op, const T* x, int64_t size, int64_t stride) {
  double offset = 0;
  if (op == TERN_REDUCE_log_sum_exp) {
    // About the maximum, because the exponentials would overflow alone. An infinite one is the
    // result: inf - inf would make it NaN.
    offset = ReduceColumn(TERN_REDUCE_max, x, size, stride);
    if (isinf(offset)) return offset;
  }
  double total = StartOfReduction(op);
  for (int64_t i = 0; i < size; ++i)
    total = ReduceStep(op, total, static_cast<double>(x[i * stride]), offset);
  return FinishReduction(op, total, size, offset);
}

}  // namespace tern::kernels::reference

#endif  // TERN_CORE_KERNELS_REFERENCE_FUNCTIONS_H_
