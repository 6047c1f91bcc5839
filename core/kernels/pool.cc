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

// One output pixel's window: rows x columns of input pixels. Steps are in elements.
struct PoolWindow {
  const void* corner;
  int64_t rows, columns, row_step, column_step;
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
// line is read whole.
template <bool is_max, int kVectors>
HWY_INLINE void PoolVectors(const PoolWindow& window, int64_t channel, float* out) {
  const FloatTag d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  FloatVector s0 = hn::Set(d, is_max ? -HUGE_VALF : 0.0f), s1 = s0, s2 = s0, s3 = s0;
  for (int64_t y = 0; y < window.rows; ++y) {
    const float* x = static_cast<const float*>(window.corner) + y * window.row_step + channel;
    for (int64_t i = 0; i < window.columns; ++i, x += window.column_step) {
      s0 = Accumulate<is_max>(s0, hn::LoadU(d, x));
      if constexpr (kVectors > 1) s1 = Accumulate<is_max>(s1, hn::LoadU(d, x + lanes));
      if constexpr (kVectors > 2) s2 = Accumulate<is_max>(s2, hn::LoadU(d, x + 2 * lanes));
      if constexpr (kVectors > 3) s3 = Accumulate<is_max>(s3, hn::LoadU(d, x + 3 * lanes));
    }
  }
  float* to = out + channel;
  hn::StoreU(FinishPool<is_max>(s0, window.scale), d, to);
  if constexpr (kVectors > 1) hn::StoreU(FinishPool<is_max>(s1, window.scale), d, to + lanes);
  if constexpr (kVectors > 2) hn::StoreU(FinishPool<is_max>(s2, window.scale), d, to + 2 * lanes);
  if constexpr (kVectors > 3) hn::StoreU(FinishPool<is_max>(s3, window.scale), d, to + 3 * lanes);
}

// The channels left over, one vector at a time.
template <bool is_max>
HWY_INLINE void PoolSomeLanes(const PoolWindow& window, int64_t channel, int64_t count,
                              float* out) {
  const FloatTag d;
  const size_t n = static_cast<size_t>(count);
  FloatVector s = hn::Set(d, is_max ? -HUGE_VALF : 0.0f);
  for (int64_t y = 0; y < window.rows; ++y) {
    const float* x = static_cast<const float*>(window.corner) + y * window.row_step + channel;
    for (int64_t i = 0; i < window.columns; ++i, x += window.column_step) {
      s = Accumulate<is_max>(s, hn::LoadN(d, x, n));
    }
  }
  hn::StoreN(FinishPool<is_max>(s, window.scale), d, out + channel, n);
}

template <bool is_max>
void PoolPixel(const PoolWindow& window, int64_t channels, void* output) {
  float* out = static_cast<float*>(output);
  const FloatTag d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t channel = 0;
  for (; channel + 4 * lanes <= channels; channel += 4 * lanes) {
    PoolVectors<is_max, 4>(window, channel, out);
  }
  if constexpr (kPoolsRest) {
    const int64_t vectors = (channels - channel) / lanes;
    if (vectors == 3) PoolVectors<is_max, 3>(window, channel, out);
    if (vectors == 2) PoolVectors<is_max, 2>(window, channel, out);
    if (vectors == 1) PoolVectors<is_max, 1>(window, channel, out);
    channel += vectors * lanes;
  }
  for (; channel < channels; channel += lanes) {
    const int64_t left = channels - channel;
    PoolSomeLanes<is_max>(window, channel, left < lanes ? left : lanes, out);
  }
}

// The largest of sixteen channels. A window without pixels has the lowest of all.
void MaxOfSixteen(const PoolWindow& window, int64_t channel, uint8_t* out) {
  const hn::FixedTag<uint8_t, 16> d;
  const auto flip = hn::Set(d, window.flip);
  auto largest = hn::Zero(d);
  for (int64_t y = 0; y < window.rows; ++y) {
    const uint8_t* x = static_cast<const uint8_t*>(window.corner) + y * window.row_step + channel;
    for (int64_t i = 0; i < window.columns; ++i, x += window.column_step)
      largest = hn::Max(largest, hn::Xor(hn::LoadU(d, x), flip));
  }
  hn::StoreU(hn::Xor(largest, flip), d, out + channel);
}

void MaxOfOne(const PoolWindow& window, int64_t channel, uint8_t* out) {
  int largest = 0;
  for (int64_t y = 0; y < window.rows; ++y) {
    const uint8_t* x = static_cast<const uint8_t*>(window.corner) + y * window.row_step + channel;
    for (int64_t i = 0; i < window.columns; ++i, x += window.column_step)
      largest = (*x ^ window.flip) > largest ? *x ^ window.flip : largest;
  }
  out[channel] = static_cast<uint8_t>(largest ^ window.flip);
}

void MaxOfBytes(const PoolWindow& window, int64_t channels, void* output) {
  uint8_t* out = static_cast<uint8_t*>(output);
  if (channels < 16) {
    for (int64_t channel = 0; channel < channels; ++channel) MaxOfOne(window, channel, out);
    return;
  }
  // The last vector begins early enough to end with the channels, of which it finds some again.
  for (int64_t channel = 0; channel < channels; channel += 16)
    MaxOfSixteen(window, channel + 16 <= channels ? channel : channels - 16, out);
}

// What makes one output pixel.
using PoolFunction = void(const PoolWindow& window, int64_t channels, void* out);

// Where the elements are, of any type.
struct PoolPlaces {
  const char* input;
  char* output;
  int64_t size;  // of an element
  PoolFunction* pool;
};

// One row of output pixels.
void PoolRow(const TernPool2dArgs& args, const PoolPlaces& places, int64_t row) {
  const int64_t image = row / args.out_h, y = row % args.out_h;
  const int64_t start_y = y * args.stride_h - args.pad_top;
  const Span rows =
      SpanOf(start_y, args.dilation_h, args.kernel_h, args.in_h, args.pad_top, args.pad_bottom);
  PoolWindow window{};
  window.flip = args.is_signed != 0 ? 0x80 : 0;
  window.rows = rows.last - rows.first;
  window.row_step = args.dilation_h * args.in_w * args.channels;
  window.column_step = args.dilation_w * args.channels;
  const int64_t first_y = image * args.in_h + start_y + rows.first * args.dilation_h;
  const int64_t pixel = args.channels * places.size;
  char* out = places.output + row * args.out_w * pixel;
  for (int64_t x = 0; x < args.out_w; ++x, out += pixel) {
    const int64_t start_x = x * args.stride_w - args.pad_left;
    const Span columns =
        SpanOf(start_x, args.dilation_w, args.kernel_w, args.in_w, args.pad_left, args.pad_right);
    window.columns = columns.last - columns.first;
    const int64_t first_x = start_x + columns.first * args.dilation_w;
    window.corner = places.input + (first_y * args.in_w + first_x) * pixel;
    // A window without pixels averages nothing: scale 0 gives 0, and a maximum gives -infinity.
    const int64_t taps =
        args.count_include_pad != 0 ? rows.padded * columns.padded : window.rows * window.columns;
    window.scale = taps > 0 ? 1.0f / static_cast<float>(taps) : 0.0f;
    places.pool(window, args.channels, out);
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
            args->kind == TERN_POOL_MAX ? PoolPixel<true> : PoolPixel<false>},
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
