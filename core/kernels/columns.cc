// SPDX-License-Identifier: Apache-2.0
// Products of few columns, as those of a convolution with one channel out. A tile would leave most
// lanes of its vectors idle; here a vector holds several steps of k for each column, whose partial
// sums are added up at the end: the order of a sum is the same whichever rows are computed
// together.

#include "core/kernels/columns.h"

#include <string.h>

#include "core/kernels/finish.h"
#include "core/kernels/tile.h"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {
namespace {

// Rows that share each vector of weights: half a tile where tiles are high.
constexpr int kColumnRows = kTileRows > 7 ? kTileRows / 2 : kTileRows;

#define TERN_COLUMN_ROWS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6)

#define TERN_COLUMN_DECLARE(r) [[maybe_unused]] FloatVector s##r = hn::Zero(d);
#define TERN_COLUMN_POINTER(r) [[maybe_unused]] const float* x##r = rows[r < count ? r : count - 1];
#define TERN_COLUMN_MULTIPLY(r) \
  if constexpr (r < kColumnRows) s##r = MulAdd(LoadSteps<kSteps>(x##r + i), factor, s##r);
#define TERN_COLUMN_REST(r)                                                                \
  if constexpr (r < kColumnRows) {                                                         \
    s##r = MulAdd(hn::IfThenElseZero(is_rest, LoadSteps<kSteps>(x##r + i)), factor, s##r); \
  }
#define TERN_COLUMN_STORE(r) \
  if constexpr (r < kColumnRows) hn::StoreU(s##r, d, sums + r * lanes);

// p[0 … kSteps) again and again; 0: as many as there are lanes.
template <int kSteps>
HWY_INLINE FloatVector LoadSteps(const float* p) {
  const FloatTag d;
  if constexpr (kSteps == 4) return hn::LoadDup128(d, p);
  if constexpr (kSteps == 2) {
    uint64_t pair;
    memcpy(&pair, p, sizeof(pair));
    return hn::BitCast(d, hn::Set(hn::Repartition<uint64_t, FloatTag>(), pair));
  }
  return hn::LoadU(d, p);
}

// The columns as WithColumns has written them, and which steps of the last vector of a run are its
// rest: 0 where others were summed already.
struct ColumnsOf {
  const float* weights;
  int64_t taps, run;
  const float* rest;  // [lanes]
};

// sums[kColumnRows][lanes] = the partial sums of `count` rows of the table. Rows that are not there
// are the last one again.
template <int kSteps>
void SumColumns(const ColumnsOf& columns, const float* const* rows, int64_t count, float* sums) {
  const FloatTag d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t steps = kSteps == 0 ? lanes : kSteps;
  const int64_t tail = columns.run % steps, whole = columns.run - tail;
  const auto is_rest = hn::Ne(hn::LoadU(d, columns.rest), hn::Zero(d));
  const float* w = columns.weights;
  TERN_COLUMN_ROWS(TERN_COLUMN_DECLARE)
  for (int64_t tap = 0; tap < columns.taps; ++tap, rows += kTileRows) {
    TERN_COLUMN_ROWS(TERN_COLUMN_POINTER)
    for (int64_t i = 0; i < whole; i += steps, w += lanes) {
      const FloatVector factor = hn::LoadU(d, w);
      TERN_COLUMN_ROWS(TERN_COLUMN_MULTIPLY)
    }
    if (tail == 0) continue;
    const int64_t i = columns.run - steps;
    const FloatVector factor = hn::LoadU(d, w);
    w += lanes;
    TERN_COLUMN_ROWS(TERN_COLUMN_REST)
  }
  TERN_COLUMN_ROWS(TERN_COLUMN_STORE)
}

#undef TERN_COLUMN_STORE
#undef TERN_COLUMN_REST
#undef TERN_COLUMN_MULTIPLY
#undef TERN_COLUMN_POINTER
#undef TERN_COLUMN_DECLARE
#undef TERN_COLUMN_ROWS

// Steps of k in a vector, which has as many lanes for each column.
int64_t ColumnSteps(int64_t columns) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(FloatTag()));
  if (columns == 1) return lanes;
  if (columns <= lanes / 4) return 4;
  return columns <= lanes / 2 ? 2 : 1;
}

// Vectors of all columns.
int64_t ColumnVectors(const Product& product, int64_t steps) {
  return product.taps * ((product.run + steps - 1) / steps);
}

// Whether summing along vectors is shorter than a tile's sum of every step, by more than the ends
// of sums take; `m` rows pay for the weights' new order.
bool TakesColumns(const Product& product, int64_t m) {
  constexpr int64_t kEnd = 24, kLeastRows = 64;
  const int64_t steps = ColumnSteps(product.n);
  // One panel, whichever vectors there are, and runs of a vector's steps at least, which are read
  // whole.
  if (product.n > TERN_PANEL_WIDTH || m < kLeastRows || steps < 2 || product.run < steps)
    return false;
  const int64_t vectors = ColumnVectors(product, steps);
  return vectors + kEnd < product.taps * product.run &&
         vectors * static_cast<int64_t>(hn::Lanes(FloatTag())) <= kMostColumnFloats;
}

}  // namespace

Product WithColumns(const Product& product, int64_t m, float* columns) {
  if (!TakesColumns(product, m)) return product;
  Product result = product;
  result.columns = columns;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(FloatTag()));
  const int64_t steps = ColumnSteps(product.n);
  const float* panel = product.panels;
  for (int64_t tap = 0; tap < product.taps; ++tap, panel += product.run * TERN_PANEL_WIDTH) {
    for (int64_t i = 0; i < product.run; i += steps, columns += lanes) {
      // The last vector begins early enough to end with the run; what it repeats is not counted.
      const int64_t first = i + steps <= product.run ? i : product.run - steps;
      for (int64_t lane = 0; lane < lanes; ++lane) {
        const int64_t column = lane / steps, step = first + lane % steps;
        columns[lane] =
            column < product.n && step >= i ? panel[step * TERN_PANEL_WIDTH + column] : 0.0f;
      }
    }
  }
  return result;
}

namespace {

// The end of a sum: what a tile does in registers.
float FinishSum(const Tile& finish, float sum, const float* residual) {
  if (residual != nullptr && !finish.residual_after) sum += *residual;
  // NaN is neither.
  if (finish.clamp) sum = sum < finish.low ? finish.low : sum > finish.high ? finish.high : sum;
  return residual != nullptr && finish.residual_after ? sum + *residual : sum;
}

// One row of the output from its partial sums.
void FinishColumns(const Product& product, const Tile& finish, int64_t steps, const float* sums,
                   int64_t row) {
  const TernEpilogue& epilogue = product.epilogue;
  for (int64_t column = 0; column < product.n; ++column, sums += steps) {
    float sum = epilogue.bias == nullptr ? 0.0f : epilogue.bias[column];
    for (int64_t i = 0; i < steps; ++i) sum += sums[i];
    const float* residual = epilogue.residual == nullptr
                                ? nullptr
                                : epilogue.residual + row * epilogue.residual_stride + column;
    product.c[row * product.c_stride + column] = FinishSum(finish, sum, residual);
  }
}

}  // namespace

void MultiplyColumns(const Product& product, const float* const* pointers, int64_t first_row,
                     int64_t rows) {
  constexpr size_t kMostLanes = HWY_MAX_BYTES / sizeof(float);
  HWY_ALIGN float rest[kMostLanes];
  HWY_ALIGN float sums[kColumnRows * kMostLanes];
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(FloatTag()));
  const int64_t steps = ColumnSteps(product.n);
  for (int64_t lane = 0; lane < lanes; ++lane)
    rest[lane] = lane % steps >= steps - product.run % steps ? 1.0f : 0.0f;
  const ColumnsOf columns{product.columns, product.taps, product.run, rest};
  auto sum_columns = steps == lanes ? SumColumns<0> : SumColumns<2>;
  // Vectors of four lanes hold four steps of one column only.
  if constexpr (hn::MaxLanes(FloatTag()) > 4) {
    if (steps == 4 && lanes > 4) sum_columns = SumColumns<4>;
  }
  Tile finish{};
  SetEpilogue(product.epilogue, finish);
  const TileSplit split(rows);
  for (int64_t tile = 0; tile < split.tiles; ++tile, pointers += product.taps * kTileRows) {
    const int64_t height = split.Rows(tile), row = first_row + split.First(tile);
    for (int64_t i = 0; i < height; i += kColumnRows) {
      const int64_t count = height - i < kColumnRows ? height - i : kColumnRows;
      sum_columns(columns, pointers + i, count, sums);
      for (int64_t j = 0; j < count; ++j)
        FinishColumns(product, finish, steps, sums + j * lanes, row + i + j);
    }
  }
}

}  // namespace tern::kernels::TERN_TARGET_NAME
HWY_AFTER_NAMESPACE();
