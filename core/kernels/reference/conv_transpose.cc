// SPDX-License-Identifier: Apache-2.0
// Plain loops: channels-last transposed convolution, read from the output's side: an output pixel
// gets what every tap that lands on it carries.

#include "core/kernels/reference/activation.h"

namespace tern::kernels::reference {
namespace {

// The input index whose tap lands on `out`, or -1.
int64_t Source(int64_t out, int64_t pad, int64_t tap, int64_t stride, int64_t size) {
  // Between strides there is nothing: only every stride-th place has a source.
  const int64_t scaled = out + pad - tap;
  if (scaled < 0 || scaled % stride != 0 || scaled / stride >= size) return -1;
  return scaled / stride;
}

double TapSum(const TernConvTranspose2dArgs& args, const float* pixel, int64_t tap,
              int64_t channel) {
  const int64_t ic = args.in_c / args.groups, oc = args.out_c / args.groups;
  const int64_t taps = args.kernel_h * args.kernel_w, group = channel / oc;
  double sum = 0.0;
  for (int64_t i = group * ic; i < (group + 1) * ic; ++i) {
    sum += static_cast<double>(pixel[i]) * args.weights[(i * taps + tap) * oc + channel % oc];
  }
  return sum;
}

double OutputSum(const TernConvTranspose2dArgs& args, int64_t image, int64_t row, int64_t channel) {
  const int64_t y = row / args.out_w, x = row % args.out_w;
  double sum = 0.0;
  for (int64_t tap = 0; tap < args.kernel_h * args.kernel_w; ++tap) {
    const int64_t ky = tap / args.kernel_w * args.dilation_h;
    const int64_t kx = tap % args.kernel_w * args.dilation_w;
    const int64_t in_y = Source(y, args.pad_top, ky, args.stride_h, args.in_h);
    const int64_t in_x = Source(x, args.pad_left, kx, args.stride_w, args.in_w);
    if (in_y < 0 || in_x < 0) continue;
    const float* pixel = args.input + ((image * args.in_h + in_y) * args.in_w + in_x) * args.in_c;
    sum += TapSum(args, pixel, tap, channel);
  }
  return sum;
}

}  // namespace

int32_t conv_transpose2d(const TernConvTranspose2dArgs* args, const TernKernelContext*) {
  const int64_t pixels = args->out_h * args->out_w;
  for (int64_t image = 0; image < args->batch; ++image) {
    for (int64_t i = 0; i < pixels; ++i) {
      const int64_t row = image * pixels + i;
      for (int64_t channel = 0; channel < args->out_c; ++channel) {
        args->output[row * args->out_c + channel] =
            Finish(OutputSum(*args, image, i, channel), args->epilogue, row, channel);
      }
    }
  }
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::reference
