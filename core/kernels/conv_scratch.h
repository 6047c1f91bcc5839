// SPDX-License-Identifier: Apache-2.0
// What convolutions need beside their arguments, as one allocation: zeros, which taps outside of
// the image point at, and memory for each worker.

#ifndef TERN_CORE_KERNELS_CONV_SCRATCH_H_
#define TERN_CORE_KERNELS_CONV_SCRATCH_H_

#include <string.h>

#include "core/kernels/kernel.h"
#include "core/kernels/parallel.h"
#include "core/kernels/simd.h"

namespace tern::kernels::TERN_TARGET_NAME {

// Rounded up to whole lines of the cache, so that what follows is aligned and no two workers write
// to one line.
inline int64_t CacheLines(int64_t bytes) { return (bytes + 63) / 64 * 64; }

// [workers][worker_bytes], aligned to 64 bytes where worker_bytes is a multiple of them, and behind
// them shared_bytes; null: no memory. Only the zeros are cleared: the rest is written before it is
// read.
inline char* TakeConvScratch(const TernKernelContext* context, int64_t zero_floats,
                             int64_t worker_bytes, const float** zeros, int64_t shared_bytes = 0) {
  const int64_t zero_bytes = CacheLines(zero_floats * 4);
  const size_t bytes =
      static_cast<size_t>(zero_bytes + MostWorkers(context) * worker_bytes + shared_bytes);
  char* scratch = static_cast<char*>(context->scratch(context->scratch_context, bytes));
  if (scratch == nullptr) return nullptr;
  memset(scratch, 0, static_cast<size_t>(zero_bytes));
  *zeros = reinterpret_cast<const float*>(scratch);
  return scratch + zero_bytes;
}

}  // namespace tern::kernels::TERN_TARGET_NAME

#endif  // TERN_CORE_KERNELS_CONV_SCRATCH_H_
