// SPDX-License-Identifier: Apache-2.0
// Conversions between f32 and the two 8-bit floats, as bit patterns; to 8 bits rounds to nearest,
// ties to even.
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

}  // namespace tern

#endif  // TERN_CORE_BASE_FLOAT8_H_
