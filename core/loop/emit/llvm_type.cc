// SPDX-License-Identifier: Apache-2.0
// Spelling only.
#include "core/loop/emit/llvm_type.h"

#include <cmath>

#include "core/base/half.h"
#include "core/base/strings.h"

namespace tern::loop {
namespace {

std::string Element(DType element) {
  if (element.is_bool()) return "i1";
  if (element == kBf16) return "i16";
  if (element == kF16) return "half";
  if (element == kF32) return "float";
  if (element == kF64) return "double";
  return StrCat("i", element.bits);
}

std::string ElementSuffix(DType element) {
  if (element == kF16) return "f16";
  if (element == kF32) return "f32";
  if (element == kF64) return "f64";
  return Element(element);
}

std::string Vector(Lanes lanes, std::string_view element) {
  return StrCat("<", lanes.scalable ? "vscale x " : "", lanes.count, " x ", element, ">");
}

std::string LanesSuffix(Lanes lanes) {
  if (lanes.is_scalar()) return "";
  return StrCat(lanes.scalable ? "nxv" : "v", lanes.count);
}

}  // namespace

std::string LlvmType(DataType type) {
  const std::string element = Element(type.element());
  return type.is_scalar() ? element : Vector(type.lane_count(), element);
}

std::string LlvmMemoryType(DataType type) { return LlvmType(type.InMemory()); }

std::string LlvmSuffix(DataType type) {
  return LanesSuffix(type.lane_count()) + ElementSuffix(type.element());
}

std::string LlvmPointers(Lanes lanes) { return Vector(lanes, "ptr"); }
std::string LlvmPointersSuffix(Lanes lanes) { return LanesSuffix(lanes) + "p0"; }

std::string LlvmConstant(const IntImm& imm) {
  if (imm.type.is_bool()) return imm.value != 0 ? "true" : "false";
  return StrCat(imm.value);
}

// Decimal where LLVM reads it back without loss: it must see a point, and the value must be finite.
// Others are given by their bits, which LLVM takes as those of a double whatever the type is.
std::string LlvmFloat(double value) {
  if (std::isfinite(value)) {
    std::string text = FormatDouble(value);
    const size_t exponent = text.find('e');
    if (text.find('.') == std::string::npos)
      text.insert(exponent == std::string::npos ? text.size() : exponent, ".0");
    return text;
  }
  std::string digits = FormatHex(__builtin_bit_cast(uint64_t, value)).substr(2);
  return StrCat("0x", std::string(16 - digits.size(), '0'), digits);
}

std::string LlvmConstant(const FloatImm& imm) {
  if (imm.type.element() == kBf16) return StrCat(F32ToBf16(static_cast<float>(imm.value)));
  return LlvmFloat(imm.value);
}

}  // namespace tern::loop
