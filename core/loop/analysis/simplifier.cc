// SPDX-License-Identifier: Apache-2.0
#include "core/loop/analysis/simplifier.h"

#include <algorithm>

#include "core/loop/analysis/linear_form.h"
#include "core/loop/visitor.h"

namespace tern::loop {
namespace {

// Bounds that there are not stay none, and so do those that overflow.
int64_t ScaleBound(int64_t bound, int64_t factor, int64_t none) {
  int64_t product = 0;
  if (bound == kNoLow || bound == kNoHigh || __builtin_mul_overflow(bound, factor, &product))
    return none;
  return product;
}

// A negative factor swaps the bounds.
Interval Scale(Interval interval, int64_t factor) {
  if (factor >= 0)
    return {ScaleBound(interval.low, factor, kNoLow), ScaleBound(interval.high, factor, kNoHigh)};
  return {ScaleBound(interval.high, factor, kNoLow), ScaleBound(interval.low, factor, kNoHigh)};
}

Interval Quotient(Interval a, Interval b) {
  if (a.low < 0 || b.low < 1) return {};
  const int64_t high = a.high == kNoHigh ? kNoHigh : a.high / b.low;
  return {b.high == kNoHigh ? 0 : a.low / b.high, high};
}

// The divisor's sign is the result's (binary_ops.def), so a positive divisor bounds it from below.
Interval Remainder(Interval a, Interval b) {
  if (b.low < 1) return {};
  const int64_t high = b.high == kNoHigh ? kNoHigh : b.high - 1;
  return {0, a.low >= 0 ? std::min(high, a.high) : high};
}

bool IsIndex(const Expr& expr) { return expr->type == kIndexType; }

}  // namespace

// Bottom up: a node is simplified when its operands are. The span of what it replaces stays, so
// that errors of later passes still point at the source.
class Rewriter : public Mutator {
 public:
  explicit Rewriter(const Simplifier& simplifier) : simplifier_(simplifier) {}
  Expr MutateExpr(const Expr& expr) override {
    const Expr inner = Descend(expr);
    Expr result = simplifier_.SimplifyNode(inner);
    if (result != expr && !result->span.valid()) result->span = expr->span;
    return result;
  }

 private:
  const Simplifier& simplifier_;
};

// Sizes are not negative: callers check that before a run.
Simplifier::Simplifier(const LoopFunction& function) {
  for (const VarPtr& size : function.sizes) Bind(size.get(), {0, kNoHigh});
}

void Simplifier::Bind(const Var* var, const Expr& min, const Expr& extent) {
  const Interval first = BoundsOf(min);
  const Interval last = Plus(first, BoundsOf(extent));
  Bind(var, {first.low, last.high == kNoHigh ? kNoHigh : last.high - 1});
}

Interval Simplifier::BoundsOf(const Expr& expr) const {
  if (!IsIndex(expr)) return {};
  if (const IntImm* constant = AsInt(expr)) return {constant->value, constant->value};
  if (expr->kind == ExprKind::kVScale) return {1, kMaxVScale};
  if (const Var* var = expr->As<Var>()) {
    const auto found = bounds_.find(var);
    return found == bounds_.end() ? Interval() : found->second;
  }
  const Binary* binary = expr->As<Binary>();
  if (binary == nullptr) return {};
  const auto a = [&] { return BoundsOf(binary->a); };
  const auto b = [&] { return BoundsOf(binary->b); };
  switch (binary->op) {
    case BinaryOp::kAdd:
    case BinaryOp::kSub:
    case BinaryOp::kMul: {
      // As a linear form, so that i - i is 0 and n - i does not take both ranges for independent.
      const LinearForm form = LinearFormOf(expr);
      if (form.overflow) return {};
      // A product of two variables is its own and only term; asking for its form again would not
      // end.
      if (form.terms.size() == 1 && form.terms[0].term.get() == expr.get()) return Times(a(), b());
      Interval sum{form.constant, form.constant};
      for (const LinearTerm& term : form.terms) {
        const Binary* product = term.term->As<Binary>();
        const bool plain = product != nullptr && product->op == BinaryOp::kMul;
        const Interval bounds =
            plain ? Times(BoundsOf(product->a), BoundsOf(product->b)) : BoundsOf(term.term);
        sum = Plus(sum, Scale(bounds, term.coefficient));
      }
      return sum;
    }
    case BinaryOp::kDiv: return Quotient(a(), b());
    case BinaryOp::kMod: return Remainder(a(), b());
    case BinaryOp::kMin: return {std::min(a().low, b().low), std::min(a().high, b().high)};
    case BinaryOp::kMax: return {std::max(a().low, b().low), std::max(a().high, b().high)};
#define TERN_LOOP_INTEGER(Name, ...) case BinaryOp::k##Name:
#define TERN_LOOP_COMPARE(Name, ...) case BinaryOp::k##Name:
#define TERN_LOOP_LOGIC(Name, ...) case BinaryOp::k##Name:
#include "core/loop/binary_ops.def"
      break;
  }
  return {};
}

bool Simplifier::ProvesAtLeast(const Expr& a, const Expr& b) const {
  if (SameExpr(a, b)) return true;
  // max(x, y) >= b where either of them is, and a >= min(x, y) where a is to either.
  const Binary *x = a->As<Binary>(), *y = b->As<Binary>();
  if (x != nullptr && x->op == BinaryOp::kMax && (ProvesAtLeast(x->a, b) || ProvesAtLeast(x->b, b)))
    return true;
  if (y != nullptr && y->op == BinaryOp::kMin && (ProvesAtLeast(a, y->a) || ProvesAtLeast(a, y->b)))
    return true;
  LinearForm form = LinearFormOf(a);
  form.AddForm(LinearFormOf(b), -1);
  if (form.overflow) return false;
  // n >= n / d * d and n >= n / d for n >= 0, the usual bounds of main loops: the quotient is
  // replaced by n, which is larger, and has a negative coefficient here, so that the rest becomes
  // smaller.
  for (const LinearTerm& term : form.terms) {
    const Binary* product = term.term->As<Binary>();
    if (term.coefficient >= 0 || product == nullptr) continue;
    const Binary* quotient = product->op == BinaryOp::kMul ? product->a->As<Binary>() : product;
    if (quotient == nullptr || quotient->op != BinaryOp::kDiv) continue;
    const bool whole = product == quotient || SameExpr(quotient->b, product->b);
    if (!whole || BoundsOf(quotient->b).low < 1 || BoundsOf(quotient->a).low < 0) continue;
    LinearForm rest = form;
    rest.AddTerm(term.term, -term.coefficient);
    rest.AddForm(LinearFormOf(quotient->a), term.coefficient);
    if (BoundsOf(rest.ToExpr()).low >= 0) return true;
  }
  // Else the interval of the difference decides.
  return BoundsOf(form.ToExpr()).low >= 0;
}

bool Simplifier::ProvesLess(const Expr& a, const Expr& b) const {
  return ProvesAtLeast(b, Add(a, MakeInt(1)));
}

// Incomplete: it finds what indices of split axes look like, sums of products with the divisor.
bool Simplifier::ProvesMultiple(const Expr& expr, const Expr& of) const {
  if (BoundsOf(of).low < 1) return false;
  if (IsInt(of, 1) || SameExpr(expr, of)) return true;
  const LinearForm form = LinearFormOf(expr), unit = LinearFormOf(of);
  if (form.overflow || unit.overflow) return false;
  // A constant divisor: every coefficient, or a factor of the term, must be a multiple.
  if (unit.is_constant()) {
    const auto divides = [&](int64_t value) { return value % unit.constant == 0; };
    if (!divides(form.constant)) return false;
    return std::all_of(form.terms.begin(), form.terms.end(), [&](const LinearTerm& term) {
      if (divides(term.coefficient)) return true;
      const Binary* product = term.term->As<Binary>();
      return product != nullptr && product->op == BinaryOp::kMul &&
             (ProvesMultiple(product->a, of) || ProvesMultiple(product->b, of));
    });
  }
  if (unit.terms.size() != 1 || unit.constant != 0 || form.constant != 0) return false;
  // unit = c * t: every term must be a multiple of c that is t, or a product with t.
  const LinearTerm& t = unit.terms[0];
  return std::all_of(form.terms.begin(), form.terms.end(), [&](const LinearTerm& term) {
    if (SameExpr(term.term, t.term)) return term.coefficient % t.coefficient == 0;
    const Binary* product = term.term->As<Binary>();
    if (product == nullptr || product->op != BinaryOp::kMul) return false;
    if (SameExpr(product->a, t.term) || SameExpr(product->b, t.term))
      return term.coefficient % t.coefficient == 0;
    return ProvesMultiple(product->a, of) || ProvesMultiple(product->b, of);
  });
}

Expr Simplifier::Simplify(const Expr& expr) const { return Rewriter(*this).MutateExpr(expr); }

// One node whose operands are simple already. Index arithmetic becomes its linear form, which is
// the normal form that other passes compare by.
Expr Simplifier::SimplifyNode(const Expr& expr) const {
  if (const Not* negation = expr->As<Not>()) {
    const IntImm* constant = AsInt(negation->value);
    return constant == nullptr ? expr : MakeBool(constant->value == 0);
  }
  if (const Select* select = expr->As<Select>()) {
    if (const IntImm* constant = AsInt(select->condition))
      return constant->value != 0 ? select->a : select->b;
    return SameExpr(select->a, select->b) ? select->a : expr;
  }
  const Binary* binary = expr->As<Binary>();
  if (binary == nullptr) return expr;
  if (IsIndex(binary->a)) {
    switch (InfoOf(binary->op).op_class) {
      case BinaryClass::kArithmetic: return SimplifyIndex(expr);
      case BinaryClass::kCompare: return SimplifyCompare(*binary);
      case BinaryClass::kInteger:
      case BinaryClass::kLogic: break;
    }
    return expr;
  }
  return binary->type == kBoolType ? SimplifyLogic(*binary) : expr;
}

Expr Simplifier::SimplifyIndex(const Expr& expr) const {
  const Binary& binary = *expr->As<Binary>();
  if (binary.op == BinaryOp::kDiv || binary.op == BinaryOp::kMod) return SimplifyDivision(binary);
  if (binary.op == BinaryOp::kMin || binary.op == BinaryOp::kMax) return SimplifyMinMax(binary);
  const LinearForm form = LinearFormOf(expr);
  if (form.overflow) return expr;
  const Expr linear = form.ToExpr();
  // The old node where nothing changed, so that mutators see that.
  return SameExpr(linear, expr) ? expr : linear;
}

Expr Simplifier::SimplifyDivision(const Binary& binary) const {
  const Expr &a = binary.a, &b = binary.b;
  const bool divides = binary.op == BinaryOp::kDiv;
  const IntImm *x = AsInt(a), *y = AsInt(b);
  const Interval divisor = BoundsOf(b);
  if (y != nullptr && y->value > 0 && x != nullptr) {
    const int64_t quotient = FloorDivide(x->value, y->value);
    return MakeInt(divides ? quotient : x->value - quotient * y->value);
  }
  if (IsInt(b, 1)) return divides ? a : MakeInt(0);
  if (divisor.low >= 1) {
    // 0 <= a < b: the quotient is 0.
    const bool below = BoundsOf(a).low >= 0 && ProvesLess(a, b);
    if (below) return divides ? MakeInt(0) : a;
    if (SameExpr(a, b)) return MakeInt(divides ? 1 : 0);
    if (!divides && ProvesMultiple(a, b)) return MakeInt(0);
    // (k * b) / b
    const LinearForm form = LinearFormOf(a);
    const Binary* product = a->As<Binary>();
    if (divides && product != nullptr && product->op == BinaryOp::kMul) {
      if (SameExpr(product->b, b)) return product->a;
      if (SameExpr(product->a, b)) return product->b;
    }
    // Every term's coefficient is a multiple of the divisor, as of 4 * i + 8.
    if (divides && y != nullptr && !form.overflow && ProvesMultiple(a, b)) {
      LinearForm quotient;
      bool exact = form.constant % y->value == 0;
      quotient.constant = form.constant / y->value;
      for (const LinearTerm& term : form.terms) {
        exact &= term.coefficient % y->value == 0;
        quotient.AddTerm(term.term, term.coefficient / y->value);
      }
      if (exact) return quotient.ToExpr();
    }
  }
  return MakeBinary(binary.op, a, b);
}

// Both ways are tried: equal operands are proven by either.
Expr Simplifier::SimplifyMinMax(const Binary& binary) const {
  const bool wants_less = binary.op == BinaryOp::kMin;
  if (ProvesAtLeast(binary.a, binary.b)) return wants_less ? binary.b : binary.a;
  if (ProvesAtLeast(binary.b, binary.a)) return wants_less ? binary.a : binary.b;
  return MakeBinary(binary.op, binary.a, binary.b);
}

Expr Simplifier::SimplifyCompare(const Binary& binary) const {
  const Expr &a = binary.a, &b = binary.b;
  const auto decide = [&](bool yes, bool no) -> Expr {
    if (yes || no) return MakeBool(yes);
    return MakeBinary(binary.op, a, b);
  };
  switch (binary.op) {
    case BinaryOp::kLt: return decide(ProvesLess(a, b), ProvesAtLeast(a, b));
    case BinaryOp::kLe: return decide(ProvesAtLeast(b, a), ProvesLess(b, a));
    case BinaryOp::kGt: return decide(ProvesLess(b, a), ProvesAtLeast(b, a));
    case BinaryOp::kGe: return decide(ProvesAtLeast(a, b), ProvesLess(a, b));
    case BinaryOp::kEq: return decide(SameExpr(a, b), ProvesLess(a, b) || ProvesLess(b, a));
    case BinaryOp::kNe:
#define TERN_LOOP_ARITHMETIC(Name, ...) case BinaryOp::k##Name:
#define TERN_LOOP_INTEGER(Name, ...) case BinaryOp::k##Name:
#define TERN_LOOP_LOGIC(Name, ...) case BinaryOp::k##Name:
#include "core/loop/binary_ops.def"
      break;
  }
  return decide(ProvesLess(a, b) || ProvesLess(b, a), SameExpr(a, b));
}

Expr Simplifier::SimplifyLogic(const Binary& binary) const {
  const Expr whole = MakeBinary(binary.op, binary.a, binary.b);
  for (const bool first : {true, false}) {
    const IntImm* constant = AsInt(first ? binary.a : binary.b);
    if (constant == nullptr) continue;
    const Expr& other = first ? binary.b : binary.a;
    const bool value = constant->value != 0;
    if (binary.op == BinaryOp::kAnd) return value ? other : MakeBool(false);
    if (binary.op == BinaryOp::kOr) return value ? MakeBool(true) : other;
  }
  return whole;
}

}  // namespace tern::loop
