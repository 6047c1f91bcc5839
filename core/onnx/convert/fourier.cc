// SPDX-License-Identifier: Apache-2.0
// Fourier transforms and the weights of mel bins.
#include "core/onnx/convert/converters.h"
#include "core/ops/math_attrs.h"

namespace tern::onnx {
namespace {

void ConvertDftAlong(NodeContext& node, int64_t axis) {
  ops::DftAttrs attrs;
  attrs.axis = axis;
  attrs.inverse = node.Bool("inverse", false);
  attrs.onesided = node.Bool("onesided", false);
  if (attrs.inverse && attrs.onesided)
    return node.Unsupported("an inverse transform of one side of a spectrum");
  node.SetOutput(0, node.Call("dft", {node.Input(0), node.Input(1)}, attrs.ToAttrs()));
}

}  // namespace

void ConvertDftByAttribute(NodeContext& node) { ConvertDftAlong(node, node.Int("axis", 1)); }

// From opset 20 on the axis is an input.
void ConvertDft(NodeContext& node) {
  const int64_t axis = node.HasInput(2) ? node.RequireInt(2, "axis") : -2;
  if (node.ok()) ConvertDftAlong(node, axis);
}

void ConvertStft(NodeContext& node) {
  ops::StftAttrs attrs;
  attrs.onesided = node.Bool("onesided", true);
  node.SetOutput(0, node.Call("stft", node.inputs(), attrs.ToAttrs()));
}

void ConvertMelWeightMatrix(NodeContext& node) {
  ops::CastAttrs attrs;
  const Result<DType> to = MakeDType(static_cast<int32_t>(node.Int("output_datatype", 1)));
  if (!to.ok()) return node.Fail("attribute 'output_datatype': ", to.status().message());
  attrs.to = *to;
  node.SetOutput(0, node.Call("mel_weights", node.inputs(), attrs.ToAttrs()));
}

}  // namespace tern::onnx
