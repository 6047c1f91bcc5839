// SPDX-License-Identifier: Apache-2.0
// The micro-kernel of every matrix product: a few rows, given by pointers, times the columns of one
// or more packed panels, accumulated in registers over all of k, finished in registers and stored
// once.
//
// Rows are reached through a table of pointers, kTileRows per tap, so that a convolution is a
// product whose row r of tap t starts wherever that input pixel lies (a zero row outside of the
// image), and gemm the case of one tap. Accumulators are named variables, spelled by macros over
// rows, because SVE's vectors cannot be array elements; rows past kRows are compiled away.

#ifndef TERN_CORE_KERNELS_TILE_H_
#define TERN_CORE_KERNELS_TILE_H_

#include "core/kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {

struct Tile {
  const float* const* rows;  // [count][taps][kTileRows]
  int64_t count;             // of tiles, one below the other
  int64_t height;            // rows from the first of a tile to the first of the next
  int64_t taps, run;         // floats read through each pointer; k = taps * run
  const float* b;            // first column of the tile in row 0 of its panel
  int64_t panel_stride;      // floats from one panel to the next
  float* c;
  int64_t c_stride;
  int64_t columns;        // that may be stored, from c on: >= 1, may be more than the tile has
  const float* bias;      // at the tile's first column, or null
  const float* residual;  // at the tile's first element, or null
  int64_t residual_stride;
  bool residual_after;  // the clamp
  bool clamp;
  float low, high;
  [[no_unique_address]] ReadsOn reads_on;  // kReadOn floats behind each run
};

// Everything below is for tiles of a file's panels, and again, with FloatTag in place of PanelTag,
// for tiles of long ones (kLongPanels).

// Where vector j of a row of the tile starts, from its first column in the packed panels.
template <int kPerPanel, class D = PanelTag>
HWY_INLINE ptrdiff_t PanelOffset(const Tile& tile, int j) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(D()));
  return static_cast<ptrdiff_t>((j / kPerPanel) * tile.panel_stride + (j % kPerPanel) * lanes);
}

// Where no instruction loads or stores a part of a vector, tiles call a function for it rather than
// have its branches once for each of their vectors.
#if HWY_ARCH_WASM
#define TERN_PART HWY_NOINLINE
#else
#define TERN_PART HWY_INLINE
#endif
template <class D>
TERN_PART hn::Vec<D> LoadPart(D d, const float* p, int64_t n) {
  return n > 0 ? hn::LoadN(d, p, static_cast<size_t>(n)) : hn::Zero(d);
}
template <class D>
TERN_PART void StorePart(D d, hn::Vec<D> v, float* p, int64_t n) {
  if (n > 0) hn::StoreN(v, d, p, static_cast<size_t>(n));
}
#undef TERN_PART

// n elements from p, or all lanes where n is larger; zeros behind them, none for n <= 0.
template <class D = PanelTag>
HWY_INLINE hn::Vec<D> LoadColumns(const float* p, int64_t n) {
  const D d;
  return n >= static_cast<int64_t>(hn::Lanes(d)) ? hn::LoadU(d, p) : LoadPart(d, p, n);
}

template <class D = PanelTag>
HWY_INLINE void StoreColumns(hn::Vec<D> v, float* p, int64_t n) {
  const D d;
  if (n >= static_cast<int64_t>(hn::Lanes(d))) {
    hn::StoreU(v, d, p);
  } else {
    StorePart(d, v, p, n);
  }
}

template <class D = PanelTag>
HWY_INLINE hn::Vec<D> LoadBias(const Tile& tile, int j) {
  const int64_t column = j * static_cast<int64_t>(hn::Lanes(D()));
  if (tile.bias == nullptr) return hn::Zero(D());
  return LoadColumns<D>(tile.bias + column, tile.columns - column);
}

template <class D>
HWY_INLINE hn::Vec<D> ClampVector(D d, hn::Vec<D> v, float low, float high) {
  return ClampKeepingNaN(v, hn::Set(d, low), hn::Set(d, high));
}

// Any tile edge, residual and clamp.
template <class D = PanelTag>
HWY_INLINE void StoreCarefully(const Tile& tile, int row, int j, hn::Vec<D> v) {
  const D d;
  const int64_t column = j * static_cast<int64_t>(hn::Lanes(d));
  const int64_t left = tile.columns - column;
  if (left <= 0) return;
  hn::Vec<D> residual = hn::Zero(d);
  if (tile.residual != nullptr) {
    residual = LoadColumns<D>(tile.residual + row * tile.residual_stride + column, left);
    if (!tile.residual_after) v = hn::Add(v, residual);
  }
  if (tile.clamp) v = ClampVector(d, v, tile.low, tile.high);
  if (tile.residual != nullptr && tile.residual_after) v = hn::Add(v, residual);
  StoreColumns<D>(v, tile.c + row * tile.c_stride + column, left);
}

enum class TileStore { kPlain, kClamp, kCareful };

template <class D>
HWY_INLINE TileStore ChooseStore(D d, const Tile& tile, int vectors) {
  const int64_t width = vectors * static_cast<int64_t>(hn::Lanes(d));
  if (tile.columns < width || tile.residual != nullptr) return TileStore::kCareful;
  return tile.clamp ? TileStore::kClamp : TileStore::kPlain;
}

template <int kVectors, TileStore store, class D>
HWY_INLINE void StoreRow(D d, const Tile& tile, int row, hn::Vec<D> v0, hn::Vec<D> v1,
                         hn::Vec<D> v2, hn::Vec<D> v3) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  if constexpr (store == TileStore::kCareful) {
    StoreCarefully<D>(tile, row, 0, v0);
    if constexpr (kVectors > 1) StoreCarefully<D>(tile, row, 1, v1);
    if constexpr (kVectors > 2) StoreCarefully<D>(tile, row, 2, v2);
    if constexpr (kVectors > 3) StoreCarefully<D>(tile, row, 3, v3);
    return;
  }
  if constexpr (store == TileStore::kClamp) {
    v0 = ClampVector(d, v0, tile.low, tile.high);
    if constexpr (kVectors > 1) v1 = ClampVector(d, v1, tile.low, tile.high);
    if constexpr (kVectors > 2) v2 = ClampVector(d, v2, tile.low, tile.high);
    if constexpr (kVectors > 3) v3 = ClampVector(d, v3, tile.low, tile.high);
  }
  float* c = tile.c + row * tile.c_stride;
  hn::StoreU(v0, d, c);
  if constexpr (kVectors > 1) hn::StoreU(v1, d, c + lanes);
  if constexpr (kVectors > 2) hn::StoreU(v2, d, c + 2 * lanes);
  if constexpr (kVectors > 3) hn::StoreU(v3, d, c + 3 * lanes);
}

// One row's share of one step of k: c += a * b.
template <int kVectors, class V>
HWY_INLINE void MulAddRow(V a, V b0, V b1, V b2, V b3, V& c0, V& c1, V& c2, V& c3) {
  c0 = MulAdd(a, b0, c0);
  if constexpr (kVectors > 1) c1 = MulAdd(a, b1, c1);
  if constexpr (kVectors > 2) c2 = MulAdd(a, b2, c2);
  if constexpr (kVectors > 3) c3 = MulAdd(a, b3, c3);
}

#define TERN_TILE_ROWS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13)

#define TERN_TILE_DECLARE(r)                                                        \
  [[maybe_unused]] hn::Vec<D> c##r##_0 = bias0, c##r##_1 = bias1, c##r##_2 = bias2, \
                              c##r##_3 = bias3;
#define TERN_TILE_POINTER(r) [[maybe_unused]] const float* a##r = rows[r < kRows ? r : 0];
#define TERN_TILE_MULTIPLY(r)                                                              \
  if constexpr (r < kRows) {                                                               \
    MulAddRow<kVectors>(hn::Set(d, a##r[i]), b0, b1, b2, b3, c##r##_0, c##r##_1, c##r##_2, \
                        c##r##_3);                                                         \
  }
#define TERN_TILE_STEP                                                  \
  {                                                                     \
    const hn::Vec<D> b0 = hn::LoadU(d, panel);                          \
    const hn::Vec<D> b1 = kVectors > 1 ? hn::LoadU(d, panel + o1) : b0; \
    const hn::Vec<D> b2 = kVectors > 2 ? hn::LoadU(d, panel + o2) : b0; \
    const hn::Vec<D> b3 = kVectors > 3 ? hn::LoadU(d, panel + o3) : b0; \
    TERN_TILE_ROWS(TERN_TILE_MULTIPLY)                                  \
  }
#define TERN_TILE_ADVANCE(r) ++a##r;
#define TERN_TILE_GROUP(r) \
  [[maybe_unused]] const PanelVector g##r = LoadGroup(a##r + (r < kRows ? i : 0));
#define TERN_TILE_LANE_0(r) \
  if constexpr (r < kRows) c##r##_0 = MulAddLane<lane>(b, g##r, c##r##_0);
#define TERN_TILE_LANE_1(r) \
  if constexpr (r < kRows) c##r##_1 = MulAddLane<lane>(b, g##r, c##r##_1);
#define TERN_TILE_LANE_2(r) \
  if constexpr (r < kRows) c##r##_2 = MulAddLane<lane>(b, g##r, c##r##_2);
#define TERN_TILE_LANE_3(r) \
  if constexpr (r < kRows) c##r##_3 = MulAddLane<lane>(b, g##r, c##r##_3);
#define TERN_TILE_LANE_COLUMN(j)                     \
  if constexpr (j < kVectors) {                      \
    const hn::Vec<D> b = hn::LoadU(d, panel + o##j); \
    TERN_TILE_ROWS(TERN_TILE_LANE_##j)               \
  }
#define TERN_TILE_LANE_STEP(index) \
  {                                \
    constexpr int lane = index;    \
    TERN_TILE_LANE_COLUMN(0)       \
    TERN_TILE_LANE_COLUMN(1)       \
    TERN_TILE_LANE_COLUMN(2)       \
    TERN_TILE_LANE_COLUMN(3)       \
    panel += width;                \
  }
#define TERN_TILE_STORE(r, store)                                                  \
  if constexpr (r < kRows) {                                                       \
    StoreRow<kVectors, store>(d, tile, r, c##r##_0, c##r##_1, c##r##_2, c##r##_3); \
  }
#define TERN_TILE_STORE_CAREFULLY(r) TERN_TILE_STORE(r, TileStore::kCareful)
#define TERN_TILE_STORE_CLAMPED(r) TERN_TILE_STORE(r, TileStore::kClamp)
#define TERN_TILE_STORE_PLAIN(r) TERN_TILE_STORE(r, TileStore::kPlain)

// The first kRows rows of tile.count tiles, one below the other: kVectors vectors, kPerPanel from
// each of neighbouring panels.
template <int kRows, int kPerPanel, int kVectors, class D = PanelTag>
HWY_NOINLINE void ComputeTiles(Tile tile) {
  static_assert(kVectors <= 4 && kRows <= kMaxTileRows);
  if constexpr (kRows > kTileRows) __builtin_trap();  // no tile is as high
  const D d;
  const ptrdiff_t width = static_cast<ptrdiff_t>(WidthOf(d));
  const ptrdiff_t run = static_cast<ptrdiff_t>(tile.run), taps = static_cast<ptrdiff_t>(tile.taps);
  [[maybe_unused]] ptrdiff_t o0 = 0, o1 = PanelOffset<kPerPanel, D>(tile, 1);
  [[maybe_unused]] ptrdiff_t o2 = PanelOffset<kPerPanel, D>(tile, 2);
  [[maybe_unused]] ptrdiff_t o3 = PanelOffset<kPerPanel, D>(tile, 3);
  const TileStore how = ChooseStore(d, tile, kVectors);
  const float* const* rows = tile.rows;
  for (int64_t count = kTilesInOneCall ? tile.count : 1; count > 0; --count) {
    // Loaded anew for each tile: kept over k, it would push accumulators out of the registers.
    const hn::Vec<D> bias0 = LoadBias<D>(tile, 0), bias1 = LoadBias<D>(tile, 1);
    const hn::Vec<D> bias2 = LoadBias<D>(tile, 2), bias3 = LoadBias<D>(tile, 3);
    TERN_TILE_ROWS(TERN_TILE_DECLARE)
    const float* panel = tile.b;
    for (ptrdiff_t tap = 0; tap < taps; ++tap, rows += kTileRows) {
      TERN_TILE_ROWS(TERN_TILE_POINTER)
      ptrdiff_t i = 0, end = run;
      if constexpr (kMultiplyByLane) {
        for (; i < end - 3; i += 4) {
          TERN_HIDE_INDEX(i);
          if constexpr (!hwy::IsSame<D, PanelTag>()) {
            // Steps are vectors apart, which loads can add to a pointer by themselves; a compiler
            // that sees that offsets stay keeps the sum of each offset and step instead.
            TERN_HIDE_INDEX(o1);
            TERN_HIDE_INDEX(o2);
            TERN_HIDE_INDEX(o3);
          }
          TERN_TILE_ROWS(TERN_TILE_GROUP)
          TERN_TILE_LANE_STEP(0)
          TERN_TILE_LANE_STEP(1)
          TERN_TILE_LANE_STEP(2)
          TERN_TILE_LANE_STEP(3)
        }
        if (tile.reads_on && i < end) {
          TERN_TILE_ROWS(TERN_TILE_GROUP)
          TERN_TILE_LANE_STEP(0)
          if (i + 1 < end) TERN_TILE_LANE_STEP(1)
          if (i + 2 < end) TERN_TILE_LANE_STEP(2)
          i = end;
        }
      }
      if constexpr (kTileAdvances) {
        for (; end > 0; --end, panel += width) {
          TERN_TILE_STEP
          TERN_TILE_ROWS(TERN_TILE_ADVANCE)
        }
      } else {
        HWY_UNROLL(kTileUnroll)
        for (; i < end; ++i, panel += width) {
          TERN_TILE_STEP
        }
      }
    }
    if (how == TileStore::kCareful) {
      TERN_TILE_ROWS(TERN_TILE_STORE_CAREFULLY)
    } else if (how == TileStore::kClamp) {
      TERN_TILE_ROWS(TERN_TILE_STORE_CLAMPED)
    } else {
      TERN_TILE_ROWS(TERN_TILE_STORE_PLAIN)
    }
    tile.c += tile.height * tile.c_stride;
    if (tile.residual != nullptr) tile.residual += tile.height * tile.residual_stride;
  }
}

#undef TERN_TILE_DECLARE
#undef TERN_TILE_POINTER
#undef TERN_TILE_MULTIPLY
#undef TERN_TILE_STEP
#undef TERN_TILE_ADVANCE
#undef TERN_TILE_GROUP
#undef TERN_TILE_LANE_0
#undef TERN_TILE_LANE_1
#undef TERN_TILE_LANE_2
#undef TERN_TILE_LANE_3
#undef TERN_TILE_LANE_COLUMN
#undef TERN_TILE_LANE_STEP
#undef TERN_TILE_STORE
#undef TERN_TILE_STORE_CAREFULLY
#undef TERN_TILE_STORE_CLAMPED
#undef TERN_TILE_STORE_PLAIN

using TileFunction = void(Tile tile);

// The micro-kernel for 1 <= rows <= kTileRows. WebAssembly's targets differ in kTileRows and must
// have the same functions (wasm/split_module.py), so there the others trap.
template <int kPerPanel, int kPanels, class D = PanelTag>
HWY_INLINE TileFunction* TileForRows(int64_t rows) {
  constexpr int kMost = HWY_ARCH_WASM ? kMaxTileRows : kTileRows;
#define TERN_TILE_ENTRY(r) \
  &ComputeTiles<(r < kMost ? r + 1 : kMost), kPerPanel, kPerPanel * kPanels, D>,
  static constexpr TileFunction* kTable[] = {TERN_TILE_ROWS(TERN_TILE_ENTRY)};
#undef TERN_TILE_ENTRY
  return kTable[rows - 1];
}

// Three vectors for a panel and a half: a tile's rows would need more accumulators than there are
// registers, so the upper halves of all tiles are computed first, then the lower ones.
template <int kRows>
void ComputeWideTiles(Tile tile) {
  constexpr int kUpper = (kRows + 1) / 2, kLower = kRows - kUpper;
  ComputeTiles<kUpper, 2, 3>(tile);
  if constexpr (kLower > 0) {
    tile.rows += kUpper;
    tile.c += kUpper * tile.c_stride;
    if (tile.residual != nullptr) tile.residual += kUpper * tile.residual_stride;
    ComputeTiles<kLower, 2, 3>(tile);
  }
}

HWY_INLINE TileFunction* WideTileForRows(int64_t rows) {
#define TERN_TILE_ENTRY(r) &ComputeWideTiles<(r < kTileRows ? r + 1 : kTileRows)>,
  static constexpr TileFunction* kTable[] = {TERN_TILE_ROWS(TERN_TILE_ENTRY)};
#undef TERN_TILE_ENTRY
  return kTable[rows - 1];
}

}  // namespace tern::kernels::TERN_TARGET_NAME
HWY_AFTER_NAMESPACE();

#endif  // TERN_CORE_KERNELS_TILE_H_
