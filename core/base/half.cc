// SPDX-License-Identifier: Apache-2.0
// 16-bit floats by integer arithmetic on bit patterns.
#include "core/base/half.h"

namespace tern {

float F16ToF32(uint16_t bits) {
  const uint32_t sign = uint32_t{bits & 0x8000u} << 16;
  const uint32_t exponent = (bits >> 10) & 0x1Fu;
  uint32_t mantissa = bits & 0x3FFu;
  if (exponent == 0x1F) return __builtin_bit_cast(float, sign | 0x7F800000u | mantissa << 13);
  if (exponent != 0) {
    return __builtin_bit_cast(float, sign | (exponent + 112) << 23 | mantissa << 13);
  }
  // Zero or subnormal: mantissa * 2^-24 is exact in f32.
  const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
  return __builtin_bit_cast(float, sign | __builtin_bit_cast(uint32_t, magnitude));
}

uint16_t F32ToF16(float value) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u)
    return static_cast<uint16_t>(sign | 0x7E00u | (magnitude >> 13 & 0x3FFu));
  if (magnitude >= 0x477FF000u) return static_cast<uint16_t>(sign | 0x7C00u);  // rounds past 65504
  if (magnitude < 0x33000001u) return static_cast<uint16_t>(sign);  // <= half the smallest
  const uint32_t exponent = magnitude >> 23;
  const uint32_t mantissa = (magnitude & 0x7FFFFFu) | 0x800000u;
  // Bits to drop: 13 for normal results, more below 2^-14.
  const uint32_t drop = exponent >= 113 ? 13 : 13 + (113 - exponent);
  const uint32_t kept = mantissa >> drop;
  const uint32_t rest = mantissa & ((1u << drop) - 1);
  const uint32_t half = 1u << (drop - 1);
  const uint32_t rounded = kept + (rest > half || (rest == half && (kept & 1) != 0) ? 1 : 0);
  // The hidden bit of `kept` adds one to the exponent field; a subnormal that rounds up gets there
  // by itself.
  const uint32_t base = exponent >= 113 ? (exponent - 113) << 10 : 0;
  return static_cast<uint16_t>(sign | (base + rounded));
}

uint16_t F32ToBf16(float value) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, value);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return static_cast<uint16_t>(bits >> 16 | 0x40u);
  return static_cast<uint16_t>((bits + 0x7FFFu + (bits >> 16 & 1)) >> 16);
}

float RoundToOdd(double value) {
  const float nearest = static_cast<float>(value);
  const double back = nearest;
  if (back == value || value != value) return nearest;
  const uint32_t bits = __builtin_bit_cast(uint32_t, nearest);
  const bool above = __builtin_fabs(back) > __builtin_fabs(value);
  return __builtin_bit_cast(float, (above ? bits - 1 : bits) | 1);
}

}  // namespace tern
