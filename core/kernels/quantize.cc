// SPDX-License-Identifier: Apache-2.0
// Floats to 8 bits and back, by one scale and one zero point, at the speed of memory.

#include "core/kernels/parallel.h"
#include "core/kernels/quantized_vector.h"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {
namespace {

constexpr int64_t kGrain = 100000;  // elements: some 20 us

HWY_INLINE hn::Vec<WideFloatTag> DequantizeVector(const TernDequantizeArgs& args,
                                                  hn::Vec<NarrowTag> x) {
  return DequantizeVector(x, args.is_signed != 0, args.zero, args.scale);
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
