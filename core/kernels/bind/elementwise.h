// SPDX-License-Identifier: Apache-2.0
// Conversions of whole tensors. 16-bit floats are computed with in f32: there and back.

#ifndef TERN_CORE_KERNELS_BIND_ELEMENTWISE_H_
#define TERN_CORE_KERNELS_BIND_ELEMENTWISE_H_

#include "core/kernels/bind/call.h"
#include "core/ops/math_rules.h"

namespace tern::kernels::bind {

// f16 or bf16 → f32.
Result<TensorPtr> Widen(Call& call, const Tensor& x);
// f32 → f16 or bf16.
Result<TensorPtr> Narrow(Call& call, const Tensor& x, DType dtype);
// Any number type to any other.
Result<TensorPtr> CastTo(Call& call, const Tensor& x, DType to);

}  // namespace tern::kernels::bind

#endif  // TERN_CORE_KERNELS_BIND_ELEMENTWISE_H_
