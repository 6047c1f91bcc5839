// SPDX-License-Identifier: Apache-2.0
// Vectors of 8-bit numbers as floats and back.

#ifndef TERN_CORE_KERNELS_QUANTIZED_VECTOR_H_
#define TERN_CORE_KERNELS_QUANTIZED_VECTOR_H_

#include "core/kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {
namespace {

using WideTag = hn::ScalableTag<int32_t>;
using WideFloatTag = hn::Rebind<float, WideTag>;
using NarrowTag = hn::Rebind<uint8_t, WideTag>;

// args: scale, zero, low and high, as of TernQuantizeArgs. A division, not a multiplication by 1 /
// scale: halves must round as they do everywhere else. Limits are applied before the sum with zero,
// where they are exact.
template <class Args>
HWY_INLINE hn::Vec<NarrowTag> QuantizeVector(const Args& args, hn::Vec<WideFloatTag> x) {
  const WideFloatTag d;
  const WideTag d32;
  const auto low = hn::Set(d, static_cast<float>(args.low - args.zero));
  const auto high = hn::Set(d, static_cast<float>(args.high - args.zero));
  const auto ratio = hn::Div(x, hn::Set(d, args.scale));
  const auto number = hn::Not(hn::IsNaN(ratio));
  const auto steps = hn::NearestInt(hn::Min(hn::Max(ratio, low), high));
  const auto y = hn::Add(steps, hn::Set(d32, args.zero));
  const auto kept = hn::IfThenElseZero(hn::RebindMask(d32, number), y);
  return hn::TruncateTo(NarrowTag(), hn::BitCast(hn::RebindToUnsigned<WideTag>(), kept));
}

// (x - zero) * scale of u8, or of i8.
HWY_INLINE hn::Vec<WideFloatTag> DequantizeVector(hn::Vec<NarrowTag> x, bool is_signed,
                                                  int32_t zero, float scale) {
  const WideTag d32;
  const NarrowTag d8;
  // i8 with the sign bit flipped is u8 of a zero point that is 128 larger.
  const uint8_t flip = is_signed ? 0x80 : 0;
  const auto wide = hn::PromoteTo(d32, hn::Xor(x, hn::Set(d8, flip)));
  const auto steps = hn::Sub(wide, hn::Set(d32, zero + flip));
  return hn::Mul(hn::ConvertTo(WideFloatTag(), steps), hn::Set(WideFloatTag(), scale));
}

}  // namespace
}  // namespace tern::kernels::TERN_TARGET_NAME
HWY_AFTER_NAMESPACE();

#endif  // TERN_CORE_KERNELS_QUANTIZED_VECTOR_H_
