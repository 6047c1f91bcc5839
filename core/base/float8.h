// SPDX-License-Identifier: Apache-2.0
// Conversions between f32 and the floats of 8 and 4 bits, as bit patterns; to fewer bits rounds to
// nearest, ties to even.
#ifndef TERN_CORE_BASE_FLOAT8_H_
#define TERN_CORE_BASE_FLOAT8_H_

#include <cstdint>

namespace tern {

// 4 bits of exponent, 3 of mantissa, up to 448; no infinities: overflow gives NaN.
float F8E4M3ToF32(uint8_t bits);
uint8_t F32ToF8E4M3(float value);

// 5 bits of exponent, 2 of mantissa, up to 57344: the upper byte of an f16. Overflow gives
// infinity.
float F8E5M2ToF32(uint8_t bits);
uint8_t F32ToF8E5M2(float value);

// The same with one more of bias, and neither infinities nor a negative zero: the only NaN has its
// bits. Up to 240 and 57344; overflow gives NaN.
float F8E4M3FnuzToF32(uint8_t bits);
uint8_t F32ToF8E4M3Fnuz(float value);
float F8E5M2FnuzToF32(uint8_t bits);
uint8_t F32ToF8E5M2Fnuz(float value);

// How a number between two powers of two becomes one; nearest: ties up.
enum class PowerRounding : uint8_t { kUp, kDown, kNearest };
// A power of two from 2^-127 to 2^127, or NaN. The sign of value is not looked at; zero becomes the
// smallest power. saturate: what is too large becomes the largest, otherwise NaN.
float F8E8M0ToF32(uint8_t bits);
uint8_t F32ToF8E8M0(float value, PowerRounding rounding, bool saturate);

// 2 bits of exponent, 1 of mantissa, up to 6, in the low half; nothing but finite numbers: overflow
// gives 6, NaN gives -0.
float F4E2M1ToF32(uint8_t bits);
uint8_t F32ToF4E2M1(float value);

}  // namespace tern

#endif  // TERN_CORE_BASE_FLOAT8_H_
