// SPDX-License-Identifier: Apache-2.0
// The places of two tensors along the axes of a loop.

#ifndef TERN_CORE_KERNELS_OFFSETS_H_
#define TERN_CORE_KERNELS_OFFSETS_H_

#include "core/kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {
namespace {

// Calls run(position, a, b) for positions [begin, end) of `rank` axes, the last one fastest, with
// the offsets that the strides give them. They are carried along like an odometer's digits instead
// of computed: divisions for each position would cost more than a short row.
template <class Run>
void ForOffsets(int rank, const int64_t* shape, const int64_t* a_strides, const int64_t* b_strides,
                int64_t begin, int64_t end, const Run& run) {
  int64_t index[TERN_MAX_RANK];
  int64_t a = 0, b = 0, rest = begin;
  for (int i = rank - 1; i >= 0; --i) {
    index[i] = rest % shape[i];
    rest /= shape[i];
    a += index[i] * a_strides[i];
    b += index[i] * b_strides[i];
  }
  for (int64_t position = begin; position < end; ++position) {
    run(position, a, b);
    for (int i = rank - 1; i >= 0; --i) {
      a += a_strides[i];
      b += b_strides[i];
      if (++index[i] < shape[i]) break;
      a -= index[i] * a_strides[i];
      b -= index[i] * b_strides[i];
      index[i] = 0;
    }
  }
}

// Rows of two operands that are broadcast, of arguments as TernBinaryArgs.
template <class Args>
int64_t RowCount(const Args& args) {
  int64_t rows = 1;
  for (int i = 0; i + 1 < args.rank; ++i) rows *= args.shape[i];
  return rows;
}

// run(row, a, b) for rows [begin, end): where each begins in the operands, in elements.
template <class Args, class Run>
void ForBroadcastRows(const Args& args, int64_t begin, int64_t end, const Run& run) {
  ForOffsets(args.rank - 1, args.shape, args.a_strides, args.b_strides, begin, end, run);
}

}  // namespace
}  // namespace tern::kernels::TERN_TARGET_NAME
HWY_AFTER_NAMESPACE();

#endif  // TERN_CORE_KERNELS_OFFSETS_H_
