// SPDX-License-Identifier: Apache-2.0
// Channels-last convolution as a matrix product whose rows are reached through pointers: no im2col
// copy. A window with few input channels is read a whole row at a time (kernel_w * channels
// contiguous floats); its pixels at the left and right border are copied with their zeros.

#include "core/kernels/conv_scratch.h"
#include "core/kernels/copy_bytes.h"
#include "core/kernels/long_panels.h"
#include "core/kernels/parallel.h"
#include "core/kernels/product.h"
#include "core/kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {
namespace {

// Below this many channels a run per tap is too short for the micro-kernel's loop.
constexpr int64_t kFewChannels = 32;
constexpr int64_t kMaxBlockTiles = 32;
constexpr int64_t kTableBytes = 32 * 1024;
constexpr int64_t kBorderBytes = 64 * 1024;
constexpr int64_t kImageBytes = 256 * 1024;  // of input read by one block of rows

// The table of row pointers follows M. Dukhan, "The Indirect Convolution Algorithm" (2019).
struct ConvPlan {
  const TernConv2dArgs* args;
  int64_t ic, oc;        // of one group
  int64_t taps, run;     // k = taps * run
  int64_t block_rows;    // output pixels that share one table of pointers
  bool whole_rows;       // a row of the window is one run
  const float* zeros;    // [run]
  char* worker_scratch;  // [workers][worker_bytes]: the table, then the border
  int64_t worker_bytes, table_bytes;
};

// A window of one pixel at every pixel: the input is the left operand as it lies, so no table is
// needed.
bool IsMatrixProduct(const TernConv2dArgs& args) {
  return args.kernel_h == 1 && args.kernel_w == 1 && args.stride_h == 1 && args.stride_w == 1 &&
         args.pad_top == 0 && args.pad_left == 0 && args.out_h == args.in_h &&
         args.out_w == args.in_w;
}

// Rows of a window are contiguous only where pixels lie densely, without dilation or groups.
bool ReadsWholeRows(const TernConv2dArgs& args) {
  return args.groups == 1 && args.dilation_w == 1 && args.in_pixel_stride == args.in_c &&
         args.in_c < kFewChannels && args.kernel_w > 1;
}

// So that products of three do not overflow: more does not fit anyway.
int64_t AtMostImage(int64_t extent) { return extent < kImageBytes ? extent : kImageBytes; }

// Floats of cut windows in a block: they lie one by one or share a line, whichever is less
// (PointAtRows), and a tile has a line for each row of the output that it touches.
int64_t BorderFloats(const ConvPlan& plan, int64_t rows) {
  const TernConv2dArgs& args = *plan.args;
  if (!plan.whole_rows) return 0;
  const int64_t lines = rows / (kTileRows / 2) + rows / args.out_w + 3;
  const int64_t shared = rows * args.stride_w * plan.ic + lines * plan.run;
  return plan.taps * (shared < rows * plan.run ? shared : rows * plan.run);
}

// Rows per block such that pointers, borders and the input of a block stay in cache.
int64_t BlockRows(const ConvPlan& plan) {
  const TernConv2dArgs& args = *plan.args;
  const int64_t pointer_bytes = plan.taps * static_cast<int64_t>(sizeof(const float*));
  const int64_t image_bytes =
      AtMostImage(plan.ic) * AtMostImage(args.stride_h) * AtMostImage(args.stride_w) * 4;
  int64_t rows = kTableBytes / pointer_bytes;
  while (rows > kTileRows && BorderFloats(plan, rows) > kBorderBytes / 4) rows /= 2;
  if (rows > kImageBytes / image_bytes) rows = kImageBytes / image_bytes;
  const int64_t tiles = rows / kTileRows;
  return kTileRows * (tiles < 1 ? 1 : tiles > kMaxBlockTiles ? kMaxBlockTiles : tiles);
}

// Sizes that depend on the arguments alone; TakeConvScratch adds the memory.
ConvPlan MakePlan(const TernConv2dArgs& args) {
  ConvPlan plan{};
  plan.args = &args;
  plan.ic = args.in_c / args.groups;
  plan.oc = args.out_c / args.groups;
  plan.whole_rows = ReadsWholeRows(args);
  plan.taps = plan.whole_rows ? args.kernel_h : args.kernel_h * args.kernel_w;
  plan.run = plan.whole_rows ? args.kernel_w * plan.ic : plan.ic;
  plan.block_rows = BlockRows(plan);
  const int64_t pointers = plan.block_rows * plan.taps;
  plan.table_bytes = CacheLines(pointers * static_cast<int64_t>(sizeof(const float*)));
  plan.worker_bytes = plan.table_bytes + CacheLines(4 * BorderFloats(plan, plan.block_rows));
  return plan;
}

// An output pixel and the input position under the first tap of its window.
struct Window {
  const float* image;
  int64_t y, x;
  int64_t out_y, out_x;
};

Window WindowOf(const ConvPlan& plan, int64_t row, const float* input) {
  const TernConv2dArgs& args = *plan.args;
  const int64_t x = row % args.out_w, y = row / args.out_w % args.out_h;
  const int64_t image = row / args.out_w / args.out_h;
  return {input + image * args.in_h * args.in_w * args.in_pixel_stride,
          y * args.stride_h - args.pad_top, x * args.stride_w - args.pad_left, y, x};
}

// Positions are carried along instead of divided out of the index for each pixel.
// `count` output pixels on, at most to the start of the next row.
void Advance(const TernConv2dArgs& args, int64_t count, Window& window) {
  window.x += count * args.stride_w;
  window.out_x += count;
  if (window.out_x < args.out_w) return;
  window.x = -args.pad_left;
  window.out_x = 0;
  window.y += args.stride_h;
  if (++window.out_y < args.out_h) return;
  window.y = -args.pad_top;
  window.out_y = 0;
  window.image += args.in_h * args.in_w * args.in_pixel_stride;
}

// The input row under row ky of the window, or null outside of the image.
const float* LineOf(const TernConv2dArgs& args, const Window& window, int64_t ky) {
  const int64_t y = window.y + ky * args.dilation_h;
  return y >= 0 && y < args.in_h ? window.image + y * args.in_w * args.in_pixel_stride : nullptr;
}

// Pointers of `count` neighbouring pixels of one output row, first at `window`: kTileRows from tap
// to tap.
// Outside of the image the pointer is to zeros, so the micro-kernel has no border at all.
void PointAtTaps(const ConvPlan& plan, const Window& window, int64_t count,
                 const float** pointers) {
  const TernConv2dArgs& args = *plan.args;
  const int64_t stride = args.stride_w, pixel = args.in_pixel_stride, width = args.in_w;
  const float* zeros = plan.zeros;
  for (int64_t ky = 0; ky < args.kernel_h; ++ky) {
    const float* line = LineOf(args, window, ky);
    for (int64_t kx = 0; kx < args.kernel_w; ++kx, pointers += kTileRows) {
      int64_t x = line == nullptr ? width : window.x + kx * args.dilation_w;
      const int64_t step = line == nullptr ? 0 : stride;
      for (int64_t i = 0; i < count; ++i, x += step) {
        pointers[i] = x >= 0 && x < width ? line + x * pixel : zeros;
      }
    }
  }
}

// Copies `size` floats of a line from pixel x on; zeros for what lies beside the image.
void CopyCutLine(const ConvPlan& plan, const float* line, int64_t x, int64_t size, float* border) {
  const int64_t start = x * plan.ic, width = plan.args->in_w * plan.ic;
  const int64_t first = start < 0 ? (-start < size ? -start : size) : 0;
  const int64_t inside = width - start < size ? width - start : size;
  const int64_t last = inside < first ? first : inside;
  for (int64_t i = 0; i < first; ++i) border[i] = 0.0f;
  if (last > first) {
    CopyBytes(reinterpret_cast<char*>(border + first),
              reinterpret_cast<const char*>(line + start + first),
              static_cast<size_t>(last - first) * sizeof(float));
  }
  for (int64_t i = last; i < size; ++i) border[i] = 0.0f;
}

// How many of `count` windows from x on the image cuts.
int64_t CutWindows(const TernConv2dArgs& args, int64_t x, int64_t count) {
  const int64_t last_x = args.in_w - args.kernel_w;
  if (x >= 0 && x + (count - 1) * args.stride_w <= last_x) return 0;
  int64_t cut = 0;
  for (int64_t i = 0; i < count; ++i, x += args.stride_w) cut += x < 0 || x > last_x ? 1 : 0;
  return cut;
}

// As PointAtTaps, but a row of the window is one run. Windows that the image cuts are copied to
// `border`, whose used part is returned; the caller's scratch has room for every row of the block.
// Where many are cut, the line that all of them share is copied once instead.
int64_t PointAtRows(const ConvPlan& plan, const Window& window, int64_t count, float* border,
                    const float** pointers) {
  const TernConv2dArgs& args = *plan.args;
  const int64_t stride = args.stride_w, step = stride * plan.ic, last_x = args.in_w - args.kernel_w;
  const int64_t shared = (count - 1) * step + plan.run;
  const int64_t cut = CutWindows(args, window.x, count);
  const bool shares = cut * plan.run > shared;
  float* free_border = border;
  for (int64_t ky = 0; ky < args.kernel_h; ++ky, pointers += kTileRows) {
    const float* line = LineOf(args, window, ky);
    if (line == nullptr) {
      for (int64_t i = 0; i < count; ++i) pointers[i] = plan.zeros;
      continue;
    }
    if (shares) {
      CopyCutLine(plan, line, window.x, shared, free_border);
      for (int64_t i = 0; i < count; ++i) pointers[i] = free_border + i * step;
      free_border += shared;
      continue;
    }
    for (int64_t i = 0; i < count; ++i) pointers[i] = line + window.x * plan.ic + i * step;
    for (int64_t i = 0, x = window.x; i < count && cut > 0; ++i, x += stride) {
      if (x >= 0 && x <= last_x) continue;
      CopyCutLine(plan, line, x, plan.run, free_border);
      pointers[i] = free_border;
      free_border += plan.run;
    }
  }
  return free_border - border;
}

// Fills the table of one block: [tile][tap][kTileRows], as MultiplyBlock reads it. A tile may span
// rows and images of the output, so it is filled piece by piece.
void FillTable(const ConvPlan& plan, const float* input, int64_t first_row, int64_t rows,
               const float** table, float* border) {
  const TernConv2dArgs& args = *plan.args;
  const TileSplit split(rows);
  Window window = WindowOf(plan, first_row, input);
  for (int64_t tile = 0; tile < split.tiles; ++tile, table += plan.taps * kTileRows) {
    for (int64_t i = 0, tile_rows = split.Rows(tile); i < tile_rows;) {
      const int64_t line_left = args.out_w - window.out_x, left = tile_rows - i;
      const int64_t count = left < line_left ? left : line_left;
      if (plan.whole_rows) {
        border += PointAtRows(plan, window, count, border, table + i);
      } else {
        PointAtTaps(plan, window, count, table + i);
      }
      Advance(args, count, window);
      i += count;
    }
  }
}

// Output channels of a group begin at first_channel, and so do their bias and residual.
TernEpilogue GroupEpilogue(const TernEpilogue& epilogue, int64_t first_channel) {
  TernEpilogue result = epilogue;
  if (result.bias != nullptr) result.bias += first_channel;
  if (result.residual != nullptr) result.residual += first_channel;
  return result;
}

Product GroupProduct(const ConvPlan& plan, int64_t group) {
  const TernConv2dArgs& args = *plan.args;
  const int64_t group_size = PanelCount(plan.oc) * plan.taps * plan.run * TERN_PANEL_WIDTH;
  return {plan.taps,
          plan.run,
          plan.oc,
          args.weights + group * group_size,
          args.output + group * plan.oc,
          args.out_pixel_stride,
          GroupEpilogue(args.epilogue, group * plan.oc),
          nullptr};
}

// Those of a group, which are behind what the workers have.
float* LongPanelsOf(const ConvPlan& plan, int64_t floats, int64_t group,
                    const TernKernelContext* context) {
  char* shared = plan.worker_scratch + MostWorkers(context) * plan.worker_bytes;
  return reinterpret_cast<float*>(shared) + group * floats;
}

struct Range {
  int64_t first, last;
};

// Output pixels `rows` and panels `panels` of one group, on one worker.
void ConvolveRange(const ConvPlan& plan, const Product& product, int64_t group, Range rows,
                   Range panels, int32_t worker) {
  char* scratch = plan.worker_scratch + worker * plan.worker_bytes;
  const float** table = reinterpret_cast<const float**>(scratch);
  float* border = reinterpret_cast<float*>(scratch + plan.table_bytes);
  const float* input = plan.args->input + group * plan.ic;
  for (int64_t row = rows.first; row < rows.last; row += plan.block_rows) {
    const int64_t left = rows.last - row;
    const int64_t count = left < plan.block_rows ? left : plan.block_rows;
    FillTable(plan, input, row, count, table, border);
    MultiplyBlock(product, table, row, count, panels.first, panels.last);
  }
}

// Groups are independent products, so each worker takes whole groups.
void ConvolveGroups(const ConvPlan& plan, int64_t pixels, const TernKernelContext* context) {
  const int64_t cost = pixels * plan.taps * plan.run * plan.oc;
  ParallelFor(
      context, plan.args->groups, 1 + kWorkerGrain / (cost + 1), 1,
      [&](int64_t first, int64_t last, int32_t worker) {
        HWY_ALIGN float columns[kMostColumnFloats];
        for (int64_t group = first; group < last && !IsStopped(context); ++group) {
          Product product = WithColumns(GroupProduct(plan, group), pixels, columns);
          if constexpr (kLongPanels) {
            if (const int64_t floats = LongFloats(product, pixels); floats > 0) {
              float* panels = LongPanelsOf(plan, floats, group, context);
              WidenPanels(product, 0, PanelCount(plan.oc, LongWidth()), panels);
              product = ByLongPanels(product, panels);
            }
          }
          ConvolveRange(plan, product, group, {0, pixels}, {0, PanelCount(product)}, worker);
        }
      });
}

// One group: cut by panels if there are enough (each worker then fills the same tables again, which
// is cheap beside reading weights), else by output pixels.
void ConvolveImage(const ConvPlan& plan, int64_t pixels, const TernKernelContext* context) {
  HWY_ALIGN float columns[kMostColumnFloats];
  Product product = WithColumns(GroupProduct(plan, 0), pixels, columns);
  if constexpr (kLongPanels) {
    if (const int64_t floats = LongFloats(product, pixels); floats > 0) {
      float* long_panels = LongPanelsOf(plan, floats, 0, context);
      WidenInParallel(product, long_panels, context);
      product = ByLongPanels(product, long_panels);
    }
  }
  const int64_t panels = PanelCount(product), depth = plan.taps * plan.run;
  const int64_t workers = WorkersFor(context, pixels * depth * plan.oc, kWorkerGrain);
  if (SplitByPanels(product, pixels, workers)) {
    const int64_t grain = 1 + kWorkerGrain / (pixels * depth * product.width + 1);
    ParallelFor(context, panels, grain, PanelsPerTile(product.width),
                [&](int64_t first, int64_t last, int32_t worker) {
                  ConvolveRange(plan, product, 0, {0, pixels}, {first, last}, worker);
                });
    return;
  }
  ParallelFor(context, pixels, 1 + kWorkerGrain / (depth * plan.oc + 1), 1,
              [&](int64_t first, int64_t last, int32_t worker) {
                ConvolveRange(plan, product, 0, {first, last}, {0, panels}, worker);
              });
}

}  // namespace

int32_t conv2d(const TernConv2dArgs* args, const TernKernelContext* context) {
  const int64_t pixels = args->batch * args->out_h * args->out_w;
  if (pixels == 0 || args->out_c == 0) return TERN_KERNEL_OK;
  ConvPlan plan = MakePlan(*args);
  // A product needs no table, but with groups the pixels of one group are not contiguous.
  if (IsMatrixProduct(*args) && args->groups == 1) {
    MultiplyWithScratch(GroupProduct(plan, 0), args->input, args->in_pixel_stride, pixels, context);
    return TERN_KERNEL_OK;
  }
  const int64_t long_floats =
      kLongPanels ? args->groups * LongFloats(GroupProduct(plan, 0), pixels) : 0;
  plan.worker_scratch = TakeConvScratch(context, plan.run, plan.worker_bytes, &plan.zeros,
                                        long_floats * static_cast<int64_t>(sizeof(float)));
  if (plan.worker_scratch == nullptr) return TERN_KERNEL_NO_MEMORY;
  if (args->groups > 1) {
    ConvolveGroups(plan, pixels, context);
  } else {
    ConvolveImage(plan, pixels, context);
  }
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::TERN_TARGET_NAME
HWY_AFTER_NAMESPACE();
