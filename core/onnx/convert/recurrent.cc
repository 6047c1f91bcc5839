// SPDX-License-Identifier: Apache-2.0
// RNN, GRU and LSTM: core/ops has them with ONNX's own semantics.
#include <algorithm>
#include <iterator>

#include "core/onnx/convert/compose.h"
#include "core/onnx/convert/converters.h"
#include "core/ops/math_attrs.h"

namespace tern::onnx {
namespace {

// Joined by commas. Unknown names must not reach the attribute's text.
std::string ReadActivations(NodeContext& node) {
  static constexpr std::string_view kKnown[] = {
      "Affine",  "Elu",      "HardSigmoid", "LeakyRelu", "Relu",           "ScaledTanh",
      "Sigmoid", "Softplus", "Softsign",    "Tanh",      "ThresholdedRelu"};
  const std::vector<std::string_view> names = node.TextList("activations");
  for (const std::string_view name : names) {
    if (std::find(std::begin(kKnown), std::end(kKnown), name) == std::end(kKnown)) {
      node.Fail("activation '", name, "' is not one of the standard's");
    }
  }
  return node.ok() ? StrJoin(std::span<const std::string_view>(names), ",") : "";
}

// Weights of DynamicQuantizeLSTM [directions, inputs, 4 * hidden], with a scale and a zero point
// for each direction or each column, as LSTM has them.
Value QuantizedWeights(NodeContext& node, int weights, int scale) {
  Compose in(node);
  const int64_t directions = node.DimOf(node.Input(weights), 0);
  const auto real = [&](const Value& x, const Ints& shape) {
    return shape.empty() ? in.Cast(x, kF32) : in.Reshape(in.Cast(x, kF32), shape);
  };
  const Ints columns = {directions, 1, -1};
  const Value steps = in.Sub(real(node.Input(weights), {}), real(node.Input(scale + 1), columns));
  return in.Transpose(in.Mul(steps, real(node.Input(scale), columns)), {0, 2, 1});
}

}  // namespace

void ConvertRecurrent(NodeContext& node) {
  ops::RecurrentAttrs attrs;
  const int direction = node.Choice("direction", {"forward", "reverse", "bidirectional"}, 0);
  attrs.direction = static_cast<ops::Direction>(direction);
  const bool is_quantized = node.detail() == "quantized";
  const std::string_view op = is_quantized ? "lstm" : node.detail();
  const int64_t default_hidden = node.DimOf(node.Input(2), is_quantized ? 1 : 2);
  attrs.hidden = node.IntAtLeast("hidden_size", default_hidden, 1);
  attrs.batch_first = node.Bool("layout", false);
  attrs.clip = node.Float("clip", 0);
  if (op == "gru") attrs.linear_before_reset = node.Bool("linear_before_reset", false);
  if (op == "lstm") attrs.input_forget = node.Bool("input_forget", false);
  attrs.activations = ReadActivations(node);
  attrs.activation_alpha = node.FloatList("activation_alpha");
  attrs.activation_beta = node.FloatList("activation_beta");
  const int outputs = op == "lstm" ? 3 : 2;
  std::vector<Value> inputs = node.inputs();
  if (is_quantized) {
    for (int i = 8; i < 12; ++i) {
      if (!node.HasInput(i))
        return node.Fail("input ", i, ", a scale or a zero point of its weights, is left out");
    }
    inputs.resize(8);
    inputs[1] = QuantizedWeights(node, 1, 8);
    inputs[2] = QuantizedWeights(node, 2, 10);
  }
  const std::vector<Value> parts = node.CallMany(op, inputs, attrs.ToAttrs(), outputs);
  for (int i = 0; i < outputs; ++i) node.SetOutput(i, parts[static_cast<size_t>(i)]);
}

}  // namespace tern::onnx
