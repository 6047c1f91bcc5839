// SPDX-License-Identifier: Apache-2.0
// Copies a strided matrix into packed panels, or into plain rows, 4 x 4 elements at a time where
// columns lie contiguous in memory and whole rows where rows do.

#ifndef TERN_CORE_KERNELS_TRANSPOSE_H_
#define TERN_CORE_KERNELS_TRANSPOSE_H_

#include <string.h>

#include "core/kernels/kernel.h"
#include "core/kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {

// dst[i * dst_stride + j] = src[j * src_stride + i] for i, j < 4.
HWY_INLINE void Transpose4x4(const float* src, int64_t src_stride, float* dst, int64_t dst_stride) {
  const hn::CappedTag<float, 4> d;
  const hn::Repartition<double, decltype(d)> dd;
  const auto r0 = hn::LoadU(d, src), r1 = hn::LoadU(d, src + src_stride);
  const auto r2 = hn::LoadU(d, src + 2 * src_stride), r3 = hn::LoadU(d, src + 3 * src_stride);
  const auto low01 = hn::BitCast(dd, hn::InterleaveLower(d, r0, r1));   // 00 10 01 11
  const auto low23 = hn::BitCast(dd, hn::InterleaveLower(d, r2, r3));   // 20 30 21 31
  const auto high01 = hn::BitCast(dd, hn::InterleaveUpper(d, r0, r1));  // 02 12 03 13
  const auto high23 = hn::BitCast(dd, hn::InterleaveUpper(d, r2, r3));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(dd, low01, low23)), d, dst);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(dd, low01, low23)), d, dst + dst_stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(dd, high01, high23)), d, dst + 2 * dst_stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(dd, high01, high23)), d, dst + 3 * dst_stride);
}

// dst[i * dst_stride + j] = src[i * row_stride + j * column_stride], rows x columns.
inline void CopyStrided(const float* src, int64_t row_stride, int64_t column_stride, int64_t rows,
                        int64_t columns, float* dst, int64_t dst_stride) {
  if (column_stride == 1) {
    for (int64_t i = 0; i < rows; ++i) {
      memcpy(dst + i * dst_stride, src + i * row_stride,
             static_cast<size_t>(columns) * sizeof(float));
    }
    return;
  }
  int64_t whole_rows = 0, whole_columns = 0;  // done in squares
  if (row_stride == 1) {
    whole_rows = rows & ~int64_t{3};
    whole_columns = columns & ~int64_t{3};
    for (int64_t i = 0; i < whole_rows; i += 4) {
      for (int64_t j = 0; j < whole_columns; j += 4) {
        Transpose4x4(src + i + j * column_stride, column_stride, dst + i * dst_stride + j,
                     dst_stride);
      }
    }
  }
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = i < whole_rows ? whole_columns : 0; j < columns; ++j) {
      dst[i * dst_stride + j] = src[i * row_stride + j * column_stride];
    }
  }
}

// Whole panels [first, last) of a matrix with contiguous rows: a few rows at a time, each read from
// end to end.
inline void PackRows(const TernPackArgs& args, int64_t first, int64_t last) {
  constexpr int64_t kRows = 16;
  for (int64_t row = 0; row < args.k; row += kRows) {
    const int64_t end = row + kRows < args.k ? row + kRows : args.k;
    for (int64_t panel = first; panel < last; ++panel) {
      const float* src = args.src + panel * TERN_PANEL_WIDTH;
      float* dst = args.dst + panel * args.k * TERN_PANEL_WIDTH;
      for (int64_t i = row; i < end; ++i) {
        memcpy(dst + i * TERN_PANEL_WIDTH, src + i * args.k_stride,
               TERN_PANEL_WIDTH * sizeof(float));
      }
    }
  }
}

// The same of long panels (kLongPanels), with the columns of the last one.
inline void PackLongRows(const TernPackArgs& args, int64_t first, int64_t last) {
  const FloatTag d;
  const int64_t width = static_cast<int64_t>(hn::Lanes(d));
  constexpr int64_t kRows = 16;
  for (int64_t row = 0; row < args.k; row += kRows) {
    const int64_t end = row + kRows < args.k ? row + kRows : args.k;
    for (int64_t panel = first; panel < last; ++panel) {
      const int64_t left = args.n - panel * width, columns = left < width ? left : width;
      const float* src = args.src + panel * width;
      float* dst = args.dst + panel * args.k * width;
      for (int64_t i = row; i < end; ++i) {
        const FloatVector v = hn::LoadN(d, src + i * args.k_stride, static_cast<size_t>(columns));
        hn::StoreU(v, d, dst + i * width);
      }
    }
  }
}

// Panels [first, last) of args, of that many columns; what they have more than args.n is zeros.
inline void PackPanels(const TernPackArgs& args, int64_t first, int64_t last,
                       PanelWidth width = TERN_PANEL_WIDTH) {
  if constexpr (kLongPanels) {
    if (IsLong(width) && args.n_stride == 1) return PackLongRows(args, first, last);
  }
  if (args.n_stride == 1) {
    const int64_t whole = args.n / TERN_PANEL_WIDTH < last ? args.n / TERN_PANEL_WIDTH : last;
    if (first < whole) PackRows(args, first, whole);
    first = first < whole ? whole : first;
  }
  for (int64_t panel = first; panel < last; ++panel) {
    float* dst = args.dst + panel * args.k * width;
    const int64_t column = panel * width;
    const int64_t left = args.n - column;
    const bool is_whole = left >= width;
    if (!is_whole && args.k > 0) {
      memset(dst, 0, static_cast<size_t>(args.k * width) * sizeof(float));
    }
    CopyStrided(args.src + column * args.n_stride, args.k_stride, args.n_stride, args.k,
                is_whole ? static_cast<int64_t>(width) : left, dst, width);
  }
}

}  // namespace tern::kernels::TERN_TARGET_NAME
HWY_AFTER_NAMESPACE();

#endif  // TERN_CORE_KERNELS_TRANSPOSE_H_
