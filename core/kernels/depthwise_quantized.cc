// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions of 8-bit images: strips of a few output rows, whose input becomes floats
// of x - x_zero in the second-level cache, go through the tiles of the f32 convolution. Sums of at
// most 512 products of 8 bits are exact in f32 in any order, so every target gives the same bits.

#include "core/kernels/conv_scratch.h"
#include "core/kernels/depthwise.h"
#include "core/kernels/parallel.h"
#include "core/kernels/product.h"
#include "core/kernels/quantized_sum.h"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {
namespace {

constexpr int64_t kStripBytes = 192 * 1024;  // of floats read and sums, beside what else is there
constexpr int64_t kFewestRows = 4;  // of a strip: the next one converts rows of the window anew

// What one call shares.
struct StripPlan {
  const TernQuantizedConvArgs* args;
  int64_t rows;         // of the output, in one strip
  int64_t input_rows;   // that one strip reads at most
  int64_t input_bytes;  // of a worker's memory, in front of the sums
  int64_t worker_bytes;
  const float* zeros;    // [in_c]
  const float* weights;  // [taps][in_c]
  char* worker_scratch;
};

int64_t RowFloats(const TernQuantizedConvArgs& args) { return args.in_w * args.in_c; }

StripPlan MakeStripPlan(const TernQuantizedConvArgs& args) {
  StripPlan plan{};
  plan.args = &args;
  const int64_t row = (args.stride_h * args.in_w + args.out_w) * args.in_c * 4;
  const int64_t fit = kStripBytes / row < kFewestRows ? kFewestRows : kStripBytes / row;
  plan.rows = fit < args.out_h ? fit : args.out_h;
  const int64_t reach = (plan.rows - 1) * args.stride_h + (args.kernel_h - 1) * args.dilation_h + 1;
  plan.input_rows = reach < args.in_h ? reach : args.in_h;
  plan.input_bytes = CacheLines(plan.input_rows * RowFloats(args) * 4);
  plan.worker_bytes = plan.input_bytes + CacheLines(plan.rows * args.out_w * args.in_c * 4);
  return plan;
}

// y[i] = x[i] - zero.
template <class T>
void ConvertToFloats(const T* x, int64_t size, int32_t zero, float* y) {
  const IntTag d;
  for (int64_t i = 0; i < size; i += IntLanes()) {
    const int64_t left = size - i;
    const auto whole = hn::Sub(hn::PromoteTo(d, LoadSome(x + i, left)), hn::Set(d, zero));
    const auto steps = hn::ConvertTo(SumTag(), whole);
    if (left >= IntLanes()) {
      hn::StoreU(steps, SumTag(), y + i);
    } else {
      hn::StoreN(steps, SumTag(), y + i, static_cast<size_t>(left));
    }
  }
}

// `pixels` pixels of finished sums. The last vector lies over the one before it where channels do
// not fill it.
void StorePixels(const TernQuantizedConvArgs& args, const float* sums, int64_t pixels,
                 uint8_t* to) {
  const int64_t lanes = IntLanes(), channels = args.in_c;
  const int32_t* bias = args.bias;
  const float* scale = args.scale;
  const SumVector low = LowestSteps(args), high = HighestSteps(args);
  const IntVector zero = hn::Set(IntTag(), args.zero);
  for (; pixels > 0; --pixels, sums += channels, to += channels) {
    for (int64_t c = 0; c < channels; c += lanes) {
      const int64_t at = channels - c < lanes && channels > lanes ? channels - lanes : c;
      const int64_t left = channels - at;
      const IntVector sum =
          hn::Add(hn::ConvertTo(IntTag(), LoadSome(sums + at, left)), LoadSome(bias + at, left));
      StoreQuantized(to + at, sum, LoadSome(scale + at, left), low, high, zero, left);
    }
  }
}

// Rows [first, first + count) of one image's output, as those of an image that holds no more than
// they read.
void FilterStrip(const StripPlan& plan, int64_t image, int64_t first, int64_t count,
                 int32_t worker) {
  const TernQuantizedConvArgs& args = *plan.args;
  float* input = reinterpret_cast<float*>(plan.worker_scratch + worker * plan.worker_bytes);
  float* sums = input + plan.input_bytes / 4;
  const int64_t top = first * args.stride_h - args.pad_top;
  const int64_t begin = top < 0 ? 0 : top < args.in_h ? top : args.in_h;
  const int64_t reach =
      top + (count - 1) * args.stride_h + (args.kernel_h - 1) * args.dilation_h + 1;
  const int64_t end = reach < begin ? begin : reach < args.in_h ? reach : args.in_h;
  ConvertToFloats(args.input + (image * args.in_h + begin) * RowFloats(args),
                  (end - begin) * RowFloats(args), args.x_zero, input);
  const TernConv2dArgs strip{1,
                             end - begin,
                             args.in_w,
                             args.in_c,
                             count,
                             args.out_w,
                             args.out_c,
                             args.kernel_h,
                             args.kernel_w,
                             args.stride_h,
                             args.stride_w,
                             args.dilation_h,
                             args.dilation_w,
                             begin - top,
                             args.pad_left,
                             args.groups,
                             input,
                             args.in_c,
                             plan.weights,
                             sums,
                             args.out_c,
                             {}};
  FilterRows(strip, 0, count, plan.zeros);
  const int64_t pixel = (image * args.out_h + first) * args.out_w;
  StorePixels(args, sums, count * args.out_w, args.output + pixel * args.out_c);
}

// Output rows [first, last) of all images, of which none is cut by a strip.
void FilterStrips(const StripPlan& plan, int64_t first, int64_t last, int32_t worker) {
  const int64_t height = plan.args->out_h;
  for (int64_t row = first; row < last;) {
    const int64_t y = row % height, left = last - row;
    int64_t count = height - y < plan.rows ? height - y : plan.rows;
    if (count > left) count = left;
    FilterStrip(plan, row / height, y, count, worker);
    row += count;
  }
}

// Zeros, the weights as floats, and memory for each worker's strips.
bool TakeStripScratch(const TernKernelContext* context, StripPlan& plan) {
  const TernQuantizedConvArgs& args = *plan.args;
  const int64_t taps = args.kernel_h * args.kernel_w, zeros = CacheLines(args.in_c * 4) / 4;
  plan.worker_scratch =
      TakeConvScratch(context, zeros + taps * args.in_c, plan.worker_bytes, &plan.zeros);
  if (plan.worker_scratch == nullptr) return false;
  float* weights = const_cast<float*>(plan.zeros) + zeros;
  ConvertToFloats(args.weights, taps * args.in_c, 0, weights);
  plan.weights = weights;
  return true;
}

}  // namespace

int32_t conv2d_quantized_depthwise(const TernQuantizedConvArgs* args,
                                   const TernKernelContext* context) {
  const int64_t rows = args->batch * args->out_h;
  if (rows == 0 || args->out_w == 0 || args->in_c == 0) return TERN_KERNEL_OK;
  StripPlan plan = MakeStripPlan(*args);
  if (!TakeStripScratch(context, plan)) return TERN_KERNEL_NO_MEMORY;
  const int64_t cost = args->out_w * args->in_c * args->kernel_h * args->kernel_w;
  ParallelFor(context, rows, 1 + kQuantizedGrain / (cost + 1), 1,
              [&](int64_t first, int64_t last, int32_t worker) {
                FilterStrips(plan, first, last, worker);
              });
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::TERN_TARGET_NAME
HWY_AFTER_NAMESPACE();
