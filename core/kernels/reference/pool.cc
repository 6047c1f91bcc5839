// SPDX-License-Identifier: Apache-2.0
// Plain loops: channels-last max and average pooling.

#include <math.h>

#include "core/kernels/kernel_table.h"

namespace tern::kernels::reference {
namespace {

struct Window {
  double sum = 0.0;
  float largest = -HUGE_VALF;
  int64_t inside = 0;  // taps in the image
  int64_t padded = 0;  // taps in the image or its padding
};

// A tap may lie in the image, in its padding, or beyond both where ceil_mode lets the last window
// reach out.
bool Within(int64_t i, int64_t low, int64_t high) { return i >= low && i < high; }

template <class T>
Window ReadWindow(const TernPool2dArgs& args, const T* image, int64_t out_y, int64_t out_x,
                  int64_t channel) {
  Window window;
  for (int64_t tap = 0; tap < args.kernel_h * args.kernel_w; ++tap) {
    const int64_t y = out_y * args.stride_h - args.pad_top + tap / args.kernel_w * args.dilation_h;
    const int64_t x = out_x * args.stride_w - args.pad_left + tap % args.kernel_w * args.dilation_w;
    window.padded += Within(y, -args.pad_top, args.in_h + args.pad_bottom) &&
                     Within(x, -args.pad_left, args.in_w + args.pad_right);
    if (!Within(y, 0, args.in_h) || !Within(x, 0, args.in_w)) continue;
    const float value = static_cast<float>(image[(y * args.in_w + x) * args.channels + channel]);
    window.inside += 1;
    window.sum += value;
    // A NaN stays: nothing is greater than it.
    if (value > window.largest || value != value) window.largest = value;
  }
  return window;
}

float Result(const TernPool2dArgs& args, const Window& window) {
  if (args.kind == TERN_POOL_MAX) return window.largest;
  const int64_t taps = args.count_include_pad != 0 ? window.padded : window.inside;
  return taps == 0 ? 0.0f : static_cast<float>(window.sum / static_cast<double>(taps));
}

// finish(window) is an element of the output.
template <class T, class Finish>
void Pool(const TernPool2dArgs& args, const T* input, T* out, const Finish& finish) {
  for (int64_t b = 0; b < args.batch; ++b) {
    const T* image = input + b * args.in_h * args.in_w * args.channels;
    for (int64_t y = 0; y < args.out_h; ++y) {
      for (int64_t x = 0; x < args.out_w; ++x) {
        for (int64_t channel = 0; channel < args.channels; ++channel)
          *out++ = finish(ReadWindow(args, image, y, x, channel));
      }
    }
  }
}

}  // namespace

int32_t pool2d(const TernPool2dArgs* args, const TernKernelContext*) {
  Pool(*args, args->input, args->output,
       [&](const Window& window) { return Result(*args, window); });
  return TERN_KERNEL_OK;
}

int32_t max_pool2d_bytes(const TernPool2dArgs* args, const TernKernelContext*) {
  if (args->is_signed != 0) {
    Pool(*args, reinterpret_cast<const int8_t*>(args->byte_input),
         reinterpret_cast<int8_t*>(args->byte_output), [](const Window& window) {
           return static_cast<int8_t>(window.largest < -128.0f ? -128.0f : window.largest);
         });
  } else {
    Pool(*args, args->byte_input, args->byte_output, [](const Window& window) {
      return static_cast<uint8_t>(window.largest < 0.0f ? 0.0f : window.largest);
    });
  }
  return TERN_KERNEL_OK;
}

}  // namespace tern::kernels::reference
