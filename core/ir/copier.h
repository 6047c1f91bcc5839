// SPDX-License-Identifier: Apache-2.0
// Copies the body of a function into a builder, with variables of its own: parameters are the
// arguments, symbols and type variables what the arguments have.
#ifndef TERN_CORE_IR_COPIER_H_
#define TERN_CORE_IR_COPIER_H_

#include <string>
#include <vector>

#include "core/ir/builder.h"
#include "core/ir/infer.h"
#include "core/ir/mutator.h"
#include "core/ir/node_map.h"

namespace tern::ir {

class Copier : private ValueMutator {
 public:
  explicit Copier(Builder* builder) : builder_(*builder) {}

  // What the body gives: an atom of the block that is open.
  Expr Copy(const Function& function, std::span<const Expr> args);

 private:
  void CopyBindings(std::span<const Binding> bindings);
  Expr CopyValue(const Binding& binding);
  Expr MutateAtom(const Expr& atom) override { return Map(atom); }
  LetPtr MutateBlock(const LetPtr& block) override { return CopyBlock(*block); }
  Expr CopyResult(const Expr& result);
  LetPtr CopyBlock(const Let& block);
  FunctionPtr CopyLambda(const Function& lambda);
  Expr CopySwitch(const Switch& node);
  VarPtr CopyVar(const Var& var);
  types::Type CopyType(const types::Type& type);
  Expr Map(const Expr& atom) const;
  std::vector<Expr> MapAll(std::span<const Expr> atoms) const;

  Builder& builder_;
  NodeMap<Expr> map_;  // by variable
  TypeMatcher types_;
};

}  // namespace tern::ir

#endif  // TERN_CORE_IR_COPIER_H_
