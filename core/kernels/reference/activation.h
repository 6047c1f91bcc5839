// SPDX-License-Identifier: Apache-2.0
// The epilogue of the reference kernels, one element at a time: what activations and the order of
// bias, residual and activation mean.

#ifndef TERN_CORE_KERNELS_REFERENCE_ACTIVATION_H_
#define TERN_CORE_KERNELS_REFERENCE_ACTIVATION_H_

#include <math.h>

#include "core/kernels/kernel_table.h"

namespace tern::kernels::reference {

// min(max(x, low), high) that keeps NaN.
inline float Clamp(float x, float low, float high) {
  const float raised = x < low ? low : x;
  return raised > high ? high : raised;
}

inline double SigmoidOf(double x) { return 1.0 / (1.0 + exp(-x)); }

// x f(x), where the product at -infinity is its limit zero.
inline float Gated(float x, double gate) {
  return gate == 0.0 ? 0.0f : static_cast<float>(x * gate);
}

inline double GeluTanhGate(double x) {
  return 0.5 * (1.0 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
}

inline float Activate(float x, int32_t activation, float alpha, float beta) {
  switch (activation) {
    case TERN_ACT_RELU: return x < 0.0f ? 0.0f : x;
    case TERN_ACT_CLAMP: return Clamp(x, alpha, beta);
    case TERN_ACT_LEAKY_RELU: return x < 0.0f ? alpha * x : x;
    case TERN_ACT_SIGMOID: return static_cast<float>(SigmoidOf(x));
    case TERN_ACT_SILU: return Gated(x, SigmoidOf(x));
    case TERN_ACT_TANH: return static_cast<float>(tanh(static_cast<double>(x)));
    case TERN_ACT_GELU: return Gated(x, 0.5 * erfc(-static_cast<double>(x) * 0.7071067811865476));
    case TERN_ACT_GELU_TANH: return Gated(x, GeluTanhGate(x));
    case TERN_ACT_HARD_SIGMOID: return Clamp(alpha * x + beta, 0.0f, 1.0f);
    case TERN_ACT_HARD_SWISH: return Gated(x, Clamp(x / 6.0f + 0.5f, 0.0f, 1.0f));
    case TERN_ACT_ELU:
      return x < 0.0f ? static_cast<float>(alpha * expm1(static_cast<double>(x))) : x;
  }
  return x;
}

// One output element of the row (pixel) `row` of a tensor with `epilogue`.
inline float Finish(double sum, const TernEpilogue& epilogue, int64_t row, int64_t column) {
  const double bias = epilogue.bias != nullptr ? static_cast<double>(epilogue.bias[column]) : 0.0;
  const double residual =
      epilogue.residual != nullptr
          ? static_cast<double>(epilogue.residual[row * epilogue.residual_stride + column])
          : 0.0;
  if (epilogue.residual_after != 0) {
    const float y = Activate(static_cast<float>(sum + bias), epilogue.activation, epilogue.alpha,
                             epilogue.beta);
    return static_cast<float>(y + residual);
  }
  return Activate(static_cast<float>(sum + bias + residual), epilogue.activation, epilogue.alpha,
                  epilogue.beta);
}

}  // namespace tern::kernels::reference

#endif  // TERN_CORE_KERNELS_REFERENCE_ACTIVATION_H_
