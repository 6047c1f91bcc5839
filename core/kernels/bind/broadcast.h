// SPDX-License-Identifier: Apache-2.0
// Broadcasting at run time: the axes of a result with the strides of every operand, merged until as
// few axes as possible are left, and the typed loop over them for what has no vector kernel.

#ifndef TERN_CORE_KERNELS_BIND_BROADCAST_H_
#define TERN_CORE_KERNELS_BIND_BROADCAST_H_

#include <cstdint>
#include <initializer_list>

#include "core/kernels/bind/call.h"

namespace tern::kernels::bind {

// Axes of a (contiguous) result; strides of up to three operands, 0 where an operand repeats. At
// least one axis; innermost strides are 0 or 1.
struct Broadcast {
  int rank = 0;
  int64_t shape[TERN_MAX_RANK];
  int64_t strides[3][TERN_MAX_RANK];

  // The operands are contiguous and broadcast to `out`.
  Broadcast(const Extents& out, std::initializer_list<const Tensor*> operands);

  int64_t inner() const { return shape[rank - 1]; }
  int64_t rows() const;
};

// Row-major strides of a contiguous tensor, aligned at the last axis of `out` and 0 where it
// repeats.
void BroadcastStrides(const Extents& out, const Extents& operand, int64_t* strides);

// Merges neighbouring axes that every operand runs through in one go; drops axes of extent 1.
// Returns the new rank, at least 1.
int MergeAxes(int rank, int64_t* shape, int64_t (*strides)[TERN_MAX_RANK], int operands);

// The rows of two operands, as the arguments of a kernel (TernBinaryArgs, …).
template <class Args>
void SetRows(const Broadcast& b, Args* args) {
  args->rank = b.rank;
  for (int i = 0; i < b.rank; ++i) {
    args->shape[i] = b.shape[i];
    args->a_strides[i] = b.strides[0][i];
    args->b_strides[i] = b.strides[1][i];
  }
}

// Calls row(offsets[3]) for rows [begin, end) of a broadcast, in order.
template <class Row>
void ForRows(const Broadcast& b, int64_t begin, int64_t end, const Row& row) {
  int64_t index[TERN_MAX_RANK] = {};
  int64_t at[3] = {};
  for (int64_t rest = begin, i = b.rank - 2; i >= 0 && rest > 0; rest /= b.shape[i--]) {
    index[i] = rest % b.shape[i];
    for (int k = 0; k < 3; ++k) at[k] += index[i] * b.strides[k][i];
  }
  for (int64_t r = begin; r < end; ++r) {
    row(at);
    for (int i = b.rank - 2; i >= 0; --i) {
      for (int k = 0; k < 3; ++k) at[k] += b.strides[k][i];
      if (++index[i] < b.shape[i]) break;
      for (int k = 0; k < 3; ++k) at[k] -= index[i] * b.strides[k][i];
      index[i] = 0;
    }
  }
}

// For all of them.
template <class Row>
void ForEachRow(const Broadcast& b, const Row& row) {
  ForRows(b, 0, b.rows(), row);
}

}  // namespace tern::kernels::bind

#endif  // TERN_CORE_KERNELS_BIND_BROADCAST_H_
