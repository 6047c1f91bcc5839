// SPDX-License-Identifier: Apache-2.0
// Merging of broadcast axes.

#include "core/kernels/bind/broadcast.h"

namespace tern::kernels::bind {

void BroadcastStrides(const Extents& out, const Extents& operand, int64_t* strides) {
  int64_t step = 1;
  for (int i = out.rank() - 1; i >= 0; --i) {
    const int j = i - (out.rank() - operand.rank());
    // Aligned at the last axes; where an operand has no axis or one of extent 1 it stays in its
    // place.
    strides[i] = j < 0 || operand[j] == 1 ? 0 : step;
    if (j >= 0) step = ops::MulDim(step, operand[j]);
  }
}

namespace {

bool CanMerge(int64_t (*strides)[TERN_MAX_RANK], int operands, int outer, int inner,
              int64_t extent) {
  for (int k = 0; k < operands; ++k) {
    // Two axes are one if a step of the outer is as far as all steps of the inner, in every
    // operand.
    if (strides[k][outer] != ops::MulDim(strides[k][inner], extent)) return false;
  }
  return true;
}

}  // namespace

int MergeAxes(int rank, int64_t* shape, int64_t (*strides)[TERN_MAX_RANK], int operands) {
  int kept = 0;
  for (int i = 0; i < rank; ++i) {
    if (shape[i] == 1) continue;
    if (kept > 0 && CanMerge(strides, operands, kept - 1, i, shape[i])) {
      shape[kept - 1] = ops::MulDim(shape[kept - 1], shape[i]);
    } else {
      shape[kept++] = shape[i];
    }
    for (int k = 0; k < operands; ++k) strides[k][kept - 1] = strides[k][i];
  }
  // All axes had extent 1: loops want one axis at least.
  if (kept > 0) return kept;
  shape[0] = 1;
  for (int k = 0; k < operands; ++k) strides[k][0] = 0;
  return 1;
}

Broadcast::Broadcast(const Extents& out, std::initializer_list<const Tensor*> operands) {
  for (int i = 0; i < out.rank(); ++i) {
    shape[i] = out[i];
    for (auto& operand : strides) operand[i] = 0;
  }
  int k = 0;
  for (const Tensor* operand : operands) BroadcastStrides(out, ExtentsOf(*operand), strides[k++]);
  rank = MergeAxes(out.rank(), shape, strides, 3);
}

int64_t Broadcast::rows() const {
  int64_t rows = 1;
  for (int i = 0; i + 1 < rank; ++i) rows *= shape[i];
  return inner() == 0 ? 0 : rows;
}

}  // namespace tern::kernels::bind
