// SPDX-License-Identifier: Apache-2.0
// Quantized operators. The QLinear… ones become integer products that are scaled and rounded once.
#include "core/onnx/convert/compose.h"
#include "core/onnx/convert/converters.h"
#include "core/onnx/convert/window.h"
#include "core/ops/math_attrs.h"
#include "core/ops/shape_attrs.h"

namespace tern::onnx {
namespace {

Value CastValue(NodeContext& node, const Value& value, DType to) {
  if (node.DTypeOf(value) == to) return value;
  ops::CastAttrs attrs;
  attrs.to = to;
  return node.Call("cast", {value}, attrs.ToAttrs());
}

// [channels] → [1, channels, 1, …] for an image; other shapes stay.
Value PerChannel(NodeContext& node, const Value& value, int spatial) {
  if (node.RankOf(value) != 1) return value;
  ops::ReshapeAttrs attrs;
  attrs.shape.assign(static_cast<size_t>(spatial) + 2, 1);
  attrs.shape[1] = -1;
  return node.Call("reshape", {value}, attrs.ToAttrs());
}

// i32 sums of scale `scale`, quantized with y's scale and zero point. The ratio of the scales is
// taken first, as other runtimes do: sums that lie between two integers then round alike.
Value Requantize(NodeContext& node, const Value& sum, const Value& scale, int y_scale) {
  const Value ratio = node.Call("div", {scale, CastValue(node, node.Input(y_scale), kF32)});
  const Value steps = node.Call("mul", {CastValue(node, sum, kF32), ratio});
  return node.Call("quantize_linear", {steps, node.Scalar(kF32, 1), node.Input(y_scale + 1)});
}

// QLinearMatMul of floats of 8 bits.
void QuantizeFloatProduct(NodeContext& node) {
  ops::QuantizeAttrs attrs;
  const auto real = [&](int i, int64_t axis) {
    attrs.axis = axis;
    return CastValue(
        node,
        node.Call("dequantize_linear", {node.Input(i), node.Input(i + 1), node.Input(i + 2)},
                  attrs.ToAttrs()),
        kF32);
  };
  const Value y = Compose(node).MatMul(real(0, -2), real(3, -1));
  attrs.axis = 1;
  node.SetOutput(
      0, node.Call("quantize_linear", {y, CastValue(node, node.Input(6), kF32), node.Input(7)},
                   attrs.ToAttrs()));
}

// An element type; 0 and absence leave *dtype as it is.
void ReadDType(NodeContext& node, std::string_view name, DType* dtype) {
  const int64_t number = node.Int(name, 0);
  if (number == 0) return;
  const Result<DType> read = MakeDType(static_cast<int32_t>(number));
  if (!read.ok()) return node.Fail("attribute '", name, "': ", read.status().message());
  *dtype = *read;
}

}  // namespace

// QuantizeLinear and DequantizeLinear.
void ConvertQuantizeLinear(NodeContext& node) {
  ops::QuantizeAttrs attrs;
  attrs.axis = node.Int("axis", 1);
  attrs.block = node.IntAtLeast("block_size", 0, 0);
  attrs.saturate = node.Bool("saturate", true);
  ReadDType(node, "output_dtype", &attrs.to);
  ReadDType(node, "precision", &attrs.precision);
  node.SetOutput(0, node.Call(node.detail(), node.inputs(), attrs.ToAttrs()));
}

void ConvertDynamicQuantizeLinear(NodeContext& node) {
  const std::vector<Value> parts = node.CallMany("dynamic_quantize_linear", {node.Input(0)}, {}, 3);
  for (int i = 0; i < 3; ++i) node.SetOutput(i, parts[static_cast<size_t>(i)]);
}

// Inputs: a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero. Scales may be 16-bit floats;
// several of a belong to its rows, of b to its columns.
void ConvertQLinearMatMul(NodeContext& node) {
  if (!node.DTypeOf(node.Input(0)).is_int()) return QuantizeFloatProduct(node);
  const Value accumulator =
      node.Call("matmul_integer", {node.Input(0), node.Input(3), node.Input(2), node.Input(5)});
  Value rows = CastValue(node, node.Input(1), kF32);
  if (node.RankOf(rows) == 1 && node.DimOf(rows, 0) != 1) {
    ops::AxesAttrs last;
    last.axes = {1};
    rows = node.Call("unsqueeze", {rows}, last.ToAttrs());
  }
  const Value scale = node.Call("mul", {rows, CastValue(node, node.Input(4), kF32)});
  node.SetOutput(0, Requantize(node, accumulator, scale, 6));
}

// Inputs: x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, bias (i32, of scale x_scale *
// w_scale).
void ConvertQLinearConv(NodeContext& node) {
  const int spatial = SpatialRank(node, node.Input(0));
  if (!WeightsFit(node, 3)) return;
  ops::ConvAttrs attrs;
  attrs.window = ReadWindow(node, spatial);
  attrs.groups = node.IntAtLeast("group", 1, 1);
  const bool is_last = node.detail() == "contributed" && node.Bool("channels_last", false);
  const Value x = WidenImage(node, ChannelsFirst(node, node.Input(0), is_last), spatial),
              w = WidenImage(node, node.Input(3), spatial);
  Value sum = node.Call("conv_integer", {x, w, node.Input(2), node.Input(5)}, attrs.ToAttrs());
  sum = NarrowImage(node, sum, spatial);
  if (node.HasInput(8)) sum = node.Call("add", {sum, PerChannel(node, node.Input(8), spatial)});
  const Value scale = node.Call("mul", {node.Input(1), PerChannel(node, node.Input(4), spatial)});
  node.SetOutput(0, ChannelsLast(node, Requantize(node, sum, scale, 6), is_last));
}

// QGemm. Inputs: a, a_scale, a_zero, b, b_scale, b_zero, bias (i32, of the scale of the product),
// y_scale, y_zero. Without the last two the result is a float.
void ConvertQGemm(NodeContext& node) {
  Compose in(node);
  Value a = node.Input(0), b = node.Input(3);
  if (node.ok() && (node.RankOf(a) != 2 || node.RankOf(b) != 2))
    return node.Fail("its matrices have ranks ", node.RankOf(a), " and ", node.RankOf(b),
                     ", expected 2");
  if (node.Bool("transA", false)) a = in.Transpose(a, {1, 0});
  if (node.Bool("transB", false)) b = in.Transpose(b, {1, 0});
  Value sum = in.Call("matmul_integer", {a, b, node.Input(2), node.Input(5)});
  if (node.HasInput(6)) sum = in.Add(sum, node.Input(6));
  const Value scale =
      in.Scaled(in.Mul(node.Input(1), node.Input(4)), static_cast<double>(node.Float("alpha", 1)));
  node.SetOutput(
      0, node.HasInput(7) ? Requantize(node, sum, scale, 7) : in.Mul(in.Cast(sum, kF32), scale));
}

// Inputs: condition, x, x_scale, x_zero, y, y_scale, y_zero, z_scale, z_zero.
void ConvertQLinearWhere(NodeContext& node) {
  Compose in(node);
  const auto real = [&](int i) {
    return in.Call("dequantize_linear", {node.Input(i), node.Input(i + 1), node.Input(i + 2)});
  };
  const Value z = in.Where(node.Input(0), real(1), real(4));
  node.SetOutput(0, in.Call("quantize_linear", {z, node.Input(7), node.Input(8)}));
}

// QLinearAdd and QLinearMul. Inputs: a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero; a
// zero point that is left out is 0.
void ConvertQLinearBinary(NodeContext& node) {
  const auto real = [&](int i) {
    return node.Call("dequantize_linear", {node.Input(i), node.Input(i + 1), node.Input(i + 2)});
  };
  const Value y = node.Call(node.detail(), {real(0), real(3)});
  ops::QuantizeAttrs attrs;
  attrs.to = node.DTypeOf(node.Input(0));
  node.SetOutput(0,
                 node.Call("quantize_linear", {y, node.Input(6), node.Input(7)}, attrs.ToAttrs()));
}

// QLinearSigmoid and QLinearLeakyRelu. Inputs: x, x_scale, x_zero, y_scale, y_zero.
void ConvertQLinearUnary(NodeContext& node) {
  Attrs of_op;
  if (node.detail() == "leaky_relu") of_op.SetFloat32("alpha", node.Float("alpha", 0.01f));
  const Value x = node.Call("dequantize_linear", {node.Input(0), node.Input(1), node.Input(2)});
  ops::QuantizeAttrs attrs;
  attrs.to = node.DTypeOf(node.Input(0));
  node.SetOutput(0, node.Call("quantize_linear",
                              {node.Call(node.detail(), {x}, of_op), node.Input(3), node.Input(4)},
                              attrs.ToAttrs()));
}

}  // namespace tern::onnx
