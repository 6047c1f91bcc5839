// SPDX-License-Identifier: Apache-2.0
// A matrix product as tiles: which rows, which panels, what happens to each sum. gemm, matmul and
// the convolutions describe themselves as a Product and hand over tables of row pointers.

#ifndef TERN_CORE_KERNELS_PRODUCT_H_
#define TERN_CORE_KERNELS_PRODUCT_H_

#include "core/kernels/kernel.h"
#include "core/kernels/simd.h"

namespace tern::kernels::TERN_TARGET_NAME {

struct Product {
  int64_t taps, run;  // k = taps * run
  int64_t n;
  const float* panels;  // [ceil(n/width)][k][width]
  float* c;
  int64_t c_stride;
  TernEpilogue epilogue;
  const float* columns = nullptr;  // of WithColumns, or null
  // Of a panel: a file's, or that of long ones (long_panels.h), with which `columns` is null.
  [[no_unique_address]] PanelWidth width = TERN_PANEL_WIDTH;
  [[no_unique_address]] ReadsOn reads_on = false;  // kReadOn floats behind each run
};

// Where there are few columns, k is summed along vectors (columns.h), by weights in an order of
// their own, which are written to columns[kMostColumnFloats]; the product as it was where tiles are
// better for its m rows. A last panel can have few columns beside others, but then equal columns of
// a product would have sums that are not.
inline constexpr int64_t kMostColumnFloats = 8 * 1024;
Product WithColumns(const Product& product, int64_t m, float* columns);

// How `rows` rows are cut into tiles: as few as it takes, of nearly equal height, so that no tile
// is so low that loads bound it.
struct TileSplit {
  int64_t tiles, height, higher;  // the first `higher` tiles have height + 1 rows

  explicit TileSplit(int64_t rows)
      : tiles((rows + kTileRows - 1) / kTileRows), height(rows / tiles), higher(rows % tiles) {}
  int64_t Rows(int64_t tile) const { return height + (tile < higher ? 1 : 0); }
  int64_t First(int64_t tile) const { return tile * height + (tile < higher ? tile : higher); }
  // That has the row.
  int64_t Tile(int64_t row) const {
    const int64_t tile = row / (height + 1);
    return tile < higher ? tile : (row - higher) / height;
  }
};

// Panels that one tile covers (1 where a tile is narrower than a panel).
int64_t PanelsPerTile(PanelWidth width);

inline int64_t PanelCount(int64_t n, PanelWidth width = TERN_PANEL_WIDTH) {
  return (n + width - 1) / width;
}
inline int64_t PanelCount(const Product& product) { return PanelCount(product.n, product.width); }

// c[first_row ...] = rows * panels [first_panel, last_panel), for the rows of one block. `pointers`
// is [tile][tap][kTileRows] for the tiles of TileSplit(rows).
void MultiplyBlock(const Product& product, const float* const* pointers, int64_t first_row,
                   int64_t rows, int64_t first_panel, int64_t last_panel);

// A plain matrix as the left operand. Rows whose distance is a multiple of kPageStride fall into
// the same sets of a first-level cache and push each other out: they are copied, block by block, to
// `copy`.
struct Rows {
  const float* data;
  int64_t stride;
  float* copy;  // [workers][copy_floats], or null
  int64_t copy_floats;
};

inline constexpr int64_t kPageStride = 256;  // floats

// Floats per worker that Rows::copy should have; 0 where copying does not pay.
int64_t CopyFloats(const Product& product, int64_t m, int64_t stride);

// Rows [first_row, last_row) times panels [first_panel, last_panel), in blocks of rows that stay in
// the second-level cache.
void MultiplyMatrix(const Product& product, const Rows& rows, int64_t first_row, int64_t last_row,
                    int64_t first_panel, int64_t last_panel, int32_t worker);

// The whole product of m rows, over the workers that it is worth.
void MultiplyInParallel(const Product& product, const Rows& rows, int64_t m,
                        const TernKernelContext* context);

// The same, taking scratch for copies and long panels. Where there is none, rows and panels are
// used in place.
void MultiplyWithScratch(const Product& product, const float* a, int64_t a_stride, int64_t m,
                         const TernKernelContext* context);

// Multiplications that take some 20 us (parallel.h).
inline constexpr int64_t kWorkerGrain = 1000000;

// True where a product over the workers is better cut by panels (weights larger than activations).
bool SplitByPanels(const Product& product, int64_t m, int64_t workers);

}  // namespace tern::kernels::TERN_TARGET_NAME

#endif  // TERN_CORE_KERNELS_PRODUCT_H_
