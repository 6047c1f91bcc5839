// SPDX-License-Identifier: Apache-2.0
// Tiles over blocks of rows and panels: the loops around the micro-kernel, and the activations that
// do not fit into it.

#include "core/kernels/product.h"

#include "core/kernels/activate.h"
#include "core/kernels/columns.h"
#include "core/kernels/finish.h"
#include "core/kernels/long_panels.h"
#include "core/kernels/parallel.h"
#include "core/kernels/row.h"
#include "core/kernels/tile.h"
#include "core/kernels/transpose.h"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {
namespace {

constexpr float kInfinity = __builtin_inff();

// Vectors of 4, 8 or >= 16 lanes: how a tile of kTileVectors vectors lies over the panels.
constexpr int PerPanel(int64_t lanes) {
  const int in_panel = lanes >= 16 ? 1 : lanes >= 8 ? 2 : 4;
  return in_panel < kTileVectors ? in_panel : kTileVectors;
}

int64_t Lanes() { return static_cast<int64_t>(hn::Lanes(PanelTag())); }

// Lanes of a tile's vectors: a long panel is one vector wide.
int64_t TileLanes(PanelWidth width) {
  if (IsLong(width)) return width;
  return Lanes();
}

// Columns of a tile; a divisor or multiple of a panel.
int64_t TileColumns(PanelWidth width) { return kTileVectors * TileLanes(width); }

// Columns of a tile that goes over a panel and a half.
int64_t WideColumns() { return 3 * Lanes(); }

// Whether all of `columns`, in that many panels, are those of a wide tile.
bool IsWide(int64_t panels, int64_t columns) {
  return kWideTiles && panels == 2 && columns <= WideColumns();
}

// For the last columns, where half of a panel's vectors and less hold them.
template <int kPerPanel, class D>
TileFunction* NarrowTile(int64_t rows, int64_t columns) {
  if constexpr (kPerPanel > 1) {
    if (2 * columns <= kPerPanel * Lanes()) return NarrowTile<kPerPanel / 2, D>(rows, columns);
  }
  return TileForRows<kPerPanel, 1, D>(rows);
}

// columns: that there are, at most those of the panels.
template <int kPerPanel, class D = PanelTag>
TileFunction* TileForShape(int64_t rows, int64_t panels, int64_t columns) {
  constexpr int kPanels = kTileVectors / kPerPanel;
  if constexpr (kPanels >= 4) {
    if (panels >= 4) return TileForRows<kPerPanel, 4, D>(rows);
  }
  if constexpr (kPanels >= 2) {
    if (panels >= 2) return TileForRows<kPerPanel, 2, D>(rows);
  }
  if constexpr (kNarrowTiles) return NarrowTile<kPerPanel, D>(rows, columns);
  return TileForRows<kPerPanel, 1, D>(rows);
}

// The micro-kernel for that many rows, at most that many panels and the columns left in them. The
// length of SVE vectors is known only when it runs, so there the three shapes, and that of long
// panels, are compiled and chosen here; elsewhere only one is.
TileFunction* ChooseTile(int64_t rows, int64_t panels, int64_t columns,
                         [[maybe_unused]] PanelWidth width) {
  if constexpr (kWideTiles) {
    if (IsWide(panels, columns)) return WideTileForRows(rows);
  }
#if HWY_HAVE_SCALABLE
  if (IsLong(width)) return TileForShape<1, FloatTag>(rows, panels, columns);
  if (Lanes() >= 16) return TileForShape<PerPanel(16)>(rows, panels, columns);
  if (Lanes() >= 8) return TileForShape<PerPanel(8)>(rows, panels, columns);
  return TileForShape<PerPanel(4)>(rows, panels, columns);
#else
  return TileForShape<PerPanel(HWY_LANES(float))>(rows, panels, columns);
#endif
}

// Panels that one tile covers when `panels` are left, which hold that many columns.
int64_t PanelsTaken(int64_t panels, int64_t columns, PanelWidth width) {
  if (IsWide(panels, columns)) return panels;
  // A tile covers a power of two of panels, so the rest is covered by halves.
  int64_t most = PanelsPerTile(width);
  while (most > panels) most /= 2;
  return most;
}

bool IsClamp(int32_t activation) {
  return activation == TERN_ACT_RELU || activation == TERN_ACT_CLAMP;
}

}  // namespace

void SetEpilogue(const TernEpilogue& epilogue, Tile& tile) {
  tile.residual_after = epilogue.residual_after != 0;
  tile.residual_stride = epilogue.residual_stride;
  tile.clamp = IsClamp(epilogue.activation);
  tile.low = epilogue.activation == TERN_ACT_RELU ? 0.0f : epilogue.alpha;
  tile.high = epilogue.activation == TERN_ACT_RELU ? kInfinity : epilogue.beta;
}

void StoreFinished(const Tile& tile, const float* finished, int64_t rows, int64_t width) {
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < width; column += Lanes(), finished += Lanes()) {
      const int64_t left = tile.columns - column;
      PanelVector v = hn::LoadU(PanelTag(), finished);
      if (tile.residual != nullptr && tile.residual_after) {
        const float* residual = tile.residual + row * tile.residual_stride + column;
        v = hn::Add(v, LoadColumns(residual, left));
      }
      StoreColumns(v, tile.c + row * tile.c_stride + column, left);
    }
  }
}

namespace {

// To the tile below.
void MoveDown(Tile& tile, int64_t rows) {
  tile.rows += tile.taps * kTileRows;
  tile.c += rows * tile.c_stride;
  if (tile.residual != nullptr) tile.residual += rows * tile.residual_stride;
}

// On some targets the micro-kernel loops over tiles itself (kTilesInOneCall).
void ComputeAll(TileFunction* compute, Tile tile, int64_t rows) {
  if constexpr (kTilesInOneCall) return compute(tile);
  for (int64_t count = tile.count; count > 0; --count) {
    compute(tile);
    MoveDown(tile, rows);
  }
}

// Activations with polynomials would spill the accumulators, so the sums go through a buffer in the
// first-level cache, where the activation passes over all of them in one loop.
template <int64_t kMostWidth>
HWY_NOINLINE void ComputeThroughBuffer(TileFunction* compute, Tile tile, int64_t rows,
                                       const TernEpilogue& epilogue, PanelWidth panel_width) {
  // Zeros, because lanes behind the last column are never written.
  HWY_ALIGN float sums[kTileRows * kTileVectors * kMostWidth] = {};
  const int64_t most = kWideTiles ? WideColumns() : TileColumns(panel_width);
  const int64_t columns = tile.columns < most ? tile.columns : most;
  const int64_t width = (columns + Lanes() - 1) / Lanes() * Lanes();
  Tile plain = tile;
  plain.count = 1;
  plain.c = sums;
  plain.c_stride = width;
  if (tile.residual_after) plain.residual = nullptr;
  for (int64_t count = tile.count; count > 0; --count) {
    compute(plain);
    Activate(epilogue, sums, sums, rows * width);
    StoreFinished(tile, sums, rows, width);
    MoveDown(tile, rows);
    plain.rows = tile.rows;
    if (plain.residual != nullptr) plain.residual = tile.residual;
  }
}

// All row tiles of a block times one group of panels.
struct ColumnGroup {
  const Product* product;
  const float* const* pointers;
  int64_t first_row, column, panels;
  const float* b;
};

// Where a tile's first row is written, and what is added to it.
void PlaceTile(const ColumnGroup& group, int64_t row, Tile& tile) {
  const Product& product = *group.product;
  const TernEpilogue& epilogue = product.epilogue;
  tile.c = product.c + row * product.c_stride + group.column;
  tile.residual = epilogue.residual == nullptr
                      ? nullptr
                      : epilogue.residual + row * epilogue.residual_stride + group.column;
}

// Tiles [first, last), which are of one height. `tile` says what they share.
void MultiplyTiles(const ColumnGroup& group, const TileSplit& split, int64_t first, int64_t last,
                   Tile tile) {
  if (first == last) return;
  const TernEpilogue& epilogue = group.product->epilogue;
  const int64_t row = group.first_row + split.First(first), rows = split.Rows(first);
  tile.rows = group.pointers + first * group.product->taps * kTileRows;
  tile.count = last - first;
  tile.height = rows;
  PlaceTile(group, row, tile);
  const PanelWidth width = group.product->width;
  TileFunction* compute = ChooseTile(rows, group.panels, tile.columns, width);
  if (!IsSlowActivation(epilogue.activation)) return ComputeAll(compute, tile, rows);
  if constexpr (kLongPanels) {
    constexpr int64_t kMostLanes = HWY_MAX_BYTES / sizeof(float);
    if (IsLong(width))
      return ComputeThroughBuffer<kMostLanes>(compute, tile, rows, epilogue, width);
  }
  ComputeThroughBuffer<TERN_PANEL_WIDTH>(compute, tile, rows, epilogue, width);
}

// What all tiles of a group share.
Tile TileOf(const ColumnGroup& group) {
  const Product& product = *group.product;
  const TernEpilogue& epilogue = product.epilogue;
  Tile tile;
  tile.taps = product.taps;
  tile.run = product.run;
  tile.b = group.b;
  tile.panel_stride = product.taps * product.run * product.width;
  tile.c_stride = product.c_stride;
  tile.columns = product.n - group.column;
  tile.reads_on = product.reads_on;
  if (tile.columns > product.width * group.panels) tile.columns = product.width * group.panels;
  tile.bias = epilogue.bias == nullptr ? nullptr : epilogue.bias + group.column;
  SetEpilogue(epilogue, tile);
  return tile;
}

void MultiplyGroup(const ColumnGroup& group, const TileSplit& split) {
  const Tile tile = TileOf(group);
  MultiplyTiles(group, split, 0, split.higher, tile);
  MultiplyTiles(group, split, split.higher, split.tiles, tile);
}

// Where a tile is narrower than a panel, it goes over the panel in steps. Where a tile covers
// several panels this is one step.
void MultiplyPanel(ColumnGroup group, const TileSplit& split) {
  const PanelWidth width = group.product->width;
  const int64_t end = group.column + width;
  if (IsWide(group.panels, group.product->n - group.column)) return MultiplyGroup(group, split);
  const int64_t last = end < group.product->n ? end : group.product->n;
  for (; group.column < last; group.column += TileColumns(width)) {
    MultiplyGroup(group, split);
    if (group.b != nullptr) group.b += TileColumns(width);  // null where there is nothing to sum
  }
}

#if !HWY_HAVE_SCALABLE
// One row and the panels of a group, which are all that SumRow takes or one.
void MultiplyRow(const ColumnGroup& group) {
  HWY_ALIGN float sums[kRowPanels * TERN_PANEL_WIDTH];
  const TernEpilogue& epilogue = group.product->epilogue;
  Tile tile = TileOf(group);
  tile.rows = group.pointers;
  PlaceTile(group, group.first_row, tile);
  if (group.panels == kRowPanels) {
    SumRow<kRowPanels>(tile, sums);
  } else {
    SumRow<1>(tile, sums);
  }
  const int64_t width = (tile.columns + Lanes() - 1) / Lanes() * Lanes();
  if (IsSlowActivation(epilogue.activation)) {
    if (tile.residual != nullptr && !tile.residual_after) {
      for (int64_t i = 0; i < tile.columns; ++i) sums[i] += tile.residual[i];
    }
    Activate(epilogue, sums, sums, width);
    return StoreFinished(tile, sums, 1, width);
  }
  for (int64_t column = 0; column < width; column += Lanes()) {
    StoreCarefully(tile, 0, static_cast<int>(column / Lanes()),
                   hn::LoadU(PanelTag(), sums + column));
  }
}

void MultiplyRowBlock(const Product& product, const float* const* pointers, int64_t row,
                      int64_t first_panel, int64_t last_panel) {
  const int64_t panel_size = product.taps * product.run * TERN_PANEL_WIDTH;
  for (int64_t panel = first_panel; panel < last_panel;) {
    const int64_t taken = last_panel - panel >= kRowPanels ? kRowPanels : 1;
    MultiplyRow({&product, pointers, row, panel * TERN_PANEL_WIDTH, taken,
                 product.panels + panel * panel_size});
    panel += taken;
  }
}
#endif

}  // namespace

int64_t PanelsPerTile(PanelWidth width) {
  const int64_t columns = TileColumns(width);
  return columns <= width ? 1 : columns / width;
}

namespace {

// Panels are the outer loop: a group of panels is read once and stays in the cache while all tiles
// of the block pass it.
void MultiplyGroups(const Product& product, const float* const* pointers, int64_t first_row,
                    int64_t rows, int64_t first_panel, int64_t last_panel) {
  if (product.columns != nullptr && !IsSlowActivation(product.epilogue.activation))
    return MultiplyColumns(product, pointers, first_row, rows);
  const TileSplit split(rows);
  const PanelWidth width = product.width;
  const int64_t panel_size = product.taps * product.run * width;
  for (int64_t panel = first_panel; panel < last_panel;) {
    const int64_t taken = PanelsTaken(last_panel - panel, product.n - panel * width, width);
    const ColumnGroup group{&product,      pointers, first_row,
                            panel * width, taken,    product.panels + panel * panel_size};
    MultiplyPanel(group, split);
    panel += taken;
  }
}

// A finished block of at most so many sums is still in the second-level cache, and a run of at
// least so many is worth a call of an activation.
constexpr int64_t kBlockSums = 32 * 1024, kActivationRun = 64;

// Rows of a finished block, and its columns from the first of c on.
struct FinishedBlock {
  float* c;
  int64_t stride, rows, columns;
};

// Whether the activation may pass over the whole block: nothing is added behind it.
bool ActivatesBlock(const TernEpilogue& epilogue, const FinishedBlock& block) {
  return IsSlowActivation(epilogue.activation) &&
         (epilogue.residual == nullptr || epilogue.residual_after == 0) &&
         block.rows * block.columns <= kBlockSums &&
         (block.columns == block.stride || block.columns >= kActivationRun);
}

void ActivateBlock(const TernEpilogue& epilogue, const FinishedBlock& block) {
  if (block.columns == block.stride) {
    return Activate(epilogue, block.c, block.c, block.rows * block.columns);
  }
  float* c = block.c;
  for (int64_t row = 0; row < block.rows; ++row, c += block.stride) {
    Activate(epilogue, c, c, block.columns);
  }
}

// Of `panels`, those that a block of so many rows may have for its activation to pass over it.
int64_t PanelsToActivate(const Product& product, int64_t rows, int64_t panels) {
  if (!IsSlowActivation(product.epilogue.activation)) return panels;
  const int64_t at_once = PanelsPerTile(product.width);
  const int64_t most = kBlockSums / (rows * product.width * at_once) * at_once;
  return most < at_once ? panels : most < panels ? most : panels;
}

void MultiplyFinished(const Product& product, const float* const* pointers, int64_t first_row,
                      int64_t rows, int64_t first_panel, int64_t last_panel) {
  const int64_t column = first_panel * product.width, end = last_panel * product.width;
  const FinishedBlock block{product.c + first_row * product.c_stride + column, product.c_stride,
                            rows, (end < product.n ? end : product.n) - column};
  if (!ActivatesBlock(product.epilogue, block)) {
    return MultiplyGroups(product, pointers, first_row, rows, first_panel, last_panel);
  }
  Product sums = product;
  sums.epilogue.activation = TERN_ACT_NONE;
  MultiplyGroups(sums, pointers, first_row, rows, first_panel, last_panel);
  ActivateBlock(product.epilogue, block);
}

}  // namespace

void MultiplyBlock(const Product& product, const float* const* pointers, int64_t first_row,
                   int64_t rows, int64_t first_panel, int64_t last_panel) {
  if (rows <= 0) return;
#if !HWY_HAVE_SCALABLE
  if (rows == 1 && product.columns == nullptr)
    return MultiplyRowBlock(product, pointers, first_row, first_panel, last_panel);
#endif
  for (int64_t panel = first_panel; panel < last_panel;) {
    const int64_t end = panel + PanelsToActivate(product, rows, last_panel - panel);
    MultiplyFinished(product, pointers, first_row, rows, panel, end);
    panel = end;
  }
}

namespace {

constexpr int64_t kBlockTiles = 32;
constexpr int64_t kBlockBytes = 512 * 1024;  // of rows: in a usual second-level cache

// At least one tile, at most as many as the table on the stack has room for.
int64_t RowsPerBlock(int64_t k) {
  const int64_t tiles = kBlockBytes / (k * kTileRows * static_cast<int64_t>(sizeof(float)) + 1);
  return kTileRows * (tiles < 1 ? 1 : tiles > kBlockTiles ? kBlockTiles : tiles);
}

}  // namespace

int64_t CopyFloats(const Product& product, int64_t m, int64_t stride) {
  const bool conflicts = stride >= 2 * kPageStride && stride % kPageStride == 0;
  if (!conflicts || m < kTileRows || PanelCount(product) < 2 * PanelsPerTile(product.width))
    return 0;
  // The copied rows are longer by a panel's width, so that they do not collide again.
  return RowsPerBlock(product.run) * (product.run + TERN_PANEL_WIDTH);
}

void MultiplyMatrix(const Product& product, const Rows& rows, int64_t first_row, int64_t last_row,
                    int64_t first_panel, int64_t last_panel, int32_t worker) {
  // The table is on the stack: it is small, and no worker needs another's.
  const float* pointers[kBlockTiles * kTileRows];
  const int64_t block = RowsPerBlock(product.run);
  float* copy = rows.copy == nullptr ? nullptr : rows.copy + worker * rows.copy_floats;
  const int64_t stride = copy == nullptr ? rows.stride : product.run + TERN_PANEL_WIDTH;
  for (int64_t row = first_row; row < last_row; row += block) {
    const int64_t count = last_row - row < block ? last_row - row : block;
    const float* start = rows.data + row * rows.stride;
    if (copy != nullptr) {
      CopyStrided(start, rows.stride, 1, count, product.run, copy, stride);
      start = copy;
    }
    const TileSplit split(count);
    for (int64_t tile = 0; tile < split.tiles; ++tile) {
      for (int64_t i = 0; i < split.Rows(tile); ++i) {
        pointers[tile * kTileRows + i] = start + (split.First(tile) + i) * stride;
      }
    }
    MultiplyBlock(product, pointers, row, count, first_panel, last_panel);
  }
}

// If n is larger than m, the weights are most of what is read, and each worker reads only its
// panels. With fewer than two groups of panels per worker the last would wait for the others.
bool SplitByPanels(const Product& product, int64_t m, int64_t workers) {
  const int64_t groups = PanelCount(product) / PanelsPerTile(product.width);
  return product.n > m && groups >= 2 * workers;
}

void MultiplyInParallel(const Product& whole, const Rows& rows, int64_t m,
                        const TernKernelContext* context) {
  HWY_ALIGN float columns[kMostColumnFloats];
  const Product product = WithColumns(whole, m, columns);
  const int64_t panels = PanelCount(product), row_cost = product.n * product.run * product.taps;
  const int64_t workers = WorkersFor(context, m * row_cost, kWorkerGrain);
  if (SplitByPanels(product, m, workers)) {
    const int64_t panel_cost = m * product.run * product.taps * product.width;
    const int64_t grain = 1 + kWorkerGrain / (panel_cost + 1);
    ParallelFor(context, panels, grain, PanelsPerTile(product.width),
                [&](int64_t first, int64_t last, int32_t worker) {
                  MultiplyMatrix(product, rows, 0, m, first, last, worker);
                });
    return;
  }
  ParallelFor(context, m, 1 + kWorkerGrain / (row_cost + 1), 1,
              [&](int64_t first, int64_t last, int32_t worker) {
                MultiplyMatrix(product, rows, first, last, 0, panels, worker);
              });
}

namespace {

// By long panels, which are so many floats; false where there is no memory for them.
[[maybe_unused]] bool MultiplyByLongPanels(const Product& product, int64_t floats, Rows rows,
                                           int64_t m, const TernKernelContext* context) {
  Product wide = ByLongPanels(product, nullptr);
  rows.copy_floats = CopyFloats(wide, m, rows.stride);
  const int64_t all = floats + MostWorkers(context) * rows.copy_floats;
  auto* scratch = static_cast<float*>(
      context->scratch(context->scratch_context, static_cast<size_t>(all) * sizeof(float)));
  if (scratch == nullptr) return false;
  if (rows.copy_floats > 0) rows.copy = scratch + floats;
  WidenInParallel(product, scratch, context);
  wide.panels = scratch;
  MultiplyInParallel(wide, rows, m, context);
  return true;
}

}  // namespace

void MultiplyWithScratch(const Product& product, const float* a, int64_t a_stride, int64_t m,
                         const TernKernelContext* context) {
  if constexpr (kLongPanels) {
    const int64_t floats = LongFloats(product, m);
    if (floats > 0 && MultiplyByLongPanels(product, floats, {a, a_stride, nullptr, 0}, m, context))
      return;
  }
  Rows rows{a, a_stride, nullptr, CopyFloats(product, m, a_stride)};
  if (rows.copy_floats > 0) {
    const size_t bytes =
        static_cast<size_t>(MostWorkers(context) * rows.copy_floats) * sizeof(float);
    rows.copy = static_cast<float*>(context->scratch(context->scratch_context, bytes));
  }
  MultiplyInParallel(product, rows, m, context);
}

}  // namespace tern::kernels::TERN_TARGET_NAME
HWY_AFTER_NAMESPACE();
