// SPDX-License-Identifier: Apache-2.0
// Steps of optimizers (ai.onnx.preview.training), as the elementwise operators that the standard
// defines them by. Inputs: the rate R, the number of steps T, then for n tensors the values, their
// gradients and one or two kinds of state; outputs: the new values, then the new states.
#include <string_view>
#include <vector>

#include "core/onnx/convert/converters.h"

namespace tern::onnx {
namespace {

// Elementwise arithmetic with numbers of the tensors' own type.
class Arithmetic {
 public:
  Arithmetic(NodeContext& node, DType dtype) : node_(node), dtype_(dtype) {}

  Value Number(double value) { return node_.Scalar(dtype_, value); }
  Value Add(const Value& a, const Value& b) { return node_.Call("add", {a, b}); }
  Value Sub(const Value& a, const Value& b) { return node_.Call("sub", {a, b}); }
  Value Mul(const Value& a, const Value& b) { return node_.Call("mul", {a, b}); }
  Value Div(const Value& a, const Value& b) { return node_.Call("div", {a, b}); }
  Value Pow(const Value& a, const Value& b) { return node_.Call("pow", {a, b}); }
  Value Sqrt(const Value& a) { return node_.Call("sqrt", {a}); }
  Value Scaled(double factor, const Value& a) { return Mul(Number(factor), a); }
  // share * a + (1 - share) * b
  Value Mixed(double share, const Value& a, const Value& b) {
    return Add(Scaled(share, a), Scaled(1 - share, b));
  }
  Value Cast(const Value& value) {
    if (node_.DTypeOf(value) == dtype_) return value;
    Attrs attrs;
    attrs.SetString("to", dtype_.ToString());
    return node_.Call("cast", {value}, attrs);
  }
  // `later` where steps have been made, else `first`.
  Value AfterFirst(const Value& steps, const Value& later, const Value& first) {
    return node_.Call("where", {node_.Call("greater", {steps, Number(0)}), later, first});
  }

 private:
  NodeContext& node_;
  DType dtype_;
};

// How many tensors there are with so many inputs each; fails if the inputs do not divide.
size_t CountTensors(NodeContext& node, size_t each) {
  const size_t inputs = node.inputs().size();
  for (size_t i = 0; i < inputs; ++i) {
    if (node.inputs()[i] == nullptr) node.Fail("input ", i, " is left out, but it is not optional");
  }
  if (inputs < 2 + each || (inputs - 2) % each != 0) {
    node.Fail("it has ", inputs, " inputs, expected 2 and ", each, " for each tensor");
  }
  return node.ok() ? (inputs - 2) / each : 0;
}

// Input `kind` of tensor i of n.
Value PartOf(NodeContext& node, size_t kind, size_t n, size_t i) {
  return node.inputs()[2 + kind * n + i];
}

}  // namespace

void ConvertMomentum(NodeContext& node) {
  const double alpha = static_cast<double>(node.Float("alpha", 0));
  const double beta = static_cast<double>(node.Float("beta", 0));
  const double norm = static_cast<double>(node.Float("norm_coefficient", 0));
  const bool nesterov = node.Choice("mode", {"standard", "nesterov"}, 0) == 1;
  const size_t n = CountTensors(node, 3);
  for (size_t i = 0; i < n && node.ok(); ++i) {
    const Value x = PartOf(node, 0, n, i), velocity = PartOf(node, 2, n, i);
    Arithmetic in(node, node.DTypeOf(x));
    const Value gradient = in.Add(in.Scaled(norm, x), PartOf(node, 1, n, i));
    const Value factor = in.AfterFirst(in.Cast(node.Input(1)), in.Number(beta), in.Number(1));
    const Value next = in.Add(in.Scaled(alpha, velocity), in.Mul(factor, gradient));
    const Value step = nesterov ? in.Add(gradient, in.Scaled(alpha, next)) : next;
    node.SetOutput(static_cast<int>(i), in.Sub(x, in.Mul(in.Cast(node.Input(0)), step)));
    node.SetOutput(static_cast<int>(n + i), next);
  }
}

void ConvertAdagrad(NodeContext& node) {
  const double decay = static_cast<double>(node.Float("decay_factor", 0));
  const double epsilon = static_cast<double>(node.Float("epsilon", 1e-6f));
  const double norm = static_cast<double>(node.Float("norm_coefficient", 0));
  const size_t n = CountTensors(node, 3);
  for (size_t i = 0; i < n && node.ok(); ++i) {
    const Value x = PartOf(node, 0, n, i);
    Arithmetic in(node, node.DTypeOf(x));
    const Value slower = in.Add(in.Number(1), in.Scaled(decay, in.Cast(node.Input(1))));
    const Value rate = in.Div(in.Cast(node.Input(0)), slower);
    const Value gradient = in.Add(in.Scaled(norm, x), PartOf(node, 1, n, i));
    const Value squares = in.Add(PartOf(node, 2, n, i), in.Mul(gradient, gradient));
    const Value length = in.Add(in.Sqrt(squares), in.Number(epsilon));
    node.SetOutput(static_cast<int>(i), in.Sub(x, in.Div(in.Mul(rate, gradient), length)));
    node.SetOutput(static_cast<int>(n + i), squares);
  }
}

void ConvertAdam(NodeContext& node) {
  const double alpha = static_cast<double>(node.Float("alpha", 0.9f));
  const double beta = static_cast<double>(node.Float("beta", 0.999f));
  const double epsilon = static_cast<double>(node.Float("epsilon", 1e-6f));
  const double norm = static_cast<double>(node.Float("norm_coefficient", 0));
  const double norm_post = static_cast<double>(node.Float("norm_coefficient_post", 0));
  const size_t n = CountTensors(node, 4);
  for (size_t i = 0; i < n && node.ok(); ++i) {
    const Value x = PartOf(node, 0, n, i);
    Arithmetic in(node, node.DTypeOf(x));
    const Value rate = in.Cast(node.Input(0)), steps = in.Cast(node.Input(1));
    const Value gradient = in.Add(in.Scaled(norm, x), PartOf(node, 1, n, i));
    const Value mean = in.Mixed(alpha, PartOf(node, 2, n, i), gradient);
    const Value square = in.Mixed(beta, PartOf(node, 3, n, i), in.Mul(gradient, gradient));
    // Means that began at zero are too small by these factors.
    const Value grown = in.Div(in.Sqrt(in.Sub(in.Number(1), in.Pow(in.Number(beta), steps))),
                               in.Sub(in.Number(1), in.Pow(in.Number(alpha), steps)));
    const Value adjusted = in.AfterFirst(steps, in.Mul(rate, grown), rate);
    const Value length = in.Add(in.Sqrt(square), in.Number(epsilon));
    const Value next = in.Sub(x, in.Div(in.Mul(adjusted, mean), length));
    node.SetOutput(static_cast<int>(i), in.Scaled(1 - norm_post, next));
    node.SetOutput(static_cast<int>(n + i), mean);
    node.SetOutput(static_cast<int>(2 * n + i), square);
  }
}

}  // namespace tern::onnx
