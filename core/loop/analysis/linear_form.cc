// SPDX-License-Identifier: Apache-2.0
#include "core/loop/analysis/linear_form.h"

#include "core/loop/visitor.h"

namespace tern::loop {
namespace {

// `whole` is the product as it was written: it becomes one term where the product cannot be spread
// out.
LinearForm Product(const LinearForm& a, const LinearForm& b, const Expr& whole) {
  LinearForm out;
  if (a.is_constant()) {
    out.AddForm(b, a.constant);
  } else if (b.is_constant()) {
    out.AddForm(a, b.constant);
  } else {
    // (constant + terms) * term is spread out, so that (i + 1) * m and i * m + m are the same. A
    // product of two sums is not: its number of terms would multiply with every level.
    const bool left = b.terms.size() == 1 && b.constant == 0 && b.terms[0].coefficient == 1;
    const LinearForm& sum = left ? a : b;
    const LinearForm& single = left ? b : a;
    if (single.terms.size() != 1 || single.constant != 0 || single.overflow) {
      out.AddTerm(whole, 1);
      return out;
    }
    const LinearTerm& factor = single.terms[0];
    for (const LinearTerm& term : sum.terms) {
      int64_t coefficient = 0;
      out.overflow |= __builtin_mul_overflow(term.coefficient, factor.coefficient, &coefficient);
      out.AddTerm(MakeBinary(BinaryOp::kMul, term.term, factor.term), coefficient);
    }
    int64_t constant = 0;
    out.overflow |= __builtin_mul_overflow(sum.constant, factor.coefficient, &constant);
    out.AddTerm(factor.term, constant);
  }
  out.overflow |= a.overflow || b.overflow;
  return out;
}

// x / d * d, the bound of main loops, stays one term, because ProvesAtLeast knows it by this form.
bool IsWholeMultiple(const Binary* product) {
  if (product == nullptr || product->op != BinaryOp::kMul) return false;
  const Binary* quotient = product->a->As<Binary>();
  return quotient != nullptr && quotient->op == BinaryOp::kDiv && SameExpr(quotient->b, product->b);
}

// Products are equal whichever operand comes first.
bool SameTerm(const Expr& a, const Expr& b) {
  if (SameExpr(a, b)) return true;
  const Binary *x = a->As<Binary>(), *y = b->As<Binary>();
  return x != nullptr && y != nullptr && x->op == BinaryOp::kMul && y->op == BinaryOp::kMul &&
         SameExpr(x->a, y->b) && SameExpr(x->b, y->a);
}

}  // namespace

void LinearForm::AddTerm(const Expr& term, int64_t coefficient) {
  if (coefficient == 0) return;
  for (size_t i = 0; i < terms.size(); ++i) {
    if (!SameTerm(terms[i].term, term)) continue;
    overflow |= __builtin_add_overflow(terms[i].coefficient, coefficient, &terms[i].coefficient);
    if (terms[i].coefficient == 0) terms.erase(terms.begin() + static_cast<ptrdiff_t>(i));
    return;
  }
  terms.push_back({term, coefficient});
}

void LinearForm::AddForm(const LinearForm& other, int64_t factor) {
  overflow |= other.overflow;
  int64_t scaled = 0;
  for (const LinearTerm& term : other.terms) {
    overflow |= __builtin_mul_overflow(term.coefficient, factor, &scaled);
    AddTerm(term.term, scaled);
  }
  overflow |= __builtin_mul_overflow(other.constant, factor, &scaled);
  overflow |= __builtin_add_overflow(constant, scaled, &constant);
}

int64_t LinearForm::CoefficientOf(const Var* var) const {
  for (const LinearTerm& term : terms) {
    if (term.term.get() == var) return term.coefficient;
  }
  return 0;
}

bool LinearForm::HidesVar(const Var* var) const {
  for (const LinearTerm& term : terms) {
    if (term.term.get() != var && UsesVar(term.term, var)) return true;
  }
  return false;
}

// Writes positive parts first and then subtracts the others: n - i, not i * -1 + n.
Expr LinearForm::ToExpr() const {
  Expr sum;
  const auto add = [&](Expr part) { sum = sum ? Add(std::move(sum), std::move(part)) : part; };
  for (const LinearTerm& term : terms) {
    if (term.coefficient > 0) add(Mul(term.term, MakeInt(term.coefficient)));
  }
  const bool constant_first = constant > 0 || !sum;
  if (constant_first) add(MakeInt(constant));
  for (const LinearTerm& term : terms) {
    // Its negation is not an int64.
    if (term.coefficient == INT64_MIN)
      add(Mul(term.term, MakeInt(INT64_MIN)));
    else if (term.coefficient < 0)
      sum = Sub(std::move(sum), Mul(term.term, MakeInt(-term.coefficient)));
  }
  if (constant_first || constant == 0) return sum;
  return constant == INT64_MIN ? Add(sum, MakeInt(constant)) : Sub(sum, MakeInt(-constant));
}

LinearForm LinearFormOf(const Expr& expr) {
  LinearForm form;
  if (const IntImm* constant = AsInt(expr)) {
    form.constant = constant->value;
    return form;
  }
  // Arithmetic of narrower integers wraps, so that its parts say nothing: the whole is one term.
  if (expr->type != kIndexType && expr->type.is_scalar() && expr->type.is_int()) {
    form.AddTerm(MakeCast(kI64, expr), 1);
    return form;
  }
  const Binary* binary = expr->As<Binary>();
  if (binary != nullptr && (binary->op == BinaryOp::kAdd || binary->op == BinaryOp::kSub)) {
    form.AddForm(LinearFormOf(binary->a), 1);
    form.AddForm(LinearFormOf(binary->b), binary->op == BinaryOp::kAdd ? 1 : -1);
  } else if (IsWholeMultiple(binary)) {
    form.AddTerm(expr, 1);
  } else if (binary != nullptr && binary->op == BinaryOp::kMul) {
    form = Product(LinearFormOf(binary->a), LinearFormOf(binary->b), expr);
  } else {
    form.AddTerm(expr, 1);
  }
  return form;
}

std::optional<int64_t> ConstantDifference(const Expr& a, const Expr& b) {
  LinearForm form = LinearFormOf(a);
  form.AddForm(LinearFormOf(b), -1);
  if (!form.is_constant()) return std::nullopt;
  return form.constant;
}

}  // namespace tern::loop
