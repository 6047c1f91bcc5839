// SPDX-License-Identifier: Apache-2.0
// Activations over memory, for the epilogues of products and convolutions: a function with a
// polynomial has too many constants to be applied beside the sums of a tile, and costs twice as
// much called for single vectors as in a loop of its own, the longer the better.

#ifndef TERN_CORE_KERNELS_ACTIVATE_H_
#define TERN_CORE_KERNELS_ACTIVATE_H_

#include "core/kernels/kernel.h"
#include "core/kernels/simd.h"

namespace tern::kernels::TERN_TARGET_NAME {

// y[i] = activation(x[i]) for i < size, the very loop of the unary operator of that name; y may be
// x. Only for what IsSlowActivation is true of.
void Activate(const TernEpilogue& epilogue, const float* x, float* y, int64_t size);

// True unless the activation is nothing or a clamp, which tiles do in registers.
inline bool IsSlowActivation(int32_t activation) { return activation >= TERN_ACT_LEAKY_RELU; }

}  // namespace tern::kernels::TERN_TARGET_NAME

#endif  // TERN_CORE_KERNELS_ACTIVATE_H_
