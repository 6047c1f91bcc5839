// SPDX-License-Identifier: Apache-2.0
// Small element types: bits in bytes, and which conversion of base/float8.h a type has.
#include "core/object/small_numbers.h"

#include <cmath>
namespace tern {

bool IsSmallFloat(DType dtype) {
  return dtype == kF8E4M3 || dtype == kF8E5M2 || dtype == kF8E4M3Fnuz || dtype == kF8E5M2Fnuz ||
         dtype == kF8E8M0 || dtype == kF4E2M1;
}

bool IsSmallNumber(DType dtype) {
  // Every argument of every call is asked, and nearly all have more bits.
  if (dtype.bits > 8) return false;
  return IsSmallFloat(dtype) || dtype == kI4 || dtype == kU4 || dtype == kI2 || dtype == kU2;
}

uint8_t SmallBits(DType dtype, const void* data, int64_t index) {
  const int64_t each = 8 / dtype.bits;
  const uint32_t byte = static_cast<const uint8_t*>(data)[index / each];
  const uint32_t mask = (1u << dtype.bits) - 1;
  return static_cast<uint8_t>(byte >> (index % each * dtype.bits) & mask);
}

void SetSmallBits(DType dtype, void* data, int64_t index, uint8_t bits) {
  const int64_t each = 8 / dtype.bits;
  uint8_t* const byte = static_cast<uint8_t*>(data) + index / each;
  const auto shift = static_cast<uint32_t>(index % each * dtype.bits);
  const uint32_t mask = ((1u << dtype.bits) - 1) << shift;
  *byte = static_cast<uint8_t>((*byte & ~mask) | (uint32_t{bits} << shift & mask));
}

float SmallToF32(DType dtype, uint8_t bits) {
  if (dtype == kF8E4M3) return F8E4M3ToF32(bits);
  if (dtype == kF8E5M2) return F8E5M2ToF32(bits);
  if (dtype == kF8E4M3Fnuz) return F8E4M3FnuzToF32(bits);
  if (dtype == kF8E5M2Fnuz) return F8E5M2FnuzToF32(bits);
  if (dtype == kF8E8M0) return F8E8M0ToF32(bits);
  if (dtype == kF4E2M1) return F4E2M1ToF32(bits);
  const bool negative = dtype.is_signed_int() && (bits >> (dtype.bits - 1) & 1) != 0;
  return static_cast<float>(negative ? int{bits} - (1 << dtype.bits) : int{bits});
}

namespace {

// The largest number of the type, of value's sign, for what lies beyond it.
float Limited(float value, float most) {
  return std::isnan(value) ? value : std::fmin(std::fmax(value, -most), most);
}

}  // namespace

uint8_t F32ToSmallFloat(DType dtype, float value, bool saturate, PowerRounding power) {
  if (dtype == kF4E2M1) return F32ToF4E2M1(value);
  if (dtype == kF8E8M0) return F32ToF8E8M0(value, power, saturate);
  if (saturate) {
    const float most = dtype == kF8E4M3 ? 448.0f : dtype == kF8E4M3Fnuz ? 240.0f : 57344.0f;
    value = Limited(value, most);
  }
  if (dtype == kF8E4M3) return F32ToF8E4M3(value);
  if (dtype == kF8E5M2) return F32ToF8E5M2(value);
  return dtype == kF8E4M3Fnuz ? F32ToF8E4M3Fnuz(value) : F32ToF8E5M2Fnuz(value);
}

}  // namespace tern
