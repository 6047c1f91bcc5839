// SPDX-License-Identifier: Apache-2.0
#include "core/ir/verifier.h"

#include "core/base/strings.h"
#include "core/ir/control.h"
#include "core/ir/node_map.h"
#include "core/ir/visitor.h"

namespace tern::ir {

namespace {

// Checks the invariants that all passes may rely on: A-normal form, every variable bound once and
// ahead of its uses, callees that exist, tail calls in tail position. An error is a bug of a pass,
// so its code is "internal".
class FunctionVerifier {
 public:
  FunctionVerifier(const Module& module, const Module::Item& item) : module_(module), item_(item) {}

  Status Run() {
    if (item_.kernel != nullptr) TERN_TRY(CheckKernel(*item_.function));
    return CheckLambda(*item_.function);
  }

 private:
  // An error with the function and the binding that it was found in.
  template <class... T>
  Status Error(const T&... parts) {
    return Status(StatusCode::kInternal,
                  StrCat("function ", item_.name, ", ", where_, ": ", parts...));
  }

  // --- kernels

  // A kernel takes tensors and numbers and gives tensors: a loop program can take and give nothing
  // else.
  Status CheckKernel(const Function& function) {
    where_ = "with a loop program";
    for (const VarPtr& parameter : function.parameters()) {
      const types::Type& type = parameter->type();
      const types::TypeKind kind = type.kind();
      if (!type.is_tensor() && kind != types::TypeKind::kInt && kind != types::TypeKind::kFloat &&
          kind != types::TypeKind::kBool)
        return Error("parameter '", parameter->name(), "' is ", type.ToText());
    }
    const types::Type result = TypeOf(function.result());
    bool tensors = result.is_tensor();
    if (result.is_tuple()) {
      tensors = !result.elements().empty();
      for (const types::Type& element : result.elements()) tensors = tensors && element.is_tensor();
    }
    return tensors ? OkStatus() : Error("the result is ", result.ToText());
  }

  // --- blocks

  Status CheckLambda(const Function& lambda) {
    const size_t outside = scope_.size();
    for (const VarPtr& parameter : lambda.parameters()) TERN_TRY(Define(parameter, "parameter"));
    const Let* body = lambda.body()->As<Let>();
    Status status = body == nullptr ? CheckResult(lambda.body()) : CheckBlock(*body, true);
    LeaveScope(outside);
    return status;
  }

  // tail says that what the block gives is what the function gives.
  Status CheckBlock(const Let& block, bool tail) {
    const size_t outside = scope_.size();
    const std::span<const Binding> bindings = block.bindings();
    for (size_t i = 0; i < bindings.size(); ++i) {
      where_ = StrCat("binding %", index_++);
      if (bindings[i].recursive) TERN_TRY(DefineGroup(bindings, i));
      const bool last = i + 1 == bindings.size() && block.result() == bindings[i].var;
      TERN_TRY(CheckValue(bindings[i].value, tail && last));
      if (!bindings[i].recursive) TERN_TRY(Define(bindings[i].var, where_));
    }
    where_ = "the result";
    TERN_TRY(CheckResult(block.result()));
    LeaveScope(outside);
    return OkStatus();
  }

  // Blocks give atoms or a tuple of atoms.
  Status CheckResult(const Expr& result) {
    if (!result) return Error("null");
    if (const Tuple* tuple = result->As<Tuple>()) return CheckAtoms(tuple->fields());
    return CheckAtom(result);
  }

  // At the first lambda of a group, defines all its variables, because they may mention each other.
  Status DefineGroup(std::span<const Binding> bindings, size_t at) {
    if (bindings[at].value->As<Function>() == nullptr)
      return Error("a recursive binding that is no lambda");
    if (at > 0 && bindings[at - 1].recursive) return OkStatus();
    for (; at < bindings.size() && bindings[at].recursive; ++at)
      TERN_TRY(Define(bindings[at].var, where_));
    return OkStatus();
  }

  Status Define(const VarPtr& var, std::string_view what) {
    // Once per function, not per scope: passes keep facts by node.
    Bound& bound = bound_[var.get()];
    if (bound.once) return Error("bound twice (", what, ")");
    if (!var->type().known()) return Error("'", var->name(), "' has no type");
    bound = {.once = true, .in_scope = true};
    scope_.push_back(var.get());
    return OkStatus();
  }

  // Variables of a scope cannot be used after it, but stay bound.
  void LeaveScope(size_t outside) {
    for (; scope_.size() > outside; scope_.pop_back()) bound_[scope_.back()].in_scope = false;
  }

  // --- values

  Status CheckAtom(const Expr& expr) {
    if (!expr) return Error("null");
    if (expr->As<Var>() != nullptr) {
      const Bound* bound = bound_.Find(expr.get());
      if (bound == nullptr || !bound->in_scope)
        return Error("a variable that is not bound here is used");
    } else if (expr->As<Constant>() == nullptr) {
      return Error("a ", NodeKindName(expr->kind()), " where a variable or constant is expected");
    }
    return OkStatus();
  }

  Status CheckAtoms(std::span<const Expr> exprs) {
    for (const Expr& expr : exprs) TERN_TRY(CheckAtom(expr));
    return OkStatus();
  }

  // Checks that the function of that name exists and takes `count` arguments, or at least so many.
  Status CheckCallee(const Expr& callee, size_t count, bool exactly) {
    const Global* global = callee->As<Global>();
    const FunctionPtr function = module_.Find(global->name());
    if (!function) return Error("there is no function ", global->name());
    const size_t parameters = function->parameters().size();
    if (count == parameters || (!exactly && count < parameters)) return OkStatus();
    return Error("function ", global->name(), " has ", parameters, " parameters, ", count,
                 " values are given");
  }

  Status CheckInvoke(const Invoke& invoke, bool tail) {
    // A tail call drops the frame of its caller.
    if (invoke.is_tail() && !tail) return Error("a tail call that is not the end of the function");
    const NodeKind kind = invoke.callee()->kind();
    if (kind == NodeKind::kGlobal) {
      TERN_TRY(CheckCallee(invoke.callee(), invoke.args().size(), true));
    } else if (kind == NodeKind::kVar) {
      TERN_TRY(CheckAtom(invoke.callee()));
    } else if (kind != NodeKind::kPrimitive) {
      return Error("a ", NodeKindName(kind), " is called");
    } else if (invoke.is_tail()) {
      return Error("a tail call of a primitive");
    }
    return CheckAtoms(invoke.args());
  }

  Status CheckSwitch(const Switch& node, bool tail) {
    TERN_TRY(CheckAtom(node.subject()));
    const auto& constructors = node.data_type()->constructors;
    std::vector<bool> seen(constructors.size());
    for (const SwitchCase& option : node.cases()) {
      const auto index = static_cast<size_t>(option.constructor);
      if (option.constructor < 0 || index >= constructors.size() || seen[index])
        return Error("constructor ", option.constructor, " of ", node.data_type()->name,
                     " has a case twice, or there is none");
      seen[index] = true;
      if (option.fields.size() != constructors[index].fields.size() && !option.fields.empty())
        return Error("case ", constructors[index].name, " binds ", option.fields.size(),
                     " fields of ", constructors[index].fields.size());
      const size_t outside = scope_.size();
      for (const VarPtr& field : option.fields) {
        if (field) TERN_TRY(Define(field, "a field"));
      }
      TERN_TRY(CheckBlock(*option.block, tail));
      LeaveScope(outside);
    }
    // With a default, cases may be missing.
    if (node.default_block()) return CheckBlock(*node.default_block(), tail);
    for (size_t i = 0; i < seen.size(); ++i) {
      if (!seen[i]) return Error("no case for ", constructors[i].name, " and no default");
    }
    return OkStatus();
  }

  Status CheckConstruct(const Construct& node) {
    const auto& made = node.data_type()->constructors[static_cast<size_t>(node.constructor())];
    if (made.fields.size() != node.fields().size())
      return Error("constructor ", made.name, " has ", made.fields.size(), " fields, ",
                   node.fields().size(), " are given");
    return CheckAtoms(node.fields());
  }

  // tail: whether the value is the last thing that the function computes.
  Status CheckValue(const Expr& value, bool tail) {
    if (!value) return Error("null");
    switch (value->kind()) {
      case NodeKind::kCall: return CheckAtoms(value->As<Call>()->args());
      case NodeKind::kInvoke: return CheckInvoke(*value->As<Invoke>(), tail);
      case NodeKind::kTuple: return CheckAtoms(value->As<Tuple>()->fields());
      case NodeKind::kGetItem: return CheckAtom(value->As<GetItem>()->tuple());
      case NodeKind::kIf:
        TERN_TRY(CheckAtom(value->As<If>()->condition()));
        TERN_TRY(CheckBlock(*value->As<If>()->then_block(), tail));
        return CheckBlock(*value->As<If>()->else_block(), tail);
      case NodeKind::kSwitch: return CheckSwitch(*value->As<Switch>(), tail);
      case NodeKind::kFunction: return CheckLambda(*value->As<Function>());
      case NodeKind::kConstruct: return CheckConstruct(*value->As<Construct>());
      case NodeKind::kScalar: return CheckAtoms(value->As<Scalar>()->args());
      case NodeKind::kMakeClosure: {
        const MakeClosure& closure = *value->As<MakeClosure>();
        TERN_TRY(CheckCallee(closure.function(), closure.captured().size(), false));
        return CheckAtoms(closure.captured());
      }
      case NodeKind::kDeviceCopy: return CheckAtom(value->As<DeviceCopy>()->source());
      case NodeKind::kFatal: return OkStatus();
      case NodeKind::kVar:
      case NodeKind::kConstant: return CheckAtom(value);
      case NodeKind::kGlobal:
      case NodeKind::kPrimitive:
      case NodeKind::kLet: break;
    }
    return Error("a ", NodeKindName(value->kind()), " cannot be bound");
  }

  struct Bound {
    bool once = false;
    bool in_scope = false;
  };

  const Module& module_;
  const Module::Item& item_;
  std::string where_ = "parameters";
  size_t index_ = 0;  // of the next binding, as the printer counts
  NodeMap<Bound> bound_;
  std::vector<const Node*> scope_;
};

// Whether all operands are atoms and all types are known.
bool IsFlat(const Function& function);

bool IsFlat(const Let& block) {
  bool flat = true;
  const auto check = [&flat](const Expr& atom) { flat = flat && IsAtom(atom); };
  for (const Binding& binding : block.bindings()) {
    flat = flat && binding.var->type().known() && binding.value->kind() != NodeKind::kLet;
    ForEachAtom(binding.value, check);
    ForEachBlock(binding.value, [&flat](const Let& inner) { flat = flat && IsFlat(inner); });
    if (const Invoke* invoke = binding.value->As<Invoke>())
      flat = flat && (IsAtom(invoke->callee()) || invoke->callee()->As<Primitive>() != nullptr);
    // ForEachBlock has shown the bodies of the others already. Looking twice would cost twice at
    // every depth.
    const Function* lambda = binding.value->As<Function>();
    if (lambda != nullptr && lambda->body()->As<Let>() == nullptr) flat = flat && IsFlat(*lambda);
  }
  if (const Tuple* tuple = block.result()->As<Tuple>()) {
    for (const Expr& field : tuple->fields()) check(field);
    return flat;
  }
  return flat && IsAtom(block.result());
}

bool IsFlat(const Function& function) { return IsFlat(*ToBlock(function.body())); }

}  // namespace

Status Verify(const Module& module) {
  for (const Module::Item& item : module.items()) TERN_TRY(FunctionVerifier(module, item).Run());
  return OkStatus();
}

Status VerifyChanges(const Module& module, const Module& verified) {
  // What a function that stays can see of others: that they are there, and their parameters.
  for (const Module::Item& item : verified.items()) {
    const FunctionPtr now = module.Find(item.name);
    if (now == item.function) continue;
    if (!now || now->parameters().size() != item.function->parameters().size())
      return Verify(module);
  }
  for (const Module::Item& item : module.items()) {
    const Module::Item* before = verified.FindItem(item.name);
    const bool same =
        before != nullptr && before->function == item.function && before->kernel == item.kernel;
    if (!same) TERN_TRY(FunctionVerifier(module, item).Run());
  }
  return OkStatus();
}

bool IsANormalForm(const Module& module) {
  for (const Module::Item& item : module.items()) {
    if (!IsFlat(*item.function)) return false;
  }
  return true;
}

}  // namespace tern::ir
