// SPDX-License-Identifier: Apache-2.0
// Loss functions, which the standard's default domain has, put together from simpler operators.
#include "core/onnx/convert/converters.h"
#include "core/ops/math_attrs.h"
#include "core/ops/shape_attrs.h"

namespace tern::onnx {
namespace {

Value AxisCall(NodeContext& node, std::string_view op, std::vector<Value> args, int64_t axis) {
  ops::AxisAttrs attrs;
  attrs.axis = axis;
  return node.Call(op, std::move(args), attrs.ToAttrs());
}

Value AxesCall(NodeContext& node, std::string_view op, const Value& x, int64_t axis) {
  ops::AxesAttrs attrs;
  attrs.axes = {axis};
  return node.Call(op, {x}, attrs.ToAttrs());
}

Value ReduceAll(NodeContext& node, std::string_view op, const Value& x) {
  ops::ReduceAttrs attrs;
  attrs.keep_dims = false;
  return node.Call(op, {x}, attrs.ToAttrs());
}

// -weight[target] * log_probability[target], 0 where target is ignore_index; then reduced.
Value NegativeLogLikelihood(NodeContext& node, const Value& log_probability) {
  const int reduction = node.Choice("reduction", {"none", "sum", "mean"}, 2);
  const DType dtype = node.DTypeOf(log_probability);
  Value target = node.ToI64(node.Input(1)), weight, ignored;
  if (node.Has("ignore_index")) {
    const Value index = node.Scalar(kI64, static_cast<double>(node.Int("ignore_index", 0)));
    ignored = node.Call("equal", {target, index});
    // An index to be ignored is often none of the classes, such as -100 or 255, so that nothing can
    // be picked with it: class 0 stands in, and its weight becomes 0.
    target = node.Call("where", {ignored, node.Scalar(kI64, 0), target});
  }
  if (node.HasInput(2)) weight = AxisCall(node, "gather", {node.Input(2), target}, 0);
  if (ignored != nullptr) {
    const Value kept = weight != nullptr ? weight : node.Scalar(dtype, 1);
    weight = node.Call("where", {ignored, node.Scalar(dtype, 0), kept});
  }
  const Value places = AxesCall(node, "unsqueeze", target, 1);
  const Value picked = AxisCall(node, "gather_elements", {log_probability, places}, 1);
  Value loss = node.Call("neg", {AxesCall(node, "squeeze", picked, 1)});
  if (weight != nullptr) loss = node.Call("mul", {loss, weight});
  if (reduction == 0) return loss;
  if (reduction == 1) return ReduceAll(node, "reduce_sum", loss);
  // A mean is over the weights of what counts, not over the number of targets.
  if (weight == nullptr) return ReduceAll(node, "reduce_mean", loss);
  return node.Call("div",
                   {ReduceAll(node, "reduce_sum", loss), ReduceAll(node, "reduce_sum", weight)});
}

}  // namespace

void ConvertNegativeLogLikelihoodLoss(NodeContext& node) {
  node.SetOutput(0, NegativeLogLikelihood(node, node.Input(0)));
}

void ConvertSoftmaxCrossEntropyLoss(NodeContext& node) {
  ops::SoftmaxAttrs attrs;
  attrs.axis = 1;
  const Value log_probability = node.Call("log_softmax", {node.Input(0)}, attrs.ToAttrs());
  node.SetOutput(0, NegativeLogLikelihood(node, log_probability));
  node.SetOutput(1, log_probability);
}

}  // namespace tern::onnx
