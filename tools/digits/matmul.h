// SPDX-License-Identifier: Apache-2.0
// One matrix product for the whole training: C (+)= A x B with A by strides (so transposed A is
// free), B and C by rows. Widths are multiples of 16; the sums of a 6 x 16 tile stay in registers.
#ifndef TERN_TOOLS_DIGITS_MATMUL_H_
#define TERN_TOOLS_DIGITS_MATMUL_H_

namespace tern::digits {

// Eight floats of any place in a float array.
typedef float Lanes __attribute__((vector_size(32), aligned(4), may_alias));
inline constexpr int kTileRows = 6;
inline constexpr int kTileColumns = 16;

struct Product {
  int m, n, k;
  const float* a;
  int row_stride, column_stride;  // of A, in floats
  const float* b;
  float* c;
  bool add;  // to what C holds
};

template <int kRows>
inline void MultiplyTile(const Product& p, int row, int column) {
  Lanes low[kRows] = {}, high[kRows] = {};
  const float* a = p.a + row * p.row_stride;
  const float* b = p.b + column;
  for (int k = 0; k < p.k; ++k, a += p.column_stride, b += p.n) {
    const Lanes* lanes = reinterpret_cast<const Lanes*>(b);
    const Lanes b0 = lanes[0], b1 = lanes[1];
#pragma GCC unroll 6
    for (int r = 0; r < kRows; ++r) {
      low[r] += a[r * p.row_stride] * b0;
      high[r] += a[r * p.row_stride] * b1;
    }
  }
#pragma GCC unroll 6
  for (int r = 0; r < kRows; ++r) {
    Lanes* c = reinterpret_cast<Lanes*>(p.c + (row + r) * p.n + column);
    c[0] = p.add ? c[0] + low[r] : low[r];
    c[1] = p.add ? c[1] + high[r] : high[r];
  }
}

inline void Multiply(const Product& p) {
  for (int column = 0; column < p.n; column += kTileColumns) {
    int row = 0;
    for (; row + kTileRows <= p.m; row += kTileRows) MultiplyTile<kTileRows>(p, row, column);
    for (; row < p.m; ++row) MultiplyTile<1>(p, row, column);
  }
}

}  // namespace tern::digits

#endif  // TERN_TOOLS_DIGITS_MATMUL_H_
