// SPDX-License-Identifier: Apache-2.0
#include "core/ir/copier.h"

#include "core/base/check.h"

namespace tern::ir {

// A copy of the function's body into the builder, with arguments in place of parameters (inlining).
// Types are instantiated by what the arguments tell about symbols.
Expr Copier::Copy(const Function& function, std::span<const Expr> args) {
  TERN_CHECK(args.size() == function.parameters().size());
  for (size_t i = 0; i < args.size(); ++i) {
    const VarPtr& parameter = function.parameters()[i];
    map_[parameter.get()] = args[i];
    types_.Match(parameter->type(), TypeOf(args[i]));
  }
  CopyBindings(function.bindings());
  Expr result = CopyResult(function.result());
  // A result of several values is bound as a tuple, because a call is one value.
  return result->As<Tuple>() != nullptr ? builder_.Bind(std::move(result)) : result;
}

// Atoms that are not the function's own, such as globals, are the same in the copy.
Expr Copier::Map(const Expr& atom) const {
  const Expr* found = map_.Find(atom.get());
  return found == nullptr ? atom : *found;
}

std::vector<Expr> Copier::MapAll(std::span<const Expr> atoms) const {
  std::vector<Expr> mapped;
  for (const Expr& atom : atoms) mapped.push_back(Map(atom));
  return mapped;
}

// Symbols that no argument tells are the function's own, and each copy has others: two calls may
// give different extents.
types::Type Copier::CopyType(const types::Type& type) {
  std::vector<std::string> symbols;
  type.CollectSymbols(&symbols);
  for (const std::string& symbol : symbols) {
    if (!types_.Knows(symbol)) types_.BindSymbol(symbol, builder_.FreshDim());
  }
  return types_.Apply(type);
}

// A variable of the copy: the same name, and a type in terms of the arguments.
VarPtr Copier::CopyVar(const Var& var) {
  VarPtr copy = MakeVar(var.name(), CopyType(var.type()), var.origin());
  map_[&var] = copy;
  return copy;
}

void Copier::CopyBindings(std::span<const Binding> bindings) {
  for (size_t i = 0; i < bindings.size(); ++i) {
    const Binding& binding = bindings[i];
    builder_.SetOrigin(binding.var->origin());
    if (!binding.recursive) {
      map_[binding.var.get()] = CopyValue(binding);
      continue;
    }
    // All variables of a recursive group exist ahead of their lambdas, which mention each other.
    for (size_t j = i; j < bindings.size() && bindings[j].recursive; ++j) {
      if (map_.Find(bindings[j].var.get()) == nullptr) CopyVar(*bindings[j].var);
    }
    const VarPtr var(Map(binding.var)->As<Var>());
    builder_.Adopt({var, CopyLambda(*binding.value->As<Function>()), true});
  }
}

Expr Copier::CopyResult(const Expr& result) {
  const Tuple* tuple = result->As<Tuple>();
  return tuple == nullptr ? Map(result) : MakeTuple(MapAll(tuple->fields()));
}

// The origin is restored, because bindings of the block have origins of their own.
LetPtr Copier::CopyBlock(const Let& block) {
  const std::string origin = builder_.origin();
  builder_.BeginBlock();
  CopyBindings(block.bindings());
  LetPtr copy = builder_.EndBlock(CopyResult(block.result()));
  builder_.SetOrigin(origin);
  return copy;
}

FunctionPtr Copier::CopyLambda(const Function& lambda) {
  const std::string origin = builder_.origin();
  std::vector<VarPtr> parameters;
  for (const VarPtr& parameter : lambda.parameters()) parameters.push_back(CopyVar(*parameter));
  builder_.BeginLambda(std::move(parameters));
  CopyBindings(lambda.bindings());
  FunctionPtr copy = builder_.EndLambda(CopyResult(lambda.result()));
  builder_.SetOrigin(origin);
  return copy;
}

Expr Copier::CopySwitch(const Switch& node) {
  std::vector<SwitchCase> cases;
  for (const SwitchCase& option : node.cases()) {
    cases.push_back({option.constructor, {}, nullptr});
    for (const VarPtr& field : option.fields)
      cases.back().fields.push_back(field ? CopyVar(*field) : nullptr);
    cases.back().block = CopyBlock(*option.block);
  }
  LetPtr otherwise;
  if (node.default_block()) otherwise = CopyBlock(*node.default_block());
  return MakeSwitch(node.data_type(), Map(node.subject()), std::move(cases), otherwise);
}

// The copy of a binding's value: an atom, or a new variable of the builder.
Expr Copier::CopyValue(const Binding& binding) {
  const Expr& value = binding.value;
  if (IsAtom(value)) return Map(value);
  if (const Call* call = value->As<Call>()) {
    // By the builder, so that types are inferred again from the arguments.
    builder_.SetName(binding.var->name());
    return builder_.Emit(call->op(), MapAll(call->args()), call->attrs());
  }
  Expr copy;
  if (const Switch* node = value->As<Switch>())
    copy = CopySwitch(*node);
  else if (const Function* lambda = value->As<Function>())
    copy = CopyLambda(*lambda);
  else if (const Invoke* invoke = value->As<Invoke>())
    // Never in place of the frame that it is copied into.
    copy = MakeInvoke(Map(invoke->callee()), MapAll(invoke->args()));
  else
    copy = Descend(value);
  // Other values keep the type that the original had, in terms of the arguments.
  builder_.SetName(binding.var->name());
  return builder_.BindAs(std::move(copy), CopyType(binding.var->type()));
}

}  // namespace tern::ir
