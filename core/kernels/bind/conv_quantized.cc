// SPDX-License-Identifier: Apache-2.0
// conv2d_quantized: images of 8 bits in, images of 8 bits out. The kernels take u8, channels-last,
// with packed weights; anything else is brought into that form for the call.

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/kernels/bind/bindings.h"
#include "core/kernels/bind/conv_problem.h"
#include "core/ops/quantized_weights.h"

namespace tern::kernels::bind {
namespace {

ops::FilterExtents FiltersOf(const ConvProblem& p) {
  return {p.groups, p.out_per_group(), p.in.channels / p.groups,
          ops::MulDim(p.kernel.h, p.kernel.w)};
}

Status ExpectExtents(std::string_view what, const Tensor& tensor, const Extents& expected) {
  const Extents got = ExtentsOf(tensor);
  bool same = got.rank() == expected.rank();
  for (int i = 0; same && i < got.rank(); ++i) same = got[i] == expected[i];
  if (same) return OkStatus();
  return InvalidArgument(what, " is ", ops::ShapeText(got), ", expected ",
                         ops::ShapeText(expected));
}

// What conv2d_quantized is called with, besides its attributes.
struct Operands {
  const Tensor *x, *w, *bias, *scale;
  TensorPtr packed, sums, unsigned_x, last_x;
  const int32_t* filter_sums;
};

// Packed weights come from the compiler, but also from files. The kernel trusts what is said of
// them, so their shapes are checked at every call.
Status CheckOperands(const ops::QuantizedConvAttrs& attrs, const ConvProblem& p,
                     const Operands& operands) {
  const int64_t channels = p.out.channels;
  const Extents filters =
      p.depthwise ? Extents{p.kernel.h * p.kernel.w, channels} : ops::QuadExtents(FiltersOf(p));
  if (attrs.packed) TERN_TRY(ExpectExtents("packed w", *operands.w, filters));
  // The compiler packs the sums of the filters behind the bias, as its second row.
  TERN_TRY(ExpectExtents("bias", *operands.bias,
                         attrs.packed ? Extents{2, channels} : Extents{channels}));
  TERN_TRY(ExpectExtents("scale", *operands.scale, Extents{channels}));
  for (float scale : operands.scale->values<float>()) {
    // A sum times infinity or NaN has no value of 8 bits, and the conversion would be undefined.
    if (!std::isfinite(scale))
      return InvalidArgument("scale has the element ", scale, ", expected finite numbers");
  }
  return OkStatus();
}

Status PackOperands(const ops::QuantizedConvAttrs& attrs, const ConvProblem& p, Call& call,
                    Operands* operands) {
  if (attrs.packed) {
    operands->filter_sums = operands->bias->data_as<int32_t>() + p.out.channels;
    return OkStatus();
  }
  const ops::FilterExtents filters = FiltersOf(p);
  const int8_t* from = operands->w->data_as<int8_t>();
  TERN_TRY_ASSIGN(operands->sums, call.New(kI32, Extents{p.out.channels}));
  ops::SumFilters(filters, from, operands->sums->data_as<int32_t>());
  operands->filter_sums = operands->sums->data_as<int32_t>();
  if (p.depthwise) {
    TERN_TRY_ASSIGN(operands->packed, call.New(kI8, Extents{filters.taps, p.out.channels}));
    ops::PackDepthwiseQuads(filters, from, operands->packed->data_as<int8_t>());
  } else {
    TERN_TRY_ASSIGN(operands->packed, call.New(kI8, ops::QuadExtents(filters)));
    ops::PackQuads(filters, from, operands->packed->data_as<int8_t>());
  }
  operands->w = operands->packed.get();
  return OkStatus();
}

// x as u8: i8 with its sign bit flipped has a zero point that is 128 larger.
Status MakeUnsigned(Call& call, Operands* operands) {
  if (operands->x->dtype() == kU8) return OkStatus();
  TERN_TRY_ASSIGN(operands->unsigned_x, call.New(kU8, ExtentsOf(*operands->x)));
  const auto* from = static_cast<const uint8_t*>(operands->x->data());
  uint8_t* to = operands->unsigned_x->data_as<uint8_t>();
  for (int64_t i = 0; i < operands->x->element_count(); ++i)
    to[i] = static_cast<uint8_t>(from[i] ^ 0x80u);
  operands->x = operands->unsigned_x.get();
  return OkStatus();
}

Status RunQuantized(const ops::QuantizedConvAttrs& attrs, const ConvProblem& p, Call& call,
                    const Operands& operands, const Tensor& y) {
  const bool is_signed = attrs.to == kI8;
  TernQuantizedConvArgs args{};
  SetGeometry(p, args);
  args.input = static_cast<const uint8_t*>(operands.x->data());
  args.weights = operands.w->data_as<int8_t>();
  args.bias = operands.bias->data_as<int32_t>();
  args.sums = operands.filter_sums;
  args.scale = operands.scale->data_as<float>();
  args.output = static_cast<uint8_t*>(y.data());
  args.x_zero = static_cast<int32_t>(attrs.x_zero) + (operands.unsigned_x ? 128 : 0);
  args.zero = static_cast<int32_t>(attrs.zero);
  args.low = is_signed ? -128 : 0;
  args.high = is_signed ? 127 : 255;
  // Zero is the number that stands for 0.0, so a clamp there is a relu.
  if (attrs.relu) args.low = args.zero;
  const auto kernel =
      p.depthwise ? call.kernels().conv2d_quantized_depthwise : call.kernels().conv2d_quantized;
  return Call::Check(kernel(&args, call.kernel_context()));
}

}  // namespace

Result<Any> QuantizedConv(const ops::QuantizedConvAttrs& attrs, Call& call) {
  Operands operands{};
  operands.x = call.Input(0);
  operands.w = call.Input(1, kI8);
  operands.bias = call.Input(2, kI32);
  operands.scale = call.F32(3);
  TERN_TRY(call.TakeStatus());
  const Tensor& x = *operands.x;
  if (x.dtype() != kU8 && x.dtype() != kI8) return WrongTensor(call, 0, x, "element type u8 or i8");
  if (!ops::IsZeroPoint(x.dtype(), attrs.x_zero))
    return InvalidArgument("x_zero is ", attrs.x_zero, ", expected a value of ",
                           x.dtype().ToString(), ", the element type of x");
  if (x.rank() != 4) return WrongTensor(call, 0, x, "rank 4");
  Extents out;
  TERN_TRY(ops::ConvShape(attrs.Geometry(), ExtentsOf(x), ExtentsOf(*operands.w), &out));
  ConvProblem p = ProblemOf(attrs.Geometry(), x, *operands.w, out);
  p.depthwise =
      attrs.IsDepthwise(p.in.channels, p.out.channels, ops::MulDim(p.kernel.h, p.kernel.w));
  TERN_TRY(call.Charge(ops::MulDim(CountOf(out), p.depth())));
  TERN_TRY(CheckOperands(attrs, p, operands));
  TERN_TRY(PackOperands(attrs, p, call, &operands));
  TERN_TRY(MakeUnsigned(call, &operands));
  const ops::Layout layout = attrs.window.layout;
  TERN_TRY_ASSIGN(operands.x, ChannelsLast(call, *operands.x, layout, &operands.last_x));
  TERN_TRY_ASSIGN(TensorPtr y, NewChannelsLast(call, out, layout, attrs.to));
  if (y->element_count() > 0) TERN_TRY(RunQuantized(attrs, p, call, operands, *y));
  return Deliver(call, std::move(y), layout);
}

}  // namespace tern::kernels::bind
