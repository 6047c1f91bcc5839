// SPDX-License-Identifier: Apache-2.0
// Walks over values and blocks: what analyses and passes that need no Rewriter are made of.
#ifndef TERN_CORE_IR_VISITOR_H_
#define TERN_CORE_IR_VISITOR_H_

#include "core/ir/control.h"
#include "core/ir/expr.h"
#include "core/ir/fields.h"

namespace tern::ir {

// The operands of a value, in order: arguments, a callee that is a variable, a condition, a
// subject. Not what is inside its blocks. An atom is its own operand, a Tuple its fields.
template <class F>
class AtomFields {
 public:
  explicit AtomFields(const F& visit) : visit_(visit) {}
  void operator()(const Expr& atom) const { visit_(atom); }
  void operator()(std::span<const Expr> atoms) const {
    for (const Expr& atom : atoms) visit_(atom);
  }
  void operator()(Callee callee) const {
    if (callee.expr->kind() == NodeKind::kVar) visit_(callee.expr);
  }
  void operator()(Body) const {}
  void operator()(BlockResult) const {}
  void operator()(FunctionName) const {}
  void operator()(const LetPtr&) const {}
  void operator()(std::span<const SwitchCase>) const {}
  void operator()(std::span<const Binding>) const {}
  template <FieldValue T>
  void operator()(const T&) const {}

 private:
  const F& visit_;
};
template <class F>
void ForEachAtom(const Expr& value, const F& visit) {
  if (IsAtom(value) && value->kind() != NodeKind::kTuple) return visit(value);
  VisitNode(*value,
            [&]<class T>(const T& node) { FieldsOf<T>::ForEach(node, AtomFields<F>(visit)); });
}

// The blocks inside a value: branches, and the body of a lambda.
template <class F>
class BlockFields {
 public:
  explicit BlockFields(const F& visit) : visit_(visit) {}
  void operator()(const LetPtr& block) const {
    if (block) visit_(*block);
  }
  void operator()(std::span<const SwitchCase> cases) const {
    for (const SwitchCase& option : cases) visit_(*option.block);
  }
  void operator()(Body body) const {
    if (const Let* block = body.expr->As<Let>()) visit_(*block);
  }
  void operator()(const Expr&) const {}
  void operator()(std::span<const Expr>) const {}
  void operator()(Callee) const {}
  void operator()(BlockResult) const {}
  void operator()(FunctionName) const {}
  void operator()(std::span<const Binding>) const {}
  template <FieldValue T>
  void operator()(const T&) const {}

 private:
  const F& visit_;
};
template <class F>
void ForEachBlock(const Expr& value, const F& visit) {
  VisitNode(*value,
            [&]<class T>(const T& node) { FieldsOf<T>::ForEach(node, BlockFields<F>(visit)); });
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
