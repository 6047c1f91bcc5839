// SPDX-License-Identifier: Apache-2.0
// Rows picked by index, one at a time.

#include <string.h>

#include "core/kernels/kernel_table.h"

namespace tern::kernels::reference {

int32_t gather_rows(const TernGatherRowsArgs* args, const TernKernelContext*) {
  for (int64_t o = 0; o < args->outer; ++o) {
    for (int64_t j = 0; j < args->indices; ++j) {
      memcpy(
          static_cast<char*>(args->y) + (o * args->indices + j) * args->row_bytes,
          static_cast<const char*>(args->x) + (o * args->axis + args->index[j]) * args->row_bytes,
          static_cast<size_t>(args->row_bytes));
    }
  }
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::reference
