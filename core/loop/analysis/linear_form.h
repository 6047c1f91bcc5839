// SPDX-License-Identifier: Apache-2.0
// LinearForm: an int64 scalar expression as constant + sum of coefficient * term, where equal terms
// are together. Terms are variables, vscale, and whatever is not linear (products, quotients,
// loads), compared as trees. What makes two indices comparable.
#ifndef TERN_CORE_LOOP_ANALYSIS_LINEAR_FORM_H_
#define TERN_CORE_LOOP_ANALYSIS_LINEAR_FORM_H_

#include <optional>
#include <vector>

#include "core/loop/expr.h"

namespace tern::loop {

struct LinearTerm {
  Expr term;
  int64_t coefficient = 0;
};

struct LinearForm {
  std::vector<LinearTerm> terms;  // in the order they were met; no coefficient is 0
  int64_t constant = 0;
  bool overflow = false;  // 64 bits did not do; the rest means nothing

  bool is_constant() const { return terms.empty() && !overflow; }
  // Of a variable that stands alone as a term; 0 where it does not.
  int64_t CoefficientOf(const Var* var) const;
  // Whether the variable occurs inside a term that is not it.
  bool HidesVar(const Var* var) const;
  void AddForm(const LinearForm& other, int64_t factor);
  void AddTerm(const Expr& term, int64_t coefficient);
  Expr ToExpr() const;
};

// A scalar of another integer type is one term, converted.
LinearForm LinearFormOf(const Expr& expr);
// a - b where that is a constant.
std::optional<int64_t> ConstantDifference(const Expr& a, const Expr& b);

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_ANALYSIS_LINEAR_FORM_H_
