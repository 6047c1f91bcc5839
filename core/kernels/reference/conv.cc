// SPDX-License-Identifier: Apache-2.0
// Plain loops: channels-last convolution, grouped and depthwise.

#include "core/kernels/reference/activation.h"

namespace tern::kernels::reference {
namespace {

struct Pixel {
  int64_t image, y, x;
};

// The input pixel under tap (ky, kx) of output pixel `out`, or null outside of the image.
const float* Tap(const TernConv2dArgs& args, const Pixel& out, int64_t ky, int64_t kx) {
  const int64_t y = out.y * args.stride_h - args.pad_top + ky * args.dilation_h;
  const int64_t x = out.x * args.stride_w - args.pad_left + kx * args.dilation_w;
  if (y < 0 || y >= args.in_h || x < 0 || x >= args.in_w) return nullptr;
  return args.input + ((out.image * args.in_h + y) * args.in_w + x) * args.in_pixel_stride;
}

// In f64, so that what is compared with has no error of its own worth speaking of.
double ConvSum(const TernConv2dArgs& args, const Pixel& out, int64_t group, int64_t column) {
  const int64_t ic = args.in_c / args.groups, oc = args.out_c / args.groups;
  const int64_t k = args.kernel_h * args.kernel_w * ic;
  const int64_t panels = (oc + TERN_PANEL_WIDTH - 1) / TERN_PANEL_WIDTH;
  const int64_t panel = group * panels + column / TERN_PANEL_WIDTH;
  // [groups][panels][taps * inputs][16], as kernel.h says.
  const float* w = args.weights + panel * k * TERN_PANEL_WIDTH + column % TERN_PANEL_WIDTH;
  double sum = 0.0;
  for (int64_t tap = 0; tap < args.kernel_h * args.kernel_w; ++tap) {
    const float* pixel = Tap(args, out, tap / args.kernel_w, tap % args.kernel_w);
    if (pixel == nullptr) continue;
    for (int64_t i = 0; i < ic; ++i) {
      sum += static_cast<double>(pixel[group * ic + i]) * w[(tap * ic + i) * TERN_PANEL_WIDTH];
    }
  }
  return sum;
}

// Each channel has weights of its own, [taps][channels]: they are not packed into panels.
double DepthwiseSum(const TernConv2dArgs& args, const Pixel& out, int64_t channel) {
  double sum = 0.0;
  for (int64_t tap = 0; tap < args.kernel_h * args.kernel_w; ++tap) {
    const float* pixel = Tap(args, out, tap / args.kernel_w, tap % args.kernel_w);
    if (pixel == nullptr) continue;
    sum += static_cast<double>(pixel[channel]) * args.weights[tap * args.in_c + channel];
  }
  return sum;
}

// Calls pixel(position, row) for every output pixel, row counting from 0.
template <class Function>
void ForEachPixel(const TernConv2dArgs& args, Function&& function) {
  int64_t row = 0;
  for (int64_t image = 0; image < args.batch; ++image) {
    for (int64_t y = 0; y < args.out_h; ++y) {
      for (int64_t x = 0; x < args.out_w; ++x) function(Pixel{image, y, x}, row++);
    }
  }
}

}  // namespace

int32_t conv2d(const TernConv2dArgs* args, const TernKernelContext*) {
  const int64_t oc = args->out_c / args->groups;
  ForEachPixel(*args, [&](const Pixel& pixel, int64_t row) {
    for (int64_t channel = 0; channel < args->out_c; ++channel) {
      const double sum = ConvSum(*args, pixel, channel / oc, channel % oc);
      args->output[row * args->out_pixel_stride + channel] =
          Finish(sum, args->epilogue, row, channel);
    }
  });
  return TERN_KERNEL_OK;
}

int32_t conv2d_depthwise(const TernConv2dArgs* args, const TernKernelContext*) {
  ForEachPixel(*args, [&](const Pixel& pixel, int64_t row) {
    for (int64_t channel = 0; channel < args->out_c; ++channel) {
      const double sum = DepthwiseSum(*args, pixel, channel);
      args->output[row * args->out_pixel_stride + channel] =
          Finish(sum, args->epilogue, row, channel);
    }
  });
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::reference
