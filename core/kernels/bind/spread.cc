// SPDX-License-Identifier: Apache-2.0
// What spreads elements over a larger image: max_unpool, col2im and conv_transpose3d, by plain
// loops.

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/kernels/bind/bindings.h"
#include "core/kernels/bind/epilogue.h"
#include "core/kernels/bind/window.h"
#include "core/ops/image_rules.h"

namespace tern::kernels::bind {

// Each index counts the elements of the smallest image that pools to x; a larger one may be wanted,
// and an element keeps its place in it.
Result<Any> MaxUnpool(const ops::PoolAttrs& attrs, Call& call) {
  const Tensor *x = call.F32(0), *indices = call.Input(1, kI64);
  TERN_TRY(call.TakeStatus());
  Extents inferred;
  TERN_TRY(ops::MaxUnpoolShape(attrs, ExtentsOf(*x), &inferred));
  for (const int64_t extent : inferred) {
    // Pads may be larger than what a window gives.
    if (extent < 0) return InvalidArgument("x ", x->TypeText(), " is too small to be unpooled");
  }
  Extents out = inferred;
  if (call.Has(2)) {
    Ints wanted;
    call.ReadInts(2, &wanted);
    TERN_TRY(call.TakeStatus());
    TERN_TRY(ops::CheckRank("shape", static_cast<int>(wanted.size()), x->rank(), x->rank()));
    for (int i = 0; i < x->rank(); ++i) {
      const int64_t extent = wanted[static_cast<size_t>(i)];
      if (extent < 0 || extent > ops::kMostExtent)
        return InvalidArgument("shape has an extent of ", extent);
      out[i] = extent;
    }
  }
  // One place for each element, or the loop below would read beyond them.
  if (ExtentsOf(*x) != ExtentsOf(*indices))
    return WrongTensor(call, 1, *indices, StrCat("the shape of x, ", x->TypeText()));
  TERN_TRY_ASSIGN(TensorPtr y, call.NewF32(out));
  std::fill_n(y->data_as<float>(), y->element_count(), 0.0f);
  const int64_t most = CountOf(inferred);
  for (int64_t i = 0; i < x->element_count(); ++i) {
    int64_t rest = indices->data_as<int64_t>()[i], at = 0, step = 1;
    if (rest < 0 || rest >= most)
      return OutOfRange("index ", rest, " is outside of an image ", ops::ShapeText(inferred));
    // The index is taken apart by the extents of the one image and put together by those of the
    // other.
    for (int axis = out.rank() - 1; axis >= 0; --axis) {
      const int64_t place = rest % inferred[axis];
      if (place >= out[axis])
        return OutOfRange("an element at ", place, " of axis ", axis, " is outside of an image ",
                          ops::ShapeText(out));
      at += place * step;
      step *= out[axis];
      rest /= inferred[axis];
    }
    y->data_as<float>()[at] = x->data_as<float>()[i];
  }
  return Any(std::move(y));
}

namespace {

// The windows whose columns col2im adds up: those of a pool of the image.
Result<Windows> WindowsOfColumns(const ops::Col2ImAttrs& attrs, const Extents& out,
                                 const Ints& block, int64_t columns) {
  ops::WindowAttrs window;
  window.kernel = block;
  window.strides = attrs.strides;
  window.pads = attrs.pads;
  window.dilations = attrs.dilations;
  const int rank = out.rank() - 2;
  for (const Ints* list : {&window.strides, &window.dilations}) {
    for (const int64_t value : *list) {
      if (value < 1) return InvalidArgument("strides and dilations must be at least 1");
    }
  }
  // Attributes of col2im are not those of a pool, so nobody has checked them as a window before.
  TERN_TRY(ops::CheckWindow(window, rank));
  Extents pooled{out[0], out[1]};
  int64_t count = 1;
  for (int i = 0; i < rank; ++i) {
    const int64_t extent =
        ops::CountWindows(window, i, rank, out[2 + i], block[static_cast<size_t>(i)]);
    pooled.push_back(extent);
    count = ops::MulDim(count, extent);
  }
  // Otherwise the loops below would read beyond x.
  if (count != columns)
    return InvalidArgument("x has ", columns, " columns, but the image has ", count, " blocks");
  return MakeWindows(window, false, out, pooled, block.data());
}

}  // namespace

// x [n, channels * taps, windows]: element (tap, window) is added to the pixel that it was of.
Result<Any> Col2Im(const ops::Col2ImAttrs& attrs, Call& call) {
  const Tensor* x = call.F32(0);
  Ints image, block;
  call.ReadInts(1, &image);
  call.ReadInts(2, &block);
  TERN_TRY(call.TakeStatus());
  for (const Ints* list : {&image, &block}) {
    for (const int64_t extent : *list) {
      if (extent < 1 || extent > ops::kMostExtent)
        return InvalidArgument("image_shape or block_shape has an extent of ", extent);
    }
  }
  Extents out;
  TERN_TRY(ops::Col2ImShape<int64_t>(ExtentsOf(*x), image, block, &out));
  int64_t taps = 1;
  for (const int64_t extent : block) taps = ops::MulDim(taps, extent);
  if (out.rank() < 3 || ops::MulDim(out[1], taps) != x->dim(1))
    return InvalidArgument("axis 1 of x ", x->TypeText(), " is no multiple of ", taps, " taps");
  TERN_TRY_ASSIGN(Windows windows, WindowsOfColumns(attrs, out, block, x->dim(2)));
  windows.run = &call.context();
  TERN_TRY_ASSIGN(TensorPtr y, call.NewF32(out));
  std::fill_n(y->data_as<float>(), y->element_count(), 0.0f);
  const int64_t columns = x->dim(2);
  for (int64_t plane = 0; plane < out[0] * out[1]; ++plane) {
    const float* from = x->data_as<float>() + plane * taps * columns;
    float* to = y->data_as<float>() + plane * windows.pixels_in;
    ForEachPixel(windows, [&](const int64_t* at, int64_t column) {
      ForEachTap(windows, at,
                 [&](int64_t tap, int64_t pixel) { to[pixel] += from[tap * columns + column]; });
    });
  }
  return Any(std::move(y));
}

namespace {

// A transposed convolution goes over the windows of the convolution that it is the transpose of:
// each pixel of its input is a window of its output.
Windows TransposedWindows(const ops::ConvTransposeAttrs& attrs, const Tensor& x, const Tensor& w,
                          const Extents& out) {
  Windows windows;
  windows.rank = x.rank() - 2;
  windows.batch = x.dim(0);
  windows.channels = x.dim(1);
  windows.channels_last = false;
  windows.pixels_in = windows.pixels_out = 1;
  for (int i = 0; i < windows.rank; ++i) {
    const auto extent = ops::ExtentOfTransposed(attrs, i, windows.rank, x.dim(2 + i), w.dim(2 + i));
    windows.axes[i] = {out[2 + i],
                       x.dim(2 + i),
                       w.dim(2 + i),
                       attrs.window.stride(i),
                       attrs.window.dilation(i),
                       extent.pad_begin,
                       extent.pad_end};
    windows.pixels_in *= out[2 + i];
    windows.pixels_out *= x.dim(2 + i);
  }
  return windows;
}

}  // namespace

Result<Any> ConvTranspose3d(const ops::ConvTransposeAttrs& attrs, Call& call) {
  const Tensor *x = call.F32(0), *w = call.F32(1), *bias = call.OptionalF32(2);
  TERN_TRY(call.TakeStatus());
  Extents out;
  TERN_TRY(ops::ConvTransposeShape(attrs, ExtentsOf(*x), ExtentsOf(*w), &out));
  if (attrs.packed || attrs.window.layout != ops::Layout::kNchw)
    return Unsupported("conv_transpose3d runs with layout=nchw and weights as they are");
  TERN_TRY(CheckBias(bias, out[1]));
  Windows windows = TransposedWindows(attrs, *x, *w, out);
  windows.run = &call.context();
  const int64_t inputs = x->dim(1) / attrs.groups, outputs = w->dim(1);
  TERN_TRY(call.Charge(ops::MulDim(x->element_count(), ops::MulDim(windows.Taps(), outputs))));
  TERN_TRY_ASSIGN(TensorPtr y, call.NewF32(out));
  const int64_t taps = ops::ProductOf(ExtentsOf(*w), 2, w->rank());
  for (int64_t plane = 0; plane < out[0] * out[1]; ++plane) {
    const int64_t n = plane / out[1], channel = plane % out[1], group = channel / outputs;
    float* to = y->data_as<float>() + plane * windows.pixels_in;
    std::fill_n(to, windows.pixels_in, bias == nullptr ? 0.0f : FloatsOf(bias)[channel]);
    for (int64_t c = group * inputs; c < (group + 1) * inputs; ++c) {
      const float* from = x->data_as<float>() + (n * x->dim(1) + c) * windows.pixels_out;
      const float* filter = w->data_as<float>() + (c * outputs + channel % outputs) * taps;
      ForEachPixel(windows, [&](const int64_t* at, int64_t pixel) {
        ForEachTap(windows, at,
                   [&](int64_t tap, int64_t target) { to[target] += from[pixel] * filter[tap]; });
      });
    }
  }
  TERN_TRY(ApplyInPlace(call, attrs.epilogue, *y));
  return Any(std::move(y));
}

}  // namespace tern::kernels::bind
