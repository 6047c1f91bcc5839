// SPDX-License-Identifier: Apache-2.0
// Channels-last pooling, vectors over channels: each output keeps up to four accumulators while its
// window is read.

#include "core/kernels/parallel.h"
#include "core/kernels/product.h"
#include "core/kernels/simd_math.h"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {
namespace {

// The taps of one output along one axis that lie in the image, and how many lie in image or
// padding.
struct Span {
  int64_t first, last, padded;
};

// The first and the end of the taps t of [0, kernel) with low <= start + t * dilation < high. They
// are counted once per output and axis, so that the loops over the window ask nothing.
int64_t FirstTap(int64_t start, int64_t dilation, int64_t low) {
  return start >= low ? 0 : (low - start + dilation - 1) / dilation;
}

int64_t LastTap(int64_t start, int64_t dilation, int64_t kernel, int64_t high) {
  if (start >= high) return 0;
  const int64_t fit = (high - start + dilation - 1) / dilation;
  return fit < kernel ? fit : kernel;
}

Span SpanOf(int64_t start, int64_t dilation, int64_t kernel, int64_t size, int64_t pad_before,
            int64_t pad_after) {
  // Most windows lie within the image: nothing is divided for them.
  if (start >= 0 && start + (kernel - 1) * dilation < size) return {0, kernel, kernel};
  const int64_t first = FirstTap(start, dilation, 0), last = LastTap(start, dilation, kernel, size);
  // `padded` counts padding too, which averages may include (count_include_pad), but not what lies
  // behind it in the last window of a rounded-up output.
  const int64_t padded =
      LastTap(start, dilation, kernel, size + pad_after) - FirstTap(start, dilation, -pad_before);
  return {first, last < first ? first : last, padded};
}

// The windows of `count` output pixels side by side, `step` apart: rows x columns of input pixels
// each. Steps are in elements.
struct PoolWindows {
  const void* corner;
  int64_t rows, columns, row_step, column_step;
  int64_t count, step;
  float scale;   // of a sum; 0 where there is nothing to average
  uint8_t flip;  // of signed bytes: what makes them unsigned ones in the same order
};

template <bool is_max>
HWY_INLINE FloatVector Accumulate(FloatVector sum, FloatVector x) {
  // A NaN in the window is its maximum.
  if constexpr (is_max) return MaxKeepingNaN(x, sum);
  return hn::Add(sum, x);
}

template <bool is_max>
HWY_INLINE FloatVector FinishPool(FloatVector sum, float scale) {
  const FloatTag d;
  if constexpr (is_max) return sum;
  return hn::Mul(sum, hn::Set(d, scale));
}

// Up to four vectors of channels side by side, so that as many sums are in flight and each pixel's
// line is read whole. kSide: rows and columns of a window where a compiler is to know them, or 0.
template <bool is_max, int kSide, int kVectors>
HWY_INLINE void PoolVectors(const PoolWindows& windows, int64_t channel, int64_t channels,
                            float* out) {
  const FloatTag d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t rows = kSide > 0 ? kSide : windows.rows;
  const int64_t columns = kSide > 0 ? kSide : windows.columns;
  const float* corner = static_cast<const float*>(windows.corner) + channel;
  float* to = out + channel;
  for (int64_t n = kPoolLoops ? windows.count : 1; n > 0;
       --n, corner += windows.step, to += channels) {
    FloatVector s0 = hn::Set(d, is_max ? -HUGE_VALF : 0.0f), s1 = s0, s2 = s0, s3 = s0;
    for (int64_t y = 0; y < rows; ++y) {
      const float* x = corner + y * windows.row_step;
      for (int64_t i = 0; i < columns; ++i, x += windows.column_step) {
        s0 = Accumulate<is_max>(s0, hn::LoadU(d, x));
        if constexpr (kVectors > 1) s1 = Accumulate<is_max>(s1, hn::LoadU(d, x + lanes));
        if constexpr (kVectors > 2) s2 = Accumulate<is_max>(s2, hn::LoadU(d, x + 2 * lanes));
        if constexpr (kVectors > 3) s3 = Accumulate<is_max>(s3, hn::LoadU(d, x + 3 * lanes));
      }
    }
    hn::StoreU(FinishPool<is_max>(s0, windows.scale), d, to);
    if constexpr (kVectors > 1) hn::StoreU(FinishPool<is_max>(s1, windows.scale), d, to + lanes);
    if constexpr (kVectors > 2)
      hn::StoreU(FinishPool<is_max>(s2, windows.scale), d, to + 2 * lanes);
    if constexpr (kVectors > 3)
      hn::StoreU(FinishPool<is_max>(s3, windows.scale), d, to + 3 * lanes);
  }
}

// The channels left over, one vector at a time.
template <bool is_max, int kSide>
HWY_INLINE void PoolSomeLanes(const PoolWindows& windows, int64_t channel, int64_t channels,
                              size_t lanes, float* out) {
  const FloatTag d;
  const int64_t rows = kSide > 0 ? kSide : windows.rows;
  const int64_t columns = kSide > 0 ? kSide : windows.columns;
  const float* corner = static_cast<const float*>(windows.corner) + channel;
  float* to = out + channel;
  for (int64_t n = kPoolLoops ? windows.count : 1; n > 0;
       --n, corner += windows.step, to += channels) {
    FloatVector s = hn::Set(d, is_max ? -HUGE_VALF : 0.0f);
    for (int64_t y = 0; y < rows; ++y) {
      const float* x = corner + y * windows.row_step;
      for (int64_t i = 0; i < columns; ++i, x += windows.column_step)
        s = Accumulate<is_max>(s, hn::LoadN(d, x, lanes));
    }
    hn::StoreN(FinishPool<is_max>(s, windows.scale), d, to, lanes);
  }
}

template <bool is_max, int kSide>
void PoolPixels(const PoolWindows& windows, int64_t channels, float* out) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(FloatTag()));
  int64_t channel = 0;
  for (; channel + 4 * lanes <= channels; channel += 4 * lanes)
    PoolVectors<is_max, kSide, 4>(windows, channel, channels, out);
  if constexpr (kPoolLoops) {
    const int64_t vectors = (channels - channel) / lanes;
    if (vectors == 3) PoolVectors<is_max, kSide, 3>(windows, channel, channels, out);
    if (vectors == 2) PoolVectors<is_max, kSide, 2>(windows, channel, channels, out);
    if (vectors == 1) PoolVectors<is_max, kSide, 1>(windows, channel, channels, out);
    channel += vectors * lanes;
  }
  for (; channel < channels; channel += lanes) {
    const int64_t left = channels - channel;
    PoolSomeLanes<is_max, kSide>(windows, channel, channels,
                                 static_cast<size_t>(left < lanes ? left : lanes), out);
  }
}

// All windows at once where that reads each pixel once, else one by one.
template <bool is_max>
void PoolFloats(const PoolWindows& windows, int64_t channels, void* output) {
  float* out = static_cast<float*>(output);
  const bool is_square = kPoolLoops && windows.rows == 2 && windows.columns == 2;
  auto pool = is_square ? PoolPixels < is_max, kPoolLoops ? 2 : 0 > : PoolPixels<is_max, 0>;
  if (!kPoolLoops || channels <= 4 * static_cast<int64_t>(hn::Lanes(FloatTag())))
    return pool(windows, channels, out);
  PoolWindows one = windows;
  one.count = 1;
  for (int64_t n = windows.count; n > 0; --n, out += channels) {
    pool(one, channels, out);
    one.corner = static_cast<const float*>(one.corner) + one.step;
  }
}

// The largest of sixteen channels of one window. A window without pixels has the lowest of all.
void MaxOfSixteen(const PoolWindows& windows, int64_t channel, uint8_t* out) {
  const hn::FixedTag<uint8_t, 16> d;
  const auto flip = hn::Set(d, windows.flip);
  auto largest = hn::Zero(d);
  for (int64_t y = 0; y < windows.rows; ++y) {
    const uint8_t* x = static_cast<const uint8_t*>(windows.corner) + y * windows.row_step + channel;
    for (int64_t i = 0; i < windows.columns; ++i, x += windows.column_step)
      largest = hn::Max(largest, hn::Xor(hn::LoadU(d, x), flip));
  }
  hn::StoreU(hn::Xor(largest, flip), d, out + channel);
}

void MaxOfOne(const PoolWindows& windows, int64_t channel, uint8_t* out) {
  int largest = 0;
  for (int64_t y = 0; y < windows.rows; ++y) {
    const uint8_t* x = static_cast<const uint8_t*>(windows.corner) + y * windows.row_step + channel;
    for (int64_t i = 0; i < windows.columns; ++i, x += windows.column_step)
      largest = (*x ^ windows.flip) > largest ? *x ^ windows.flip : largest;
  }
  out[channel] = static_cast<uint8_t>(largest ^ windows.flip);
}

void MaxOfBytes(const PoolWindows& windows, int64_t channels, void* output) {
  uint8_t* out = static_cast<uint8_t*>(output);
  if (channels < 16) {
    for (int64_t channel = 0; channel < channels; ++channel) MaxOfOne(windows, channel, out);
    return;
  }
  // The last vector begins early enough to end with the channels, of which it finds some again.
  for (int64_t channel = 0; channel < channels; channel += 16)
    MaxOfSixteen(windows, channel + 16 <= channels ? channel : channels - 16, out);
}

// What makes the output pixels of windows.
using PoolFunction = void(const PoolWindows& windows, int64_t channels, void* out);

// Where the elements are, of any type.
struct PoolPlaces {
  const char* input;
  char* output;
  int64_t size;  // of an element; bytes are pooled one window at a time
  PoolFunction* pool;
};

// How many of `most` windows side by side, the first at column x, are alike: those in the image.
int64_t WholeWindows(const TernPool2dArgs& args, int64_t x, int64_t most) {
  const int64_t last = args.in_w - (args.kernel_w - 1) * args.dilation_w - 1;
  if (x < 0 || x > last) return 1;
  const int64_t fit = (last - x) / args.stride_w + 1;
  return fit < most ? fit : most;
}

// One row of output pixels.
void PoolRow(const TernPool2dArgs& args, const PoolPlaces& places, int64_t row) {
  const int64_t image = row / args.out_h, y = row % args.out_h;
  const int64_t start_y = y * args.stride_h - args.pad_top;
  const Span rows =
      SpanOf(start_y, args.dilation_h, args.kernel_h, args.in_h, args.pad_top, args.pad_bottom);
  PoolWindows windows{};
  windows.flip = args.is_signed != 0 ? 0x80 : 0;
  windows.rows = rows.last - rows.first;
  windows.row_step = args.dilation_h * args.in_w * args.channels;
  windows.column_step = args.dilation_w * args.channels;
  if constexpr (kPoolLoops) windows.step = args.stride_w * args.channels;
  const int64_t first_y = image * args.in_h + start_y + rows.first * args.dilation_h;
  const int64_t pixel = args.channels * places.size;
  char* out = places.output + row * args.out_w * pixel;
  for (int64_t x = 0, count = 0; x < args.out_w; x += count, out += count * pixel) {
    const int64_t start_x = x * args.stride_w - args.pad_left;
    const Span columns =
        SpanOf(start_x, args.dilation_w, args.kernel_w, args.in_w, args.pad_left, args.pad_right);
    count = kPoolLoops && places.size > 1 ? WholeWindows(args, start_x, args.out_w - x) : 1;
    if constexpr (kPoolLoops) windows.count = count;
    windows.columns = columns.last - columns.first;
    const int64_t first_x = start_x + columns.first * args.dilation_w;
    windows.corner = places.input + (first_y * args.in_w + first_x) * pixel;
    // A window without pixels averages nothing: scale 0 gives 0, and a maximum gives -infinity.
    const int64_t taps =
        args.count_include_pad != 0 ? rows.padded * columns.padded : windows.rows * windows.columns;
    windows.scale = taps > 0 ? 1.0f / static_cast<float>(taps) : 0.0f;
    places.pool(windows, args.channels, out);
  }
}

// An element of a window takes as long as `cost` multiplications of a product.
void PoolRows(const TernPool2dArgs& args, const PoolPlaces& places,
              const TernKernelContext* context, int64_t cost) {
  const int64_t row_cost = cost * args.out_w * args.channels * args.kernel_h * args.kernel_w;
  ParallelFor(context, args.batch * args.out_h, 1 + kWorkerGrain / (row_cost + 1), 1,
              [&](int64_t first, int64_t last, int32_t) {
                for (int64_t row = first; row < last && !IsStopped(context); ++row)
                  PoolRow(args, places, row);
              });
}

}  // namespace

int32_t pool2d(const TernPool2dArgs* args, const TernKernelContext* context) {
  PoolRows(*args,
           {reinterpret_cast<const char*>(args->input), reinterpret_cast<char*>(args->output), 4,
            args->kind == TERN_POOL_MAX ? PoolFloats<true> : PoolFloats<false>},
           context, 4);
  return TERN_KERNEL_OK;
}

int32_t max_pool2d_bytes(const TernPool2dArgs* args, const TernKernelContext* context) {
  PoolRows(*args,
           {reinterpret_cast<const char*>(args->byte_input),
            reinterpret_cast<char*>(args->byte_output), 1, MaxOfBytes},
           context, 1);
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::TERN_TARGET_NAME
HWY_AFTER_NAMESPACE();
