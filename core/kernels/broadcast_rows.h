// SPDX-License-Identifier: Apache-2.0
// The rows of two operands that are broadcast: of arguments with rank, shape, a_strides and
// b_strides as TernBinaryArgs has them.

#ifndef TERN_CORE_KERNELS_BROADCAST_ROWS_H_
#define TERN_CORE_KERNELS_BROADCAST_ROWS_H_

#include "core/kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {
namespace {

template <class Args>
int64_t RowCount(const Args& args) {
  int64_t rows = 1;
  for (int i = 0; i + 1 < args.rank; ++i) rows *= args.shape[i];
  return rows;
}

// Calls run(row, a, b) for rows [begin, end) of all dimensions but the innermost, with the places
// in a and b where each begins, in elements. They are carried along like an odometer's digits
// instead of computed: divisions for each row would cost more than a short row.
template <class Args, class Run>
void ForBroadcastRows(const Args& args, int64_t begin, int64_t end, const Run& run) {
  const int inner = args.rank - 1;
  int64_t index[TERN_MAX_RANK];
  int64_t a = 0, b = 0, rest = begin;
  for (int i = inner - 1; i >= 0; --i) {
    index[i] = rest % args.shape[i];
    rest /= args.shape[i];
    a += index[i] * args.a_strides[i];
    b += index[i] * args.b_strides[i];
  }
  for (int64_t row = begin; row < end; ++row) {
    run(row, a, b);
    for (int i = inner - 1; i >= 0; --i) {
      a += args.a_strides[i];
      b += args.b_strides[i];
      if (++index[i] < args.shape[i]) break;
      a -= index[i] * args.a_strides[i];
      b -= index[i] * args.b_strides[i];
      index[i] = 0;
    }
  }
}

}  // namespace
}  // namespace tern::kernels::TERN_TARGET_NAME
HWY_AFTER_NAMESPACE();

#endif  // TERN_CORE_KERNELS_BROADCAST_ROWS_H_
