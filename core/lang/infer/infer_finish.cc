// SPDX-License-Identifier: Apache-2.0
// The end of inference: puts solutions into the tree. It runs once, after every function of the
// file is inferred. Nothing after this sees a variable of inference.
#include "core/lang/infer/infer_state.h"

namespace tern::lang {

using types::Dim;
using types::Type;

namespace {

// Settles what nothing decided. A type that stayed open has values that nobody looks at, such as
// the items of [], so the unit type will do. An extent that stayed open is one that only a run
// tells.
Type Close(const Type& type) {
  std::vector<std::string> variables, symbols;
  type.CollectVariables(&variables);
  type.CollectSymbols(&symbols);
  std::vector<Type::Binding> types;
  for (const std::string& name : variables) {
    if (name[0] == '$') types.emplace_back(name, Type::Tuple({}));
  }
  std::vector<Dim::Binding> dims;
  for (const std::string& symbol : symbols) {
    if (IsDimVariable(symbol)) dims.emplace_back(symbol, Dim::Any());
  }
  return type.SubstituteVariables(types).Substitute(dims);
}

}  // namespace

// A type without variables of inference.
Type Inference::Final(const Type& type) const { return Close(unifier_.Apply(type)); }

void Inference::Finish(Function* function) {
  function->type = Final(function->type);
  if (function->local != nullptr) function->local->type = function->type;
  for (Param& param : function->params) FinishPattern(param.pattern.get());
  if (function->body != nullptr) FinishExpr(function->body.get());
}

void Inference::FinishPattern(Pattern* pattern) {
  pattern->type = Final(pattern->type);
  if (pattern->local != nullptr) pattern->local->type = Final(pattern->local->type);
  if (pattern->literal != nullptr) FinishExpr(pattern->literal.get());
  for (const PatternPtr& arg : pattern->args) FinishPattern(arg.get());
}

void Inference::FinishExpr(Expr* expr) {
  if (HasNoMemory()) return;
  expr->type = Final(expr->type);
  if (expr->checked_as.known()) expr->checked_as = Final(expr->checked_as);
  for (const ExprPtr& child : expr->children) {
    if (child != nullptr) FinishExpr(child.get());
  }
  for (Attribute& attribute : expr->attributes) FinishExpr(attribute.value.get());
  // Every field of Expr that may hold a part is visited, whatever the kind, so that a new kind is
  // not forgotten.
  if (expr->pattern != nullptr) FinishPattern(expr->pattern.get());
  for (Param& param : expr->params) {
    FinishPattern(param.pattern.get());
    if (param.first != nullptr) FinishExpr(param.first.get());
  }
  for (Arm& arm : expr->arms) {
    FinishPattern(arm.pattern.get());
    if (arm.guard != nullptr) FinishExpr(arm.guard.get());
    FinishExpr(arm.body.get());
  }
  for (Statement& statement : expr->statements) {
    if (statement.pattern != nullptr) FinishPattern(statement.pattern.get());
    if (statement.value != nullptr) FinishExpr(statement.value.get());
    if (statement.function != nullptr) Finish(statement.function.get());
  }
}

}  // namespace tern::lang
