// SPDX-License-Identifier: Apache-2.0
// Copies of short rows, of which concatenations, slices and gathers have thousands: a call of
// memcpy costs more than what it copies.

#ifndef TERN_CORE_KERNELS_COPY_BYTES_H_
#define TERN_CORE_KERNELS_COPY_BYTES_H_

#include <string.h>

#include "core/kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {

inline constexpr size_t kCopyBlock = 16;  // bytes

// dst[0..bytes) = src[0..bytes), which do not overlap. The last block of 16 bytes overlaps the one
// before it where they are not a multiple.
HWY_INLINE void CopyBytes(void* dst, const void* src, size_t bytes) {
  if (bytes < kCopyBlock || bytes > kLongCopy) {
    memcpy(dst, src, bytes);
    return;
  }
  const hn::Full128<uint8_t> d;
  const uint8_t* from = static_cast<const uint8_t*>(src);
  uint8_t* to = static_cast<uint8_t*>(dst);
  const size_t last = bytes - kCopyBlock;
  for (size_t i = 0; i < last; i += kCopyBlock) hn::StoreU(hn::LoadU(d, from + i), d, to + i);
  hn::StoreU(hn::LoadU(d, from + last), d, to + last);
}

}  // namespace tern::kernels::TERN_TARGET_NAME
HWY_AFTER_NAMESPACE();

#endif  // TERN_CORE_KERNELS_COPY_BYTES_H_
