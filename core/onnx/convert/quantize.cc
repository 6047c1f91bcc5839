// SPDX-License-Identifier: Apache-2.0
// Quantized operators. The QLinear… ones become integer products that are scaled and rounded once.
#include "core/onnx/convert/converters.h"
#include "core/onnx/convert/window.h"
#include "core/ops/math_attrs.h"
#include "core/ops/shape_attrs.h"

namespace tern::onnx {
namespace {

Value CastValue(NodeContext& node, const Value& value, DType to) {
  ops::CastAttrs attrs;
  attrs.to = to;
  return node.Call("cast", {value}, attrs.ToAttrs());
}

// [channels] → [1, channels, 1, 1] for an image; other shapes stay.
Value PerChannel(NodeContext& node, const Value& value) {
  if (node.RankOf(value) != 1) return value;
  ops::ReshapeAttrs attrs;
  attrs.shape = {1, -1, 1, 1};
  return node.Call("reshape", {value}, attrs.ToAttrs());
}

// i32 accumulator * (a_scale * b_scale), quantized with y's scale and zero point.
Value Requantize(NodeContext& node, const Value& accumulator, const Value& scale, int y_scale) {
  const Value real = node.Call("mul", {CastValue(node, accumulator, kF32), scale});
  return node.Call("quantize_linear", {real, node.Input(y_scale), node.Input(y_scale + 1)});
}

}  // namespace

// QuantizeLinear and DequantizeLinear.
void ConvertQuantizeLinear(NodeContext& node) {
  ops::QuantizeAttrs attrs;
  attrs.axis = node.Int("axis", 1);
  attrs.block = node.IntAtLeast("block_size", 0, 0);
  attrs.saturate = node.Bool("saturate", true);
  const int64_t to = node.Int("output_dtype", 0);
  if (to != 0) {
    const Result<DType> dtype = MakeDType(static_cast<int32_t>(to));
    if (!dtype.ok()) return node.Fail("attribute 'output_dtype': ", dtype.status().message());
    attrs.to = *dtype;
  }
  node.SetOutput(0, node.Call(node.detail(), node.inputs(), attrs.ToAttrs()));
}

void ConvertDynamicQuantizeLinear(NodeContext& node) {
  const std::vector<Value> parts = node.CallMany("dynamic_quantize_linear", {node.Input(0)}, {}, 3);
  for (int i = 0; i < 3; ++i) node.SetOutput(i, parts[static_cast<size_t>(i)]);
}

// Inputs: a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero.
void ConvertQLinearMatMul(NodeContext& node) {
  const Value accumulator =
      node.Call("matmul_integer", {node.Input(0), node.Input(3), node.Input(2), node.Input(5)});
  const Value scale = node.Call("mul", {node.Input(1), node.Input(4)});
  node.SetOutput(0, Requantize(node, accumulator, scale, 6));
}

// Inputs: x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, bias (i32, of scale x_scale *
// w_scale).
void ConvertQLinearConv(NodeContext& node) {
  const int spatial = SpatialRank(node, node.Input(0));
  if (node.ok() && spatial != 2)
    return node.Unsupported("an input with ", spatial, " spatial axes; 2 are possible");
  ops::ConvAttrs attrs;
  attrs.window = ReadWindow(node, spatial);
  attrs.groups = node.IntAtLeast("group", 1, 1);
  Value accumulator =
      node.Call("conv_integer", {node.Input(0), node.Input(3), node.Input(2), node.Input(5)},
                attrs.ToAttrs());
  if (node.HasInput(8))
    accumulator = node.Call("add", {accumulator, PerChannel(node, node.Input(8))});
  const Value scale = node.Call("mul", {node.Input(1), PerChannel(node, node.Input(4))});
  node.SetOutput(0, Requantize(node, accumulator, scale, 6));
}

}  // namespace tern::onnx
