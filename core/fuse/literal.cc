// SPDX-License-Identifier: Apache-2.0
#include "core/fuse/literal.h"

#include <cstdint>

#include "core/base/half.h"
#include "core/base/unaligned.h"
#include "core/ir/splat.h"

namespace tern::fuse {
namespace {

// The one element that a constant repeats, or null.
TensorPtr OnlyElement(const ir::Expr& atom) {
  const Tensor* tensor = ir::ConstantWindow(atom);
  if (tensor == nullptr || tensor->element_count() == 0) return nullptr;
  if (TensorPtr element = ir::SplatElement(*tensor)) return element;
  if (tensor->element_count() == 1) return tensor->View({}, {}, 0).value();
  double value = 0;  // of a filled one: the first
  return ir::UniformValue(*tensor, &value) ? tensor->View({}, {}, 0).value() : nullptr;
}

template <class T>
T Read(const Tensor& element) {
  return Unaligned<T>(element.data())[0];
}

// Exact for every type: a float64 holds them all.
double FloatOf(const Tensor& element) {
  const DType type = element.dtype();
  if (type == kF64) return Read<double>(element);
  if (type == kF16) return static_cast<double>(F16ToF32(Read<uint16_t>(element)));
  if (type == kBf16) return static_cast<double>(Bf16ToF32(Read<uint16_t>(element)));
  return static_cast<double>(Read<float>(element));
}

// The bits of an unsigned number of 64 bits.
int64_t IntegerOf(const Tensor& element) {
  const bool is_signed = element.dtype().is_signed_int();
  switch (element.dtype().bits) {
    case 8: return is_signed ? int64_t{Read<int8_t>(element)} : int64_t{Read<uint8_t>(element)};
    case 16: return is_signed ? int64_t{Read<int16_t>(element)} : int64_t{Read<uint16_t>(element)};
    case 32: return is_signed ? int64_t{Read<int32_t>(element)} : int64_t{Read<uint32_t>(element)};
    default: return Read<int64_t>(element);
  }
}

}  // namespace

loop::Expr LiteralOf(const ir::Expr& atom, bool wide) {
  const TensorPtr element = OnlyElement(atom);
  if (!element || !loop::DataType::IsSupported(element->dtype())) return nullptr;
  const DType type = element->dtype();
  if (type.is_bool()) return loop::MakeBool(Read<uint8_t>(*element) != 0);
  if (!type.is_float()) return loop::MakeInt(loop::DataType(type), IntegerOf(*element));
  // Loops that compute 16-bit floats in 32 take their constants so.
  const DType computed = wide && type.bits == 16 ? kF32 : type;
  return loop::MakeFloat(loop::DataType(computed), FloatOf(*element));
}

std::optional<double> NumberOf(const ir::Expr& atom) {
  const TensorPtr element = OnlyElement(atom);
  if (!element || !loop::DataType::IsSupported(element->dtype()) || element->dtype().is_bool())
    return std::nullopt;
  const DType type = element->dtype();
  if (type.is_float()) return FloatOf(*element);
  const int64_t bits = IntegerOf(*element);
  return type.is_signed_int() ? static_cast<double>(bits)
                              : static_cast<double>(static_cast<uint64_t>(bits));
}

}  // namespace tern::fuse
