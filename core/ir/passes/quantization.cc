// SPDX-License-Identifier: Apache-2.0
#include "core/ir/passes/quantization.h"

#include <cmath>

#include "core/ir/splat.h"
#include "core/ops/math_attrs.h"

namespace tern::ir {

namespace {
int ByteElement(const Tensor& tensor, int64_t index) {
  return tensor.dtype() == kU8 ? int{tensor.data_as<uint8_t>()[index]}
                               : int{tensor.data_as<int8_t>()[index]};
}
}  // namespace

bool Is8Bits(DType dtype) { return dtype == kU8 || dtype == kI8; }

std::optional<double> NumberOf(const Expr* expr, double fallback) {
  if (expr == nullptr || IsNone(*expr)) return fallback;
  const Tensor* tensor = ConstantWindow(*expr);
  double value = 0;
  if (tensor == nullptr) return std::nullopt;
  if (Is8Bits(tensor->dtype()) && tensor->element_count() == 1) return ByteElement(*tensor, 0);
  if (!UniformValue(*tensor, &value)) return std::nullopt;
  return value;
}

const Expr* ArgumentOf(const Call& call, size_t index) {
  return index < call.args().size() ? &call.args()[index] : nullptr;
}

bool ComputesInF32(const Call& call) {
  const ops::QuantizeAttrs attrs = ops::QuantizeAttrs::From(call.attrs()).value();
  const bool widens =
      call.Is(ops::Op::k_dequantize_linear) && attrs.to.is_float() && attrs.to != kF32;
  return !widens && (!attrs.precision.IsKnown() || attrs.precision == kF32);
}

std::optional<Quantization> QuantizationOf(const Call& call, DType to) {
  if (!ComputesInF32(call)) return std::nullopt;
  const std::optional<double> scale = NumberOf(ArgumentOf(call, 1), 0);
  const std::optional<double> zero = NumberOf(ArgumentOf(call, 2), 0);
  const types::TensorType* type = TensorTypeOf(call.args()[1]);
  if (!scale || !zero || type == nullptr || type->dtype != kF32 || !Is8Bits(to))
    return std::nullopt;
  if (!(*scale > 0) || !std::isfinite(*scale)) return std::nullopt;
  return Quantization{static_cast<float>(*scale), static_cast<int64_t>(*zero), to};
}

}  // namespace tern::ir
