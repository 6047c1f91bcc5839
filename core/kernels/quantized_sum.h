// SPDX-License-Identifier: Apache-2.0
// Sums of 8-bit products in vectors: how they are rescaled, rounded, limited and stored. Every
// target gives the same bits.

#ifndef TERN_CORE_KERNELS_QUANTIZED_SUM_H_
#define TERN_CORE_KERNELS_QUANTIZED_SUM_H_

#include "core/kernels/kernel.h"
#include "core/kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {

// Sums of four products, or products of a depthwise convolution, that take some 20 us (parallel.h).
inline constexpr int64_t kQuantizedGrain = 400000;

HWY_INLINE int64_t IntLanes() { return static_cast<int64_t>(hn::Lanes(IntTag())); }

// n elements from p, or all lanes where n is larger.
template <class T>
HWY_INLINE hn::Vec<hn::Rebind<T, IntTag>> LoadSome(const T* p, int64_t n) {
  const hn::Rebind<T, IntTag> d;
  return n >= IntLanes() ? hn::LoadU(d, p) : hn::LoadN(d, p, static_cast<size_t>(n));
}

using SumTag = hn::Rebind<float, IntTag>;
using SumVector = hn::Vec<SumTag>;

// y = clamp(round(sum * scale) + zero) for n channels; low and high have zero taken off. Adding
// 1.5 * 2^23 to a number of some hundreds rounds it, halves to even, and leaves it in the last
// bits. What is the same for all pixels is handed over, since a store of bytes may change whatever
// is reached through pointers.
HWY_INLINE void StoreQuantized(uint8_t* to, IntVector sum, SumVector scale, SumVector low,
                               SumVector high, IntVector zero, int64_t n) {
  const SumTag d;
  const SumVector steps = hn::Mul(hn::ConvertTo(d, sum), scale);
  const SumVector limited = hn::Min(hn::Max(steps, low), high);
  const IntVector rounded = hn::BitCast(IntTag(), hn::Add(limited, hn::Set(d, 0x1.8p23f)));
  const hn::RebindToUnsigned<IntTag> unsigned_tag;
  const hn::Rebind<uint8_t, IntTag> d8;
  const auto bytes = hn::TruncateTo(d8, hn::BitCast(unsigned_tag, hn::Add(rounded, zero)));
  if (n >= IntLanes()) {
    hn::StoreU(bytes, d8, to);
  } else {
    hn::StoreN(bytes, d8, to, static_cast<size_t>(n));
  }
}

HWY_INLINE SumVector LowestSteps(const TernQuantizedConvArgs& args) {
  return hn::Set(SumTag(), static_cast<float>(args.low - args.zero));
}

HWY_INLINE SumVector HighestSteps(const TernQuantizedConvArgs& args) {
  return hn::Set(SumTag(), static_cast<float>(args.high - args.zero));
}

}  // namespace tern::kernels::TERN_TARGET_NAME
HWY_AFTER_NAMESPACE();

#endif  // TERN_CORE_KERNELS_QUANTIZED_SUM_H_
