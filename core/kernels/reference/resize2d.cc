// SPDX-License-Identifier: Apache-2.0
// Channels-last resize, one element at a time, in double precision.

#include "core/kernels/kernel_table.h"

namespace tern::kernels::reference {
namespace {

double At(const TernResize2dArgs& args, int64_t image, int64_t y, int64_t x, int64_t c) {
  return static_cast<double>(
      args.input[((image * args.in_h + y) * args.in_w + x) * args.channels + c]);
}

double Sample(const TernResize2dArgs& args, int64_t image, int64_t y, int64_t x, int64_t c) {
  // Which pixels and with which weights was computed before, so that all kernels agree on them.
  if (args.mode == TERN_RESIZE_NEAREST) return At(args, image, args.y0[y], args.x0[x], c);
  const double wy = static_cast<double>(args.y_weight[y]),
               wx = static_cast<double>(args.x_weight[x]);
  const double top = At(args, image, args.y0[y], args.x0[x], c) * (1 - wx) +
                     At(args, image, args.y0[y], args.x1[x], c) * wx;
  const double bottom = At(args, image, args.y1[y], args.x0[x], c) * (1 - wx) +
                        At(args, image, args.y1[y], args.x1[x], c) * wx;
  return top * (1 - wy) + bottom * wy;
}

}  // namespace

int32_t resize2d(const TernResize2dArgs* args, const TernKernelContext*) {
  float* out = args->output;
  for (int64_t image = 0; image < args->batch; ++image) {
    for (int64_t y = 0; y < args->out_h; ++y) {
      for (int64_t x = 0; x < args->out_w; ++x) {
        for (int64_t c = 0; c < args->channels; ++c)
          *out++ = static_cast<float>(Sample(*args, image, y, x, c));
      }
    }
  }
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::reference
