// SPDX-License-Identifier: Apache-2.0
#include "core/ir/verifier.h"

#include <unordered_set>

#include "core/base/strings.h"

namespace tern::ir {

namespace {

class FunctionVerifier {
 public:
  FunctionVerifier(const Module& module, const Module::Item& item) : module_(module), item_(item) {}

  Status Run() {
    for (const VarPtr& parameter : item_.function->parameters())
      TERN_TRY(Define(parameter, "parameter"));
    size_t index = 0;
    for (const Binding& binding : item_.function->bindings()) {
      where_ = StrCat("binding %", index++);
      TERN_TRY(CheckValue(binding.value));
      TERN_TRY(Define(binding.var, where_));
    }
    where_ = "the result";
    const Expr& result = item_.function->result();
    if (const Tuple* tuple = result->As<Tuple>()) return CheckAtoms(tuple->fields());
    return CheckAtom(result);
  }

 private:
  template <class... T>
  Status Error(const T&... parts) {
    return Status(StatusCode::kInternal,
                  StrCat("function ", item_.name, ", ", where_, ": ", parts...));
  }

  Status Define(const VarPtr& var, std::string_view what) {
    if (!bound_.insert(var.get()).second) return Error("bound twice (", what, ")");
    if (!var->type().known()) return Error("'", var->name(), "' has no type");
    return OkStatus();
  }

  Status CheckAtom(const Expr& expr) {
    if (!expr) return Error("null");
    if (const Global* global = expr->As<Global>()) {
      if (module_.Find(global->name()) == nullptr)
        return Error("there is no function ", global->name());
    } else if (expr->As<Var>() != nullptr) {
      if (!bound_.contains(expr.get())) return Error("a variable that is not bound here is used");
    } else if (expr->As<Constant>() == nullptr) {
      return Error("a ", NodeKindName(expr->kind()), " where a variable or constant is expected");
    }
    return OkStatus();
  }

  Status CheckAtoms(std::span<const Expr> exprs) {
    for (const Expr& expr : exprs) TERN_TRY(CheckAtom(expr));
    return OkStatus();
  }

  Status CheckValue(const Expr& value) {
    if (!value) return Error("null");
    switch (value->kind()) {
      case NodeKind::kCall: return CheckAtoms(value->As<Call>()->args());
      case NodeKind::kInvoke:
        TERN_TRY(CheckAtom(value->As<Invoke>()->callee()));
        return CheckAtoms(value->As<Invoke>()->args());
      case NodeKind::kTuple: return CheckAtoms(value->As<Tuple>()->fields());
      case NodeKind::kGetItem: return CheckAtom(value->As<GetItem>()->tuple());
      case NodeKind::kVar:
      case NodeKind::kConstant:
      case NodeKind::kGlobal: return CheckAtom(value);
      case NodeKind::kLet:
      case NodeKind::kFunction: break;
    }
    return Error("a ", NodeKindName(value->kind()), " cannot be bound");
  }

  const Module& module_;
  const Module::Item& item_;
  std::string where_ = "parameters";
  std::unordered_set<const Node*> bound_;
};

}  // namespace

Status Verify(const Module& module) {
  for (const Module::Item& item : module.items()) TERN_TRY(FunctionVerifier(module, item).Run());
  return OkStatus();
}

}  // namespace tern::ir
