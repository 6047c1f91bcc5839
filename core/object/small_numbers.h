// SPDX-License-Identifier: Apache-2.0
// Element types that C++ has no type for and that are smaller than 16 bits: floats of 8 and of 4
// bits, integers of 4 and of 2 bits. Those below a byte are packed, the lowest bits first.
#ifndef TERN_CORE_OBJECT_SMALL_NUMBERS_H_
#define TERN_CORE_OBJECT_SMALL_NUMBERS_H_

#include <cstdint>

#include "core/base/float8.h"
#include "core/object/dtype.h"

namespace tern {

// Their codes are DLPack's: kDLFloat8_e4m3fnuz, kDLFloat8_e5m2fnuz, kDLFloat8_e8m0fnu and
// kDLFloat4_e2m1fn.
inline constexpr DType kF8E4M3Fnuz{11, 8}, kF8E5M2Fnuz{13, 8}, kF8E8M0{14, 8}, kF4E2M1{17, 4};
inline constexpr DType kI2{TERN_DTYPE_INT, 2}, kU2{TERN_DTYPE_UINT, 2};

// One of the types that this header is about.
bool IsSmallNumber(DType dtype);
// Of these, one of the floats.
bool IsSmallFloat(DType dtype);

// The bits of element `index`, in the low end of the result; and back. Indices are those of
// elements without gaps.
uint8_t SmallBits(DType dtype, const void* data, int64_t index);
void SetSmallBits(DType dtype, void* data, int64_t index, uint8_t bits);

// The number that the bits of a small type stand for.
float SmallToF32(DType dtype, uint8_t bits);
// To nearest, ties to even. saturate: what is too large becomes the largest number, otherwise
// infinity or, where the type has none, NaN. f4e2m1 always saturates. power: for f8e8m0.
uint8_t F32ToSmallFloat(DType dtype, float value, bool saturate,
                        PowerRounding power = PowerRounding::kUp);

}  // namespace tern

#endif  // TERN_CORE_OBJECT_SMALL_NUMBERS_H_
