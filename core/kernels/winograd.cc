// SPDX-License-Identifier: Apache-2.0
// Channels-last convolution of 3x3 windows without stride by the algorithm of S. Winograd (A. Lavin
// and S. Gray, "Fast Algorithms for Convolutional Neural Networks", 2016): squares of 6x6 pixels
// become 36 others, each of which meets one matrix of weights, and of the 36 products become 4x4
// pixels of the output: 36 multiplications where a sum over taps takes 144.
//
// Squares are taken in blocks: those of the input are transformed once for all columns, then the
// products of a few panels are computed and transformed back while they are in the cache.

#include "core/kernels/winograd.h"

#include "core/kernels/activate.h"
#include "core/kernels/conv_scratch.h"
#include "core/kernels/finish.h"
#include "core/kernels/long_panels.h"
#include "core/kernels/parallel.h"
#include "core/kernels/product.h"
#include "core/kernels/tile.h"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {
namespace {

constexpr int64_t kIn = winograd::kIn, kOut = winograd::kOut, kPoints = winograd::kPoints;
constexpr int64_t kChunkPanels = 2;                  // whose products are transformed back at once
constexpr int64_t kLeastTiles = 4, kMostTiles = 32;  // row tiles of a block
constexpr int64_t kSquareBytes = 384 * 1024;         // of transformed squares and products

// The most channels of a vector. Transforms have vectors of PanelTag, and beside long panels
// (kLongPanels) those of FloatTag, which need larger buffers.
template <class D>
constexpr int64_t kMostChannels = hwy::IsSame<D, PanelTag>() ? TERN_PANEL_WIDTH
                                                             : HWY_MAX_BYTES / sizeof(float);

struct WinogradPlan {
  const TernConv2dArgs* args;
  int64_t columns, rows;  // squares of an image
  int64_t run;            // floats of a transformed pixel, with those that pad it
  int64_t block;          // squares whose products are computed together
  int64_t plane;          // floats from one point of a block to the next
  const float* zeros;     // [in_c]
  char* worker_scratch;   // [workers][worker_bytes]: pointers, points, products
  int64_t worker_bytes, pointer_bytes;
  const float* weights;  // [points][ceil(oc / width)][ic][width]
  [[no_unique_address]] PanelWidth width = TERN_PANEL_WIDTH;

  int64_t squares() const { return args->batch * rows * columns; }
  int64_t panels() const { return PanelCount(args->out_c, width); }
  int64_t panel_floats() const { return args->in_c * width; }
  int64_t chunk_columns() const { return kChunkPanels * width; }
};

int64_t UpTo(int64_t value, int64_t step) { return (value + step - 1) / step * step; }

// Squares such that what is made of them stays in the second-level cache, unless that is so few
// that weights would stream by for little work.
int64_t SquaresPerBlock(int64_t run, int64_t chunk_columns) {
  const int64_t square_bytes =
      kPoints * (run + chunk_columns) * static_cast<int64_t>(sizeof(float));
  const int64_t tiles = kSquareBytes / (square_bytes * kTileRows);
  return kTileRows * (tiles < kLeastTiles ? kLeastTiles : tiles > kMostTiles ? kMostTiles : tiles);
}

// The product of one point with all columns.
Product PointProduct(const TernConv2dArgs& args, const float* panels, PanelWidth width) {
  return {1, args.in_c, args.out_c, panels, nullptr, 0, {}, nullptr, width};
}

// Floats of long panels of all points, or 0.
int64_t LongPointFloats(const WinogradPlan& plan) {
  if constexpr (!kLongPanels) return 0;
  return kPoints * LongFloats(PointProduct(*plan.args, nullptr, TERN_PANEL_WIDTH), plan.squares());
}

WinogradPlan PlanSquares(const TernConv2dArgs& args) {
  WinogradPlan plan{};
  plan.args = &args;
  plan.columns = (args.out_w + kOut - 1) / kOut;
  plan.rows = (args.out_h + kOut - 1) / kOut;
  plan.weights = args.weights;
  if (LongPointFloats(plan) > 0) plan.width = LongWidth();
  plan.run = UpTo(args.in_c, plan.width);
  // Rows of a product that are a multiple of 1 KiB apart would share sets of the cache.
  if (plan.run % kPageStride == 0) plan.run += TERN_PANEL_WIDTH;
  plan.block = SquaresPerBlock(plan.run, plan.chunk_columns());
  if (plan.block > plan.squares()) plan.block = plan.squares();
  // The same of points: a square's lie this far apart.
  plan.plane = plan.block * plan.run + TERN_PANEL_WIDTH;
  plan.pointer_bytes =
      UpTo(kPoints * UpTo(plan.block, kTileRows) * static_cast<int64_t>(sizeof(float*)), 64);
  const int64_t floats = kPoints * (plan.plane + plan.block * plan.chunk_columns());
  plan.worker_bytes = plan.pointer_bytes + floats * static_cast<int64_t>(sizeof(float));
  return plan;
}

// What one worker has for a block.
struct SquareBlock {
  const float** pointers;  // [points][tiles][kTileRows]
  float* points;           // [points], plane apart: [block][run]
  float* products;         // [block][points][chunk_columns]
};

SquareBlock SquareBlockOf(const WinogradPlan& plan, int32_t worker) {
  char* scratch = plan.worker_scratch + worker * plan.worker_bytes;
  float* points = reinterpret_cast<float*>(scratch + plan.pointer_bytes);
  return {reinterpret_cast<const float**>(scratch), points, points + kPoints * plan.plane};
}

// Where a square of the output begins.
struct SquarePlace {
  int64_t image, y, x;
};

SquarePlace SquareOf(const WinogradPlan& plan, int64_t index) {
  const int64_t row = index / plan.columns;
  return {row / plan.rows, row % plan.rows * kOut, index % plan.columns * kOut};
}

// The input's pixels under a square; zeros outside of the image.
void PointAtPixels(const WinogradPlan& plan, const SquarePlace& square, const float** pixels) {
  const TernConv2dArgs& args = *plan.args;
  const float* image = args.input + square.image * args.in_h * args.in_w * args.in_pixel_stride;
  for (int64_t i = 0; i < kIn; ++i) {
    const int64_t y = square.y - args.pad_top + i;
    for (int64_t j = 0; j < kIn; ++j) {
      const int64_t x = square.x - args.pad_left + j;
      const bool inside = y >= 0 && y < args.in_h && x >= 0 && x < args.in_w;
      *pixels++ = inside ? image + (y * args.in_w + x) * args.in_pixel_stride : plan.zeros;
    }
  }
}

// Six values to the values of their polynomial's factors: to[0 * step] to to[5 * step].
template <class D, class V>
HWY_INLINE void TransformSix(D d, V d0, V d1, V d2, V d3, V d4, V d5, float* to, ptrdiff_t step) {
  constexpr float kNear = winograd::kNear, kFar = winograd::kFar;
  const V near2 = hn::Set(d, kNear * kNear), far2 = hn::Set(d, kFar * kFar);
  const V product = hn::Set(d, kNear * kNear * kFar * kFar);
  const V sum = hn::Set(d, kNear * kNear + kFar * kFar);
  hn::StoreU(NegMulAdd(sum, d2, MulAdd(product, d0, d4)), d, to);
  const V even_near = NegMulAdd(far2, d2, d4), odd_near = NegMulAdd(far2, d1, d3);
  hn::StoreU(MulAdd(hn::Set(d, kNear), odd_near, even_near), d, to + step);
  hn::StoreU(NegMulAdd(hn::Set(d, kNear), odd_near, even_near), d, to + 2 * step);
  const V even_far = NegMulAdd(near2, d2, d4), odd_far = NegMulAdd(near2, d1, d3);
  hn::StoreU(MulAdd(hn::Set(d, kFar), odd_far, even_far), d, to + 3 * step);
  hn::StoreU(NegMulAdd(hn::Set(d, kFar), odd_far, even_far), d, to + 4 * step);
  hn::StoreU(NegMulAdd(sum, d3, MulAdd(product, d1, d5)), d, to + 5 * step);
}

// A vector of channels of all pixels of a square, to its 36 points.
template <class D>
HWY_INLINE void TransformPixels(D d, const float* const* pixels, int64_t channel, int64_t left,
                                float* to, ptrdiff_t plane) {
  constexpr int64_t kMost = kMostChannels<D>;
  HWY_ALIGN float half[kPoints * kMost];
  HWY_UNROLL(1)
  for (int64_t x = 0; x < kIn; ++x) {
    const auto load = [&](int64_t y)
                          HWY_ATTR { return LoadColumns<D>(pixels[y * kIn + x] + channel, left); };
    TransformSix(d, load(0), load(1), load(2), load(3), load(4), load(5), half + x * kMost,
                 kIn * kMost);
  }
  HWY_UNROLL(1)
  for (int64_t y = 0; y < kIn; ++y) {
    const float* row = half + y * kIn * kMost;
    const auto load = [&](int64_t x) HWY_ATTR { return hn::Load(d, row + x * kMost); };
    TransformSix(d, load(0), load(1), load(2), load(3), load(4), load(5), to + y * kIn * plane,
                 plane);
  }
}

// The points of `count` squares, the first of them number `first`.
template <class D>
void TransformInput(D d, const WinogradPlan& plan, int64_t first, int64_t count,
                    const SquareBlock& block) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t channels = plan.args->in_c;
  const float* pixels[kPoints];
  for (int64_t i = 0; i < count; ++i) {
    PointAtPixels(plan, SquareOf(plan, first + i), pixels);
    float* to = block.points + i * plan.run;
    for (int64_t c = 0; c < channels; c += lanes) {
      TransformPixels(d, pixels, c, channels - c, to + c, static_cast<ptrdiff_t>(plan.plane));
    }
  }
}

// The same table for each point, as MultiplyBlock reads it.
void PointAtPoints(const WinogradPlan& plan, int64_t count, const SquareBlock& block) {
  const TileSplit split(count);
  const float** pointers = block.pointers;
  for (int64_t point = 0; point < kPoints; ++point) {
    const float* points = block.points + point * plan.plane;
    for (int64_t tile = 0; tile < split.tiles; ++tile, pointers += kTileRows) {
      for (int64_t i = 0; i < split.Rows(tile); ++i) {
        pointers[i] = points + (split.First(tile) + i) * plan.run;
      }
    }
  }
}

// The products of all points with panels [first, last), which are kChunkPanels at most.
void MultiplyPoints(const WinogradPlan& plan, int64_t count, int64_t first, int64_t last,
                    const SquareBlock& block) {
  const TernConv2dArgs& args = *plan.args;
  const int64_t matrix = plan.panels() * plan.panel_floats();
  Product product = PointProduct(args, nullptr, plan.width);
  product.n -= first * plan.width;
  product.c_stride = kPoints * plan.chunk_columns();
  for (int64_t point = 0; point < kPoints; ++point) {
    product.panels = plan.weights + point * matrix + first * plan.panel_floats();
    product.c = block.products + point * plan.chunk_columns();
    const float** pointers = block.pointers + point * TileSplit(count).tiles * kTileRows;
    MultiplyBlock(product, pointers, 0, count, 0, last - first);
  }
}

// Four values of the product of two polynomials from six of their points.
template <class D, class V>
HWY_INLINE void TransformBack(D d, V m0, V m1, V m2, V m3, V m4, V m5, V& y0, V& y1, V& y2, V& y3) {
  constexpr float kNear = winograd::kNear, kFar = winograd::kFar;
  const V even_near = hn::Add(m1, m2), odd_near = hn::Sub(m1, m2);
  const V even_far = hn::Add(m3, m4), odd_far = hn::Sub(m3, m4);
  const V near = hn::Set(d, kNear), near2 = hn::Set(d, kNear * kNear);
  const V far = hn::Set(d, kFar), far2 = hn::Set(d, kFar * kFar);
  y0 = hn::Add(m0, hn::Add(even_near, even_far));
  y1 = MulAdd(near, odd_near, hn::Mul(far, odd_far));
  y2 = MulAdd(near2, even_near, hn::Mul(far2, even_far));
  y3 = MulAdd(hn::Set(d, kNear * kNear * kNear), odd_near,
              MulAdd(hn::Set(d, kFar * kFar * kFar), odd_far, m5));
}

// A square of the output: its rows as tiles of up to four pixels.
struct OutputSquare {
  int64_t height, width;          // that lie in the image
  int64_t c_step, residual_step;  // from row to row
};

// Vector j of the columns of all pixels of a square.
template <class D>
HWY_INLINE void TransformProducts(D d, const float* products, const OutputSquare& square, int j,
                                  Tile tile) {
  constexpr int64_t kMost = kMostChannels<D>;
  HWY_ALIGN float half[kOut * kIn * kMost];
  const int64_t chunk_columns = kChunkPanels * WidthOf(d);
  products += j * static_cast<int64_t>(hn::Lanes(d));
  HWY_UNROLL(1)
  for (int64_t x = 0; x < kIn; ++x) {
    const auto load = [&](int64_t y) HWY_ATTR {
      return hn::LoadU(d, products + (y * kIn + x) * chunk_columns);
    };
    hn::Vec<D> y0, y1, y2, y3;
    TransformBack(d, load(0), load(1), load(2), load(3), load(4), load(5), y0, y1, y2, y3);
    float* to = half + x * kMost;
    hn::Store(y0, d, to);
    hn::Store(y1, d, to + kIn * kMost);
    hn::Store(y2, d, to + 2 * kIn * kMost);
    hn::Store(y3, d, to + 3 * kIn * kMost);
  }
  const hn::Vec<D> bias = LoadBias<D>(tile, j);
  HWY_UNROLL(1)
  for (int64_t y = 0; y < square.height; ++y) {
    const float* row = half + y * kIn * kMost;
    const auto load = [&](int64_t x) HWY_ATTR { return hn::Load(d, row + x * kMost); };
    hn::Vec<D> x0, x1, x2, x3;
    TransformBack(d, load(0), load(1), load(2), load(3), load(4), load(5), x0, x1, x2, x3);
    StoreCarefully<D>(tile, 0, j, hn::Add(x0, bias));
    if (square.width > 1) StoreCarefully<D>(tile, 1, j, hn::Add(x1, bias));
    if (square.width > 2) StoreCarefully<D>(tile, 2, j, hn::Add(x2, bias));
    if (square.width > 3) StoreCarefully<D>(tile, 3, j, hn::Add(x3, bias));
    tile.c += square.c_step;
    if (tile.residual != nullptr) tile.residual += square.residual_step;
  }
}

template <class D>
void TransformSquare(D d, const float* products, const OutputSquare& square, const Tile& tile) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int j = 0; j * lanes < tile.columns; ++j) TransformProducts(d, products, square, j, tile);
}

// As ComputeThroughBuffer of product.cc.
template <class D>
HWY_NOINLINE void TransformThroughBuffer(D d, const float* products, OutputSquare square, Tile tile,
                                         const TernEpilogue& epilogue) {
  HWY_ALIGN float sums[kOut * kOut * kChunkPanels * kMostChannels<D>] = {};
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t width = UpTo(tile.columns, lanes);
  OutputSquare inner = square;
  inner.c_step = kOut * width;
  Tile plain = tile;
  plain.c = sums;
  plain.c_stride = width;
  if (tile.residual_after) plain.residual = nullptr;
  TransformSquare(d, products, inner, plain);
  Activate(epilogue, sums, sums, kOut * kOut * width);
  for (int64_t y = 0; y < square.height; ++y) {
    StoreFinished(tile, sums + y * inner.c_step, square.width, width);
    tile.c += square.c_step;
    if (tile.residual != nullptr) tile.residual += square.residual_step;
  }
}

int64_t AtMostSquare(int64_t extent) { return extent < kOut ? extent : kOut; }

// Columns [column, end) of `count` squares of the output.
template <class D>
void TransformOutput(D d, const WinogradPlan& plan, int64_t first, int64_t count, int64_t column,
                     int64_t end, const SquareBlock& block) {
  const TernConv2dArgs& args = *plan.args;
  const TernEpilogue& epilogue = args.epilogue;
  Tile tile{};
  tile.c_stride = args.out_pixel_stride;
  tile.columns = end - column;
  tile.bias = epilogue.bias == nullptr ? nullptr : epilogue.bias + column;
  SetEpilogue(epilogue, tile);
  for (int64_t i = 0; i < count; ++i) {
    const SquarePlace at = SquareOf(plan, first + i);
    const int64_t pixel = (at.image * args.out_h + at.y) * args.out_w + at.x;
    const OutputSquare square{AtMostSquare(args.out_h - at.y), AtMostSquare(args.out_w - at.x),
                              args.out_w * tile.c_stride, args.out_w * tile.residual_stride};
    tile.c = args.output + pixel * tile.c_stride + column;
    if (epilogue.residual != nullptr) {
      tile.residual = epilogue.residual + pixel * tile.residual_stride + column;
    }
    const float* products = block.products + i * kPoints * plan.chunk_columns();
    if (IsSlowActivation(epilogue.activation)) {
      TransformThroughBuffer(d, products, square, tile, epilogue);
    } else {
      TransformSquare(d, products, square, tile);
    }
  }
}

struct SquareRange {
  int64_t first, last;
};

template <class D>
void ConvolveSquares(D d, const WinogradPlan& plan, SquareRange squares, SquareRange panels,
                     int32_t worker) {
  const SquareBlock block = SquareBlockOf(plan, worker);
  for (int64_t first = squares.first; first < squares.last; first += plan.block) {
    const int64_t left = squares.last - first, count = left < plan.block ? left : plan.block;
    TransformInput(d, plan, first, count, block);
    PointAtPoints(plan, count, block);
    for (int64_t panel = panels.first; panel < panels.last; panel += kChunkPanels) {
      const int64_t end = panel + kChunkPanels < panels.last ? panel + kChunkPanels : panels.last;
      const int64_t columns = end * plan.width;
      MultiplyPoints(plan, count, panel, end, block);
      TransformOutput(d, plan, first, count, panel * plan.width,
                      columns < plan.args->out_c ? columns : plan.args->out_c, block);
    }
  }
}

void ConvolveOn(const WinogradPlan& plan, SquareRange squares, SquareRange panels, int32_t worker) {
  if constexpr (kLongPanels) {
    if (IsLong(plan.width)) return ConvolveSquares(FloatTag(), plan, squares, panels, worker);
  }
  ConvolveSquares(PanelTag(), plan, squares, panels, worker);
}

// The weights of all points by long panels.
[[maybe_unused]] void WidenPoints(const WinogradPlan& plan, float* to,
                                  const TernKernelContext* context) {
  const TernConv2dArgs& args = *plan.args;
  const int64_t panels = plan.panels(), matrix = panels * plan.panel_floats();
  const int64_t file_matrix = PanelCount(args.out_c) * args.in_c * TERN_PANEL_WIDTH;
  ParallelFor(context, kPoints, 1 + kWorkerGrain / (8 * matrix + 1), 1,
              [&](int64_t first, int64_t last, int32_t) {
                for (int64_t point = first; point < last; ++point) {
                  const float* from = args.weights + point * file_matrix;
                  WidenPanels(PointProduct(args, from, TERN_PANEL_WIDTH), 0, panels,
                              to + point * matrix);
                }
              });
}

}  // namespace

int32_t conv2d_winograd(const TernConv2dArgs* args, const TernKernelContext* context) {
  WinogradPlan plan = PlanSquares(*args);
  const int64_t squares = plan.squares(), panels = plan.panels();
  if (squares == 0 || panels == 0) return TERN_KERNEL_OK;
  const int64_t long_floats = LongPointFloats(plan);
  plan.worker_scratch = TakeConvScratch(context, args->in_c, plan.worker_bytes, &plan.zeros,
                                        long_floats * static_cast<int64_t>(sizeof(float)));
  if (plan.worker_scratch == nullptr) return TERN_KERNEL_NO_MEMORY;
  if constexpr (kLongPanels) {
    if (long_floats > 0) {
      auto* to =
          reinterpret_cast<float*>(plan.worker_scratch + MostWorkers(context) * plan.worker_bytes);
      WidenPoints(plan, to, context);
      plan.weights = to;
    }
  }
  const int64_t cost = kPoints * args->in_c;  // of a column of a square
  const int64_t workers = WorkersFor(context, squares * cost * args->out_c, kWorkerGrain);
  if (SplitByPanels(PointProduct(*args, nullptr, plan.width), squares, workers)) {
    ParallelFor(context, panels, 1 + kWorkerGrain / (squares * cost * plan.width + 1), kChunkPanels,
                [&](int64_t first, int64_t last, int32_t worker) {
                  ConvolveOn(plan, {0, squares}, {first, last}, worker);
                });
    return TERN_KERNEL_OK;
  }
  ParallelFor(context, squares, 1 + kWorkerGrain / (cost * args->out_c + 1), 1,
              [&](int64_t first, int64_t last, int32_t worker) {
                ConvolveOn(plan, {first, last}, {0, panels}, worker);
              });
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::TERN_TARGET_NAME
HWY_AFTER_NAMESPACE();
