// SPDX-License-Identifier: Apache-2.0
// The functions of kernel.h in double precision: what reference/ and the operators on f64 compute.

#ifndef TERN_CORE_KERNELS_REFERENCE_FUNCTIONS_H_
#define TERN_CORE_KERNELS_REFERENCE_FUNCTIONS_H_

#include "core/kernels/kernel.h"

namespace tern::kernels::reference {

double EvaluateUnary(TernUnaryOp op, double x, double alpha, double beta);
double EvaluateBinary(TernBinaryOp op, double a, double b);

}  // namespace tern::kernels::reference

#endif  // TERN_CORE_KERNELS_REFERENCE_FUNCTIONS_H_
