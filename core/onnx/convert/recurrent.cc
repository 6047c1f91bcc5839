// SPDX-License-Identifier: Apache-2.0
// RNN, GRU and LSTM: core/ops has them with ONNX's own semantics.
#include <algorithm>
#include <iterator>

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

}  // namespace

void ConvertRecurrent(NodeContext& node) {
  ops::RecurrentAttrs attrs;
  const int direction = node.Choice("direction", {"forward", "reverse", "bidirectional"}, 0);
  attrs.direction = static_cast<ops::Direction>(direction);
  const int64_t default_hidden = node.DimOf(node.Input(2), 2);
  attrs.hidden = node.IntAtLeast("hidden_size", default_hidden, 1);
  attrs.batch_first = node.Bool("layout", false);
  attrs.clip = node.Float("clip", 0);
  if (node.detail() == "gru") attrs.linear_before_reset = node.Bool("linear_before_reset", false);
  if (node.detail() == "lstm") attrs.input_forget = node.Bool("input_forget", false);
  attrs.activations = ReadActivations(node);
  attrs.activation_alpha = node.FloatList("activation_alpha");
  attrs.activation_beta = node.FloatList("activation_beta");
  const int outputs = node.detail() == "lstm" ? 3 : 2;
  const std::vector<Value> parts =
      node.CallMany(node.detail(), node.inputs(), attrs.ToAttrs(), outputs);
  for (int i = 0; i < outputs; ++i) node.SetOutput(i, parts[static_cast<size_t>(i)]);
}

}  // namespace tern::onnx
