// SPDX-License-Identifier: Apache-2.0
// Which operators have a formula in the loop language, for which types: group_formulas.def as data.
#ifndef TERN_CORE_IR_PASSES_GROUP_FORMULA_H_
#define TERN_CORE_IR_PASSES_GROUP_FORMULA_H_

#include <string>
#include <string_view>

#include "core/ir/expr.h"

namespace tern::ir {

// Of one call. fold: of a reduction, whose element is `text` and whose result is a formula of the
// folded elements, or empty. Texts of the table are not copied.
struct GroupFormula {
  std::string_view text;
  std::string_view fold, result;
  DType type;  // that is computed with; 16-bit floats in float32
  bool operator==(const GroupFormula&) const = default;
  explicit operator bool() const { return !text.empty(); }
};

// An empty one where the operator has none for these types, attributes and constants.
GroupFormula ElementFormula(const Call& call);
GroupFormula ReductionFormula(const Call& call);
// The formula of a macro; empty if there is none.
std::string_view MacroFormula(std::string_view name);

// How many evaluations of operand `index` a text that is inlined as it stands would have, macros
// included.
int OperandReads(std::string_view formula, size_t index);

// "float32"; empty for what loops do not compute with.
std::string LoopTypeName(DType dtype);
// A constant that is one number everywhere as a literal that says its type where it must; empty
// for other atoms. wide: a 16-bit float as the float32 that it is computed with.
std::string LiteralText(const Expr& atom, bool wide);
// The same of an attribute.
std::string LiteralText(float value, DType type);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_PASSES_GROUP_FORMULA_H_
