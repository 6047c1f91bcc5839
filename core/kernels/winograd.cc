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
#include "core/kernels/parallel.h"
#include "core/kernels/product.h"
#include "core/kernels/tile.h"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {
namespace {

constexpr int64_t kIn = winograd::kIn, kOut = winograd::kOut, kPoints = winograd::kPoints;
constexpr int64_t kChunkPanels = 2;  // whose products are transformed back at once
constexpr int64_t kChunkColumns = kChunkPanels * TERN_PANEL_WIDTH;
constexpr int64_t kLeastTiles = 4, kMostTiles = 32;  // row tiles of a block
constexpr int64_t kSquareBytes = 384 * 1024;         // of transformed squares and products

struct WinogradPlan {
  const TernConv2dArgs* args;
  int64_t columns, rows;  // squares of an image
  int64_t run;            // floats of a transformed pixel, with those that pad it
  int64_t block;          // squares whose products are computed together
  int64_t plane;          // floats from one point of a block to the next
  const float* zeros;     // [in_c] and a vector
  char* worker_scratch;   // [workers][worker_bytes]: pointers, points, products
  int64_t worker_bytes, pointer_bytes;

  int64_t squares() const { return args->batch * rows * columns; }
  int64_t panel_floats() const { return args->in_c * TERN_PANEL_WIDTH; }
};

int64_t UpTo(int64_t value, int64_t step) { return (value + step - 1) / step * step; }

// Squares such that what is made of them stays in the second-level cache, unless that is so few
// that weights would stream by for little work.
int64_t SquaresPerBlock(int64_t run) {
  const int64_t square_bytes =
      kPoints * (run + kChunkColumns) * static_cast<int64_t>(sizeof(float));
  const int64_t tiles = kSquareBytes / (square_bytes * kTileRows);
  return kTileRows * (tiles < kLeastTiles ? kLeastTiles : tiles > kMostTiles ? kMostTiles : tiles);
}

WinogradPlan PlanSquares(const TernConv2dArgs& args) {
  WinogradPlan plan{};
  plan.args = &args;
  plan.columns = (args.out_w + kOut - 1) / kOut;
  plan.rows = (args.out_h + kOut - 1) / kOut;
  plan.run = UpTo(args.in_c, TERN_PANEL_WIDTH);
  // Rows of a product that are a multiple of 1 KiB apart would share sets of the cache.
  if (plan.run % kPageStride == 0) plan.run += TERN_PANEL_WIDTH;
  plan.block = SquaresPerBlock(plan.run);
  if (plan.block > plan.squares()) plan.block = plan.squares();
  // The same of points: a square's lie this far apart.
  plan.plane = plan.block * plan.run + TERN_PANEL_WIDTH;
  plan.pointer_bytes =
      UpTo(kPoints * UpTo(plan.block, kTileRows) * static_cast<int64_t>(sizeof(float*)), 64);
  const int64_t floats = kPoints * (plan.plane + plan.block * kChunkColumns);
  plan.worker_bytes = plan.pointer_bytes + floats * static_cast<int64_t>(sizeof(float));
  return plan;
}

// What one worker has for a block.
struct SquareBlock {
  const float** pointers;  // [points][tiles][kTileRows]
  float* points;           // [points], plane apart: [block][run]
  float* products;         // [block][points][kChunkColumns]
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
HWY_INLINE void TransformSix(PanelVector d0, PanelVector d1, PanelVector d2, PanelVector d3,
                             PanelVector d4, PanelVector d5, float* to, ptrdiff_t step) {
  const PanelTag d;
  constexpr float kNear = winograd::kNear, kFar = winograd::kFar;
  const PanelVector near2 = hn::Set(d, kNear * kNear), far2 = hn::Set(d, kFar * kFar);
  const PanelVector product = hn::Set(d, kNear * kNear * kFar * kFar);
  const PanelVector sum = hn::Set(d, kNear * kNear + kFar * kFar);
  hn::StoreU(NegMulAdd(sum, d2, MulAdd(product, d0, d4)), d, to);
  const PanelVector even_near = NegMulAdd(far2, d2, d4), odd_near = NegMulAdd(far2, d1, d3);
  hn::StoreU(MulAdd(hn::Set(d, kNear), odd_near, even_near), d, to + step);
  hn::StoreU(NegMulAdd(hn::Set(d, kNear), odd_near, even_near), d, to + 2 * step);
  const PanelVector even_far = NegMulAdd(near2, d2, d4), odd_far = NegMulAdd(near2, d1, d3);
  hn::StoreU(MulAdd(hn::Set(d, kFar), odd_far, even_far), d, to + 3 * step);
  hn::StoreU(NegMulAdd(hn::Set(d, kFar), odd_far, even_far), d, to + 4 * step);
  hn::StoreU(NegMulAdd(sum, d3, MulAdd(product, d1, d5)), d, to + 5 * step);
}

// A vector of channels of all pixels of a square, to its 36 points.
HWY_INLINE void TransformPixels(const float* const* pixels, int64_t channel, int64_t left,
                                float* to, ptrdiff_t plane) {
  const PanelTag d;
  HWY_ALIGN float half[kPoints * TERN_PANEL_WIDTH];
  HWY_UNROLL(1)
  for (int64_t x = 0; x < kIn; ++x) {
    const auto load = [&](int64_t y)
                          HWY_ATTR { return LoadColumns(pixels[y * kIn + x] + channel, left); };
    TransformSix(load(0), load(1), load(2), load(3), load(4), load(5), half + x * TERN_PANEL_WIDTH,
                 kIn * TERN_PANEL_WIDTH);
  }
  HWY_UNROLL(1)
  for (int64_t y = 0; y < kIn; ++y) {
    const float* row = half + y * kIn * TERN_PANEL_WIDTH;
    const auto load = [&](int64_t x) HWY_ATTR { return hn::Load(d, row + x * TERN_PANEL_WIDTH); };
    TransformSix(load(0), load(1), load(2), load(3), load(4), load(5), to + y * kIn * plane, plane);
  }
}

// The points of `count` squares, the first of them number `first`.
void TransformInput(const WinogradPlan& plan, int64_t first, int64_t count,
                    const SquareBlock& block) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(PanelTag()));
  const int64_t channels = plan.args->in_c;
  const float* pixels[kPoints];
  for (int64_t i = 0; i < count; ++i) {
    PointAtPixels(plan, SquareOf(plan, first + i), pixels);
    float* to = block.points + i * plan.run;
    for (int64_t c = 0; c < channels; c += lanes) {
      TransformPixels(pixels, c, channels - c, to + c, static_cast<ptrdiff_t>(plan.plane));
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
  const int64_t matrix = PanelCount(args.out_c) * plan.panel_floats();
  Product product{1,       args.in_c, args.out_c - first * TERN_PANEL_WIDTH,
                  nullptr, nullptr,   kPoints * kChunkColumns,
                  {}};
  for (int64_t point = 0; point < kPoints; ++point) {
    product.panels = args.weights + point * matrix + first * plan.panel_floats();
    product.c = block.products + point * kChunkColumns;
    const float** pointers = block.pointers + point * TileSplit(count).tiles * kTileRows;
    MultiplyBlock(product, pointers, 0, count, 0, last - first);
  }
}

// Four values of the product of two polynomials from six of their points.
HWY_INLINE void TransformBack(PanelVector m0, PanelVector m1, PanelVector m2, PanelVector m3,
                              PanelVector m4, PanelVector m5, PanelVector& y0, PanelVector& y1,
                              PanelVector& y2, PanelVector& y3) {
  const PanelTag d;
  constexpr float kNear = winograd::kNear, kFar = winograd::kFar;
  const PanelVector even_near = hn::Add(m1, m2), odd_near = hn::Sub(m1, m2);
  const PanelVector even_far = hn::Add(m3, m4), odd_far = hn::Sub(m3, m4);
  const PanelVector near = hn::Set(d, kNear), near2 = hn::Set(d, kNear * kNear);
  const PanelVector far = hn::Set(d, kFar), far2 = hn::Set(d, kFar * kFar);
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
HWY_INLINE void TransformProducts(const float* products, const OutputSquare& square, int j,
                                  Tile tile) {
  const PanelTag d;
  HWY_ALIGN float half[kOut * kIn * TERN_PANEL_WIDTH];
  products += j * static_cast<int64_t>(hn::Lanes(d));
  HWY_UNROLL(1)
  for (int64_t x = 0; x < kIn; ++x) {
    const auto load = [&](int64_t y) HWY_ATTR {
      return hn::LoadU(d, products + (y * kIn + x) * kChunkColumns);
    };
    PanelVector y0, y1, y2, y3;
    TransformBack(load(0), load(1), load(2), load(3), load(4), load(5), y0, y1, y2, y3);
    float* to = half + x * TERN_PANEL_WIDTH;
    hn::Store(y0, d, to);
    hn::Store(y1, d, to + kIn * TERN_PANEL_WIDTH);
    hn::Store(y2, d, to + 2 * kIn * TERN_PANEL_WIDTH);
    hn::Store(y3, d, to + 3 * kIn * TERN_PANEL_WIDTH);
  }
  const PanelVector bias = LoadBias(tile, j);
  HWY_UNROLL(1)
  for (int64_t y = 0; y < square.height; ++y) {
    const float* row = half + y * kIn * TERN_PANEL_WIDTH;
    const auto load = [&](int64_t x) HWY_ATTR { return hn::Load(d, row + x * TERN_PANEL_WIDTH); };
    PanelVector x0, x1, x2, x3;
    TransformBack(load(0), load(1), load(2), load(3), load(4), load(5), x0, x1, x2, x3);
    StoreCarefully(tile, 0, j, hn::Add(x0, bias));
    if (square.width > 1) StoreCarefully(tile, 1, j, hn::Add(x1, bias));
    if (square.width > 2) StoreCarefully(tile, 2, j, hn::Add(x2, bias));
    if (square.width > 3) StoreCarefully(tile, 3, j, hn::Add(x3, bias));
    tile.c += square.c_step;
    if (tile.residual != nullptr) tile.residual += square.residual_step;
  }
}

void TransformSquare(const float* products, const OutputSquare& square, const Tile& tile) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(PanelTag()));
  for (int j = 0; j * lanes < tile.columns; ++j) TransformProducts(products, square, j, tile);
}

// As ComputeThroughBuffer of product.cc.
HWY_NOINLINE void TransformThroughBuffer(const float* products, OutputSquare square, Tile tile,
                                         const TernEpilogue& epilogue) {
  HWY_ALIGN float sums[kOut * kOut * kChunkColumns] = {};
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(PanelTag()));
  const int64_t width = UpTo(tile.columns, lanes);
  OutputSquare inner = square;
  inner.c_step = kOut * width;
  Tile plain = tile;
  plain.c = sums;
  plain.c_stride = width;
  if (tile.residual_after) plain.residual = nullptr;
  TransformSquare(products, inner, plain);
  Activate(epilogue, sums, sums, kOut * kOut * width);
  for (int64_t y = 0; y < square.height; ++y) {
    StoreFinished(tile, sums + y * inner.c_step, square.width, width);
    tile.c += square.c_step;
    if (tile.residual != nullptr) tile.residual += square.residual_step;
  }
}

int64_t AtMostSquare(int64_t extent) { return extent < kOut ? extent : kOut; }

// Columns [column, end) of `count` squares of the output.
void TransformOutput(const WinogradPlan& plan, int64_t first, int64_t count, int64_t column,
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
    const float* products = block.products + i * kPoints * kChunkColumns;
    if (IsSlowActivation(epilogue.activation)) {
      TransformThroughBuffer(products, square, tile, epilogue);
    } else {
      TransformSquare(products, square, tile);
    }
  }
}

struct SquareRange {
  int64_t first, last;
};

void ConvolveSquares(const WinogradPlan& plan, SquareRange squares, SquareRange panels,
                     int32_t worker) {
  const SquareBlock block = SquareBlockOf(plan, worker);
  for (int64_t first = squares.first; first < squares.last; first += plan.block) {
    const int64_t left = squares.last - first, count = left < plan.block ? left : plan.block;
    TransformInput(plan, first, count, block);
    PointAtPoints(plan, count, block);
    for (int64_t panel = panels.first; panel < panels.last; panel += kChunkPanels) {
      const int64_t end = panel + kChunkPanels < panels.last ? panel + kChunkPanels : panels.last;
      const int64_t columns = end * TERN_PANEL_WIDTH;
      MultiplyPoints(plan, count, panel, end, block);
      TransformOutput(plan, first, count, panel * TERN_PANEL_WIDTH,
                      columns < plan.args->out_c ? columns : plan.args->out_c, block);
    }
  }
}

}  // namespace

int32_t conv2d_winograd(const TernConv2dArgs* args, const TernKernelContext* context) {
  WinogradPlan plan = PlanSquares(*args);
  const int64_t squares = plan.squares(), panels = PanelCount(args->out_c);
  if (squares == 0 || panels == 0) return TERN_KERNEL_OK;
  plan.worker_scratch = TakeConvScratch(context, args->in_c, plan.worker_bytes, &plan.zeros);
  if (plan.worker_scratch == nullptr) return TERN_KERNEL_NO_MEMORY;
  const int64_t cost = kPoints * args->in_c;  // of a column of a square
  const int64_t workers = WorkersFor(context, squares * cost * args->out_c, kWorkerGrain);
  const Product product{1, args->in_c, args->out_c, nullptr, nullptr, 0, {}};
  if (SplitByPanels(product, squares, workers)) {
    ParallelFor(context, panels, 1 + kWorkerGrain / (squares * cost * TERN_PANEL_WIDTH + 1),
                kChunkPanels, [&](int64_t first, int64_t last, int32_t worker) {
                  ConvolveSquares(plan, {0, squares}, {first, last}, worker);
                });
    return TERN_KERNEL_OK;
  }
  ParallelFor(context, squares, 1 + kWorkerGrain / (cost * args->out_c + 1), 1,
              [&](int64_t first, int64_t last, int32_t worker) {
                ConvolveSquares(plan, {first, last}, {0, panels}, worker);
              });
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::TERN_TARGET_NAME
HWY_AFTER_NAMESPACE();
