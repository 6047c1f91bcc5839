// SPDX-License-Identifier: Apache-2.0
// Fourier transforms and the weights of mel bins.
#include "core/onnx/convert/compose.h"
#include "core/onnx/convert/converters.h"
#include "core/ops/math_attrs.h"

namespace tern::onnx {
namespace {

// How often each of the bins that are given counts: of a spectrum whose other side is left out,
// twice but for the first one and the one in the middle, and not at all behind the middle.
Value BinWeights(Compose& in, const Value& bins, const Value& length) {
  const Value bin = in.Range(bins), twice = in.Add(bin, bin);
  const Value is_first = in.Call("equal", {bin, in.Int(0)});
  const Value is_middle = in.Call("equal", {twice, length});
  const Value mirrored = in.Where(in.Call("less", {twice, length}), in.Int(2), in.Int(0));
  return in.Where(in.Call("or", {is_first, is_middle}), in.Int(1), mirrored);
}

// The real signal that has this side of a spectrum: the real part of what the weighted side gives,
// because what the other side would add is its conjugate.
Value RealSignal(NodeContext& node, const Value& x, ops::DftAttrs attrs) {
  Compose in(node);
  const int64_t rank = node.RankOf(x), axis = attrs.axis < 0 ? attrs.axis + rank : attrs.axis;
  if (node.ok() && (axis < 0 || axis >= rank - 1))
    node.Fail("its axis is ", attrs.axis, " of an input of rank ", rank,
              ", whose last axis holds real and imaginary parts");
  if (!node.ok()) return nullptr;
  const Value bins = in.DimOf(x, axis);
  const Value length = node.HasInput(1) ? in.Reshape(node.ToI64(node.Input(1)), {})
                                        : in.Mul(in.Int(2), in.Sub(bins, in.Int(1)));
  Ints along(static_cast<size_t>(rank), 1);
  along[static_cast<size_t>(axis)] = -1;
  const Value weights = in.Cast(BinWeights(in, bins, length), node.DTypeOf(x));
  attrs.onesided = false;
  const Value weighted = in.Mul(x, in.Reshape(weights, along));
  return in.Slice(node.Call("dft", {weighted, length}, attrs.ToAttrs()), rank - 1, 0, 1);
}

Value TransformAlong(NodeContext& node, const Value& x, int64_t axis) {
  ops::DftAttrs attrs;
  attrs.axis = axis;
  attrs.inverse = node.Bool("inverse", false);
  attrs.onesided = node.Bool("onesided", false);
  if (attrs.inverse && attrs.onesided) return RealSignal(node, x, attrs);
  return node.Call("dft", {x, node.Input(1)}, attrs.ToAttrs());
}

// Along an axis that is computed: the axes before it become one, and so do those behind it.
Value TransformAlongComputed(NodeContext& node, const Value& x, const Value& axis) {
  Compose in(node);
  const int rank = node.RankOf(x);
  if (node.ok() && rank < 2) node.Fail("its input has rank ", rank, ", expected at least 2");
  if (!node.ok()) return nullptr;
  const Value given = in.Reshape(node.ToI64(axis), {1});
  const Value place =
      in.Where(in.Call("less", {given, in.Int(0)}), in.Add(given, in.Int(rank)), given);
  const Value shape = in.ShapeOf(x), index = in.Range(in.Int(rank - 1));
  const Value extents = in.Slice(shape, 0, 0, rank - 1);
  const auto product_of = [&](std::string_view compare) {
    const Value counts = in.Where(in.Call(compare, {index, place}), extents, in.Int(1));
    return in.Reduce("reduce_prod", counts, {0}, false);
  };
  const Value merged = in.ReshapeTo(x, {product_of("less"), in.Gather(shape, place),
                                        product_of("greater"), in.DimOf(x, rank - 1)});
  const Value y = TransformAlong(node, merged, 1);
  const Value length = in.Reshape(in.DimOf(y, 1), {1});
  const Value result = in.Call("scatter_elements", {extents, place, length});
  return in.ReshapeTo(y, {result, in.DimOf(y, 3)});
}

}  // namespace

namespace {

// The transforms compute in f32 and f64.
Value WideInput(NodeContext& node, int index) {
  const Value x = node.Input(index);
  return x != nullptr && node.DTypeOf(x).bits == 16 ? Compose(node).Cast(x, kF32) : x;
}

void SetNarrowed(NodeContext& node, const Value& y) {
  const DType type = node.DTypeOf(node.Input(0));
  node.SetOutput(0, type.bits == 16 ? Compose(node).Cast(y, type) : y);
}

}  // namespace

void ConvertDftByAttribute(NodeContext& node) {
  SetNarrowed(node, TransformAlong(node, WideInput(node, 0), node.Int("axis", 1)));
}

// From opset 20 on the axis is an input.
void ConvertDft(NodeContext& node) {
  const Value axis = node.Input(2);
  if (axis != nullptr && !node.KnownInts(axis))
    return SetNarrowed(node, TransformAlongComputed(node, WideInput(node, 0), axis));
  const int64_t known = axis == nullptr ? -2 : node.RequireInt(2, "axis");
  if (node.ok()) SetNarrowed(node, TransformAlong(node, WideInput(node, 0), known));
}

void ConvertStft(NodeContext& node) {
  ops::StftAttrs attrs;
  attrs.onesided = node.Bool("onesided", true);
  const std::vector<Value> args = {WideInput(node, 0), node.Input(1), WideInput(node, 2),
                                   node.Input(3)};
  SetNarrowed(node, node.Call("stft", args, attrs.ToAttrs()));
}

void ConvertMelWeightMatrix(NodeContext& node) {
  Compose in(node);
  const Result<DType> to = MakeDType(static_cast<int32_t>(node.Int("output_datatype", 1)));
  if (!to.ok()) return node.Fail("attribute 'output_datatype': ", to.status().message());
  ops::CastAttrs attrs;
  attrs.to = *to == kF64 ? kF64 : kF32;
  node.SetOutput(0, in.Cast(node.Call("mel_weights", node.inputs(), attrs.ToAttrs()), *to));
}

}  // namespace tern::onnx
