// SPDX-License-Identifier: Apache-2.0
// Bytes picked from a table of 256 by bytes: functions of 8-bit numbers.

#include "core/kernels/parallel.h"
#include "core/kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {
namespace {

using ByteTag = hn::ScalableTag<uint8_t>;
using ByteVector = hn::Vec<ByteTag>;

constexpr int64_t kLookupGrain = 64 * 1024;  // bytes: some 20 us

// Adds the picks of one row of the table: of those lanes of x that are below 16, while others pick
// 0. The saturating sum takes the latter to where the top bit is set, which picks 0 everywhere, and
// leaves the low four bits of the former, of which x86 asks no others.
HWY_INLINE void PickFromRow(ByteVector row, ByteVector* x, ByteVector* picked) {
  const ByteTag d;
  ByteVector place = hn::SaturatedAdd(*x, hn::Set(d, uint8_t{0x70}));
  if constexpr (!kPicksByLowBits) place = hn::And(place, hn::Set(d, uint8_t{0x8F}));
  *picked = hn::Or(*picked, hn::TableLookupBytesOr0(row, place));
  *x = hn::Sub(*x, hn::Set(d, uint8_t{16}));
}

// Four vectors share each row of the table while it is in a register.
HWY_INLINE void LookUpFour(const uint8_t* table, const uint8_t* x, uint8_t* y) {
  const ByteTag d;
  const size_t lanes = hn::Lanes(d);
  ByteVector x0 = hn::LoadU(d, x), x1 = hn::LoadU(d, x + lanes);
  ByteVector x2 = hn::LoadU(d, x + 2 * lanes), x3 = hn::LoadU(d, x + 3 * lanes);
  ByteVector y0 = hn::Zero(d), y1 = y0, y2 = y0, y3 = y0;
  for (const uint8_t* end = table + 256; table < end; table += 16) {
    const ByteVector row = hn::LoadDup128(d, table);
    PickFromRow(row, &x0, &y0);
    PickFromRow(row, &x1, &y1);
    PickFromRow(row, &x2, &y2);
    PickFromRow(row, &x3, &y3);
  }
  hn::StoreU(y0, d, y);
  hn::StoreU(y1, d, y + lanes);
  hn::StoreU(y2, d, y + 2 * lanes);
  hn::StoreU(y3, d, y + 3 * lanes);
}

}  // namespace

int32_t lookup(const TernLookupArgs* args, const TernKernelContext* context) {
  ParallelFor(context, args->size, kLookupGrain, 64, [&](int64_t first, int64_t last, int32_t) {
    const TernLookupArgs local = *args;  // which no store can change, for all the compiler knows
    const int64_t step = 4 * static_cast<int64_t>(hn::Lanes(ByteTag()));
    int64_t i = first;
    for (; i + step <= last; i += step) LookUpFour(local.table, local.x + i, local.y + i);
    for (; i < last; ++i) local.y[i] = local.table[local.x[i]];
  });
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::TERN_TARGET_NAME
HWY_AFTER_NAMESPACE();
