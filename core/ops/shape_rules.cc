// SPDX-License-Identifier: Apache-2.0
#include "core/ops/shape_rules.h"

namespace tern::ops {

Status ResolvePerm(std::span<const int64_t> perm, int rank, int* resolved) {
  // ONNX's default reverses the axes.
  if (perm.empty()) {
    for (int i = 0; i < rank; ++i) resolved[i] = rank - 1 - i;
    return OkStatus();
  }
  if (perm.size() != static_cast<size_t>(rank)) {
    return InvalidArgument("perm has ", perm.size(), " axes for a tensor of rank ", rank);
  }
  uint32_t mask = 0;
  // Also finds axes that are given twice.
  TERN_TRY(ResolveAxes(perm, rank, &mask));
  for (int i = 0; i < rank; ++i)
    TERN_TRY(ResolveAxis(perm[static_cast<size_t>(i)], rank, &resolved[i]));
  return OkStatus();
}

}  // namespace tern::ops
