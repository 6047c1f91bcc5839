// SPDX-License-Identifier: Apache-2.0
// Rules of products, of reductions and of what is made of them.
#include <algorithm>
#include <string>

#include "core/base/strings.h"
#include "core/onnx/gradient/rules.h"
#include "core/onnx/gradient/term.h"
#include "core/ops/math_attrs.h"

namespace tern::onnx {
namespace {

// --- matmul

Value SwapLast(GradientStep& step, const Value& x) {
  Ints perm;
  for (int axis = 0; axis < step.node.RankOf(x); ++axis) perm.push_back(axis);
  if (perm.size() >= 2) std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return step.in.Transpose(x, perm);
}

// Vectors as matrices: a as a row, b as a column.
Value AsMatrix(GradientStep& step, const Value& x, int64_t axis) {
  return step.node.RankOf(x) == 1 ? step.in.Unsqueeze(x, {axis}) : x;
}

// The axis that AsMatrix added goes again.
Value LikeVector(GradientStep& step, const Value& gradient, const Value& matrix, const Value& x) {
  const Value sum = step.SumTo(gradient, matrix);
  return matrix == x ? sum : step.in.Call("reshape", {sum, step.in.ShapeOf(x)});
}

}  // namespace

// y = alpha a·b + beta bias, a and b perhaps transposed.
void GradientOfMatMul(GradientStep& step) {
  const auto attrs = step.AttrsOf<ops::MatMulAttrs>();
  Compose& in = step.in;
  const Value x = AsMatrix(step, step.arg(0), 0), w = AsMatrix(step, step.arg(1), 1);
  Value g = step.gradient();
  // The bias before g gets axes that the result does not have.
  if (step.wants(2)) step.Give(2, in.Scaled(g, static_cast<double>(attrs.beta)));
  if (w != step.arg(1)) g = in.Unsqueeze(g, {-1});
  if (x != step.arg(0)) g = in.Unsqueeze(g, {-2});
  if (attrs.alpha != 1) g = in.Scaled(g, static_cast<double>(attrs.alpha));
  const Value a = attrs.trans_a ? SwapLast(step, x) : x, b = attrs.trans_b ? SwapLast(step, w) : w;
  if (step.wants(0)) {
    const Value d = in.MatMul(g, SwapLast(step, b));
    step.Give(0, LikeVector(step, attrs.trans_a ? SwapLast(step, d) : d, x, step.arg(0)));
  }
  if (step.wants(1)) {
    const Value d = in.MatMul(SwapLast(step, a), g);
    step.Give(1, LikeVector(step, attrs.trans_b ? SwapLast(step, d) : d, w, step.arg(1)));
  }
}

// --- einsum

namespace {

struct Equation {
  std::vector<std::string> inputs;
  std::string output;
};

// The output that is meant where none is written: what appears once, in order.
std::string ImpliedOutput(const std::vector<std::string>& inputs) {
  std::string all, once;
  for (const std::string& input : inputs) all += input;
  for (char c = 'A'; c <= 'z'; ++c) {
    if (std::count(all.begin(), all.end(), c) == 1) once += c;
  }
  return StrCat(all.find('.') == std::string::npos ? "" : "...", once);
}

Equation ParseEquation(std::string_view text) {
  Equation equation;
  const size_t arrow = text.find("->");
  std::string_view left = text.substr(0, arrow);
  for (size_t comma = 0; comma != std::string_view::npos;) {
    comma = left.find(',');
    equation.inputs.emplace_back(left.substr(0, comma));
    if (comma != std::string_view::npos) left.remove_prefix(comma + 1);
  }
  equation.output = arrow == std::string_view::npos ? ImpliedOutput(equation.inputs)
                                                    : std::string(text.substr(arrow + 2));
  return equation;
}

bool HasRepeatedLetter(const std::string& letters) {
  return std::any_of(letters.begin(), letters.end(), [&](char c) {
    return c != '.' && std::count(letters.begin(), letters.end(), c) > 1;
  });
}

// The equation of argument `index` by the gradient and the other arguments. Letters that only the
// argument has are given by ones of its shape.
void GiveByEinsum(GradientStep& step, const Equation& equation, size_t index) {
  const std::string& letters = equation.inputs[index];
  const bool dots = equation.output.find('.') != std::string::npos;
  // A diagonal would have to be spread out, which no equation says.
  if (HasRepeatedLetter(letters) || (!dots && letters.find('.') != std::string::npos))
    return step.Refuse(StrCat(" by '", letters, "' of its equation"));
  std::string left = equation.output;
  std::vector<Value> args = {step.gradient()};
  for (size_t i = 0; i < equation.inputs.size(); ++i) {
    if (i == index) continue;
    StrAppend(&left, ",", equation.inputs[i]);
    args.push_back(step.arg(i));
  }
  const bool missing = std::any_of(letters.begin(), letters.end(),
                                   [&](char c) { return left.find(c) == std::string::npos; });
  if (missing) {
    StrAppend(&left, ",", letters);
    args.push_back(
        step.in.Expand(step.in.Like(step.gradient(), 1), step.in.ShapeOf(step.arg(index))));
  }
  ops::EinsumAttrs attrs;
  // Axes that the dots stand for are first in the result, so that they can be summed up.
  const bool moved = dots && letters.find('.') == std::string::npos;
  attrs.equation = StrCat(left, "->", moved ? "..." : "", letters);
  step.Give(index, step.node.Call("einsum", std::move(args), attrs.ToAttrs()));
}

}  // namespace

void GradientOfEinsum(GradientStep& step) {
  const Equation equation = ParseEquation(step.AttrsOf<ops::EinsumAttrs>().equation);
  for (size_t i = 0; i < step.arg_count() && i < equation.inputs.size(); ++i) {
    if (step.wants(i)) GiveByEinsum(step, equation, i);
  }
}

// --- reductions

namespace {

// A result, or its gradient, with the axes kept that were reduced.
Value Kept(GradientStep& step, const Value& value) {
  const auto attrs = step.AttrsOf<ops::ReduceAttrs>();
  if (attrs.keep_dims) return value;
  Ints axes = attrs.axes;
  if (axes.empty()) {
    for (int axis = 0; axis < step.node.RankOf(step.arg(0)); ++axis) axes.push_back(axis);
  }
  return step.in.Unsqueeze(value, axes);
}

struct Reduced {
  explicit Reduced(GradientStep& step)
      : x{&step.in, step.arg(0)},
        g{&step.in, Kept(step, step.gradient())},
        y{&step.in, Kept(step, step.result())} {}
  Term x, g, y;
};

void GiveExpanded(GradientStep& step, const Value& gradient) {
  step.Give(0, step.in.Expand(gradient, step.in.ShapeOf(step.arg(0))));
}

// How many elements were summed up for each of the result.
Value CountOf(GradientStep& step) {
  Compose& in = step.in;
  const Value count = in.Div(in.Unary("size_of", step.arg(0)), in.Unary("size_of", step.result()));
  return in.Cast(count, step.node.DTypeOf(step.arg(0)));
}

}  // namespace

void GradientOfReduceSum(GradientStep& step) { GiveExpanded(step, Reduced(step).g.value); }

void GradientOfReduceMean(GradientStep& step) {
  GiveExpanded(step, step.in.Div(Reduced(step).g.value, CountOf(step)));
}

void GradientOfGlobalAveragePool(GradientStep& step) {
  GiveExpanded(step, step.in.Div(step.gradient(), CountOf(step)));
}

// Equal elements share it.
void GradientOfReduceExtreme(GradientStep& step) {
  const Reduced t(step);
  const Term chosen{&step.in, step.in.Cast((t.x == t.y).value, step.node.DTypeOf(t.x.value))};
  ops::ReduceAttrs attrs = step.AttrsOf<ops::ReduceAttrs>();
  attrs.keep_dims = true;
  const Value count = step.node.Call("reduce_sum", {chosen.value, step.arg(1)}, attrs.ToAttrs());
  step.Give(0, (t.g * chosen / Term{&step.in, count}).value);
}

void GradientOfReduceSumSquare(GradientStep& step) {
  const Reduced t(step);
  step.Give(0, (2.0 * t.g * t.x).value);
}

void GradientOfReduceL1(GradientStep& step) {
  const Reduced t(step);
  step.Give(0, (t.g * Sign(t.x)).value);
}

// 0 where all elements are.
void GradientOfReduceL2(GradientStep& step) {
  const Reduced t(step);
  const Term length{&step.in, step.in.Where((t.y == 0.0).value, t.y.Number(1).value, t.y.value)};
  step.Give(0, (t.g * t.x / length).value);
}

void GradientOfReduceLogSum(GradientStep& step) {
  const Reduced t(step);
  GiveExpanded(step, (t.g * Exp(-1.0 * t.y)).value);
}

void GradientOfReduceLogSumExp(GradientStep& step) {
  const Reduced t(step);
  step.Give(0, (t.g * Exp(t.x - t.y)).value);
}

void GradientOfCumSum(GradientStep& step) {
  auto attrs = step.AttrsOf<ops::CumulateAttrs>();
  // An element counts in the sums from its place on, or behind it where sums are exclusive.
  attrs.reverse = !attrs.reverse;
  step.Give(0, step.node.Call("cumsum", {step.gradient()}, attrs.ToAttrs()));
}

void GradientOfSoftmax(GradientStep& step) {
  const auto axis = step.AttrsOf<ops::SoftmaxAttrs>().axis;
  const Term g{&step.in, step.gradient()}, y{&step.in, step.result()};
  const Term sum{&step.in, step.in.Reduce("reduce_sum", (g * y).value, {axis}, true)};
  step.Give(0, (y * (g - sum)).value);
}

void GradientOfLogSoftmax(GradientStep& step) {
  const auto axis = step.AttrsOf<ops::SoftmaxAttrs>().axis;
  const Term g{&step.in, step.gradient()}, y{&step.in, step.result()};
  const Term sum{&step.in, step.in.Reduce("reduce_sum", g.value, {axis}, true)};
  step.Give(0, (g - Exp(y) * sum).value);
}

}  // namespace tern::onnx
