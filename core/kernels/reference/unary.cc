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
  switch (op) {
    case TERN_UNARY_abs: return fabs(x);
    case TERN_UNARY_neg: return -x;
    case TERN_UNARY_sign: return x > 0 ? 1.0 : x < 0 ? -1.0 : x;
    case TERN_UNARY_floor: return floor(x);
    case TERN_UNARY_ceil: return ceil(x);
    case TERN_UNARY_round: return nearbyint(x);
    case TERN_UNARY_sqrt: return sqrt(x);
    case TERN_UNARY_rsqrt: return 1.0 / sqrt(x);
    case TERN_UNARY_reciprocal: return 1.0 / x;
    case TERN_UNARY_exp: return exp(x);
    case TERN_UNARY_log: return log(x);
    case TERN_UNARY_sin: return sin(x);
    case TERN_UNARY_cos: return cos(x);
    case TERN_UNARY_tan: return tan(x);
    case TERN_UNARY_asin: return asin(x);
    case TERN_UNARY_acos: return acos(x);
    case TERN_UNARY_atan: return atan(x);
    case TERN_UNARY_sinh: return sinh(x);
    case TERN_UNARY_cosh: return cosh(x);
    case TERN_UNARY_asinh: return asinh(x);
    // Some C libraries give a number below 1.
    case TERN_UNARY_acosh: return x < 1 ? (double)NAN : acosh(x);
    case TERN_UNARY_atanh: return atanh(x);
    case TERN_UNARY_tanh: return tanh(x);
    case TERN_UNARY_erf: return erf(x);
    case TERN_UNARY_sigmoid: return Sigmoid(x);
    case TERN_UNARY_relu: return x < 0 ? 0.0 : x;
    case TERN_UNARY_silu: return Gated(x, Sigmoid(x));
    case TERN_UNARY_gelu: return Gated(x, 0.5 * erfc(-x * 0.70710678118654752440));
    case TERN_UNARY_gelu_tanh:
      return Gated(x, Sigmoid(1.59576912160573071176 * (x + 0.044715 * x * x * x)));
    case TERN_UNARY_softplus: return Softplus(x);
    case TERN_UNARY_softsign: return x / (1.0 + fabs(x));
    case TERN_UNARY_mish: return Gated(x, tanh(Softplus(x)));
    case TERN_UNARY_hard_swish: return Gated(x, HardSigmoid(x, 1.0 / 6.0, 0.5));
    case TERN_UNARY_leaky_relu: return x < 0 ? alpha * x : x;
    case TERN_UNARY_elu: return x < 0 ? alpha * expm1(x) : x;
    case TERN_UNARY_selu: return beta * (x < 0 ? alpha * expm1(x) : x);
    case TERN_UNARY_celu: return x < 0 ? alpha * expm1(x / alpha) : x;
    case TERN_UNARY_hard_sigmoid: return HardSigmoid(x, alpha, beta);
    case TERN_UNARY_thresholded_relu: return x <= alpha ? 0.0 : x;
    case TERN_UNARY_clamp: return Clamp(x, alpha, beta);
    case TERN_UNARY_shrink: return Shrink(x, alpha, beta);
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
