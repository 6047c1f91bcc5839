// SPDX-License-Identifier: Apache-2.0
// The table of rules.def, the rules that its formulas make, and what every rule uses.
#include "core/onnx/gradient/rules.h"

#include "core/onnx/gradient/term.h"
#include "core/ops/math_attrs.h"

namespace tern::onnx {
namespace {

// A number or a term as a term like a.
[[maybe_unused]] Term Lift(const Term& a, double number) { return a.Number(number); }
[[maybe_unused]] const Term& Lift(const Term&, const Term& term) { return term; }

// 0.5 a (1 + tanh(u)) with u = k (a + c a^3)
Term GeluTanhSlope(const Term& a) {
  constexpr double kScale = 0.7978845608028654, kCubic = 0.044715;
  const Term tanh = Tanh(kScale * a * (1.0 + kCubic * a * a));
  const Term inner = kScale * (1.0 + 3 * kCubic * a * a);
  return 0.5 * (1.0 + tanh) + 0.5 * a * (1.0 - tanh * tanh) * inner;
}

// a tanh(softplus(a))
Term MishSlope(const Term& a) {
  const Term tanh = Tanh(a.Of("softplus"));
  return tanh + a * Sigmoid(a) * (1.0 - tanh * tanh);
}

// First the functions that formulas become; the other rows have theirs, or none.
#define TERN_GRADIENT(name, Rule)
#define TERN_FLAT(name)
#define TERN_DERIVATIVE(name, derivative)                                               \
  void DerivativeOf_##name(GradientStep& step) {                                        \
    [[maybe_unused]] const ops::UnaryAttrs attrs = step.AttrsOf<ops::UnaryAttrs>();     \
    [[maybe_unused]] const double alpha = static_cast<double>(attrs.alpha);             \
    [[maybe_unused]] const double beta = static_cast<double>(attrs.beta);               \
    [[maybe_unused]] const Term a{&step.in, step.arg(0)};                               \
    [[maybe_unused]] const Term y{&step.in, step.result()};                             \
    [[maybe_unused]] const auto Select = [&](const Term& condition, const auto& chosen, \
                                             const auto& other) {                       \
      const Value one = Lift(a, chosen).value, two = Lift(a, other).value;              \
      return Term{a.in, a.in->Where(condition.value, one, two)};                        \
    };                                                                                  \
    step.Give(0, step.in.Mul(step.gradient(), (derivative).value));                     \
  }
#include "core/onnx/gradient/rules.def"

// Equality of symbolic extents: those that only a run can tell are not equal to anything.
bool SameDim(const Value& a, int axis_a, const Value& b, int axis_b) {
  const types::TensorType *type_a = ir::TensorTypeOf(a), *type_b = ir::TensorTypeOf(b);
  return type_a != nullptr && type_b != nullptr &&
         type_a->dims[static_cast<size_t>(axis_a)] == type_b->dims[static_cast<size_t>(axis_b)];
}

struct Row {
  ops::Op op;
  GradientRule rule;  // null: flat
};

constexpr Row kRows[] = {
#define TERN_GRADIENT(name, Rule) {ops::Op::k_##name, Rule},
#define TERN_DERIVATIVE(name, derivative) {ops::Op::k_##name, DerivativeOf_##name},
#define TERN_FLAT(name) {ops::Op::k_##name, nullptr},
#include "core/onnx/gradient/rules.def"
};

}  // namespace

GradientRule FindGradientRule(ops::Op op, bool* flat) {
  *flat = false;
  for (const Row& row : kRows) {
    if (row.op != op) continue;
    *flat = row.rule == nullptr;
    return row.rule;
  }
  return nullptr;
}

Value GradientStep::arg(size_t index) const {
  if (index >= arg_count() || ir::IsNone(call().args()[index])) return nullptr;
  return call().args()[index];
}

void GradientStep::Give(size_t index, const Value& gradient) {
  if (!node.ok() || !wants(index)) return;
  setup_.sink->Take(arg(index), SumTo(gradient, arg(index)));
}

Value GradientStep::ZerosLike(const Value& x) { return in.Expand(in.Like(x, 0), in.ShapeOf(x)); }

void GradientStep::Refuse(std::string_view what) {
  node.Unsupported("no derivative is known of ", call().op().name, what);
}

// Axes that x has 1 of are summed up. Where only a run can tell whether they are, so is which.
Value GradientStep::SumTo(const Value& gradient, const Value& x) {
  const int rank = node.RankOf(x), extra = node.RankOf(gradient) - rank;
  if (!node.ok()) return nullptr;
  Value sum = gradient;
  if (extra > 0) {
    Ints leading;
    for (int axis = 0; axis < extra; ++axis) leading.push_back(axis);
    sum = in.Reduce("reduce_sum", sum, leading, false);
  }
  Ints ones;
  bool open = false;
  for (int axis = 0; axis < rank; ++axis) {
    if (SameDim(sum, axis, x, axis)) continue;
    if (node.DimOf(x, axis) == 1)
      ones.push_back(axis);
    else
      open = open || node.DimOf(x, axis) < 0;
  }
  if (!ones.empty()) sum = in.Reduce("reduce_sum", sum, ones, true);
  if (!open || !node.ok()) return sum;
  // The axes are found by comparing shapes when the program runs. Without any, nothing is summed
  // up, where an empty list would mean all of them.
  const Value shape = in.ShapeOf(x);
  const Value differs = in.Unary("not", in.Call("equal", {in.ShapeOf(sum), shape}));
  ops::ReduceAttrs attrs;
  attrs.noop_if_empty = true;
  const Value axes = in.Reshape(in.Unary("non_zero", differs), {-1});
  return in.Call("reshape", {node.Call("reduce_sum", {sum, axes}, attrs.ToAttrs()), shape});
}

}  // namespace tern::onnx
