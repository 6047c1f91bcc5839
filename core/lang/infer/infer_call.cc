// SPDX-License-Identifier: Apache-2.0
// Calls of functions. What is chosen by types is in infer_choice.cc.
#include <algorithm>

#include "core/base/strings.h"
#include "core/lang/infer/infer_state.h"
#include "core/lang/type_text.h"

namespace tern::lang {

using types::Type;

// A name that only primitives, operators or element types have.
bool Inference::IsOverloaded(const Expr& callee) const {
  if (callee.kind != ExprKind::kName || FindLocal(callee.text) != nullptr) return false;
  if (program_->FindFunction(callee.text, InPrelude()) != nullptr) return false;
  if (!InPrelude() && callee.text.starts_with("prelude_")) return false;
  return !FindPrimitives(callee.text).empty() || ops::FindOp(callee.text) != nullptr ||
         DType::Parse(callee.text).ok();
}

void Inference::RefuseAttributes(const Expr& call, std::string_view callee) {
  if (call.attributes.empty()) return;
  Error("E1020", StrCat(callee, " takes no attributes"), call.attributes[0].name.span,
        "only operators have them")
      .Help("arguments are given in order, without names");
}

Type Inference::InferCall(Expr* expr, const Type& expected) {
  Expr* const callee = expr->children[0].get();
  for (Attribute& attribute : expr->attributes) {
    // Words are allowed here, so a name that is unknown is none.
    const bool word =
        attribute.value->kind == ExprKind::kName && FindLocal(attribute.value->text) == nullptr;
    if (!word) Infer(attribute.value.get(), Type());
  }
  if (IsOverloaded(*callee)) {
    for (size_t i = 1; i < expr->children.size(); ++i) Infer(expr->children[i].get(), Type());
    return Choose(expr);
  }
  const Type type = Infer(callee, Type());
  const Target& target = callee->target;
  const Function* function = target.kind == TargetKind::kFunction ? target.function
                             : target.kind == TargetKind::kLocal  ? target.local->function
                                                                  : nullptr;
  RefuseAttributes(*expr, callee->kind == ExprKind::kName ? callee->text : "this function");
  const Type result = ApplyFunction(expr, type, function, expected);
  SolvePending(false);
  return result;
}

Type Inference::ApplyFunction(Expr* expr, const Type& callee, const Function* function,
                              const Type& expected) {
  const Type type = unifier_.Resolve(callee);
  const size_t count = expr->children.size() - 1;
  if (Unifier::IsVariable(type)) {
    std::vector<Type> parameters;
    for (size_t i = 0; i < count; ++i)
      parameters.push_back(
          Unifier::Widen(unifier_.Apply(Infer(expr->children[i + 1].get(), Type()))));
    const Type result = unifier_.FreshType();
    const Expr& name = *expr->children[0];
    const std::string what = name.kind == ExprKind::kName ? name.text : "this";
    Coerce(expr->children[0].get(), Type::Function(std::move(parameters), result), type,
           {what, {}});
    return result;
  }
  if (type.is_function() && type.parameters().size() == count) {
    // What is wanted of the result tells about the arguments.
    const Type wanted = unifier_.Resolve(expected);
    if (Unifier::IsVariable(unifier_.Resolve(type.result())) && wanted.known() &&
        !wanted.is_tensor() && !Unifier::IsVariable(wanted))
      unifier_.Unify(type.result(), wanted, nullptr);
    CheckArguments(expr, type.parameters(), function);
    return type.result();
  }
  for (size_t i = 1; i < expr->children.size(); ++i) Infer(expr->children[i].get(), Type());
  if (!type.known()) return Type();
  const Expr& name = *expr->children[0];
  const std::string what = name.kind == ExprKind::kName ? name.text : "this";
  if (!type.is_function()) {
    Error("E1009", StrCat(what, " is ", KindText(unifier_.Apply(type)), ", which cannot be called"),
          name.span, "called here");
    return Type();
  }
  const size_t takes = type.parameters().size();
  text::Diagnostic& error = Error(
      "E1008",
      StrCat(what, " takes ", takes, takes == 1 ? " argument, " : " arguments, ", count, " given"),
      expr->span);
  error.Context("its type", TypeText(unifier_.Apply(type)));
  if (function != nullptr && !function->in_prelude)
    error.Mark(function->name.span, "declared here");
  return type.result();
}

// Functions without a name come last: by then, what they are given is known.
void Inference::CheckArguments(Expr* expr, std::span<const Type> parameters,
                               const Function* function) {
  const Expr& callee = *expr->children[0];
  const std::string name = callee.kind == ExprKind::kName ? StrCat(" of ", callee.text) : "";
  for (const bool lambdas : {false, true}) {
    for (size_t i = 0; i < parameters.size(); ++i) {
      Expr* const argument = expr->children[i + 1].get();
      if ((argument->kind == ExprKind::kLambda) != lambdas) continue;
      Want want{StrCat("argument ", i + 1, name), {}, "the parameter is declared here"};
      if (function != nullptr && i < function->params.size()) {
        const Param& param = function->params[i];
        want.what = StrCat("argument '", param.pattern->name.text, "'", name);
        if (!function->in_prelude) want.declared = param.pattern->span;
      }
      CheckExpr(argument, parameters[i], want);
    }
    if (!lambdas) SolvePending(false);
  }
}

}  // namespace tern::lang
