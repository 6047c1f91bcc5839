// SPDX-License-Identifier: Apache-2.0
// Windows over images of any number of axes and any element type, by plain loops: what the vector
// kernels, which are 2-D and f32, leave over (3-D convolutions and pools, pools of integers,
// indices of maxima).

#ifndef TERN_CORE_KERNELS_BIND_WINDOW_H_
#define TERN_CORE_KERNELS_BIND_WINDOW_H_

#include <algorithm>
#include <cstdint>

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
  RunContext* run = nullptr;  // asked now and then whether it is over

  // The most taps of one output pixel that are inside the image.
  int64_t Taps() const {
    int64_t taps = 1;
    for (int i = 0; i < rank; ++i)
      taps = ops::MulDim(taps, std::min(axes[i].kernel, std::max<int64_t>(axes[i].in, 1)));
    return taps;
  }

  int64_t Base(int64_t image, int64_t channel, int64_t pixels, int64_t all_channels) const {
    if (channels_last) return image * pixels * all_channels + channel;
    return (image * all_channels + channel) * pixels;
  }
};

// kernel: taps per spatial axis. x and out have the extents of the shape rules.
Windows MakeWindows(const ops::WindowAttrs& attrs, bool ceil_mode, const Extents& x,
                    const Extents& out, const int64_t* kernel);

// Calls f(tap, pixel of the input) for every tap of output pixel `at` that is inside the image, in
// order. What it takes depends on the image, not on the kernel, whose extents are attributes of a
// pool.
template <class F>
void ForEachTap(const Windows& w, const int64_t* at, const F& f) {
  int64_t tap[kMaxSpatial], first[kMaxSpatial], end[kMaxSpatial];
  for (int i = 0; i < w.rank; ++i) {
    const WindowAxis& axis = w.axes[i];
    const int64_t start = at[i] * axis.stride - axis.pad_begin;
    first[i] = tap[i] = start < 0 ? ops::CeilDiv(-start, axis.dilation) : 0;
    end[i] = std::min(axis.kernel, ops::CeilDiv(axis.in - start, axis.dilation));
    if (first[i] >= end[i]) return;
  }
  while (true) {
    int64_t pixel = 0;
    uint64_t index = 0;  // of a pool, which does not read it, it may wrap around
    for (int i = 0; i < w.rank; ++i) {
      const WindowAxis& axis = w.axes[i];
      pixel = pixel * axis.in + at[i] * axis.stride - axis.pad_begin + tap[i] * axis.dilation;
      index = index * static_cast<uint64_t>(axis.kernel) + static_cast<uint64_t>(tap[i]);
    }
    f(static_cast<int64_t>(index), pixel);
    int i = w.rank - 1;
    for (; i >= 0 && ++tap[i] == end[i]; --i) tap[i] = first[i];
    if (i < 0) return;
  }
}

// Calls f(at, pixel of the output) for every output pixel of one plane.
template <class F>
void ForEachPixel(const Windows& w, const F& f) {
  int64_t at[kMaxSpatial] = {};
  for (int64_t pixel = 0; pixel < w.pixels_out; ++pixel) {
    if (pixel % 256 == 255 && w.run->IsStopped()) return;
    f(static_cast<const int64_t*>(at), pixel);
    for (int i = w.rank - 1; i >= 0 && ++at[i] == w.axes[i].out; --i) at[i] = 0;
  }
}

// max_pool and average_pool of what the kernel does not take.
Result<Any> PoolByLoops(const ops::PoolAttrs& attrs, Call& call, const Tensor& x,
                        const Extents& out, bool max);

}  // namespace tern::kernels::bind

#endif  // TERN_CORE_KERNELS_BIND_WINDOW_H_
