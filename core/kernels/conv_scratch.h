// SPDX-License-Identifier: Apache-2.0
// What convolutions need beside their arguments, as one allocation: zeros, which taps outside of
// the image point at, and memory for each worker.

#ifndef TERN_CORE_KERNELS_CONV_SCRATCH_H_
#define TERN_CORE_KERNELS_CONV_SCRATCH_H_

#include <string.h>

#include "core/kernels/kernel.h"
#include "core/kernels/simd.h"

namespace tern::kernels::TERN_TARGET_NAME {

// Rounded up to whole lines of the cache, so that what follows is aligned and no two workers write
// to one line.
inline int64_t CacheLines(int64_t bytes) { return (bytes + 63) / 64 * 64; }

// [workers][worker_bytes], aligned to 64 bytes where worker_bytes is a multiple of them; null: no
// memory. Only the zeros are cleared: what workers have is written before it is read.
inline char* TakeConvScratch(const TernKernelContext* context, int64_t zero_floats,
                             int64_t worker_bytes, const float** zeros) {
  const int64_t workers = context->parallel == nullptr ? 1 : context->parallel->num_workers;
  const int64_t zero_bytes = CacheLines(zero_floats * 4);
  const size_t bytes = static_cast<size_t>(zero_bytes + workers * worker_bytes);
  char* scratch = static_cast<char*>(context->scratch(context->scratch_context, bytes));
  if (scratch == nullptr) return nullptr;
  memset(scratch, 0, static_cast<size_t>(zero_bytes));
  *zeros = reinterpret_cast<const float*>(scratch);
  return scratch + zero_bytes;
}

}  // namespace tern::kernels::TERN_TARGET_NAME

#endif  // TERN_CORE_KERNELS_CONV_SCRATCH_H_
