// SPDX-License-Identifier: Apache-2.0
// Formulas: expressions over named values, for tables that say in the loop language what something
// means. A formula is parsed once for the types of its values and then put in where it is needed,
// as an expression.
//
//   max(a, 0) + b                                    of the parameters a and b
//   let e = exp(-abs(a)); max(a, 0) + log(1 + e)     e has a name because it is read often
#ifndef TERN_CORE_LOOP_FORMULA_H_
#define TERN_CORE_LOOP_FORMULA_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/loop/expr.h"
#include "core/loop/visitor.h"

namespace tern::loop {

struct FormulaParameter {
  std::string_view name;
  DataType type;
};

struct Formula {
  // A named part. Its value reads parameters and earlier parts.
  struct Part {
    VarPtr var;
    Expr value;
  };
  std::vector<VarPtr> parameters;  // as they were given
  std::vector<Part> parts;
  Expr value;

  // How often a parameter is evaluated where the parts are put in wherever they are read.
  int64_t Evaluations(size_t parameter) const;
  // Of the value and the parts: what a reader sees.
  int64_t NodeCount() const;
};

// wanted: the type of numbers whose type nothing beside them says. Expressions of a formula have no
// spans. What is wrong is in the Status.
Result<Formula> ParseFormula(std::string_view text, std::span<const FormulaParameter> parameters,
                             DataType wanted);

// An expression with values in place of variables; what was -x is a number where x became one.
Expr PutIn(const Expr& expr, std::span<const Substitution> values);

// How many nodes an expression has, a shared one counted wherever it stands.
int64_t CountNodes(const Expr& expr);
// How often an expression reads a variable.
int64_t CountReads(const Expr& expr, const Var* var);
// Whether a part of the expression calls a function that becomes a polynomial (intrinsics.def), so
// that evaluating it twice is a waste.
bool IsCostly(const Expr& expr);

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_FORMULA_H_
