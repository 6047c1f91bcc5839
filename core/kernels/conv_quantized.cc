// SPDX-License-Identifier: Apache-2.0
// Convolutions of 8-bit images: tiles of a few pixels, reached through pointers per tap as in
// tile.h, times panels of weights four input channels at a time, summed in 32 bits, rescaled and
// rounded in registers. Every target gives the same bits.
//
// The zero point of x is taken out of the finished sum, sum(x * w) - x_zero * sum(w), so that x is
// multiplied as it lies in memory; taps outside of the image read pixels of x_zero. The last quad
// of a pixel may reach into the next pixel, whose elements meet weights of zero; what would reach
// past the end of the input is copied.

#include <string.h>

#include "core/kernels/conv_scratch.h"
#include "core/kernels/conv_shape.h"
#include "core/kernels/parallel.h"
#include "core/kernels/product.h"
#include "core/kernels/quantized_sum.h"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {
namespace {

constexpr int64_t kQuadBytes = int64_t{TERN_PANEL_WIDTH} * TERN_QUAD;  // of a panel, per step
constexpr int64_t kGroup = 4 * TERN_QUAD;  // elements that LoadQuads takes

// What one call shares. A row is one output pixel.
struct QuantizedPlan {
  const TernQuantizedConvArgs* args;
  int64_t taps, window_h, window_w;  // rows and columns that a window spans
  int64_t in, out;                   // channels of one group
  int64_t quads, reach;              // of one pixel: steps of four, bytes that are read
  int64_t pixels, panel_size;        // bytes of a panel
  const uint8_t* zeros;
  const uint8_t* end;  // of the input
  uint8_t* worker_scratch;
  int64_t table_bytes, worker_bytes;
  bool instruction;
};

// kQuadRows rows from row `first` on, or fewer; pointers are [taps][kQuadRows].
struct QuadTile {
  const QuantizedPlan* plan;
  const uint8_t* const* rows;
  int64_t first, count, group;
};

// What a sum starts with, at an output channel of which n are left.
HWY_INLINE IntVector StartOfSum(const TernQuantizedConvArgs& args, int64_t channel, int64_t n,
                                int32_t shift) {
  const IntTag d;
  const IntVector zero = hn::Set(d, args.x_zero - shift);
  return hn::Sub(LoadSome(args.bias + channel, n), hn::Mul(zero, LoadSome(args.sums + channel, n)));
}

// --- products

template <bool kByInstruction>
HWY_INLINE IntVector Dot(IntVector sum, IntVector x, IntVector w) {
  return kByInstruction ? DotByInstruction(sum, x, w) : DotOfQuads(sum, x, w);
}

template <bool kByInstruction>
inline constexpr bool kSigned = kByInstruction ? kInstructionSigned : kQuadSigned;

// Four elements of a pixel in every lane.
template <bool kByInstruction>
HWY_INLINE IntVector BroadcastQuad(const uint8_t* p) {
  int32_t quad;
  memcpy(&quad, p, sizeof(quad));
  const IntTag d;
  const IntVector x = hn::Set(d, quad);
  if constexpr (!kSigned<kByInstruction>) return x;
  const hn::Repartition<uint8_t, IntTag> d8;
  return hn::Xor(x, hn::BitCast(d, hn::Set(d8, 0x80)));
}

#define TERN_QUAD_ROWS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
static_assert(kQuadRows <= kMaxQuadRows && kMaxQuadRows == 8);

#define TERN_QUAD_DECLARE(r) [[maybe_unused]] IntVector c##r##_0 = start0, c##r##_1 = start1;
#define TERN_QUAD_POINTER(r) [[maybe_unused]] const uint8_t* a##r = rows[r < kRows ? r : 0];
#define TERN_QUAD_MULTIPLY(r)                                                    \
  if constexpr (r < kRows) {                                                     \
    const IntVector x = BroadcastQuad<kByInstruction>(a##r + i);                 \
    c##r##_0 = Dot<kByInstruction>(c##r##_0, x, w0);                             \
    if constexpr (kVectors > 1) c##r##_1 = Dot<kByInstruction>(c##r##_1, x, w1); \
  }
#define TERN_QUAD_LOAD(r) [[maybe_unused]] const IntVector x##r = LoadQuads(a##r + i);
#define TERN_QUAD_BY_LANE(r, lane)                                              \
  if constexpr (r < kRows) {                                                    \
    c##r##_0 = DotByLane<lane>(c##r##_0, w0, x##r);                             \
    if constexpr (kVectors > 1) c##r##_1 = DotByLane<lane>(c##r##_1, w1, x##r); \
  }
#define TERN_QUAD_LANE_0(r) TERN_QUAD_BY_LANE(r, 0)
#define TERN_QUAD_LANE_1(r) TERN_QUAD_BY_LANE(r, 1)
#define TERN_QUAD_LANE_2(r) TERN_QUAD_BY_LANE(r, 2)
#define TERN_QUAD_LANE_3(r) TERN_QUAD_BY_LANE(r, 3)
// One step of all rows by the next weights.
#define TERN_QUAD_STEP(multiply)                                                           \
  {                                                                                        \
    const IntVector w0 = hn::BitCast(d, hn::LoadU(hn::Repartition<int8_t, IntTag>(), b0)); \
    const IntVector w1 = hn::BitCast(d, hn::LoadU(hn::Repartition<int8_t, IntTag>(), b1)); \
    TERN_QUAD_ROWS(multiply)                                                               \
    b0 += kQuadBytes;                                                                      \
    b1 += kQuadBytes;                                                                      \
  }
#define TERN_QUAD_STORE(r)                                                         \
  if (r < kRows && r < tile.count) {                                               \
    StoreQuantized(to, c##r##_0, scale0, low, high, zero, left);                   \
    if constexpr (kVectors > 1)                                                    \
      StoreQuantized(to + lanes, c##r##_1, scale1, low, high, zero, left - lanes); \
    to += args.out_c;                                                              \
  }

// kVectors vectors of channels from `column` of the group on.
template <int kRows, int kVectors, bool kByInstruction>
HWY_NOINLINE void MultiplyQuads(const QuadTile& tile, int64_t column) {
  const QuantizedPlan& plan = *tile.plan;
  const TernQuantizedConvArgs& args = *plan.args;
  const IntTag d;
  const int64_t lanes = IntLanes(), left = plan.out - column;
  const int64_t channel = tile.group * plan.out + column;
  const int32_t shift = kSigned<kByInstruction> ? 128 : 0;
  const IntVector start0 = StartOfSum(args, channel, left, shift);
  const IntVector start1 =
      kVectors > 1 ? StartOfSum(args, channel + lanes, left - lanes, shift) : start0;
  TERN_QUAD_ROWS(TERN_QUAD_DECLARE)
  const int64_t next = column + lanes;
  const int8_t* panels = args.weights + tile.group * PanelCount(plan.out) * plan.panel_size;
  const int8_t* b0 =
      panels + column / TERN_PANEL_WIDTH * plan.panel_size + column % TERN_PANEL_WIDTH * TERN_QUAD;
  const int8_t* b1 = kVectors > 1 ? panels + next / TERN_PANEL_WIDTH * plan.panel_size +
                                        next % TERN_PANEL_WIDTH * TERN_QUAD
                                  : b0;
  const uint8_t* const* rows = tile.rows;
  for (int64_t tap = 0; tap < plan.taps; ++tap, rows += kQuadRows) {
    TERN_QUAD_ROWS(TERN_QUAD_POINTER)
    int64_t i = 0;
    for (; kQuadsByLane<kByInstruction> && i + kGroup <= plan.quads * TERN_QUAD; i += kGroup) {
      TERN_QUAD_ROWS(TERN_QUAD_LOAD)
      TERN_QUAD_STEP(TERN_QUAD_LANE_0)
      TERN_QUAD_STEP(TERN_QUAD_LANE_1)
      TERN_QUAD_STEP(TERN_QUAD_LANE_2)
      TERN_QUAD_STEP(TERN_QUAD_LANE_3)
    }
    for (; i < plan.quads * TERN_QUAD; i += TERN_QUAD) TERN_QUAD_STEP(TERN_QUAD_MULTIPLY)
  }
  const SumVector scale0 = LoadSome(args.scale + channel, left);
  const SumVector scale1 =
      kVectors > 1 ? LoadSome(args.scale + channel + lanes, left - lanes) : scale0;
  const SumVector low = LowestSteps(args), high = HighestSteps(args);
  const IntVector zero = hn::Set(d, args.zero);
  uint8_t* to = args.output + tile.first * args.out_c + channel;
  TERN_QUAD_ROWS(TERN_QUAD_STORE)
}

#undef TERN_QUAD_STEP
#undef TERN_QUAD_LANE_3
#undef TERN_QUAD_LANE_2
#undef TERN_QUAD_LANE_1
#undef TERN_QUAD_LANE_0
#undef TERN_QUAD_BY_LANE
#undef TERN_QUAD_LOAD
#undef TERN_QUAD_DECLARE
#undef TERN_QUAD_POINTER
#undef TERN_QUAD_MULTIPLY
#undef TERN_QUAD_STORE

template <int kRows, bool kByInstruction>
void MultiplyColumns(const QuadTile& tile, int64_t first, int64_t last) {
  const int64_t lanes = IntLanes();
  for (int64_t column = first; column < last; column += 2 * lanes) {
    if (last - column > lanes) {
      MultiplyQuads<kRows, 2, kByInstruction>(tile, column);
    } else {
      MultiplyQuads<kRows, 1, kByInstruction>(tile, column);
    }
  }
}

// Columns [first, last) of the group; first is a multiple of a panel.
void MultiplyTile(const QuadTile& tile, int64_t first, int64_t last) {
  if constexpr (kMayHaveQuadInstruction) {
    if (tile.plan->instruction) {
      return tile.count == 1 ? MultiplyColumns<1, true>(tile, first, last)
                             : MultiplyColumns<kQuadRows, true>(tile, first, last);
    }
  }
  if (tile.count == 1) return MultiplyColumns<1, false>(tile, first, last);
  MultiplyColumns<kQuadRows, false>(tile, first, last);
}

// --- pointers

// The window of an output pixel: its first tap, which may lie outside of the image.
struct WindowPlace {
  int64_t image, out_x, out_y;

  WindowPlace(const TernQuantizedConvArgs& args, int64_t row)
      : image(row / args.out_w / args.out_h),
        out_x(row % args.out_w),
        out_y(row / args.out_w % args.out_h) {}
  void Advance(const TernQuantizedConvArgs& args) {
    if (++out_x < args.out_w) return;
    out_x = 0;
    if (++out_y < args.out_h) return;
    out_y = 0;
    ++image;
  }
};

// One column of the table: the pixels that the taps read, from the group's first channel on.
void FillColumn(const QuantizedPlan& plan, const WindowPlace& place, int64_t group,
                const uint8_t** column) {
  const TernQuantizedConvArgs& args = *plan.args;
  const int64_t top = place.out_y * args.stride_h - args.pad_top;
  const int64_t left = place.out_x * args.stride_w - args.pad_left;
  const bool inside = top >= 0 && left >= 0 && top + plan.window_h <= args.in_h &&
                      left + plan.window_w <= args.in_w;
  const int64_t step = args.dilation_w * args.in_c;
  for (int64_t ky = 0; ky < args.kernel_h; ++ky) {
    const int64_t y = top + ky * args.dilation_h;
    const int64_t line = (place.image * args.in_h + y) * args.in_w;
    int64_t offset = (line + left) * args.in_c + group * plan.in;
    for (int64_t kx = 0; kx < args.kernel_w; ++kx, column += kQuadRows, offset += step) {
      const int64_t x = left + kx * args.dilation_w;
      const bool reads = inside || (y >= 0 && y < args.in_h && x >= 0 && x < args.in_w);
      *column = reads ? args.input + offset : plan.zeros;
    }
  }
}

// All columns of a tile whose windows lie in one line of the output and inside of the image, each a
// step from the one before. False where they do not; `place` becomes the last pixel's.
bool FillNeighbours(const QuantizedPlan& plan, WindowPlace& place, int64_t group,
                    const uint8_t** table) {
  const TernQuantizedConvArgs& args = *plan.args;
  const int64_t top = place.out_y * args.stride_h - args.pad_top;
  const int64_t left = place.out_x * args.stride_w - args.pad_left;
  if (place.out_x + kQuadRows > args.out_w || !IsWithin(1, 1, -top, plan.window_h, args.in_h) ||
      !IsWithin(kQuadRows, args.stride_w, -left, plan.window_w, args.in_w)) {
    return false;
  }
  const int64_t step = args.stride_w * args.in_c;
  const uint8_t* line = args.input + group * plan.in +
                        ((place.image * args.in_h + top) * args.in_w + left) * args.in_c;
  for (int64_t ky = 0; ky < args.kernel_h; ++ky) {
    const uint8_t* pixel = line + ky * args.dilation_h * args.in_w * args.in_c;
    for (int64_t kx = 0; kx < args.kernel_w; ++kx, table += kQuadRows) {
      for (int64_t i = 0; i < kQuadRows; ++i) table[i] = pixel + i * step;
      pixel += args.dilation_w * args.in_c;
    }
  }
  place.out_x += kQuadRows - 1;
  return true;
}

// Whether quads of a tile that ends with `last` may reach past the input: on its last line.
bool MayReachPastEnd(const QuantizedPlan& plan, const WindowPlace& last) {
  const TernQuantizedConvArgs& args = *plan.args;
  const int64_t bottom = last.out_y * args.stride_h - args.pad_top + plan.window_h;
  const int64_t lines = last.image * args.in_h + bottom;
  return plan.reach > plan.in && lines * args.in_w * args.in_c + TERN_QUAD > plan.end - args.input;
}

// Pixels whose last quad would reach past the input are copied.
void CopyLastPixels(const QuantizedPlan& plan, const uint8_t** table, uint8_t* copy) {
  for (int64_t i = 0; i < plan.taps * kQuadRows; ++i) {
    if (table[i] == plan.zeros || plan.end - table[i] >= plan.reach) continue;
    memcpy(copy, table[i], static_cast<size_t>(plan.in));
    memset(copy + plan.in, 0, static_cast<size_t>(plan.reach - plan.in));
    table[i] = copy;
    copy += plan.reach;
  }
}

// Rows past the last one repeat it; their sums are not stored. `place` is the tile's first pixel
// and becomes the next one's: to divide for each would take longer than the table.
QuadTile FillTile(const QuantizedPlan& plan, int64_t tile, int64_t group, uint8_t* scratch,
                  WindowPlace& place) {
  const TernQuantizedConvArgs& args = *plan.args;
  const uint8_t** table = reinterpret_cast<const uint8_t**>(scratch);
  const int64_t first = tile * kQuadRows, left = plan.pixels - first;
  const int64_t count = left < kQuadRows ? left : kQuadRows;
  if (!FillNeighbours(plan, place, group, table)) {
    for (int64_t i = 0; i < kQuadRows; ++i) {
      FillColumn(plan, place, group, table + i);
      if (i + 1 < count) place.Advance(args);
    }
  }
  if (MayReachPastEnd(plan, place)) CopyLastPixels(plan, table, scratch + plan.table_bytes);
  place.Advance(args);
  return {&plan, table, first, count, group};
}

// Tiles [first, last) times columns [column, end) of a group.
void MultiplyTiles(const QuantizedPlan& plan, int64_t group, int64_t first, int64_t last,
                   int64_t column, int64_t end, int32_t worker) {
  uint8_t* scratch = plan.worker_scratch + worker * plan.worker_bytes;
  WindowPlace place(*plan.args, first * kQuadRows);
  for (int64_t tile = first; tile < last; ++tile) {
    MultiplyTile(FillTile(plan, tile, group, scratch, place), column, end);
  }
}

// --- calls

QuantizedPlan MakeQuantizedPlan(const TernQuantizedConvArgs& args) {
  QuantizedPlan plan{};
  plan.args = &args;
  plan.taps = args.kernel_h * args.kernel_w;
  plan.window_h = (args.kernel_h - 1) * args.dilation_h + 1;
  plan.window_w = (args.kernel_w - 1) * args.dilation_w + 1;
  plan.in = args.in_c / args.groups;
  plan.out = args.out_c / args.groups;
  plan.quads = (plan.in + TERN_QUAD - 1) / TERN_QUAD;
  plan.reach = plan.quads * TERN_QUAD;
  plan.panel_size = plan.taps * plan.quads * kQuadBytes;
  plan.pixels = args.batch * args.out_h * args.out_w;
  plan.end = args.input + args.batch * args.in_h * args.in_w * args.in_c;
  plan.instruction = HasQuadInstruction();
  return plan;
}

// A row of zeros for all, and a table with copies for each worker.
bool TakeQuantizedScratch(const TernKernelContext* context, QuantizedPlan& plan) {
  const int64_t workers = MostWorkers(context);
  const int64_t entries = plan.taps * kQuadRows, zeros = CacheLines(plan.reach);
  plan.table_bytes = entries * static_cast<int64_t>(sizeof(void*));
  plan.worker_bytes = CacheLines(plan.table_bytes + entries * plan.reach);
  const size_t bytes = static_cast<size_t>(zeros + workers * plan.worker_bytes);
  uint8_t* scratch = static_cast<uint8_t*>(context->scratch(context->scratch_context, bytes));
  if (scratch == nullptr) return false;
  memset(scratch, plan.args->x_zero, static_cast<size_t>(plan.reach));
  plan.zeros = scratch;
  plan.worker_scratch = scratch + zeros;
  return true;
}

// Work is cut by pixels, or by panels where there are few pixels.
void RunTiles(const QuantizedPlan& plan, int64_t group, const TernKernelContext* context) {
  const int64_t tiles = (plan.pixels + kQuadRows - 1) / kQuadRows, panels = PanelCount(plan.out);
  const int64_t row_cost = plan.taps * plan.quads * plan.out;  // four products each
  if (panels > tiles) {
    const int64_t cost = plan.pixels * plan.taps * plan.quads * TERN_PANEL_WIDTH;
    ParallelFor(context, panels, 1 + kQuantizedGrain / (cost + 1), 2,
                [&](int64_t first, int64_t last, int32_t worker) {
                  const int64_t end = last * TERN_PANEL_WIDTH;
                  MultiplyTiles(plan, group, 0, tiles, first * TERN_PANEL_WIDTH,
                                end < plan.out ? end : plan.out, worker);
                });
    return;
  }
  ParallelFor(context, tiles, 1 + kQuantizedGrain / (kQuadRows * row_cost + 1), 1,
              [&](int64_t first, int64_t last, int32_t worker) {
                MultiplyTiles(plan, group, first, last, 0, plan.out, worker);
              });
}

// Images of which each pixel makes one of the output, as one line.
TernQuantizedConvArgs InOneLine(TernQuantizedConvArgs args) {
  if (IsMatrixProduct(args)) {
    args.in_w = args.out_w = args.batch * args.in_h * args.in_w;
    args.batch = args.in_h = args.out_h = 1;
  }
  return args;
}

}  // namespace

int32_t conv2d_quantized(const TernQuantizedConvArgs* args, const TernKernelContext* context) {
  const TernQuantizedConvArgs shape = InOneLine(*args);
  QuantizedPlan plan = MakeQuantizedPlan(shape);
  if (plan.pixels == 0 || args->out_c == 0) return TERN_KERNEL_OK;
  if (!TakeQuantizedScratch(context, plan)) return TERN_KERNEL_NO_MEMORY;
  for (int64_t group = 0; group < args->groups && !IsStopped(context); ++group) {
    RunTiles(plan, group, context);
  }
  return TERN_KERNEL_OK;
}

#undef TERN_QUAD_ROWS

}  // namespace tern::kernels::TERN_TARGET_NAME
HWY_AFTER_NAMESPACE();
