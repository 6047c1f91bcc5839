// SPDX-License-Identifier: Apache-2.0
// Conversions between f32 and the two 16-bit floats, as bit patterns; to 16 bits rounds to nearest,
// ties to even.
#ifndef TERN_CORE_BASE_HALF_H_
#define TERN_CORE_BASE_HALF_H_

#include <cstdint>

namespace tern {

float F16ToF32(uint16_t bits);
uint16_t F32ToF16(float value);  // overflow gives infinity; NaN stays NaN

inline float Bf16ToF32(uint16_t bits) { return __builtin_bit_cast(float, uint32_t{bits} << 16); }
uint16_t F32ToBf16(float value);

// A float whose last bit is set if the value is between two floats: to 16 bits, where the last bit
// only says that much, it rounds as the value would at once. Rounding to the nearest float first
// would round twice.
float RoundToOdd(double value);

}  // namespace tern

#endif  // TERN_CORE_BASE_HALF_H_
