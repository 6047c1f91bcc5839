// SPDX-License-Identifier: Apache-2.0
// Strided copy, one element at a time.

#include <string.h>

#include "core/kernels/kernel_table.h"

namespace tern::kernels::reference {

int32_t copy(const TernCopyArgs* args, const TernKernelContext*) {
  int64_t size = 1;
  for (int i = 0; i < args->rank; ++i) size *= args->shape[i];
  for (int64_t position = 0; position < size; ++position) {
    int64_t src = 0, dst = 0, rest = position;
    for (int i = args->rank - 1; i >= 0; --i) {
      src += rest % args->shape[i] * args->src_strides[i];
      dst += rest % args->shape[i] * args->dst_strides[i];
      rest /= args->shape[i];
    }
    // Elements have any size up to 16 bytes, so they are bytes here.
    memcpy(static_cast<char*>(args->dst) + dst * args->element_size,
           static_cast<const char*>(args->src) + src * args->element_size,
           static_cast<size_t>(args->element_size));
  }
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::reference
