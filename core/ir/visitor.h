// SPDX-License-Identifier: Apache-2.0
// Walks over values and blocks: what analyses and passes that need no Rewriter are made of.
#ifndef TERN_CORE_IR_VISITOR_H_
#define TERN_CORE_IR_VISITOR_H_

#include "core/ir/control.h"
#include "core/ir/expr.h"

namespace tern::ir {

// The operands of a value, in order: arguments, a callee that is a variable, a condition, a
// subject. Not what is inside its blocks. An atom is its own operand, a Tuple its fields.
template <class F>
void ForEachAtom(const Expr& value, const F& visit) {
  const auto each = [&visit](std::span<const Expr> atoms) {
    for (const Expr& atom : atoms) visit(atom);
  };
  switch (value->kind()) {
    case NodeKind::kCall: return each(value->As<Call>()->args());
    case NodeKind::kTuple: return each(value->As<Tuple>()->fields());
    case NodeKind::kConstruct: return each(value->As<Construct>()->fields());
    case NodeKind::kScalar: return each(value->As<Scalar>()->args());
    case NodeKind::kMakeClosure: return each(value->As<MakeClosure>()->captured());
    case NodeKind::kInvoke: {
      const Invoke& invoke = *value->As<Invoke>();
      if (invoke.callee()->kind() == NodeKind::kVar) visit(invoke.callee());
      return each(invoke.args());
    }
    case NodeKind::kGetItem: return visit(value->As<GetItem>()->tuple());
    case NodeKind::kIf: return visit(value->As<If>()->condition());
    case NodeKind::kSwitch: return visit(value->As<Switch>()->subject());
    case NodeKind::kDeviceCopy: return visit(value->As<DeviceCopy>()->source());
    case NodeKind::kVar:
    case NodeKind::kConstant:
    case NodeKind::kGlobal: return visit(value);
    case NodeKind::kFatal:
    case NodeKind::kFunction:
    case NodeKind::kPrimitive:
    case NodeKind::kLet: return;
  }
}

// The blocks inside a value: branches, and the body of a lambda.
template <class F>
void ForEachBlock(const Expr& value, const F& visit) {
  if (const If* node = value->As<If>()) {
    visit(*node->then_block());
    visit(*node->else_block());
  } else if (const Switch* node = value->As<Switch>()) {
    for (const SwitchCase& option : node->cases()) visit(*option.block);
    if (node->default_block()) visit(*node->default_block());
  } else if (const Function* lambda = value->As<Function>()) {
    if (const Let* body = lambda->body()->As<Let>()) visit(*body);
  }
}

// Every binding of a block, those of blocks inside its values right behind theirs.
template <class F>
void ForEachBinding(std::span<const Binding> bindings, const F& visit) {
  for (const Binding& binding : bindings) {
    visit(binding);
    ForEachBlock(binding.value,
                 [&visit](const Let& block) { ForEachBinding(block.bindings(), visit); });
  }
}

// Every use of an atom in a block, those of inner blocks and results included.
template <class F>
void ForEachUse(std::span<const Binding> bindings, const Expr& result, const F& visit) {
  for (const Binding& binding : bindings) {
    ForEachAtom(binding.value, visit);
    ForEachBlock(binding.value, [&visit](const Let& block) {
      ForEachUse(block.bindings(), block.result(), visit);
    });
    const Function* lambda = binding.value->As<Function>();
    if (lambda != nullptr && lambda->body()->As<Let>() == nullptr) visit(lambda->body());
  }
  ForEachAtom(result, visit);
}

}  // namespace tern::ir

#endif  // TERN_CORE_IR_VISITOR_H_
