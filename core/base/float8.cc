// SPDX-License-Identifier: Apache-2.0
// 8-bit and 4-bit floats by integer arithmetic on bit patterns. The formats are those of the OCP
// specifications of 8-bit floating point and of microscaling formats; E4M3 is its variant without
// infinities.
#include "core/base/float8.h"

#include "core/base/half.h"

namespace tern {
namespace {

// The code of a finite magnitude in a format of so many mantissa bits and this bias, rounded to
// nearest, ties to even, as if its exponent had no upper end. Callers cut off what overflows.
uint32_t RoundMagnitude(uint32_t magnitude, uint32_t mantissa_bits, uint32_t bias) {
  const uint32_t exponent = magnitude >> 23;
  const uint32_t mantissa = (magnitude & 0x7FFFFFu) | 0x800000u;
  const uint32_t smallest = 128 - bias;  // the exponent field of the smallest normal result
  const uint32_t below = exponent < smallest ? smallest - exponent : 0;
  const uint32_t drop = 23 - mantissa_bits + below;
  if (drop > 25) return 0;  // less than half of the smallest
  const uint32_t kept = mantissa >> drop;
  const uint32_t rest = mantissa & ((1u << drop) - 1);
  const uint32_t half = 1u << (drop - 1);
  const uint32_t rounded = kept + (rest > half || (rest == half && (kept & 1) != 0) ? 1 : 0);
  // The hidden bit of `kept` adds one to the exponent field.
  return rounded + (below == 0 ? (exponent - smallest) << mantissa_bits : 0);
}

}  // namespace

float F8E4M3ToF32(uint8_t bits) {
  const uint32_t sign = uint32_t{bits & 0x80u} << 24;
  const uint32_t exponent = (bits >> 3) & 0xFu;
  const uint32_t mantissa = bits & 0x7u;
  // All ones is the only NaN; other codes with the highest exponent are numbers.
  if ((bits & 0x7F) == 0x7F) return __builtin_bit_cast(float, sign | 0x7FC00000u);
  if (exponent != 0)
    return __builtin_bit_cast(float, sign | (exponent + 120) << 23 | mantissa << 20);
  // Zero and subnormals: the product is exact in f32.
  const float magnitude = static_cast<float>(mantissa) * 0x1p-9f;
  return __builtin_bit_cast(float, sign | __builtin_bit_cast(uint32_t, magnitude));
}

uint8_t F32ToF8E4M3(float value) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, value);
  const uint32_t sign = (bits >> 24) & 0x80u;
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  const uint32_t code = magnitude >= 0x7F800000u ? 0x7F : RoundMagnitude(magnitude, 3, 7);
  // There is no infinity to overflow to, so NaN stands for it.
  return static_cast<uint8_t>(sign | (code > 0x7E ? 0x7F : code));
}

float F8E5M2ToF32(uint8_t bits) { return F16ToF32(static_cast<uint16_t>(bits << 8)); }

uint8_t F32ToF8E5M2(float value) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, value);
  const uint32_t sign = (bits >> 24) & 0x80u;
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return static_cast<uint8_t>(sign | 0x7E);
  const uint32_t code = magnitude == 0x7F800000u ? 0x7C : RoundMagnitude(magnitude, 2, 15);
  return static_cast<uint8_t>(sign | (code > 0x7B ? 0x7C : code));
}

namespace {

// A code of so many mantissa bits without infinities and NaN: sign, exponent, mantissa.
float FiniteToF32(uint32_t magnitude, bool negative, uint32_t mantissa_bits, uint32_t bias) {
  const uint32_t exponent = magnitude >> mantissa_bits;
  const uint32_t mantissa = magnitude & ((1u << mantissa_bits) - 1);
  const uint32_t hidden = exponent != 0 ? 1u << mantissa_bits : 0;
  // 2^(exponent - bias - mantissa_bits), of exponent 1 where the number has no hidden bit.
  const uint32_t scale = (exponent != 0 ? exponent : 1) + 127 - bias - mantissa_bits;
  const float value =
      static_cast<float>(hidden | mantissa) * __builtin_bit_cast(float, scale << 23);
  return negative ? -value : value;
}

uint8_t F32ToFnuz(float value, uint32_t mantissa_bits, uint32_t bias) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, value);
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude >= 0x7F800000u) return 0x80;
  const uint32_t code = RoundMagnitude(magnitude, mantissa_bits, bias);
  if (code > 0x7F) return 0x80;
  return static_cast<uint8_t>(code == 0 ? 0 : ((bits >> 24) & 0x80u) | code);
}

float FnuzToF32(uint8_t bits, uint32_t mantissa_bits, uint32_t bias) {
  if (bits == 0x80) return __builtin_bit_cast(float, 0x7FC00000u);
  return FiniteToF32(bits & 0x7Fu, (bits & 0x80) != 0, mantissa_bits, bias);
}

}  // namespace

float F8E4M3FnuzToF32(uint8_t bits) { return FnuzToF32(bits, 3, 8); }
uint8_t F32ToF8E4M3Fnuz(float value) { return F32ToFnuz(value, 3, 8); }
float F8E5M2FnuzToF32(uint8_t bits) { return FnuzToF32(bits, 2, 16); }
uint8_t F32ToF8E5M2Fnuz(float value) { return F32ToFnuz(value, 2, 16); }

float F8E8M0ToF32(uint8_t bits) {
  if (bits == 0xFF) return __builtin_bit_cast(float, 0x7FC00000u);
  // 2^-127 is half of the smallest normal float.
  return bits == 0 ? 0x1p-127f : __builtin_bit_cast(float, uint32_t{bits} << 23);
}

uint8_t F32ToF8E8M0(float value, PowerRounding rounding, bool saturate) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, value) & 0x7FFFFFFFu;
  if (bits > 0x7F800000u) return 0xFF;
  // 0 and what is below the least power, 2^-127, which is half of the smallest normal float.
  if (bits < 0x400000u) return saturate ? 0 : 0xFF;
  const uint32_t exponent = bits >> 23;
  // Between two powers, of which the lower one is code `exponent`.
  const uint32_t fraction = exponent > 0 ? bits & 0x7FFFFFu : (bits & 0x3FFFFFu) << 1;
  bool up = rounding == PowerRounding::kUp && fraction != 0;
  if (rounding == PowerRounding::kNearest) up = fraction >= 0x400000u;
  const uint32_t code = exponent + (up ? 1 : 0);
  return static_cast<uint8_t>(code <= 0xFE ? code : saturate ? 0xFE : 0xFF);
}

float F4E2M1ToF32(uint8_t bits) { return FiniteToF32(bits & 0x7u, (bits & 0x8) != 0, 1, 1); }

uint8_t F32ToF4E2M1(float value) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, value);
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return 0x8;
  const uint32_t code = magnitude == 0x7F800000u ? 0x7 : RoundMagnitude(magnitude, 1, 1);
  return static_cast<uint8_t>(((bits >> 28) & 0x8u) | (code > 0x7 ? 0x7 : code));
}

}  // namespace tern
