// SPDX-License-Identifier: Apache-2.0
// Channels-last depthwise convolution, vectors over channels. Four neighbouring outputs share the
// input columns under them: windows of 3 and 5 columns with stride 1 or 2 keep a row of weights in
// registers. Border pixels, dilation and other windows take one output at a time.

#include "core/kernels/parallel.h"
#include "core/kernels/product.h"
#include "core/kernels/simd_math.h"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {
namespace {

constexpr int64_t kTileOutputs = 4;
constexpr float kInfinity = __builtin_inff();

// A row of output pixels and the taps of its windows that lie in the image vertically.
struct OutputRow {
  const TernConv2dArgs* args;
  const float* input;    // column 0 of the row under the first tap inside
  const float* weights;  // of that tap's row
  int64_t rows;          // of taps inside
  int64_t row_step;      // input elements between rows of taps
  int64_t first_pixel;   // index of the output row's first pixel
  // The epilogue where it is no more than a clamp (of nothing, without activation).
  bool clamps;
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
    v = hn::Min(hn::Set(d, row.high), hn::Max(hn::Set(d, row.low), v));
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

HWY_INLINE FloatVector BiasAt(const TernConv2dArgs& args, int64_t channel, int64_t count) {
  const FloatTag d;
  const size_t n = static_cast<size_t>(count);
  if (args.epilogue.bias == nullptr) return hn::Zero(d);
  const float* bias = args.epilogue.bias + channel;
  return n == hn::Lanes(d) ? hn::LoadU(d, bias) : hn::LoadN(d, bias, n);
}

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

void ComputePixel(const OutputRow& row, int64_t x) {
  const TernConv2dArgs& args = *row.args;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(FloatTag()));
  const int64_t start = x * args.stride_w - args.pad_left, dilation = args.dilation_w;
  int64_t first = 0, last = args.kernel_w;
  while (first < last && start + first * dilation < 0) ++first;
  while (last > first && start + (last - 1) * dilation >= args.in_w) --last;
  for (int64_t channel = 0; channel < args.in_c; channel += lanes) {
    const int64_t left = args.in_c - channel;
    ComputeOutput(row, x, first, last, channel, left < lanes ? left : lanes);
  }
}

// sum += v * weight[tap] where tap lies in the window.
template <int tap, int kWidth>
HWY_INLINE void AddTap(FloatVector v, FloatVector w0, FloatVector w1, FloatVector w2,
                       FloatVector w3, FloatVector w4, FloatVector& sum) {
  if constexpr (tap < 0 || tap >= kWidth) {
    return;
  } else if constexpr (tap == 0) {
    sum = MulAdd(v, w0, sum);
  } else if constexpr (tap == 1) {
    sum = MulAdd(v, w1, sum);
  } else if constexpr (tap == 2) {
    sum = MulAdd(v, w2, sum);
  } else if constexpr (tap == 3) {
    sum = MulAdd(v, w3, sum);
  } else {
    sum = MulAdd(v, w4, sum);
  }
}

// Input column i of the tile is tap i - t * kStride of output t.
#define TERN_COLUMN(i)                                          \
  if constexpr (i < kColumns) {                                 \
    const FloatVector v = hn::LoadU(d, in);                     \
    in += pixel;                                                \
    AddTap<i, kWidth>(v, w0, w1, w2, w3, w4, s0);               \
    AddTap<i - kStride, kWidth>(v, w0, w1, w2, w3, w4, s1);     \
    AddTap<i - 2 * kStride, kWidth>(v, w0, w1, w2, w3, w4, s2); \
    AddTap<i - 3 * kStride, kWidth>(v, w0, w1, w2, w3, w4, s3); \
  }

// Four outputs from x on, whose windows lie in the image; one vector of channels.
template <int kWidth, int kStride>
HWY_INLINE void ComputeFour(const OutputRow& row, int64_t x, int64_t channel) {
  constexpr int kColumns = 3 * kStride + kWidth;
  const FloatTag d;
  const TernConv2dArgs& args = *row.args;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t pixel = args.in_pixel_stride, channels = args.in_c;
  const float* line = row.input + (x * kStride - args.pad_left) * pixel + channel;
  const float* w = row.weights + channel;
  FloatVector s0 = BiasAt(args, channel, lanes), s1 = s0, s2 = s0, s3 = s0;
  for (int64_t y = 0; y < row.rows; ++y, line += row.row_step, w += kWidth * channels) {
    const FloatVector w0 = hn::LoadU(d, w), w1 = hn::LoadU(d, w + channels);
    const FloatVector w2 = hn::LoadU(d, w + 2 * channels);
    const FloatVector w3 = kWidth > 3 ? hn::LoadU(d, w + 3 * channels) : w0;
    const FloatVector w4 = kWidth > 4 ? hn::LoadU(d, w + 4 * channels) : w0;
    const float* in = line;
    TERN_COLUMN(0)
    TERN_COLUMN(1)
    TERN_COLUMN(2) TERN_COLUMN(3) TERN_COLUMN(4) TERN_COLUMN(5) TERN_COLUMN(6) TERN_COLUMN(7)
        TERN_COLUMN(8) TERN_COLUMN(9) TERN_COLUMN(10)
  }
  const int64_t first = row.first_pixel + x;
  StoreOutput(row, first, channel, lanes, s0);
  StoreOutput(row, first + 1, channel, lanes, s1);
  StoreOutput(row, first + 2, channel, lanes, s2);
  StoreOutput(row, first + 3, channel, lanes, s3);
}

#undef TERN_COLUMN

// All channels of four outputs. The last vector overlaps the one before it, which writes the same
// values again; with a residual, which may be the output, channels left over go one output at a
// time.
template <int kWidth, int kStride>
void ComputeTile(const OutputRow& row, int64_t x) {
  const TernConv2dArgs& args = *row.args;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(FloatTag()));
  int64_t channel = 0;
  for (; channel + lanes <= args.in_c; channel += lanes) {
    ComputeFour<kWidth, kStride>(row, x, channel);
  }
  if (channel == args.in_c) return;
  if (channel > 0 && args.epilogue.residual == nullptr) {
    ComputeFour<kWidth, kStride>(row, x, args.in_c - lanes);
    return;
  }
  for (int64_t t = 0; t < kTileOutputs; ++t) {
    ComputeOutput(row, x + t, 0, kWidth, channel, args.in_c - channel);
  }
}

using TileFunction = void(const OutputRow& row, int64_t x);

TileFunction* ChooseTile(const TernConv2dArgs& args) {
  if (args.dilation_w != 1) return nullptr;
  if (args.kernel_w == 3 && args.stride_w == 1) return &ComputeTile<3, 1>;
  if (args.kernel_w == 3 && args.stride_w == 2) return &ComputeTile<3, 2>;
  if (args.kernel_w == 5 && args.stride_w == 1) return &ComputeTile<5, 1>;
  if (args.kernel_w == 5 && args.stride_w == 2) return &ComputeTile<5, 2>;
  return nullptr;
}

void SetClamp(const TernEpilogue& epilogue, OutputRow& row) {
  const int32_t activation = epilogue.activation;
  row.clamps =
      epilogue.residual == nullptr &&
      (activation == TERN_ACT_NONE || activation == TERN_ACT_RELU || activation == TERN_ACT_CLAMP);
  if (activation == TERN_ACT_RELU) row.low = 0.0f;
  if (activation == TERN_ACT_CLAMP) {
    row.low = epilogue.alpha;
    row.high = epilogue.beta;
  }
}

OutputRow MakeRow(const TernConv2dArgs& args, int64_t index) {
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
                false,
                -kInfinity,
                kInfinity};
  SetClamp(args.epilogue, row);
  return row;
}

void ComputeRow(const OutputRow& row, TileFunction* tile) {
  const TernConv2dArgs& args = *row.args;
  const int64_t room = args.in_w + args.pad_left - args.kernel_w;  // of the window's first column
  int64_t inside = (args.pad_left + args.stride_w - 1) / args.stride_w;  // first window inside
  int64_t outside = room < 0 ? 0 : room / args.stride_w + 1;  // first that is not any more
  if (outside > args.out_w) outside = args.out_w;
  int64_t x = 0;
  if (tile != nullptr && inside < outside) {
    for (; x < inside; ++x) ComputePixel(row, x);
    for (; x + kTileOutputs <= outside; x += kTileOutputs) tile(row, x);
  }
  for (; x < args.out_w; ++x) ComputePixel(row, x);
}

}  // namespace

int32_t conv2d_depthwise(const TernConv2dArgs* args, const TernKernelContext* context) {
  TileFunction* tile = ChooseTile(*args);
  const int64_t row_cost = 2 * args->out_w * args->out_c * args->kernel_h * args->kernel_w;
  ParallelFor(context, args->batch * args->out_h, 1 + kWorkerGrain / (row_cost + 1), 1,
              [&](int64_t first, int64_t last, int32_t) {
                for (int64_t y = first; y < last; ++y) ComputeRow(MakeRow(*args, y), tile);
              });
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::TERN_TARGET_NAME
HWY_AFTER_NAMESPACE();
