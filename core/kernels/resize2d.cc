// SPDX-License-Identifier: Apache-2.0
// Channels-last resize from source positions and weights that the caller worked out, once for all
// rows. Nearest copies pixels; linear blends four of them, channels in vectors. Coordinate modes
// and rounding are thus no business of this kernel.

#include "core/kernels/copy_bytes.h"
#include "core/kernels/parallel.h"
#include "core/kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {
namespace {

using D = FloatTag;
using V = FloatVector;

constexpr int64_t kResizeGrain = 24 * 1024;

void NearestRow(const TernResize2dArgs& args, const float* row, float* out) {
  const int64_t channels = args.channels;
  if (channels == 1) {
    for (int64_t x = 0; x < args.out_w; ++x) out[x] = row[args.x0[x]];
    return;
  }
  const size_t bytes = static_cast<size_t>(channels) * sizeof(float);
  for (int64_t x = 0; x < args.out_w; ++x)
    CopyBytes(out + x * channels, row + args.x0[x] * channels, bytes);
}

// a + (b - a) * weight: exact at weight 0, and one multiplication.
HWY_INLINE V Blend(V a, V b, V weight) { return MulAdd(hn::Sub(b, a), weight, a); }

// One channel has no vector of channels, and neighbouring pixels come from anywhere, so this is
// scalar.
void LinearRowOfPlane(const TernResize2dArgs& args, const float* top, const float* bottom, float wy,
                      float* out) {
  for (int64_t x = 0; x < args.out_w; ++x) {
    const int64_t x0 = args.x0[x], x1 = args.x1[x];
    const float wx = args.x_weight[x];
    const float t = top[x0] + (top[x1] - top[x0]) * wx;
    const float b = bottom[x0] + (bottom[x1] - bottom[x0]) * wx;
    out[x] = t + (b - t) * wy;
  }
}

void LinearRow(const TernResize2dArgs& args, const float* top, const float* bottom, float wy,
               float* out) {
  const D d;
  const int64_t channels = args.channels, lanes = static_cast<int64_t>(hn::Lanes(d));
  const V vertical = hn::Set(d, wy);
  for (int64_t x = 0; x < args.out_w; ++x) {
    const int64_t x0 = args.x0[x] * channels, x1 = args.x1[x] * channels;
    const V horizontal = hn::Set(d, args.x_weight[x]);
    for (int64_t c = 0; c < channels; c += lanes) {
      const size_t count = static_cast<size_t>(channels - c < lanes ? channels - c : lanes);
      const V t =
          Blend(hn::LoadN(d, top + x0 + c, count), hn::LoadN(d, top + x1 + c, count), horizontal);
      const V b = Blend(hn::LoadN(d, bottom + x0 + c, count), hn::LoadN(d, bottom + x1 + c, count),
                        horizontal);
      hn::StoreN(Blend(t, b, vertical), d, out + x * channels + c, count);
    }
  }
}

void ResizeRow(const TernResize2dArgs& args, int64_t image, int64_t y) {
  const int64_t in_row = args.in_w * args.channels;
  const float* input = args.input + image * args.in_h * in_row;
  float* out = args.output + (image * args.out_h + y) * args.out_w * args.channels;
  const float* top = input + args.y0[y] * in_row;
  if (args.mode == TERN_RESIZE_NEAREST) {
    NearestRow(args, top, out);
    return;
  }
  const float* bottom = input + args.y1[y] * in_row;
  if (args.channels == 1)
    LinearRowOfPlane(args, top, bottom, args.y_weight[y], out);
  else
    LinearRow(args, top, bottom, args.y_weight[y], out);
}

}  // namespace

int32_t resize2d(const TernResize2dArgs* args, const TernKernelContext* context) {
  const int64_t row = args->out_w * args->channels;
  ParallelFor(context, args->batch * args->out_h, kResizeGrain / (row + 1) + 1, 1,
              [args](int64_t begin, int64_t end, int32_t) {
                for (int64_t r = begin; r < end; ++r)
                  ResizeRow(*args, r / args->out_h, r % args->out_h);
              });
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::TERN_TARGET_NAME
HWY_AFTER_NAMESPACE();
