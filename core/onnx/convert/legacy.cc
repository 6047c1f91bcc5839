// SPDX-License-Identifier: Apache-2.0
// Opsets 1 to 6: broadcasting had to be asked for, and was aligned at an axis instead of at the
// last one.
#include "core/onnx/convert/compose.h"
#include "core/onnx/convert/converters.h"
#include "core/ops/math_attrs.h"
#include "core/ops/shape_attrs.h"

namespace tern::onnx {
namespace {

// b with axes of extent 1 behind, so that its first axis meets axis `axis` of a tensor of rank
// `rank`.
Value AlignAt(NodeContext& node, const Value& b, int64_t axis, int rank) {
  const int b_rank = node.RankOf(b);
  if (axis < 0) axis += rank;
  if (node.ok() && (axis < 0 || axis + b_rank > rank)) {
    node.Fail("attribute 'axis' does not fit inputs of rank ", rank, " and ", b_rank);
    return nullptr;
  }
  ops::AxesAttrs attrs;
  for (int64_t i = b_rank; i < rank - axis; ++i) attrs.axes.push_back(i);
  return attrs.axes.empty() ? b : node.Call("unsqueeze", {b}, attrs.ToAttrs());
}

}  // namespace

void ConvertLegacyBinary(NodeContext& node) {
  const bool broadcast = node.Bool("broadcast", false);
  const bool aligned = node.Has("axis");
  const int64_t axis = node.Int("axis", 0);
  node.IntList("consumed_inputs");
  Value b = node.Input(1);
  if (broadcast && aligned) b = AlignAt(node, b, axis, node.RankOf(node.Input(0)));
  node.SetOutput(0, node.Call(node.detail(), {node.Input(0), b}));
}

// A slope per channel: axis 1 of the input.
void ConvertLegacyPRelu(NodeContext& node) {
  node.IntList("consumed_inputs");
  Value slope = node.Input(1);
  const int rank = node.RankOf(node.Input(0));
  if (node.DimOf(slope, 0) != 1 && rank > 1) slope = AlignAt(node, slope, 1, rank);
  node.SetOutput(0, node.Call("prelu", {node.Input(0), slope}));
}

void ConvertLegacyBatchNormalization(NodeContext& node) {
  node.IntList("consumed_inputs");
  if (!node.Bool("is_test", false)) return node.Unsupported("training (is_test=0)");
  ConvertBatchNormalization(node);
}

void ConvertLegacyGemm(NodeContext& node) {
  node.Int("broadcast", 0);
  ConvertGemm(node);
}

// --- experimental operators, which the standard gave up before opset 10

// alpha * x + beta; Scale has one factor.
void ConvertAffine(NodeContext& node) {
  Compose in(node);
  const bool scales = node.detail() == "scale";
  const Value y = in.Scaled(node.Input(0),
                            static_cast<double>(node.Float(scales ? "scale" : "alpha", 1)));
  const float beta = scales ? 0 : node.Float("beta", 0);
  node.SetOutput(0, beta == 0 ? y : in.Add(y, in.Like(y, static_cast<double>(beta))));
}

// alpha * f(beta * x).
void ConvertScaledFunction(NodeContext& node) {
  Compose in(node);
  const auto alpha = static_cast<double>(node.Float("alpha", 1));
  const auto beta = static_cast<double>(node.Float("beta", 1));
  node.SetOutput(0, in.Scaled(in.Unary(node.detail(), in.Scaled(node.Input(0), beta)), alpha));
}

// scale * x plus a bias for each channel.
void ConvertImageScaler(NodeContext& node) {
  Compose in(node);
  const Value x = in.Scaled(node.Input(0), static_cast<double>(node.Float("scale", 1)));
  const Floats bias = node.FloatList("bias");
  if (bias.empty()) return node.SetOutput(0, x);
  node.SetOutput(0, in.Add(x, in.Cast(in.Reshape(in.Floats(bias), {-1, 1, 1}), node.DTypeOf(x))));
}

// An image without a border [left, top, right, bottom], or of an extent [height, width].
void ConvertCrop(NodeContext& node) {
  const Ints border = node.IntList("border"), scale = node.IntList("scale");
  if (border.size() != 4 || (!scale.empty() && scale.size() != 2))
    return node.Fail("attribute 'border' has ", border.size(), " values and 'scale' ", scale.size(),
                     ", expected 4 and 2 or none");
  ops::SliceAttrs attrs;
  attrs.axes = {2, 3};
  attrs.starts = {border[1], border[0]};
  for (size_t i = 0; i < 2; ++i) {
    const int64_t behind = border[3 - i];
    if (border[i] < 0 || behind < 0 || (!scale.empty() && scale[i] < 0))
      return node.Fail("attributes 'border' and 'scale' have negative values");
    attrs.ends.push_back(!scale.empty() ? attrs.starts[i] + scale[i]
                         : behind == 0  ? INT64_MAX
                                        : -behind);
  }
  node.SetOutput(0, node.Call("slice", {node.Input(0)}, attrs.ToAttrs()));
}

namespace {

// How large a fill is: attribute 'shape', or what input 0 holds, or as large as that is, each with
// 'extra_shape' behind.
Value ShapeOfFill(NodeContext& node) {
  Compose in(node);
  Ints shape = node.IntList("shape");
  const Ints extra = node.IntList("extra_shape");
  const bool is_read = node.Bool("input_as_shape", false);
  if (node.HasInput(0) == node.Has("shape"))
    node.Fail("it needs either its input or attribute 'shape'");
  shape.insert(shape.end(), extra.begin(), extra.end());
  for (const int64_t extent : shape) {
    if (extent < 0) node.Fail("attributes 'shape' and 'extra_shape' have negative values");
  }
  if (!node.ok() || !node.HasInput(0)) return node.ConstantInts(shape);
  const Value given = is_read ? in.Cast(node.Input(0), kI64) : in.ShapeOf(node.Input(0));
  return extra.empty() ? given : in.Concat({given, node.ConstantInts(extra)}, 0);
}

}  // namespace

// The numbers of 'values', of the type of input 0 if that is one of floats.
void ConvertGivenTensorFill(NodeContext& node) {
  Compose in(node);
  const Value shape = ShapeOfFill(node), values = in.Floats(node.FloatList("values"));
  const DType type = node.HasInput(0) ? node.DTypeOf(node.Input(0)) : kF32;
  node.SetOutput(0, in.Cast(in.ReshapeBy(values, shape), type.is_float() ? type : kF32));
}

// One number everywhere.
void ConvertConstantFill(NodeContext& node) {
  Compose in(node);
  const int64_t number = node.Int("dtype", 1);
  const Result<DType> type = MakeDType(static_cast<int32_t>(number));
  if (!type.ok() || type->is_string())
    return node.Fail("attribute 'dtype' is ", number, ", expected a type of numbers");
  const Value value = node.Scalar(kF32, static_cast<double>(node.Float("value", 0)));
  node.SetOutput(0, in.Cast(in.Expand(value, ShapeOfFill(node)), *type));
}

}  // namespace tern::onnx
