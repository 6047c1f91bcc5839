// SPDX-License-Identifier: Apache-2.0
// Local response normalization over the channels of each pixel. Squares go into a row padded with
// zeros on both sides, so that a window is `size` unaligned loads.

#include "core/kernels/parallel.h"
#include "core/kernels/simd.h"
#include "core/kernels/simd_math.h"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {
namespace {

using D = FloatTag;
using V = FloatVector;

constexpr int64_t kLrnGrain = 4 * 1024;

// v^-beta for v > 0. ONNX has 0.75 as its default exponent, for which two square roots are cheaper
// and more exact than a power.
HWY_INLINE V NegativePower(V v, float beta) {
  const D d;
  if (beta == 0.75f) {
    const V root = hn::Sqrt(v);
    return hn::Div(hn::Set(d, 1.0f), hn::Mul(root, hn::Sqrt(root)));
  }
  return Exp(d, hn::Mul(Log(d, v), hn::Set(d, -beta)));
}

// One pixel. `squares` holds size - 1 zeros more than channels, `before` of them in front; they are
// cleared once, because each pixel overwrites the same middle.
void LrnPixel(const TernLrnArgs& args, const float* x, float* y, float* squares, int64_t before) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i < args.channels; i += lanes) {
    const size_t count = static_cast<size_t>(args.channels - i < lanes ? args.channels - i : lanes);
    const V v = hn::LoadN(d, x + i, count);
    hn::StoreN(hn::Mul(v, v), d, squares + before + i, count);
  }
  const V factor = hn::Set(d, args.alpha / static_cast<float>(args.size)),
          bias = hn::Set(d, args.bias);
  for (int64_t i = 0; i < args.channels; i += lanes) {
    const size_t count = static_cast<size_t>(args.channels - i < lanes ? args.channels - i : lanes);
    V sum = hn::Zero(d);
    // Each window is summed anew: a running sum would carry rounding errors from channel to
    // channel.
    for (int64_t k = 0; k < args.size; ++k)
      sum = hn::Add(sum, hn::LoadN(d, squares + i + k, count));
    const V v =
        hn::Mul(hn::LoadN(d, x + i, count), NegativePower(MulAdd(sum, factor, bias), args.beta));
    hn::StoreN(v, d, y + i, count);
  }
}

}  // namespace

int32_t lrn(const TernLrnArgs* args, const TernKernelContext* context) {
  const int64_t row = args->channels + args->size - 1;
  const int64_t grain = kLrnGrain / (args->channels + 1) + 1;
  const int64_t workers = WorkersFor(context, args->pixels, grain);
  float* scratch = static_cast<float*>(context->scratch(
      context->scratch_context, static_cast<size_t>(workers * row) * sizeof(float)));
  if (scratch == nullptr) return TERN_KERNEL_NO_MEMORY;
  for (int64_t i = 0; i < workers * row; ++i) scratch[i] = 0.0f;
  const int64_t before = (args->size - 1) / 2;
  ParallelFor(context, args->pixels, grain, 1, [&](int64_t begin, int64_t end, int32_t) {
    // The step by which ParallelFor cuts (parallel.h), so that each range has scratch of its own.
    const int64_t step = (args->pixels + workers - 1) / workers;
    float* squares = scratch + begin / step * row;
    for (int64_t p = begin; p < end; ++p) {
      LrnPixel(*args, args->x + p * args->channels, args->y + p * args->channels, squares, before);
    }
  });
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::TERN_TARGET_NAME
HWY_AFTER_NAMESPACE();
