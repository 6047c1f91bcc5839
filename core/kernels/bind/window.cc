// SPDX-License-Identifier: Apache-2.0
// Convolutions and pools by plain loops.

#include "core/kernels/bind/window.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/kernels/bind/bindings.h"
#include "core/kernels/bind/elementwise.h"
#include "core/kernels/bind/epilogue.h"
#include "core/kernels/bind/types.h"
#include "core/object/containers/adt.h"
#include "core/ops/image_rules.h"

namespace tern::kernels::bind {

Windows MakeWindows(const ops::WindowAttrs& attrs, bool ceil_mode, const Extents& x,
                    const Extents& out, const int64_t* kernel) {
  Windows w;
  w.rank = x.rank() - 2;
  w.batch = x[0];
  w.channels = x[ops::ChannelAxis(attrs.layout, x.rank())];
  w.channels_last = attrs.layout == ops::Layout::kNhwc;
  w.pixels_in = w.pixels_out = 1;
  for (int i = 0; i < w.rank; ++i) {
    const int64_t in = x[ops::SpatialAxis(attrs.layout, i)],
                  extent = out[ops::SpatialAxis(attrs.layout, i)];
    const auto window = ops::ExtentOfWindow(attrs, i, w.rank, in, kernel[i], ceil_mode);
    w.axes[i] = WindowAxis{in,
                           extent,
                           kernel[i],
                           attrs.stride(i),
                           attrs.dilation(i),
                           window.pad_begin,
                           window.pad_end};
    w.pixels_in *= in;
    w.pixels_out *= extent;
  }
  return w;
}

namespace {

Windows WindowsOfPool(const ops::PoolAttrs& attrs, Call& call, const Extents& x,
                      const Extents& out) {
  int64_t kernel[kMaxSpatial];
  // A kernel that attributes do not give is one pixel.
  for (int i = 0; i < x.rank() - 2; ++i) kernel[i] = ops::IntAt(attrs.window.kernel, i, 1);
  Windows w = MakeWindows(attrs.window, attrs.ceil_mode, x, out, kernel);
  w.run = &call.context();
  return w;
}

// Calls f(offset of the plane in x, offset of the plane in y, step between its pixels).
template <class F>
void ForEachPlane(const Windows& w, const F& f) {
  for (int64_t n = 0; n < w.batch; ++n) {
    for (int64_t c = 0; c < w.channels && !w.run->IsStopped(); ++c) {
      f(w.Base(n, c, w.pixels_in, w.channels), w.Base(n, c, w.pixels_out, w.channels),
        w.channels_last ? w.channels : 1);
    }
  }
}

// Taps inside the padded image: what an average with count_include_pad divides by.
int64_t TapsWithPads(const Windows& w, const int64_t* at) {
  int64_t count = 1;
  for (int i = 0; i < w.rank; ++i) {
    const WindowAxis& axis = w.axes[i];
    const int64_t room = axis.in + axis.pad_begin + axis.pad_end - at[i] * axis.stride;
    count *= std::clamp(ops::CeilDiv(room, axis.dilation), int64_t{0}, axis.kernel);
  }
  return count;
}

// places, where given, gets the pixel of each maximum.
template <class T>
void MaxPoolLoops(const Windows& w, const T* x, T* y, int64_t* places) {
  ForEachPlane(w, [&](int64_t from, int64_t to, int64_t step) {
    ForEachPixel(w, [&](const int64_t* at, int64_t pixel) {
      // The first tap counts whatever it is, so that a window of the lowest value has a place, too.
      T best = std::numeric_limits<T>::lowest();
      int64_t place = -1;
      ForEachTap(w, at, [&](int64_t, int64_t source) {
        const T value = x[from + source * step];
        if (place >= 0 && !(value > best)) return;
        best = value;
        place = source;
      });
      y[to + pixel * step] = best;
      if (places != nullptr) places[to + pixel * step] = place;
    });
  });
}

// p = 0: the mean; else the p-norm.
void MeanPoolLoops(const Windows& w, bool include_pads, int64_t p, const float* x, float* y) {
  ForEachPlane(w, [&](int64_t from, int64_t to, int64_t step) {
    ForEachPixel(w, [&](const int64_t* at, int64_t pixel) {
      // Summed as doubles: windows may be whole images.
      double sum = 0;
      int64_t count = 0;
      ForEachTap(w, at, [&](int64_t, int64_t source) {
        const double value = static_cast<double>(x[from + source * step]);
        sum += p == 0 ? value : std::pow(std::fabs(value), static_cast<double>(p));
        ++count;
      });
      // With pads counted the divisor is what lies within the padded image, not the whole kernel:
      // ceil_mode lets windows reach beyond.
      if (include_pads) count = TapsWithPads(w, at);
      const double result =
          p == 0 ? sum / static_cast<double>(count) : std::pow(sum, 1.0 / static_cast<double>(p));
      y[to + pixel * step] = static_cast<float>(result);
    });
  });
}

}  // namespace

Result<Any> PoolByLoops(const ops::PoolAttrs& attrs, Call& call, const Tensor& x,
                        const Extents& out, bool max) {
  const Windows w = WindowsOfPool(attrs, call, ExtentsOf(x), out);
  TERN_TRY(call.Charge(ops::MulDim(CountOf(out), w.Taps())));
  TERN_TRY_ASSIGN(TensorPtr y, call.New(x.dtype(), out));
  // Means are of floats alone. What other types widen to comes here as f32.
  if (!max && x.dtype() == kF32) {
    MeanPoolLoops(w, attrs.count_include_pad, 0, x.data_as<float>(), y->data_as<float>());
    return Any(std::move(y));
  }
  const bool known = max && DispatchNumber(x.dtype(), [&](auto type) {
                       using T = decltype(type);
                       MaxPoolLoops(w, x.data_as<T>(), y->data_as<T>(), nullptr);
                     });
  if (!known) return WrongTensor(call, 0, x, max ? "f32, f64 or integers" : "element type f32");
  return Any(std::move(y));
}

Result<Any> MaxPoolIndices(const ops::PoolAttrs& attrs, Call& call) {
  const Tensor* x = call.Input(0);
  TERN_TRY(call.TakeStatus());
  Extents out;
  TERN_TRY(ops::PoolShape(attrs, ExtentsOf(*x), &out));
  if (attrs.window.layout != ops::Layout::kNchw)
    return Unsupported("indices of maxima need layout=nchw");
  const Windows w = WindowsOfPool(attrs, call, ExtentsOf(*x), out);
  TERN_TRY(call.Charge(ops::MulDim(CountOf(out), w.Taps())));
  TERN_TRY_ASSIGN(TensorPtr y, call.New(x->dtype(), out));
  TERN_TRY_ASSIGN(TensorPtr places, call.New(kI64, out));
  int64_t* place = places->data_as<int64_t>();
  const bool known = DispatchNumber(x->dtype(), [&](auto type) {
    using T = decltype(type);
    MaxPoolLoops(w, x->data_as<T>(), y->data_as<T>(), place);
  });
  if (!known) return WrongTensor(call, 0, *x, "f32, f64 or integers");
  TERN_TRY(call.context().TakeStop());  // then not every place is one
  for (int64_t i = 0; i < places->element_count(); ++i) {
    int64_t pixel = place[i];
    if (attrs.column_major && pixel >= 0) {
      int64_t rest = pixel, stride = 1, turned = 0, sizes = w.pixels_in;
      // The same place, counted with the first axis fastest.
      for (int k = 0; k < w.rank; ++k) {
        sizes /= w.axes[k].in;
        turned += rest / sizes * stride;
        rest %= sizes;
        stride *= w.axes[k].in;
      }
      pixel = turned;
    }
    // ONNX counts from the begin of the whole tensor, planes before this one included.
    place[i] = i / w.pixels_out * w.pixels_in + pixel;
  }
  return Any(Adt::Tuple({AnyView(y), AnyView(places)}));
}

Result<Any> LpPool(const ops::PoolAttrs& attrs, Call& call) {
  const Tensor* x = call.F32(0);
  TERN_TRY(call.TakeStatus());
  if (attrs.p < 1) return InvalidArgument("p is ", attrs.p, ", expected at least 1");
  Extents out;
  TERN_TRY(ops::PoolShape(attrs, ExtentsOf(*x), &out));
  const Windows w = WindowsOfPool(attrs, call, ExtentsOf(*x), out);
  TERN_TRY(call.Charge(ops::MulDim(CountOf(out), w.Taps())));
  TERN_TRY_ASSIGN(TensorPtr y, call.NewF32(out));
  MeanPoolLoops(w, false, attrs.p, x->data_as<float>(), y->data_as<float>());
  return Any(std::move(y));
}

namespace {

// Channels of a group see the input channels of their group only.
void ConvLoops(const Windows& w, int64_t groups, int64_t out_channels, const float* x,
               const float* weights, const float* bias, float* y) {
  int64_t taps = 1;
  for (int i = 0; i < w.rank; ++i) taps *= w.axes[i].kernel;
  const int64_t in_group = w.channels / groups, out_group = out_channels / groups;
  for (int64_t plane = 0; plane < w.batch * out_channels && !w.run->IsStopped(); ++plane) {
    const int64_t n = plane / out_channels, oc = plane % out_channels;
    const float* filter = weights + oc * in_group * taps;
    ForEachPixel(w, [&](const int64_t* at, int64_t pixel) {
      float sum = bias != nullptr ? bias[oc] : 0.0f;
      ForEachTap(w, at, [&](int64_t tap, int64_t source) {
        for (int64_t ic = 0; ic < in_group; ++ic) {
          // The filter counts channels from the first of its group, x from the first of all.
          const int64_t channel = oc / out_group * in_group + ic;
          sum += filter[ic * taps + tap] * x[w.Base(n, channel, w.pixels_in, w.channels) + source];
        }
      });
      y[plane * w.pixels_out + pixel] = sum;
    });
  }
}

}  // namespace

// Also any other number of spatial axes that conv2d does not take.
Result<Any> Conv3d(const ops::ConvAttrs& attrs, Call& call) {
  const Tensor *x = call.F32(0), *w = call.F32(1), *bias = call.OptionalF32(2);
  TERN_TRY(call.TakeStatus());
  Extents out;
  TERN_TRY(ops::ConvShape(attrs, ExtentsOf(*x), ExtentsOf(*w), &out));
  if (attrs.packed || attrs.window.layout != ops::Layout::kNchw) {
    return Unsupported("conv3d runs with layout=nchw and weights as they are");
  }
  TERN_TRY(CheckBias(bias, out[1]));
  int64_t kernel[kMaxSpatial];
  for (int i = 0; i < x->rank() - 2; ++i) kernel[i] = w->dim(2 + i);
  Windows windows = MakeWindows(attrs.window, false, ExtentsOf(*x), out, kernel);
  windows.run = &call.context();
  TERN_TRY(call.Charge(ops::MulDim(CountOf(out), ops::MulDim(windows.Taps(), w->dim(1)))));
  TERN_TRY_ASSIGN(TensorPtr y, call.NewF32(out));
  ConvLoops(windows, attrs.groups, out[1], x->data_as<float>(), w->data_as<float>(), FloatsOf(bias),
            y->data_as<float>());
  TERN_TRY(ApplyInPlace(call, attrs.epilogue, *y));
  return Any(std::move(y));
}

}  // namespace tern::kernels::bind
