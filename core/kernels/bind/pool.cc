// SPDX-License-Identifier: Apache-2.0
// Pools over windows and over whole images.

#include <cmath>
#include <utility>

#include "core/kernels/bind/bindings.h"
#include "core/kernels/bind/image.h"
#include "core/kernels/bind/window.h"

namespace tern::kernels::bind {
namespace {

// The kernel knows two spatial axes. An image of one is two with a height of 1: what is missing is
// a window of 1, stride 1 and no padding, which is what the second argument of PairOf gives.
TernPool2dArgs PoolArgs(const ops::PoolAttrs& attrs, const Tensor& x, const Extents& out,
                        TernPoolKind kind) {
  const ops::WindowAttrs& window = attrs.window;
  const int rank = x.rank() - 2;
  const Extents extents = ExtentsOf(x);
  const ImageExtents image = ImageOf(extents, window.layout), result = ImageOf(out, window.layout);
  const auto extent = [&](int i) {
    return ops::ExtentOfWindow(window, i, rank, extents[ops::SpatialAxis(window.layout, i)],
                               ops::IntAt(window.kernel, i, 1), attrs.ceil_mode);
  };
  const Pair kernel = PairOf(rank, 1, [&](int i) { return ops::IntAt(window.kernel, i, 1); });
  const Pair begin = PairOf(rank, 0, [&](int i) { return extent(i).pad_begin; });
  const Pair end = PairOf(rank, 0, [&](int i) { return extent(i).pad_end; });
  const Pair stride = PairOf(rank, 1, [&](int i) { return window.stride(i); });
  const Pair dilation = PairOf(rank, 1, [&](int i) { return window.dilation(i); });
  TernPool2dArgs args{};
  args.kind = kind;
  args.count_include_pad = attrs.count_include_pad ? 1 : 0;
  args.batch = image.batch;
  args.in_h = image.height;
  args.in_w = image.width;
  args.channels = image.channels;
  args.out_h = result.height;
  args.out_w = result.width;
  args.kernel_h = kernel.h;
  args.kernel_w = kernel.w;
  args.stride_h = stride.h;
  args.stride_w = stride.w;
  args.dilation_h = dilation.h;
  args.dilation_w = dilation.w;
  args.pad_top = begin.h;
  args.pad_left = begin.w;
  args.pad_bottom = end.h;
  args.pad_right = end.w;
  return args;
}

Result<Any> RunPool(const ops::PoolAttrs& attrs, Call& call, TernPoolKind kind) {
  const Tensor* x = call.Input(0);
  TERN_TRY(call.TakeStatus());
  Extents out;
  TERN_TRY(ops::PoolShape(attrs, ExtentsOf(*x), &out));
  const DType dtype = x->dtype();
  const bool bytes = kind == TERN_POOL_MAX && (dtype == kU8 || dtype == kI8);
  // The kernel is for floats of at most two spatial axes. Other pools are rare, so plain loops do.
  if ((dtype != kF32 && !bytes) || x->rank() > 4) {
    return PoolByLoops(attrs, call, *x, out, kind == TERN_POOL_MAX);
  }
  TernPool2dArgs args = PoolArgs(attrs, *x, out, kind);
  // Also those outside of the image, which the plain loops go through.
  const int64_t taps = ops::MulDim(args.kernel_h, args.kernel_w);
  TERN_TRY(call.Charge(ops::MulDim(CountOf(out), taps)));
  TensorPtr holder;
  // The kernels read channels last. `holder` owns the copy where one was needed.
  TERN_TRY_ASSIGN(x, ChannelsLast(call, *x, attrs.window.layout, &holder));
  TERN_TRY_ASSIGN(TensorPtr y, NewChannelsLast(call, out, attrs.window.layout, dtype));
  if (bytes) {
    args.byte_input = static_cast<const uint8_t*>(x->data());
    args.byte_output = static_cast<uint8_t*>(y->data());
    args.is_signed = dtype == kI8 ? 1 : 0;
  } else {
    args.input = x->data_as<float>();
    args.output = y->data_as<float>();
  }
  if (y->element_count() > 0) {
    const auto pool = bytes ? call.kernels().max_pool2d_bytes : call.kernels().pool2d;
    TERN_TRY(Call::Check(pool(&args, call.kernel_context())));
  }
  return Deliver(call, std::move(y), attrs.window.layout);
}

Result<Any> RunGlobalPool(const ops::GlobalPoolAttrs& attrs, Call& call, TernReduceOp op) {
  const Tensor* x = call.F32(0);
  TERN_TRY(call.TakeStatus());
  const Extents extents = ExtentsOf(*x);
  Extents out;
  TERN_TRY(ops::GlobalPoolShape(attrs, extents, &out));
  TERN_TRY_ASSIGN(TensorPtr y, call.NewF32(out));
  // With channels first a channel is one run of pixels, so each row of the reduction is a channel.
  // With channels last the pixels of a channel are `channels` elements apart.
  const bool first = attrs.layout == ops::Layout::kNchw;
  const int64_t channels = extents[ops::ChannelAxis(attrs.layout, extents.rank())];
  const int64_t pixels =
      ops::ProductOf(extents, first ? 2 : 1, first ? extents.rank() : extents.rank() - 1);
  const TernReduceArgs args{op,
                            first ? extents[0] * channels : extents[0],
                            pixels,
                            first ? 1 : channels,
                            x->data_as<float>(),
                            y->data_as<float>()};
  TERN_TRY(Call::Check(call.kernels().reduce(&args, call.kernel_context())));
  return Any(std::move(y));
}

}  // namespace

Result<Any> MaxPool(const ops::PoolAttrs& attrs, Call& call) {
  return RunPool(attrs, call, TERN_POOL_MAX);
}

Result<Any> AveragePool(const ops::PoolAttrs& attrs, Call& call) {
  return RunPool(attrs, call, TERN_POOL_AVERAGE);
}

Result<Any> GlobalMaxPool(const ops::GlobalPoolAttrs& attrs, Call& call) {
  return RunGlobalPool(attrs, call, TERN_REDUCE_max);
}

Result<Any> GlobalAveragePool(const ops::GlobalPoolAttrs& attrs, Call& call) {
  return RunGlobalPool(attrs, call, TERN_REDUCE_mean);
}

Result<Any> GlobalLpPool(const ops::GlobalPoolAttrs& attrs, Call& call) {
  // Any other power is written with pow by the importer.
  if (attrs.p == 1) return RunGlobalPool(attrs, call, TERN_REDUCE_l1);
  if (attrs.p == 2) return RunGlobalPool(attrs, call, TERN_REDUCE_l2);
  return Unsupported("p is ", attrs.p, ", only 1 and 2 are implemented");
}

}  // namespace tern::kernels::bind
