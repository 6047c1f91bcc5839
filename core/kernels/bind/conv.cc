// SPDX-License-Identifier: Apache-2.0
// conv2d and conv_transpose2d (and their 1-D forms, images of one row). The kernels are
// channels-last with packed weights; anything else is brought into that form for the call.

#include <array>
#include <utility>

#include "core/kernels/bind/bindings.h"
#include "core/kernels/bind/conv_problem.h"
#include "core/kernels/bind/epilogue.h"
#include "core/ops/winograd_weights.h"

namespace tern::kernels::bind {

ConvProblem ProblemOf(const ops::ConvAttrs& attrs, const Tensor& x, const Tensor& w,
                      const Extents& out) {
  const ops::WindowAttrs& window = attrs.window;
  const int rank = x.rank() - 2;
  const Extents extents = ExtentsOf(x);
  ConvProblem p{};
  p.in = ImageOf(extents, window.layout);
  p.out = ImageOf(out, window.layout);
  p.kernel = PairOf(rank, 1, [&](int i) {
    return attrs.packed ? ops::IntAt(window.kernel, i, 1) : w.dim(2 + i);
  });
  p.stride = PairOf(rank, 1, [&](int i) { return window.stride(i); });
  p.dilation = PairOf(rank, 1, [&](int i) { return window.dilation(i); });
  const Pair pads = PairOf(rank, 0, [&](int i) {
    const int64_t taps = attrs.packed ? ops::IntAt(window.kernel, i, 1) : w.dim(2 + i);
    return ops::ExtentOfWindow(window, i, rank, extents[ops::SpatialAxis(window.layout, i)], taps)
        .pad_begin;
  });
  p.pad_top = pads.h;
  p.pad_left = pads.w;
  p.groups = attrs.groups;
  p.depthwise = attrs.IsDepthwise(p.in.channels, p.out.channels);
  return p;
}

namespace {

// In which shape each kernel wants its weights; pack_weights and pack_winograd make them of
// constants when a model is compiled.
Extents PackedExtents(const ConvProblem& p, bool winograd) {
  if (winograd) return ops::WinogradExtents(p.out.channels, p.in.channels);
  if (p.depthwise) return {p.kernel.h * p.kernel.w, p.out.channels};
  return {p.groups, p.panels(), p.depth(), TERN_PANEL_WIDTH};
}

// A file may claim that any tensor is packed. Kernels read as far as the shape that is meant.
Status CheckPacked(const ConvProblem& p, const Tensor& w, bool winograd) {
  const Extents expected = PackedExtents(p, winograd);
  const Extents got = ExtentsOf(w);
  bool same = got.rank() == expected.rank();
  for (int i = 0; same && i < got.rank(); ++i) same = got[i] == expected[i];
  if (same) return OkStatus();
  return InvalidArgument("packed w is ", ops::ShapeText(got), ", expected ",
                         ops::ShapeText(expected));
}

// [out, in / groups, taps…] → panels per group.
Result<TensorPtr> PackWeights(Call& call, const ConvProblem& p, const Tensor& w) {
  const int64_t taps = p.kernel.h * p.kernel.w, inputs = p.in.channels / p.groups;
  TERN_TRY_ASSIGN(TensorPtr flat, w.Reshape(Extents{p.out.channels, inputs, taps}.span()));
  if (p.depthwise) return Permuted(call, *flat, std::array{2, 0, 1});
  TERN_TRY_ASSIGN(TensorPtr ordered, Permuted(call, *flat, std::array{0, 2, 1}));
  TERN_TRY_ASSIGN(TensorPtr packed,
                  call.NewF32(Extents{p.groups, p.panels(), p.depth(), TERN_PANEL_WIDTH}));
  for (int64_t g = 0; g < p.groups; ++g) {
    const TernPackArgs args{
        p.out_per_group(),
        p.depth(),
        ordered->data_as<float>() + g * p.out_per_group() * p.depth(),
        1,
        p.depth(),
        packed->data_as<float>() + g * p.panels() * p.depth() * TERN_PANEL_WIDTH};
    TERN_TRY(Call::Check(call.kernels().pack_panels(&args, call.kernel_context())));
  }
  return packed;
}

// Winograd is chosen when the weights are packed, because they are transformed for it.
Kernel<TernConv2dArgs>* KernelFor(const KernelTable& kernels, const ConvProblem& p, bool winograd) {
  if (winograd) return kernels.conv2d_winograd;
  return p.depthwise ? kernels.conv2d_depthwise : kernels.conv2d;
}

Status RunConv(Call& call, Kernel<TernConv2dArgs>* kernel, const ConvProblem& p, const float* x,
               const float* w, float* y, const TernEpilogue& epilogue) {
  TernConv2dArgs args{};
  SetGeometry(p, args);
  args.input = x;
  args.in_pixel_stride = p.in.channels;
  args.weights = w;
  args.output = y;
  args.out_pixel_stride = p.out.channels;
  args.epilogue = epilogue;
  return Call::Check(kernel(&args, call.kernel_context()));
}

}  // namespace

Result<Any> Conv(const ops::ConvAttrs& attrs, Call& call) {
  const Tensor *x = call.F32(0), *w = call.F32(1), *bias = call.OptionalF32(2),
               *residual = call.OptionalF32(3);
  TERN_TRY(call.TakeStatus());
  TERN_TRY(CheckImage(call, *x));
  Extents out;
  TERN_TRY(ops::ConvShape(attrs, ExtentsOf(*x), ExtentsOf(*w), &out));
  const ConvProblem p = ProblemOf(attrs, *x, *w, out);
  // Before anything is allocated: attributes may ask for more than the run may do.
  TERN_TRY(call.Charge(ops::MulDim(CountOf(out), p.depth())));
  TERN_TRY(CheckBias(bias, p.out.channels));
  if (residual != nullptr) TERN_TRY(CheckResidual(*residual, out));
  TensorPtr packed, x_holder, residual_holder;
  if (attrs.packed) {
    TERN_TRY(CheckPacked(p, *w, attrs.winograd));
  } else {
    TERN_TRY_ASSIGN(packed, PackWeights(call, p, *w));
    w = packed.get();
  }
  const ops::Layout layout = attrs.window.layout;
  TERN_TRY_ASSIGN(x, ChannelsLast(call, *x, layout, &x_holder));
  if (residual != nullptr) {
    TERN_TRY_ASSIGN(residual, ChannelsLast(call, *residual, layout, &residual_holder));
  }
  TERN_TRY_ASSIGN(TensorPtr y, NewChannelsLast(call, out, layout));
  if (y->element_count() > 0) {
    const TernEpilogue epilogue =
        EpilogueOf(attrs.epilogue, FloatsOf(bias), FloatsOf(residual), p.out.channels);
    TERN_TRY(RunConv(call, KernelFor(call.kernels(), p, attrs.winograd), p, x->data_as<float>(),
                     w->data_as<float>(), y->data_as<float>(), epilogue));
  }
  return Deliver(call, std::move(y), layout);
}

// ---- transposed

namespace {

TernConvTranspose2dArgs TransposedArgs(const ops::ConvTransposeAttrs& attrs, const Tensor& x,
                                       const Tensor& w, const Extents& out) {
  const ops::WindowAttrs& window = attrs.window;
  const int rank = x.rank() - 2;
  const Extents extents = ExtentsOf(x);
  const auto taps = [&](int i) { return w.dim(attrs.packed ? 1 + i : 2 + i); };
  const ImageExtents image = ImageOf(extents, window.layout), result = ImageOf(out, window.layout);
  // An image of one axis is one of a single row: its height, kernel and stride there are 1.
  const Pair kernel = PairOf(rank, 1, taps);
  const Pair pads = PairOf(rank, 0, [&](int i) {
    return ops::ExtentOfTransposed(attrs, i, rank, extents[ops::SpatialAxis(window.layout, i)],
                                   taps(i))
        .pad_begin;
  });
  TernConvTranspose2dArgs args{};
  args.batch = image.batch;
  args.in_h = image.height;
  args.in_w = image.width;
  args.in_c = image.channels;
  args.out_h = result.height;
  args.out_w = result.width;
  args.out_c = result.channels;
  args.kernel_h = kernel.h;
  args.kernel_w = kernel.w;
  args.stride_h = rank == 1 ? 1 : window.stride(0);
  args.stride_w = window.stride(rank - 1);
  args.dilation_h = rank == 1 ? 1 : window.dilation(0);
  args.dilation_w = window.dilation(rank - 1);
  args.pad_top = pads.h;
  args.pad_left = pads.w;
  args.groups = attrs.groups;
  return args;
}

// Each element of x goes to every tap of its group. The plain loops look for the taps of each
// element of the result, the others for those of pixels whose coordinates leave the same remainders
// modulo the strides.
int64_t CostOf(const TernConvTranspose2dArgs& args, const Extents& x, const Extents& out) {
  const int64_t taps = ops::MulDim(args.kernel_h, args.kernel_w);
  return ops::AddDim(ops::MulDim(CountOf(x), ops::MulDim(taps, args.out_c / args.groups)),
                     ops::MulDim(CountOf(out), taps));
}

}  // namespace

Result<Any> ConvTranspose(const ops::ConvTransposeAttrs& attrs, Call& call) {
  const Tensor *x = call.F32(0), *w = call.F32(1), *bias = call.OptionalF32(2);
  TERN_TRY(call.TakeStatus());
  TERN_TRY(CheckImage(call, *x));
  Extents out;
  TERN_TRY(ops::ConvTransposeShape(attrs, ExtentsOf(*x), ExtentsOf(*w), &out));
  const ops::Layout layout = attrs.window.layout;
  TernConvTranspose2dArgs args = TransposedArgs(attrs, *x, *w, out);
  TERN_TRY(call.Charge(CostOf(args, ExtentsOf(*x), out)));
  TERN_TRY(CheckBias(bias, args.out_c));
  TensorPtr packed, holder;
  // [in, out / groups, taps] becomes [in, taps, out / groups]: for each tap the channels that an
  // element goes to lie side by side.
  if (!attrs.packed) {
    TERN_TRY_ASSIGN(
        TensorPtr flat,
        w->Reshape(Extents{w->dim(0), w->dim(1), args.kernel_h * args.kernel_w}.span()));
    TERN_TRY_ASSIGN(packed, Permuted(call, *flat, std::array{0, 2, 1}));
    w = packed.get();
  }
  TERN_TRY_ASSIGN(x, ChannelsLast(call, *x, layout, &holder));
  TERN_TRY_ASSIGN(TensorPtr y, NewChannelsLast(call, out, layout));
  args.input = x->data_as<float>();
  args.weights = w->data_as<float>();
  args.output = y->data_as<float>();
  args.epilogue = EpilogueOf(attrs.epilogue, FloatsOf(bias), nullptr, args.out_c);
  if (y->element_count() > 0) {
    TERN_TRY(Call::Check(call.kernels().conv_transpose2d(&args, call.kernel_context())));
  }
  return Deliver(call, std::move(y), layout);
}

}  // namespace tern::kernels::bind
