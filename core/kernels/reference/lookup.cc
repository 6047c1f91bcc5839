// SPDX-License-Identifier: Apache-2.0
// Bytes picked from a table, one at a time.

#include "core/kernels/kernel_table.h"

namespace tern::kernels::reference {

int32_t lookup(const TernLookupArgs* args, const TernKernelContext*) {
  for (int64_t i = 0; i < args->size; ++i) args->y[i] = args->table[args->x[i]];
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::reference
