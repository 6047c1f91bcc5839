// SPDX-License-Identifier: Apache-2.0
// Floats to 8 bits and back, by one scale and one zero point, at the speed of memory.

#include "core/kernels/parallel.h"
#include "core/kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {
namespace {

using WideTag = hn::ScalableTag<int32_t>;
using WideFloatTag = hn::Rebind<float, WideTag>;
using NarrowTag = hn::Rebind<uint8_t, WideTag>;

constexpr int64_t kGrain = 100000;  // elements: some 20 us

// A division, not a multiplication by 1 / scale: halves must round as they do everywhere else.
// Limits are applied before the sum with zero, where they are exact.
HWY_INLINE hn::Vec<NarrowTag> QuantizeVector(const TernQuantizeArgs& args,
                                             hn::Vec<WideFloatTag> x) {
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

HWY_INLINE hn::Vec<WideFloatTag> DequantizeVector(const TernDequantizeArgs& args,
                                                  hn::Vec<NarrowTag> x) {
  const WideTag d32;
  const NarrowTag d8;
  // i8 with the sign bit flipped is u8 of a zero point that is 128 larger.
  const uint8_t flip = args.is_signed != 0 ? 0x80 : 0;
  const auto wide = hn::PromoteTo(d32, hn::Xor(x, hn::Set(d8, flip)));
  const auto steps = hn::Sub(wide, hn::Set(d32, args.zero + flip));
  return hn::Mul(hn::ConvertTo(WideFloatTag(), steps), hn::Set(WideFloatTag(), args.scale));
}

HWY_INLINE size_t LanesOf() { return hn::Lanes(WideTag()); }

}  // namespace

int32_t quantize(const TernQuantizeArgs* args, const TernKernelContext* context) {
  ParallelFor(context, args->size, kGrain, 64, [&](int64_t first, int64_t last, int32_t) {
    const WideFloatTag d;
    const NarrowTag d8;
    const int64_t lanes = static_cast<int64_t>(LanesOf());
    const TernQuantizeArgs local = *args;  // which no store can change, for all the compiler knows
    int64_t i = first;
    for (; i + lanes <= last; i += lanes) {
      hn::StoreU(QuantizeVector(local, hn::LoadU(d, local.x + i)), d8, local.y + i);
    }
    if (i == last) return;
    const size_t left = static_cast<size_t>(last - i);
    hn::StoreN(QuantizeVector(local, hn::LoadN(d, local.x + i, left)), d8, local.y + i, left);
  });
  return TERN_KERNEL_OK;
}

int32_t dequantize(const TernDequantizeArgs* args, const TernKernelContext* context) {
  ParallelFor(context, args->size, kGrain, 64, [&](int64_t first, int64_t last, int32_t) {
    const WideFloatTag d;
    const NarrowTag d8;
    const int64_t lanes = static_cast<int64_t>(LanesOf());
    const TernDequantizeArgs local = *args;
    int64_t i = first;
    for (; i + lanes <= last; i += lanes) {
      hn::StoreU(DequantizeVector(local, hn::LoadU(d8, local.x + i)), d, local.y + i);
    }
    if (i == last) return;
    const size_t left = static_cast<size_t>(last - i);
    hn::StoreN(DequantizeVector(local, hn::LoadN(d8, local.x + i, left)), d, local.y + i, left);
  });
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::TERN_TARGET_NAME
HWY_AFTER_NAMESPACE();
