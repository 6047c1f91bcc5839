// SPDX-License-Identifier: Apache-2.0
// Channels-last depthwise convolution, vectors over channels. Four neighbouring outputs share the
// input columns under them: windows of 3 and 5 columns with stride 1 or 2 keep a row of weights in
// registers. Border pixels, dilation and other windows take one output at a time.

#include "core/kernels/depthwise.h"

#include <string.h>

#include "core/kernels/activate.h"
#include "core/kernels/parallel.h"
#include "core/kernels/product.h"
#include "core/kernels/simd_math.h"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {
namespace {

// Four outputs are four sums in flight, which hides most of the latency of a multiplication and
// addition.
constexpr int64_t kTileOutputs = 4;
constexpr float kUnbounded = __builtin_inff();

// A row of output pixels and the taps of its windows that lie in the image vertically.
struct OutputRow {
  const TernConv2dArgs* args;
  const float* input;    // column 0 of the row under the first tap inside
  const float* weights;  // of that tap's row
  int64_t rows;          // of taps inside
  int64_t row_step;      // input elements between rows of taps
  int64_t first_pixel;   // index of the output row's first pixel
  const float* zeros;    // [in_c], or null: what tiles read beside the image
  // The epilogue where it is no more than a clamp (of nothing, without activation).
  bool clamps;
  bool activates;  // another activation follows over the finished row
  float low, high;
};

// Outputs `pixel` at channels [channel, channel + count).
HWY_INLINE void StoreOutput(const OutputRow& row, int64_t pixel, int64_t channel, int64_t count,
                            FloatVector v) {
  const FloatTag d;
  const TernConv2dArgs& args = *row.args;
  const TernEpilogue& epilogue = args.epilogue;
  const size_t n = static_cast<size_t>(count);
  if (row.clamps) {
    // The constants come first: on x86, Max and Min then keep a NaN of v.
    v = ClampKeepingNaN(v, hn::Set(d, row.low), hn::Set(d, row.high));
  } else {
    FloatVector residual = hn::Zero(d);
    if (epilogue.residual != nullptr) {
      residual = hn::LoadN(d, epilogue.residual + pixel * epilogue.residual_stride + channel, n);
    }
    if (epilogue.residual_after == 0) v = hn::Add(v, residual);
    v = ApplyActivation(d, v, epilogue.activation, epilogue.alpha, epilogue.beta);
    if (epilogue.residual_after != 0) v = hn::Add(v, residual);
  }
  float* to = args.output + pixel * args.out_pixel_stride + channel;
  if (n == hn::Lanes(d)) {
    hn::StoreU(v, d, to);
  } else {
    hn::StoreN(v, d, to, n);
  }
}

// The sum starts with the bias, so it is not added later.
HWY_INLINE FloatVector BiasAt(const TernConv2dArgs& args, int64_t channel, int64_t count) {
  const FloatTag d;
  const size_t n = static_cast<size_t>(count);
  if (args.epilogue.bias == nullptr) return hn::Zero(d);
  const float* bias = args.epilogue.bias + channel;
  return n == hn::Lanes(d) ? hn::LoadU(d, bias) : hn::LoadN(d, bias, n);
}

// `first` and `last` cut the taps that hang over the left or right border; OutputRow has cut the
// rows.
// One output over the taps [first, last) of each row of its window.
HWY_INLINE void ComputeOutput(const OutputRow& row, int64_t x, int64_t first, int64_t last,
                              int64_t channel, int64_t count) {
  const FloatTag d;
  const TernConv2dArgs& args = *row.args;
  const size_t n = static_cast<size_t>(count);
  const bool whole = n == hn::Lanes(d);
  const int64_t start = x * args.stride_w - args.pad_left;
  FloatVector sum = BiasAt(args, channel, count);
  for (int64_t y = 0; y < row.rows; ++y) {
    const float* weights = row.weights + y * args.kernel_w * args.in_c + channel;
    const float* input = row.input + y * row.row_step + start * args.in_pixel_stride + channel;
    for (int64_t tap = first; tap < last; ++tap) {
      const float* w = weights + tap * args.in_c;
      const float* in = input + tap * args.dilation_w * args.in_pixel_stride;
      sum = whole ? MulAdd(hn::LoadU(d, in), hn::LoadU(d, w), sum)
                  : MulAdd(hn::LoadN(d, in, n), hn::LoadN(d, w, n), sum);
    }
  }
  StoreOutput(row, row.first_pixel + x, channel, count, sum);
}

// A pixel at the border, or of any window, from `channel` on.
void ComputePixelAt(const OutputRow& row, int64_t x, int64_t channel) {
  const TernConv2dArgs& args = *row.args;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(FloatTag()));
  const int64_t start = x * args.stride_w - args.pad_left, dilation = args.dilation_w;
  int64_t first = 0, last = args.kernel_w;
  while (first < last && start + first * dilation < 0) ++first;
  while (last > first && start + (last - 1) * dilation >= args.in_w) --last;
  for (; channel < args.in_c; channel += lanes) {
    const int64_t left = args.in_c - channel;
    ComputeOutput(row, x, first, last, channel, left < lanes ? left : lanes);
  }
}

void ComputePixel(const OutputRow& row, int64_t x) { ComputePixelAt(row, x, 0); }

#define TERN_COLUMNS v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10
#define TERN_COLUMN_PARAMETERS                                                                    \
  FloatVector v0, FloatVector v1, FloatVector v2, FloatVector v3, FloatVector v4, FloatVector v5, \
      FloatVector v6, FloatVector v7, FloatVector v8, FloatVector v9, FloatVector v10

// SVE vectors cannot be array elements, so the columns are names and a column is chosen while
// compiling.
template <int i>
HWY_INLINE FloatVector Column(TERN_COLUMN_PARAMETERS) {
  if constexpr (i == 0) return v0;
  if constexpr (i == 1) return v1;
  if constexpr (i == 2) return v2;
  if constexpr (i == 3) return v3;
  if constexpr (i == 4) return v4;
  if constexpr (i == 5) return v5;
  if constexpr (i == 6) return v6;
  if constexpr (i == 7) return v7;
  if constexpr (i == 8) return v8;
  if constexpr (i == 9) return v9;
  if constexpr (i == 10) return v10;
}

// Loads column i of the input under the tile; those that the tile does not reach repeat the first
// and are not used.
#define TERN_LOAD_COLUMN(i) \
  const FloatVector v##i =  \
      hn::LoadU(d, ColumnAt<kEdge, (i < kColumns ? i : 0)>(four, in, columns, channel));

// Tap kx of all four outputs: independent sums, so that none waits for the one before.
#define TERN_ADD_TAP(kx)                                          \
  if constexpr (kx < kWidth) {                                    \
    const FloatVector tap = hn::LoadU(d, w + kx * channels);      \
    s0 = MulAdd(Column<kx>(TERN_COLUMNS), tap, s0);               \
    s1 = MulAdd(Column<kx + kStride>(TERN_COLUMNS), tap, s1);     \
    s2 = MulAdd(Column<kx + 2 * kStride>(TERN_COLUMNS), tap, s2); \
    s3 = MulAdd(Column<kx + 3 * kStride>(TERN_COLUMNS), tap, s3); \
  }

// The columns of the input that one tile reads, and the rows of those windows that have tiles.
template <int kWidth, int kStride>
inline constexpr int kTileColumns = 3 * kStride + kWidth;
constexpr int kMostColumns = 11, kMostRows = 5;

// Where the columns of a tile at the edge lie at channel 0: [row of taps][column]. Beside the image
// there are zeros.
struct EdgeColumns {
  const float* at[kMostRows * kMostColumns];
};

// Four neighbouring outputs at channel 0, whose windows lie in the image unless `edge` says where
// their columns are.
struct Four {
  const OutputRow* row;
  int64_t x;
  const float* in;
  const float* weights;
  const float* bias;  // or null
  float* out;
  int64_t pixel, channels, out_step, rows, row_step;
  const EdgeColumns* edge;
};

// Column i of a row of the tile: `in` is column 0 of a tile in the image, `columns` are those of
// one at the edge.
template <bool kEdge, int i>
HWY_INLINE const float* ColumnAt(const Four& four, const float* in, const float* const* columns,
                                 int64_t channel) {
  if constexpr (kEdge) return columns[i] + channel;
  return in + i * four.pixel;
}

Four FourAt(const OutputRow& row, int64_t x) {
  const TernConv2dArgs& args = *row.args;
  return {&row,
          x,
          row.input + (x * args.stride_w - args.pad_left) * args.in_pixel_stride,
          row.weights,
          args.epilogue.bias,
          args.output + (row.first_pixel + x) * args.out_pixel_stride,
          args.in_pixel_stride,
          args.in_c,
          args.out_pixel_stride,
          row.rows,
          row.row_step,
          nullptr};
}

template <int kColumns>
void FindEdgeColumns(const OutputRow& row, int64_t x, EdgeColumns& edge) {
  const TernConv2dArgs& args = *row.args;
  const int64_t start = x * args.stride_w - args.pad_left;
  const float** at = edge.at;
  for (int64_t y = 0; y < row.rows; ++y, at += kColumns) {
    const float* line = row.input + y * row.row_step;
    for (int i = 0; i < kColumns; ++i) {
      const int64_t column = start + i;
      at[i] = column >= 0 && column < args.in_w ? line + column * args.in_pixel_stride : row.zeros;
    }
  }
}

// Kept out of the tile: its activations would take the tile's registers.
HWY_NOINLINE void StoreFourSlowly(const Four& four, int64_t channel, FloatVector s0, FloatVector s1,
                                  FloatVector s2, FloatVector s3) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(FloatTag()));
  const int64_t first = four.row->first_pixel + four.x;
  StoreOutput(*four.row, first, channel, lanes, s0);
  StoreOutput(*four.row, first + 1, channel, lanes, s1);
  StoreOutput(*four.row, first + 2, channel, lanes, s2);
  StoreOutput(*four.row, first + 3, channel, lanes, s3);
}

// One row of taps for one vector of channels of four outputs: its columns serve all four windows.
template <int kWidth, int kStride, bool kEdge>
HWY_INLINE void AddRowOfTaps(const Four& four, const float* in, const float* const* columns,
                             const float* w, int64_t channel, FloatVector& s0, FloatVector& s1,
                             FloatVector& s2, FloatVector& s3) {
  constexpr int kColumns = kTileColumns<kWidth, kStride>;
  const FloatTag d;
  const int64_t channels = four.channels;
  TERN_LOAD_COLUMN(0)
  TERN_LOAD_COLUMN(1)
  TERN_LOAD_COLUMN(2)
  TERN_LOAD_COLUMN(3)
  TERN_LOAD_COLUMN(4)
  TERN_LOAD_COLUMN(5)
  TERN_LOAD_COLUMN(6)
  TERN_LOAD_COLUMN(7)
  TERN_LOAD_COLUMN(8)
  TERN_LOAD_COLUMN(9)
  TERN_LOAD_COLUMN(10)
  TERN_ADD_TAP(0)
  TERN_ADD_TAP(1)
  TERN_ADD_TAP(2)
  TERN_ADD_TAP(3)
  TERN_ADD_TAP(4)
}

// The sums of one vector of channels; `low` and `high` are used if the epilogue is a clamp.
HWY_INLINE void StoreFour(const Four& four, int64_t channel, bool clamps, FloatVector low,
                          FloatVector high, FloatVector s0, FloatVector s1, FloatVector s2,
                          FloatVector s3) {
  const FloatTag d;
  if (!clamps) return StoreFourSlowly(four, channel, s0, s1, s2, s3);
  float* out = four.out + channel;
  hn::StoreU(ClampKeepingNaN(s0, low, high), d, out);
  hn::StoreU(ClampKeepingNaN(s1, low, high), d, out + four.out_step);
  hn::StoreU(ClampKeepingNaN(s2, low, high), d, out + 2 * four.out_step);
  hn::StoreU(ClampKeepingNaN(s3, low, high), d, out + 3 * four.out_step);
}

HWY_INLINE FloatVector BiasOfFour(const Four& four, int64_t channel) {
  const FloatTag d;
  return four.bias == nullptr ? hn::Zero(d) : hn::LoadU(d, four.bias + channel);
}

// One vector of channels of four outputs, or two: eight sums in flight hide all of a multiply-add's
// latency, of which four hide half.
template <int kWidth, int kStride, bool kEdge, bool kTwo>
HWY_INLINE void ComputeFour(const Four& four, int64_t channel, bool clamps, FloatVector low,
                            FloatVector high) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(FloatTag())), next = kTwo ? lanes : 0;
  const float* in = kEdge ? nullptr : four.in + channel;
  const float* const* columns = kEdge ? four.edge->at : nullptr;
  const float* w = four.weights + channel;
  FloatVector s0 = BiasOfFour(four, channel);
  FloatVector s1 = s0, s2 = s0, s3 = s0;
  FloatVector t0 = BiasOfFour(four, channel + next);
  FloatVector t1 = t0, t2 = t0, t3 = t0;
  for (int64_t y = 0; y < four.rows; ++y, w += kWidth * four.channels) {
    AddRowOfTaps<kWidth, kStride, kEdge>(four, in, columns, w, channel, s0, s1, s2, s3);
    if constexpr (kTwo) {
      AddRowOfTaps<kWidth, kStride, kEdge>(four, kEdge ? in : in + lanes, columns, w + lanes,
                                           channel + lanes, t0, t1, t2, t3);
    }
    if constexpr (kEdge) {
      columns += kTileColumns<kWidth, kStride>;
    } else {
      in += four.row_step;
    }
  }
  StoreFour(four, channel, clamps, low, high, s0, s1, s2, s3);
  if constexpr (kTwo) StoreFour(four, channel + lanes, clamps, low, high, t0, t1, t2, t3);
}

#undef TERN_ADD_TAP
#undef TERN_LOAD_COLUMN
#undef TERN_COLUMN_PARAMETERS
#undef TERN_COLUMNS

// All channels of four outputs. The last vector overlaps the one before it, which writes the same
// values again; with a residual, which may be the output, channels left over go one output at a
// time.
template <int kWidth, int kStride, bool kEdge>
HWY_INLINE void ComputeTile(const Four& four) {
  const OutputRow& row = *four.row;
  const FloatTag d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const FloatVector low = hn::Set(d, row.low), high = hn::Set(d, row.high);
  int64_t channel = 0;
  if constexpr (kDepthwisePairs) {
    for (; channel + 2 * lanes <= four.channels; channel += 2 * lanes) {
      ComputeFour<kWidth, kStride, kEdge, true>(four, channel, row.clamps, low, high);
    }
  }
  for (; channel + lanes <= four.channels; channel += lanes) {
    ComputeFour<kWidth, kStride, kEdge, false>(four, channel, row.clamps, low, high);
  }
  if (channel == four.channels) return;
  if (channel > 0 && row.args->epilogue.residual == nullptr) {
    ComputeFour<kWidth, kStride, kEdge, false>(four, four.channels - lanes, row.clamps, low, high);
    return;
  }
  for (int64_t t = 0; t < kTileOutputs; ++t) ComputePixelAt(row, four.x + t, channel);
}

// `count` tiles side by side from x on, whose windows lie in the image.
template <int kWidth, int kStride>
void ComputeTiles(const OutputRow& row, int64_t x, int64_t count) {
  Four four = FourAt(row, x);
  for (; count > 0; --count) {
    ComputeTile<kWidth, kStride, false>(four);
    four.x += kTileOutputs;
    four.in += kTileOutputs * kStride * four.pixel;
    four.out += kTileOutputs * four.out_step;
  }
}

// A tile at the edge of the image.
template <int kWidth, int kStride>
void ComputeEdgeTile(const OutputRow& row, int64_t x) {
  EdgeColumns edge;
  FindEdgeColumns<kTileColumns<kWidth, kStride>>(row, x, edge);
  Four four = FourAt(row, x);
  four.edge = &edge;
  ComputeTile<kWidth, kStride, true>(four);
}

// Tiles from x on: whose windows lie in the image, and at its edges.
struct RowTile {
  void (*whole)(const OutputRow& row, int64_t x, int64_t count);
  void (*edge)(const OutputRow& row, int64_t x);
};

template <int kWidth, int kStride>
constexpr RowTile RowTileOf() {
  return {&ComputeTiles<kWidth, kStride>, &ComputeEdgeTile<kWidth, kStride>};
}

// Shapes that models have: 3 and 5 columns, stride 1 or 2. Others go pixel by pixel.
RowTile ChooseRowTile(const TernConv2dArgs& args) {
  if (args.dilation_w != 1) return {};
  if (args.kernel_w == 3 && args.stride_w == 1) return RowTileOf<3, 1>();
  if (args.kernel_w == 3 && args.stride_w == 2) return RowTileOf<3, 2>();
  if (args.kernel_w == 5 && args.stride_w == 1) return RowTileOf<5, 1>();
  if (args.kernel_w == 5 && args.stride_w == 2) return RowTileOf<5, 2>();
  return {};
}

// An activation that is a clamp is two instructions; it stays in the tile. A residual needs a load
// per output, so it does not; it may be the output, which must not be written before it is read.
void SetClamp(const TernEpilogue& epilogue, OutputRow& row) {
  const int32_t activation = epilogue.activation;
  row.clamps = epilogue.residual == nullptr;
  row.activates = row.clamps && IsSlowActivation(activation);
  if (activation == TERN_ACT_RELU) row.low = 0.0f;
  if (activation == TERN_ACT_CLAMP) {
    row.low = epilogue.alpha;
    row.high = epilogue.beta;
  }
}

// A row whose window lies outside of the image altogether has no taps; its outputs are bias and
// activation.
OutputRow MakeRow(const TernConv2dArgs& args, int64_t index, const float* zeros) {
  const int64_t image = index / args.out_h,
                start = index % args.out_h * args.stride_h - args.pad_top;
  int64_t first = 0, last = args.kernel_h;
  while (first < last && start + first * args.dilation_h < 0) ++first;
  while (last > first && start + (last - 1) * args.dilation_h >= args.in_h) --last;
  const int64_t line = args.in_w * args.in_pixel_stride;
  const int64_t y = last > first ? start + first * args.dilation_h : 0;
  OutputRow row{&args,
                args.input + (image * args.in_h + y) * line,
                args.weights + first * args.kernel_w * args.in_c,
                last - first,
                args.dilation_h * line,
                index * args.out_w,
                zeros,
                false,
                false,
                -kUnbounded,
                kUnbounded};
  SetClamp(args.epilogue, row);
  return row;
}

// The activation of a finished row: in one piece where its pixels lie densely.
void ActivateRow(const OutputRow& row) {
  const TernConv2dArgs& args = *row.args;
  const int64_t stride = args.out_pixel_stride;
  float* out = args.output + row.first_pixel * stride;
  if (args.in_c == stride) return Activate(args.epilogue, out, out, args.out_w * stride);
  for (int64_t x = 0; x < args.out_w; ++x, out += stride) {
    Activate(args.epilogue, out, out, args.in_c);
  }
}

// True where outputs may be computed twice and all taps beside the image read zeros.
bool HasEdgeTiles(const OutputRow& row, RowTile tile) {
  const TernConv2dArgs& args = *row.args;
  return tile.edge != nullptr && row.zeros != nullptr && args.epilogue.residual == nullptr &&
         args.out_w >= kTileOutputs && args.kernel_h <= kMostRows;
}

// The first tile and those behind the last whole window are edges; the last one ends with the row
// and repeats outputs of the one before.
void ComputeRowOfTiles(const OutputRow& row, RowTile tile, int64_t inside, int64_t outside) {
  const int64_t last = row.args->out_w - kTileOutputs;
  for (int64_t x = 0;;) {
    if (x > last) x = last;
    const int64_t whole = x < inside ? 0 : (outside - x) / kTileOutputs;
    if (whole > 0) {
      tile.whole(row, x, whole);
    } else {
      tile.edge(row, x);
    }
    if (x == last) return;
    x += kTileOutputs * (whole > 0 ? whole : 1);
    if (x >= row.args->out_w) return;
  }
}

// Pixels in front of the first whole window and behind the last are border. Where there are no
// tiles for them, they are computed one by one.
void ComputeRow(const OutputRow& row, RowTile tile) {
  const TernConv2dArgs& args = *row.args;
  const int64_t room = args.in_w + args.pad_left - args.kernel_w;  // of the window's first column
  int64_t inside = (args.pad_left + args.stride_w - 1) / args.stride_w;  // first window inside
  int64_t outside = room < 0 ? 0 : room / args.stride_w + 1;  // first that is not any more
  if (outside > args.out_w) outside = args.out_w;
  if (HasEdgeTiles(row, tile)) {
    ComputeRowOfTiles(row, tile, inside, outside);
  } else {
    int64_t x = 0;
    if (tile.whole != nullptr && inside < outside) {
      for (; x < inside; ++x) ComputePixel(row, x);
      const int64_t whole = (outside - x) / kTileOutputs;
      tile.whole(row, x, whole);
      x += whole * kTileOutputs;
    }
    for (; x < args.out_w; ++x) ComputePixel(row, x);
  }
  if (row.activates) ActivateRow(row);
}

// Zeros for a pixel beside the image, or null where there is no memory or no such pixel.
const float* ZeroPixel(const TernConv2dArgs& args, const TernKernelContext* context) {
  const size_t bytes = static_cast<size_t>(args.in_c) * sizeof(float);
  void* zeros = context->scratch(context->scratch_context, bytes);
  if (zeros != nullptr) memset(zeros, 0, bytes);
  return static_cast<const float*>(zeros);
}

}  // namespace

void FilterRows(const TernConv2dArgs& args, int64_t first, int64_t last, const float* zeros) {
  const RowTile tile = ChooseRowTile(args);
  for (int64_t y = first; y < last; ++y) ComputeRow(MakeRow(args, y, zeros), tile);
}

int32_t conv2d_depthwise(const TernConv2dArgs* args, const TernKernelContext* context) {
  const bool tiles = ChooseRowTile(*args).edge != nullptr;
  const float* zeros = tiles ? ZeroPixel(*args, context) : nullptr;
  const int64_t row_cost = 2 * args->out_w * args->out_c * args->kernel_h * args->kernel_w;
  ParallelFor(context, args->batch * args->out_h, 1 + kWorkerGrain / (row_cost + 1), 1,
              [&](int64_t first, int64_t last, int32_t) {
                for (int64_t y = first; y < last && !IsStopped(context); ++y)
                  FilterRows(*args, y, y + 1, zeros);
              });
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::TERN_TARGET_NAME
HWY_AFTER_NAMESPACE();
