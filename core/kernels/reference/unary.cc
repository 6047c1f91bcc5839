// SPDX-License-Identifier: Apache-2.0
// Elementwise functions of one argument, through the C library in double precision.

#include <math.h>

#include "core/kernels/kernel_table.h"
#include "core/kernels/reference/functions.h"

namespace tern::kernels::reference {
namespace {

double Sigmoid(double x) { return 1.0 / (1.0 + exp(-x)); }
double Softplus(double x) { return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x)); }
// x * gate, where a gate of zero wins over infinity.
double Gated(double x, double gate) { return gate == 0 ? 0 : x * gate; }
double Clamp(double x, double low, double high) { return x < low ? low : x > high ? high : x; }
// Some C libraries give a number below 1.
double Acosh(double x) { return x < 1 ? (double)NAN : acosh(x); }
double HardSigmoid(double x, double alpha, double beta) {
  return Clamp(alpha * x + beta, 0.0, 1.0);
}

double Shrink(double x, double limit, double bias) {
  if (x < -limit) return x + bias;
  if (x > limit) return x - bias;
  return isnan(x) ? x : 0.0;
}

}  // namespace

double EvaluateUnary(TernUnaryOp op, double x, double alpha, double beta) {
#define TERN_UNARY(name, types, formula, Grain, kernel, reference, phrase) \
  case TERN_UNARY_##name: return reference;
  switch (op) {
#include "core/kernels/unary.def"
    case TERN_UNARY_COUNT: break;
  }
  return x;
}

int32_t unary(const TernUnaryArgs* args, const TernKernelContext*) {
  for (int64_t i = 0; i < args->size; ++i) {
    const double x = static_cast<double>(args->x[i]);
    const TernUnaryOp op = static_cast<TernUnaryOp>(args->op);
    args->y[i] = static_cast<float>(
        EvaluateUnary(op, x, static_cast<double>(args->alpha), static_cast<double>(args->beta)));
  }
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::reference
