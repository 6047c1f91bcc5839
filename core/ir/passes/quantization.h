// SPDX-License-Identifier: Apache-2.0
// Scales and zero points of whole tensors, as calls of quantize_linear and dequantize_linear have
// them: what passes ask that keep numbers of 8 bits.
#ifndef TERN_CORE_IR_PASSES_QUANTIZATION_H_
#define TERN_CORE_IR_PASSES_QUANTIZATION_H_

#include <optional>

#include "core/ir/module.h"

namespace tern::ir {

// A number x of type `to` stands for (x - zero) * scale.
struct Quantization {
  float scale = 0;
  int64_t zero = 0;
  DType to = kU8;

  bool operator==(const Quantization&) const = default;
};

bool Is8Bits(DType dtype);

// The one element of a constant; where the argument is absent, `fallback`.
std::optional<double> NumberOf(const Expr* expr, double fallback);

const Expr* ArgumentOf(const Call& call, size_t index);

// Whether the division or product by the scale is one of f32, as the integer kernels assume.
bool ComputesInF32(const Call& call);

// Of quantize_linear with a result of type `to`, or of dequantize_linear of one; none unless scale
// and zero point are one constant each.
std::optional<Quantization> QuantizationOf(const Call& call, DType to);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_PASSES_QUANTIZATION_H_
