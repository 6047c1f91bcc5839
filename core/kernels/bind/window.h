// SPDX-License-Identifier: Apache-2.0
// Windows over images of any number of axes and any element type, by plain loops: what the vector
// kernels, which are 2-D and f32, leave over (3-D convolutions and pools, pools of integers,
// indices of maxima).

#ifndef TERN_CORE_KERNELS_BIND_WINDOW_H_
#define TERN_CORE_KERNELS_BIND_WINDOW_H_

#include "core/kernels/bind/call.h"
#include "core/ops/image_attrs.h"

namespace tern::kernels::bind {

inline constexpr int kMaxSpatial = ops::kMaxDims - 2;

struct WindowAxis {
  int64_t in, out, kernel, stride, dilation, pad_begin, pad_end;
};

// One image plane after the other: element (plane, position) lies at PlaneOffset + sum of position
// * step.
struct Windows {
  int rank = 0;
  WindowAxis axes[kMaxSpatial];
  int64_t batch, channels, pixels_in, pixels_out;
  bool channels_last;

  int64_t Base(int64_t image, int64_t channel, int64_t pixels, int64_t all_channels) const {
    if (channels_last) return image * pixels * all_channels + channel;
    return (image * all_channels + channel) * pixels;
  }
};

// kernel: taps per spatial axis. x and out have the extents of the shape rules.
Windows MakeWindows(const ops::WindowAttrs& attrs, bool ceil_mode, const Extents& x,
                    const Extents& out, const int64_t* kernel);

// Calls f(tap, pixel of the input) for every tap of output pixel `at` that is inside the image, in
// order.
template <class F>
void ForEachTap(const Windows& w, const int64_t* at, const F& f) {
  int64_t tap[kMaxSpatial] = {};
  int64_t count = 1;
  for (int i = 0; i < w.rank; ++i) count *= w.axes[i].kernel;
  for (int64_t t = 0; t < count; ++t) {
    int64_t pixel = 0;
    bool inside = true;
    for (int i = 0; i < w.rank; ++i) {
      const WindowAxis& axis = w.axes[i];
      const int64_t position = at[i] * axis.stride + tap[i] * axis.dilation - axis.pad_begin;
      inside = inside && position >= 0 && position < axis.in;
      pixel = pixel * axis.in + position;
    }
    if (inside) f(t, pixel);
    for (int i = w.rank - 1; i >= 0 && ++tap[i] == w.axes[i].kernel; --i) tap[i] = 0;
  }
}

// Calls f(at, pixel of the output) for every output pixel of one plane.
template <class F>
void ForEachPixel(const Windows& w, const F& f) {
  int64_t at[kMaxSpatial] = {};
  for (int64_t pixel = 0; pixel < w.pixels_out; ++pixel) {
    f(static_cast<const int64_t*>(at), pixel);
    for (int i = w.rank - 1; i >= 0 && ++at[i] == w.axes[i].out; --i) at[i] = 0;
  }
}

// max_pool and average_pool of what the kernel does not take.
Result<Any> PoolByLoops(const ops::PoolAttrs& attrs, Call& call, const Tensor& x,
                        const Extents& out, bool max);

}  // namespace tern::kernels::bind

#endif  // TERN_CORE_KERNELS_BIND_WINDOW_H_
