// SPDX-License-Identifier: Apache-2.0
// A syntax tree as text without places: two programs with equal text have the same tree.
#ifndef TERN_TESTS_UNIT_LANG_TREE_TEXT_H_
#define TERN_TESTS_UNIT_LANG_TREE_TEXT_H_

#include <string>

#include "core/base/strings.h"
#include "core/lang/parse/ast.h"

namespace tern::lang {

inline void AppendTree(const Expr* expr, std::string* out);

inline void AppendTree(const TypeExpr* type, std::string* out) {
  if (type == nullptr) return StrAppend(out, "-");
  StrAppend(out, "t", static_cast<int>(type->kind), type->name.text, "<");
  for (const TypeExprPtr& arg : type->args) AppendTree(arg.get(), out);
  for (const ExprPtr& dim : type->dims) AppendTree(dim.get(), out);
  if (type->result != nullptr) AppendTree(type->result.get(), out);
  StrAppend(out, ">");
}

inline void AppendTree(const Pattern* pattern, std::string* out) {
  if (pattern == nullptr) return StrAppend(out, "-");
  StrAppend(out, "p", static_cast<int>(pattern->kind), pattern->name.text, "<");
  if (pattern->literal != nullptr) StrAppend(out, pattern->literal->text);
  for (const PatternPtr& arg : pattern->args) AppendTree(arg.get(), out);
  StrAppend(out, ">");
}

inline void AppendTree(const std::vector<Param>& params, std::string* out) {
  for (const Param& param : params) {
    AppendTree(param.pattern.get(), out);
    AppendTree(param.type.get(), out);
    AppendTree(param.first.get(), out);
  }
}

inline void AppendTree(const Function& function, std::string* out) {
  StrAppend(out, "fn ", function.name.text, "[");
  for (const Name& name : function.generics) StrAppend(out, name.text, ",");
  StrAppend(out, "]");
  AppendTree(function.params, out);
  AppendTree(function.result.get(), out);
  AppendTree(function.body.get(), out);
}

inline void AppendTree(const Expr* expr, std::string* out) {
  if (expr == nullptr) return StrAppend(out, "-");
  StrAppend(out, "e", static_cast<int>(expr->kind), expr->text, "<");
  AppendTree(expr->params, out);
  AppendTree(expr->type_expr.get(), out);
  AppendTree(expr->pattern.get(), out);
  for (const Statement& statement : expr->statements) {
    StrAppend(out, "s", static_cast<int>(statement.kind));
    AppendTree(statement.pattern.get(), out);
    AppendTree(statement.type.get(), out);
    if (statement.function != nullptr) AppendTree(*statement.function, out);
    AppendTree(statement.value.get(), out);
  }
  for (const Arm& arm : expr->arms) {
    AppendTree(arm.pattern.get(), out);
    AppendTree(arm.guard.get(), out);
    AppendTree(arm.body.get(), out);
  }
  for (const ExprPtr& child : expr->children) AppendTree(child.get(), out);
  for (const Attribute& attribute : expr->attributes) {
    StrAppend(out, attribute.name.text, "=");
    AppendTree(attribute.value.get(), out);
  }
  StrAppend(out, ">");
}

inline std::string TreeText(const File& file) {
  std::string out;
  for (const Item& item : file.items) {
    if (item.function != nullptr) AppendTree(*item.function, &out);
    if (const DataDecl* data = item.data.get()) {
      StrAppend(&out, "type ", data->name.text);
      for (const Name& name : data->generics) StrAppend(&out, ",", name.text);
      for (const ConstructorDecl& constructor : data->constructors) {
        StrAppend(&out, "|", constructor.name.text);
        for (const TypeExprPtr& field : constructor.fields) AppendTree(field.get(), &out);
      }
    }
    if (const KernelDecl* kernel = item.kernel.get()) {
      StrAppend(&out, "kernel ", kernel->function->name.text, kernel->relaxed);
      AppendTree(kernel->function->params, &out);
      AppendTree(kernel->function->result.get(), &out);
      for (const Name& name : kernel->results) StrAppend(&out, " ", name.text);
      for (const Name& word : kernel->words) StrAppend(&out, " ", word.text);
    }
    out += "\n";
  }
  return out;
}

}  // namespace tern::lang

#endif  // TERN_TESTS_UNIT_LANG_TREE_TEXT_H_
