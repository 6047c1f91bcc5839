// SPDX-License-Identifier: Apache-2.0
// Rules of functions of elements that formulas of one argument do not cover.
#include "core/onnx/gradient/rules.h"
#include "core/onnx/gradient/term.h"

namespace tern::onnx {
namespace {

struct Terms {
  explicit Terms(GradientStep& step)
      : g{&step.in, step.gradient()},
        a{&step.in, step.arg(0)},
        b{&step.in, step.arg(1)},
        y{&step.in, step.result()} {}
  Term g, a, b, y;
};

// g where the condition holds, 0 elsewhere.
Term Masked(const Term& condition, const Term& g) {
  return {g.in, g.in->Where(condition.value, g.value, g.Number(0).value)};
}

}  // namespace

void GradientOfIdentity(GradientStep& step) { step.Give(0, step.gradient()); }

void GradientOfCast(GradientStep& step) {
  step.Give(0, step.in.Cast(step.gradient(), step.node.DTypeOf(step.arg(0))));
}

void GradientOfAdd(GradientStep& step) {
  step.Give(0, step.gradient());
  step.Give(1, step.gradient());
}

void GradientOfSub(GradientStep& step) {
  step.Give(0, step.gradient());
  if (step.wants(1)) step.Give(1, step.in.Unary("neg", step.gradient()));
}

void GradientOfMul(GradientStep& step) {
  const Terms t(step);
  if (step.wants(0)) step.Give(0, (t.g * t.b).value);
  if (step.wants(1)) step.Give(1, (t.g * t.a).value);
}

void GradientOfDiv(GradientStep& step) {
  const Terms t(step);
  if (step.wants(0)) step.Give(0, (t.g / t.b).value);
  if (step.wants(1)) step.Give(1, (-1.0 * t.g * t.y / t.b).value);
}

// The exponent may be of another type than the base. A base of 0 has the derivative 0 by the
// exponent.
void GradientOfPow(GradientStep& step) {
  const Terms t(step);
  const DType type = step.node.DTypeOf(t.a.value);
  const Term exponent{&step.in, step.in.Cast(t.b.value, type)};
  if (step.wants(0)) {
    // Not b * y / a, which is no number at 0.
    const Term slope = exponent * t.a.Binary("pow", (exponent - 1.0).value);
    const Value zero = t.a.Number(0).value;
    const Term safe{&step.in, step.in.Where((exponent == 0.0).value, zero, slope.value)};
    step.Give(0, (t.g * safe).value);
  }
  if (!step.wants(1)) return;
  const Value base = step.in.Where((t.a > 0.0).value, t.a.value, t.a.Number(1).value);
  const Value by_exponent = (t.g * t.y * Log({&step.in, base})).value;
  step.Give(1, step.in.Cast(by_exponent, step.node.DTypeOf(t.b.value)));
}

// a - n b with a whole number n.
void GradientOfMod(GradientStep& step) {
  const Terms t(step);
  step.Give(0, t.g.value);
  if (step.wants(1)) step.Give(1, (t.g * (t.y - t.a) / t.b).value);
}

// Of equal elements each has half of it.
void GradientOfExtreme(GradientStep& step) {
  const Terms t(step);
  const Term half = Masked(t.a == t.b, 0.5 * t.g);
  const bool is_max = step.call().Is(ops::Op::k_max);
  if (step.wants(0)) step.Give(0, (half + Masked(is_max ? t.a > t.b : t.a < t.b, t.g)).value);
  if (step.wants(1)) step.Give(1, (half + Masked(is_max ? t.a < t.b : t.a > t.b, t.g)).value);
}

void GradientOfPRelu(GradientStep& step) {
  const Terms t(step);
  const Term negative = t.a < 0.0;
  if (step.wants(0)) step.Give(0, step.in.Where(negative.value, (t.g * t.b).value, t.g.value));
  if (step.wants(1)) step.Give(1, Masked(negative, t.g * t.a).value);
}

void GradientOfWhere(GradientStep& step) {
  const Value condition = step.arg(0), zero = step.in.Like(step.gradient(), 0);
  if (step.wants(1)) step.Give(1, step.in.Where(condition, step.gradient(), zero));
  if (step.wants(2)) step.Give(2, step.in.Where(condition, zero, step.gradient()));
}

// The result is the argument or one of the bounds, the upper one where they are in wrong order.
void GradientOfClip(GradientStep& step) {
  const Term g{&step.in, step.gradient()}, x{&step.in, step.arg(0)};
  const Value low = step.arg(1), high = step.arg(2);
  Term rest = g;
  if (high != nullptr) {
    const Term inner = low == nullptr ? x : Term{&step.in, step.in.Call("max", {x.value, low})};
    const Term over{&step.in, step.in.Call("greater", {inner.value, high})};
    if (step.wants(2)) step.Give(2, Masked(over, g).value);
    rest = {&step.in, step.in.Where(over.value, g.Number(0).value, g.value)};
  }
  if (low == nullptr) return step.Give(0, rest.value);
  const Term below{&step.in, step.in.Call("less", {x.value, low})};
  if (step.wants(1)) step.Give(1, Masked(below, rest).value);
  step.Give(0, step.in.Where(below.value, g.Number(0).value, rest.value));
}

}  // namespace tern::onnx
