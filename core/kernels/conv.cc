// SPDX-License-Identifier: Apache-2.0
// Channels-last convolution as a matrix product whose rows are reached through pointers: no im2col
// copy. A window with few input channels is read a whole row at a time (kernel_w * channels
// contiguous floats); where windows reach beyond the image, its lines are copied with their zeros.

#include "core/kernels/conv_scratch.h"
#include "core/kernels/conv_shape.h"
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
constexpr int64_t kLineBytes = 64 * 1024;    // of copied lines
constexpr int64_t kImageBytes = 256 * 1024;  // of input read by one block of rows
constexpr int64_t kNarrowRow = 64;           // output pixels

// The table of row pointers follows M. Dukhan, "The Indirect Convolution Algorithm" (2019).
struct ConvPlan {
  const TernConv2dArgs* args;
  int64_t pixels;        // of the output
  int64_t ic, oc;        // of one group
  int64_t taps, run;     // k = taps * run
  int64_t block_rows;    // output pixels that share one table of pointers
  bool whole_rows;       // a row of the window is one run
  bool copies_lines;     // whole_rows, and some of them are not within the image
  bool stays_in_row;     // a block ends with a row of the output
  bool copies_cut;       // where only some windows of a block are cut, these rather than lines
  const float* zeros;    // [run]
  char* worker_scratch;  // [workers][worker_bytes]: the table, then the copied lines
  int64_t worker_bytes, table_bytes;
  int64_t long_floats;  // of a group's long panels, behind what the workers have; 0 without them
};

bool IsWithinImage(const TernConv2dArgs& args) {
  return IsWithin(args.out_w, args.stride_w, args.pad_left, args.kernel_w, args.in_w) &&
         IsWithin(args.out_h, args.stride_h, args.pad_top,
                  (args.kernel_h - 1) * args.dilation_h + 1, args.in_h);
}

// Rows of a window are contiguous only where pixels lie densely, without dilation or groups. Copied
// lines have no more floats than the windows on them as long as these leave no pixel out.
bool ReadsWholeRows(const TernConv2dArgs& args, bool is_within_image) {
  return args.groups == 1 && args.dilation_w == 1 && args.in_pixel_stride == args.in_c &&
         args.in_c < kFewChannels && args.kernel_w > 1 &&
         (args.stride_w <= args.kernel_w || is_within_image);
}

int64_t AtMost(int64_t value, int64_t most) { return value < most ? value : most; }

// So that products of three do not overflow: more does not fit anyway.
int64_t AtMostImage(int64_t extent) { return AtMost(extent, kImageBytes); }

// Floats of the line under `columns` windows side by side.
int64_t LineFloats(const ConvPlan& plan, int64_t columns) {
  return (columns - 1) * plan.args->stride_w * plan.ic + plan.run;
}

// Whether a block of so many output pixels ends with a row of the output, and copies no more of a
// line than it needs. Others go over several rows, whose lines are copied whole, and once.
bool StaysInRow(const ConvPlan& plan, int64_t rows) {
  return plan.copies_lines && AtMost(rows / 2, kNarrowRow) < plan.args->out_w;
}

// Output columns whose windows lie on the same copies of lines in a block of so many pixels.
int64_t LineColumns(const ConvPlan& plan, int64_t rows) {
  return StaysInRow(plan, rows) ? AtMost(rows, plan.args->out_w) : plan.args->out_w;
}

// Floats of the lines that a block copies, behind which are those that tiles may read.
HWY_NOINLINE int64_t CopiedFloats(const ConvPlan& plan, int64_t rows) {
  const TernConv2dArgs& args = *plan.args;
  if (!plan.copies_lines) return 0;
  const int64_t output_rows = StaysInRow(plan, rows) ? 1 : rows / args.out_w + 2;
  return output_rows * args.kernel_h * LineFloats(plan, LineColumns(plan, rows)) + kReadOn;
}

// The last column at which a window is read in the image, together with what tiles read behind it.
int64_t LastColumn(const ConvPlan& plan) {
  const int64_t left = plan.args->in_w * plan.ic - plan.run - kReadOn;
  return left < 0 ? -1 : left / plan.ic;
}

// Whether copies of the windows of a row of the output that are not read in the image are shorter
// than copies of the lines in a block.
bool CopiesCut(const ConvPlan& plan) {
  const TernConv2dArgs& args = *plan.args;
  const int64_t last = LastColumn(plan) + args.pad_left;
  if (!plan.stays_in_row || args.pad_left < 0 || last < 0) return false;
  const int64_t first_inside = (args.pad_left + args.stride_w - 1) / args.stride_w;
  const int64_t inside = AtMost(last / args.stride_w + 1, args.out_w) - first_inside;
  return (args.out_w - inside) * plan.run < LineFloats(plan, LineColumns(plan, plan.block_rows));
}

// Rows per block such that pointers, copied lines and the input of a block stay in cache.
int64_t BlockRows(const ConvPlan& plan) {
  const TernConv2dArgs& args = *plan.args;
  const int64_t pointer_bytes = plan.taps * static_cast<int64_t>(sizeof(const float*));
  const int64_t image_bytes =
      AtMostImage(plan.ic) * AtMostImage(args.stride_h) * AtMostImage(args.stride_w) * 4;
  int64_t rows = AtMost(kTableBytes / pointer_bytes, kMaxBlockTiles * kTileRows);
  while (rows > kTileRows && CopiedFloats(plan, rows) > kLineBytes / 4) rows /= 2;
  const int64_t tiles = AtMost(rows, kImageBytes / image_bytes) / kTileRows;
  return kTileRows * (tiles < 1 ? 1 : tiles);
}

// Sizes that depend on the arguments alone; TakeConvScratch adds the memory.
ConvPlan MakePlan(const TernConv2dArgs& args) {
  ConvPlan plan{};
  plan.args = &args;
  plan.pixels = args.batch * args.out_h * args.out_w;
  plan.ic = args.in_c / args.groups;
  plan.oc = args.out_c / args.groups;
  const bool is_within_image = IsWithinImage(args);
  plan.whole_rows = ReadsWholeRows(args, is_within_image);
  plan.taps = plan.whole_rows ? args.kernel_h : args.kernel_h * args.kernel_w;
  plan.run = plan.whole_rows ? args.kernel_w * plan.ic : plan.ic;
  plan.copies_lines = plan.whole_rows && !is_within_image;
  plan.block_rows = BlockRows(plan);
  plan.stays_in_row = StaysInRow(plan, plan.block_rows);
  plan.copies_cut = kCopiesCut && CopiesCut(plan);
  const int64_t pointers = plan.block_rows * plan.taps + kTileRows;
  plan.table_bytes = CacheLines(pointers * static_cast<int64_t>(sizeof(const float*)));
  plan.worker_bytes = plan.table_bytes + CacheLines(4 * CopiedFloats(plan, plan.block_rows));
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

// Copies `size` floats of a line from pixel x on; zeros for what lies beside the image, as all of a
// line does that is null.
void CopyLine(const ConvPlan& plan, const float* line, int64_t x, int64_t size, float* to) {
  const int64_t start = x * plan.ic, width = line == nullptr ? 0 : plan.args->in_w * plan.ic;
  const int64_t first = start < 0 ? AtMost(-start, size) : 0;
  const int64_t inside = AtMost(width - start, size), last = inside < first ? first : inside;
  for (int64_t i = 0; i < first; ++i) to[i] = 0.0f;
  if (last > first) {
    const size_t bytes = static_cast<size_t>(last - first) * sizeof(float);
    CopyBytes(to + first, line + start + first, bytes);
  }
  for (int64_t i = last; i < size; ++i) to[i] = 0.0f;
}

// Where the rows of the windows of one row of the output are, in the image or in copies of its
// lines.
struct Lines {
  bool in_image;
  int64_t column;      // of the output, whose windows begin with the lines
  int64_t step;        // floats from one line to the next
  const float* first;  // under the first row of the windows
  float* end;          // of the copies
};

Lines LinesOf(const ConvPlan& plan, const Window& window, int64_t rows, float* copies) {
  const TernConv2dArgs& args = *plan.args;
  const int64_t reach = (args.kernel_h - 1) * args.dilation_h;
  if (!plan.copies_lines ||
      (kCopiesCut && plan.copies_cut && window.y >= 0 && window.y + reach < args.in_h))
    return {true, 0, args.dilation_h * args.in_w * plan.ic, nullptr, copies};
  const bool stays = plan.stays_in_row;
  return {false, stays ? window.out_x : 0, LineFloats(plan, stays ? rows : args.out_w), nullptr,
          copies};
}

// To the windows of the row of the output that `window` is in. Lines that this block has copied for
// the row above are taken over.
void MoveLines(const ConvPlan& plan, const Window& window, Lines& lines) {
  const TernConv2dArgs& args = *plan.args;
  const int64_t x = lines.column * args.stride_w - args.pad_left;
  if (lines.in_image) {
    lines.first = window.image + (window.y * args.in_w + x) * plan.ic;
    return;
  }
  int64_t shared = 0;
  if (lines.first != nullptr && window.out_y > 0 && args.dilation_h == 1 &&
      args.stride_h < args.kernel_h)
    shared = args.kernel_h - args.stride_h;
  lines.first = lines.end - shared * lines.step;
  for (int64_t ky = shared; ky < args.kernel_h; ++ky, lines.end += lines.step)
    CopyLine(plan, LineOf(args, window, ky), x, lines.step, lines.end);
}

// Points at copies of the windows that are not read in the image, of a block that stays in the row
// of the output that `window` begins.
void PointAtCut(const ConvPlan& plan, const Window& window, const TileSplit& split, int64_t rows,
                const float** table, float* copies) {
  const TernConv2dArgs& args = *plan.args;
  const int64_t last = LastColumn(plan);
  int64_t x = window.x;
  for (int64_t i = 0; i < rows; ++i, x += args.stride_w) {
    if (x >= 0 && x <= last) {
      const int64_t skipped = (last - x) / args.stride_w;
      i += skipped;
      x += skipped * args.stride_w;
      continue;
    }
    const int64_t tile = split.Tile(i);
    const float** pointers = table + tile * plan.taps * kTileRows + i - split.First(tile);
    for (int64_t ky = 0; ky < args.kernel_h; ++ky, pointers += kTileRows, copies += plan.run) {
      CopyLine(plan, LineOf(args, window, ky), x, plan.run, copies);
      *pointers = copies;
    }
  }
}

// Fills the table of one block: [tile][tap][kTileRows], as MultiplyBlock reads it. A tile may span
// rows and images of the output, so it is filled piece by piece.
void PointTilesAtTaps(const ConvPlan& plan, const float* input, int64_t first_row, int64_t rows,
                      const float** table) {
  const TernConv2dArgs& args = *plan.args;
  const TileSplit split(rows);
  Window window = WindowOf(plan, first_row, input);
  for (int64_t tile = 0; tile < split.tiles; ++tile, table += plan.taps * kTileRows) {
    for (int64_t i = 0, tile_rows = split.Rows(tile); i < tile_rows;) {
      const int64_t count = AtMost(tile_rows - i, args.out_w - window.out_x);
      PointAtTaps(plan, window, count, table + i);
      Advance(args, count, window);
      i += count;
    }
  }
}

// The same where a row of the window is one run, and all of a window's rows are one step apart. A
// piece is written as if it were a whole tile, since what is behind it is written later or never
// read: the table has room for that.
void PointTilesAtLines(const ConvPlan& plan, const float* input, int64_t first_row, int64_t rows,
                       const float** table, float* copies) {
  const TernConv2dArgs& args = *plan.args;
  const TileSplit split(rows);
  const int64_t step = args.stride_w * plan.ic;
  Window window = WindowOf(plan, first_row, input);
  const Window start = window;
  Lines lines = LinesOf(plan, window, rows, copies);
  const float** pointers = table;
  const float* at = nullptr;
  int64_t left = 0;  // of the row of the output
  for (int64_t tile = 0; tile < split.tiles; ++tile, pointers += kTileRows) {
    for (int64_t i = 0, tile_rows = split.Rows(tile); i < tile_rows;) {
      if (left == 0) {
        if (at != nullptr) Advance(args, args.out_w - window.out_x, window);
        MoveLines(plan, window, lines);
        at = lines.first + (window.out_x - lines.column) * step;
        left = args.out_w - window.out_x;
      }
      for (int64_t j = 0; j < kTileRows; ++j) pointers[i + j] = at + j * step;
      const int64_t count = AtMost(tile_rows - i, left);
      at += count * step;
      left -= count;
      i += count;
    }
    for (int64_t tap = 1; tap < plan.taps; ++tap, pointers += kTileRows) {
      for (int64_t i = 0; i < kTileRows; ++i) pointers[kTileRows + i] = pointers[i] + lines.step;
    }
  }
  if (kCopiesCut && lines.in_image && plan.copies_lines)
    PointAtCut(plan, start, split, rows, table, copies);
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
  Product product{plan.taps,
                  plan.run,
                  plan.oc,
                  args.weights + group * group_size,
                  args.output + group * plan.oc,
                  args.out_pixel_stride,
                  GroupEpilogue(args.epilogue, group * plan.oc)};
  product.reads_on = plan.copies_lines;
  return product;
}

float* LongPanelsOf(const ConvPlan& plan, int64_t group, const TernKernelContext* context) {
  char* shared = plan.worker_scratch + MostWorkers(context) * plan.worker_bytes;
  return reinterpret_cast<float*>(shared) + group * plan.long_floats;
}

struct Range {
  int64_t first, last;
};

// Output pixels `rows` and panels `panels` of one group, on one worker.
void ConvolveRange(const ConvPlan& plan, const Product& product, int64_t group, Range rows,
                   Range panels, int32_t worker) {
  char* scratch = plan.worker_scratch + worker * plan.worker_bytes;
  const float** table = reinterpret_cast<const float**>(scratch);
  float* copies = reinterpret_cast<float*>(scratch + plan.table_bytes);
  const float* input = plan.args->input + group * plan.ic;
  for (int64_t row = rows.first, count = 0; row < rows.last; row += count) {
    count = rows.last - row;
    if (plan.stays_in_row) count = AtMost(count, plan.args->out_w - row % plan.args->out_w);
    count = AtMost(count, plan.block_rows);
    if (plan.whole_rows) {
      PointTilesAtLines(plan, input, row, count, table, copies);
    } else {
      PointTilesAtTaps(plan, input, row, count, table);
    }
    MultiplyBlock(product, table, row, count, panels.first, panels.last);
  }
}

// Pixels `rows` of groups `groups`, on one worker.
void ConvolveGroups(const ConvPlan& plan, Range groups, Range rows,
                    const TernKernelContext* context, int32_t worker) {
  HWY_ALIGN float columns[kMostColumnFloats];
  for (int64_t group = groups.first; group < groups.last && !IsStopped(context); ++group) {
    Product product = WithColumns(GroupProduct(plan, group), plan.pixels, columns);
    if (kLongPanels && plan.long_floats > 0)
      product = ByLongPanels(product, LongPanelsOf(plan, group, context));
    ConvolveRange(plan, product, group, rows, {0, PanelCount(product)}, worker);
  }
}

// Groups are independent products. Each worker takes whole groups where their weights are larger
// than what they are multiplied by, else pixels of all groups: those of different groups lie side
// by side in the output, and parts of one cache line would be written by two processors.
void ConvolveAllGroups(const ConvPlan& plan, const TernKernelContext* context) {
  const int64_t groups = plan.args->groups, cost = plan.taps * plan.run * plan.oc;
  for (int64_t group = 0; kLongPanels && plan.long_floats > 0 && group < groups; ++group)
    WidenInParallel(GroupProduct(plan, group), LongPanelsOf(plan, group, context), context);
  if (plan.oc > plan.pixels) {
    ParallelFor(context, groups, 1 + kWorkerGrain / (plan.pixels * cost + 1), 1,
                [&](int64_t first, int64_t last, int32_t worker) {
                  ConvolveGroups(plan, {first, last}, {0, plan.pixels}, context, worker);
                });
    return;
  }
  ParallelFor(context, plan.pixels, 1 + kWorkerGrain / (groups * cost + 1), 1,
              [&](int64_t first, int64_t last, int32_t worker) {
                ConvolveGroups(plan, {0, groups}, {first, last}, context, worker);
              });
}

// One group: cut by panels if there are enough (each worker then fills the same tables again, which
// is cheap beside reading weights), else by output pixels.
void ConvolveImage(const ConvPlan& plan, const TernKernelContext* context) {
  HWY_ALIGN float columns[kMostColumnFloats];
  Product product = WithColumns(GroupProduct(plan, 0), plan.pixels, columns);
  if (kLongPanels && plan.long_floats > 0) {
    float* long_panels = LongPanelsOf(plan, 0, context);
    WidenInParallel(product, long_panels, context);
    product = ByLongPanels(product, long_panels);
  }
  const int64_t panels = PanelCount(product), depth = plan.taps * plan.run;
  const int64_t workers = WorkersFor(context, plan.pixels * depth * plan.oc, kWorkerGrain);
  if (SplitByPanels(product, plan.pixels, workers)) {
    const int64_t grain = 1 + kWorkerGrain / (plan.pixels * depth * product.width + 1);
    ParallelFor(context, panels, grain, PanelsPerTile(product.width),
                [&](int64_t first, int64_t last, int32_t worker) {
                  ConvolveRange(plan, product, 0, {0, plan.pixels}, {first, last}, worker);
                });
    return;
  }
  ParallelFor(context, plan.pixels, 1 + kWorkerGrain / (depth * plan.oc + 1), 1,
              [&](int64_t first, int64_t last, int32_t worker) {
                ConvolveRange(plan, product, 0, {first, last}, {0, panels}, worker);
              });
}

}  // namespace

int32_t conv2d(const TernConv2dArgs* args, const TernKernelContext* context) {
  if (args->batch * args->out_h * args->out_w == 0 || args->out_c == 0) return TERN_KERNEL_OK;
  ConvPlan plan = MakePlan(*args);
  // A product needs no table, but with groups the pixels of one group are not contiguous.
  if (IsMatrixProduct(*args) && args->groups == 1) {
    MultiplyWithScratch(GroupProduct(plan, 0), args->input, args->in_pixel_stride, plan.pixels,
                        context);
    return TERN_KERNEL_OK;
  }
  if constexpr (kLongPanels) plan.long_floats = LongFloats(GroupProduct(plan, 0), plan.pixels);
  const int64_t shared_bytes =
      args->groups * plan.long_floats * static_cast<int64_t>(sizeof(float));
  plan.worker_scratch =
      TakeConvScratch(context, plan.run, plan.worker_bytes, &plan.zeros, shared_bytes);
  if (plan.worker_scratch == nullptr) return TERN_KERNEL_NO_MEMORY;
  if (args->groups > 1) {
    ConvolveAllGroups(plan, context);
  } else {
    ConvolveImage(plan, context);
  }
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::TERN_TARGET_NAME
HWY_AFTER_NAMESPACE();
