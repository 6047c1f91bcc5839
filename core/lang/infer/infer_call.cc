// SPDX-License-Identifier: Apache-2.0
// Calls of functions. infer_choice.cc has what is chosen by types: operators, primitives and
// conversions. Arguments are checked against the callee's type one by one, so that the message can
// name the argument.
#include <algorithm>

#include "core/base/strings.h"
#include "core/lang/infer/infer_state.h"
#include "core/lang/type_text.h"

namespace tern::lang {

using types::Type;

// True for a name that only primitives, operators or element types have. Locals and functions hide
// these, so a program may name a variable after an operator.
bool Inference::IsOverloaded(const Expr& callee) const {
  if (callee.kind != ExprKind::kName || context_.scope.Find(callee.text) != nullptr) return false;
  if (program_->FindFunction(callee.text, InPrelude()) != nullptr) return false;
  if (!InPrelude() && callee.text.starts_with("prelude_")) return false;
  return !FindPrimitives(callee.text).empty() || ops::FindOp(callee.text) != nullptr ||
         DType::Parse(callee.text).ok();
}

// The place is the first attribute, not the call, because only it has to go.
void Inference::RefuseAttributes(const Expr& call, std::string_view callee) {
  if (call.attributes.empty()) return;
  text::Diagnostic& error = Error("E1020", StrCat(callee, " takes no attributes"),
                                  call.attributes[0].name.span, "only operators have them");
  // sum(x, axes = [1]) means the operator that NumPy and others call sum.
  const std::string reduction = StrCat("reduce_", callee);
  if (ops::FindOp(reduction) != nullptr)
    error.Help(StrCat("over axes of a tensor: ", reduction, "(x, axes = [1])"));
  else
    error.Help("arguments are given in order, without names");
}

// Takes `..value` out of a call that makes no record.
void Inference::RefuseRest(Expr* call) {
  const auto is_rest = [](const Attribute& attribute) { return attribute.name.text == ".."; };
  const auto rest = std::find_if(call->attributes.begin(), call->attributes.end(), is_rest);
  if (rest == call->attributes.end()) return;
  Error("E1020", "'..' stands for the other fields of a record", rest->name.span,
        "what is called here is no constructor");
  std::erase_if(call->attributes, is_rest);
}

Type Inference::InferCall(Expr* expr, const Type& expected) {
  Expr* const callee = expr->children[0].get();
  if (!expr->attributes.empty() && callee->kind == ExprKind::kName) {
    // Constructors begin with a capital letter, which no local does.
    const ConstructorRef ref = program_->FindConstructor(callee->text, InPrelude());
    if (ref.data != nullptr) return InferRecord(expr, ref, expected);
  }
  RefuseRest(expr);
  ExpandMaker(expr);
  for (Attribute& attribute : expr->attributes) {
    // Attribute values may be words (mode = linear), which are no expressions; so an unknown name
    // is no mistake here, and op_call.h reads it as text.
    const bool word = attribute.value->kind == ExprKind::kName &&
                      context_.scope.Find(attribute.value->text) == nullptr;
    if (!word) Infer(attribute.value.get(), Type());
  }
  if (IsOverloaded(*callee)) {
    // An overloaded callee has no type to check arguments against, so they are inferred without an
    // expectation.
    for (size_t i = 1; i < expr->children.size(); ++i) Infer(expr->children[i].get(), Type());
    return Choose(expr);
  }
  const Type type = Infer(callee, Type());
  // A known declaration gives better messages: the parameter's name and place.
  const Target& target = callee->target;
  const Function* function = target.kind == TargetKind::kFunction ? target.function
                             : target.kind == TargetKind::kLocal  ? target.local->function
                                                                  : nullptr;
  if (function != nullptr && function->is_constant) function = nullptr;
  RefuseAttributes(*expr, callee->kind == ExprKind::kName ? callee->text : "this function");
  const Type result = ApplyFunction(expr, type, function, expected);
  // The call may have settled types that earlier choices wait for.
  SolvePending(false);
  return result;
}

// The type of a call of a value of type `callee`. `function` is its declaration or null; `expected`
// is a hint about the result.
Type Inference::ApplyFunction(Expr* expr, const Type& callee, const Function* function,
                              const Type& expected) {
  const Type type = unifier_.Resolve(callee);
  const size_t count = expr->children.size() - 1;
  // The callee is a variable of inference, such as a parameter without a type: its type follows
  // from this call. Unknown extents become "?", because the function may be called again with
  // others.
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
    // An expected result that is known tells about the arguments, so that lambdas among them find
    // their parameters typed. Tensors are left out: their extents may be checked at run time, which
    // unifying here would forbid.
    const Type wanted = unifier_.Resolve(expected);
    if (Unifier::IsVariable(unifier_.Resolve(type.result())) && wanted.known() &&
        !wanted.is_tensor() && !Unifier::IsVariable(wanted))
      unifier_.Unify(type.result(), wanted, nullptr);
    CheckArguments(expr, type.parameters(), function);
    return type.result();
  }
  // The call is wrong. Arguments are inferred all the same, so that mistakes inside them are
  // reported and editors have their types.
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
  GiveUp(type);
  // What a lambda gives that is never called rightly would not be told either.
  return Unifier::IsVariable(unifier_.Resolve(type.result())) ? Type() : type.result();
}

// Lambdas are checked last: by then the other arguments have told what they will be called with, as
// in map(xs, |x| x + 1). Without this order the user would have to write the type of x.
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
    // Choices that now know their types are made before the lambdas need them.
    if (!lambdas) SolvePending(false);
  }
}

}  // namespace tern::lang
