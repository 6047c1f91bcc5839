// SPDX-License-Identifier: Apache-2.0
// Rewriter: the mutator that passes derive from. It walks the bindings of a function in order and
// builds a new one; a binding whose arguments did not change is taken over as it is, and a function
// of which nothing changed is returned as the same pointer. A pass overrides what it cares about:
//
//   class FoldTwice : public Rewriter {
//     Expr RewriteCall(const Call& call, const std::vector<Expr>& args) override { … return
//     builder().Emit(…); }
//   };
//
// returning null to keep the binding, or the expression that takes its place from there on.
//
// Blocks of branches and lambdas are walked where they stand. What a pass remembers of a block's
// variables ends with it: EnterBlock and LeaveBlock are there to take it back.
#ifndef TERN_CORE_IR_REWRITER_H_
#define TERN_CORE_IR_REWRITER_H_

#include <vector>

#include "core/ir/builder.h"
#include "core/ir/module.h"
#include "core/ir/node_map.h"

namespace tern::ir {

class Rewriter {
 public:
  explicit Rewriter(text::Diagnostics* diagnostics)
      : diagnostics_(diagnostics), builder_(diagnostics) {}
  virtual ~Rewriter();

  FunctionPtr Run(const FunctionPtr& function);

 protected:
  // args: of the new function. Null: keep the call (with these args).
  virtual Expr RewriteCall(const Call& call, const std::vector<Expr>& args);
  // Null: keep it. tuple: of the new function.
  virtual Expr RewriteItem(const GetItem& item, const Expr& tuple);
  virtual Expr RewriteScalar(const Scalar& scalar, const std::vector<Expr>& args);
  // callee and args: of the new function. A lambda's name as callee is itself.
  virtual Expr RewriteInvoke(const Invoke& invoke, const Expr& callee,
                             const std::vector<Expr>& args);
  // Null: both blocks are walked. Splice takes one of them in place of the node.
  virtual Expr RewriteIf(const If& node, const Expr& condition);
  virtual Expr RewriteSwitch(const Switch& node, const Expr& subject);
  virtual void EnterBlock() {}
  virtual void LeaveBlock() {}
  // The old block's bindings, walked into the block that is open, and what its result is then.
  Expr Splice(const Let& block);
  // A variable of the old function, from now on, is that.
  void SetMapped(const Expr& old, Expr now) { old_[old.get()].now = std::move(now); }
  // Before the first binding; the counts and definitions of the old function are there.
  virtual void Begin(const Function& function);
  // What stands for an old atom that is a result, or goes into a tuple or to another function.
  virtual Expr RewriteEscape(const Expr& old) { return Map(old); }

  Builder& builder() { return builder_; }
  text::Diagnostics* diagnostics() { return diagnostics_; }
  // What stands for an atom of the old function now.
  Expr Map(const Expr& old) const;
  // Old binding that is being rewritten.
  const Binding& current() const { return *current_; }
  // How often an atom of the old function is used, results included.
  int Uses(const Expr& old) const;
  const NodeMap<int>& uses() const { return uses_; }
  // The old function's value of a variable, or null.
  const Node* OldDefinition(const Expr& old) const;
  const Call* OldCall(const Expr& old, ops::Op op) const;
  // The same where nothing else reads the atom.
  const Call* OnlyCall(const Expr& old, ops::Op op) const {
    return Uses(old) == 1 ? OldCall(old, op) : nullptr;
  }
  // The new function's call that an atom stands for, or null.
  const Call* NewCall(const Expr& expr) const;
  // The value of a variable of the new function; null for parameters.
  const Node* NewDefinition(const Expr& expr) const { return builder_.Definition(expr); }
  bool infers_again() const { return infer_again_; }
  // Says that something changed though the binding was kept.
  void MarkChanged() { changed_ = true; }
  // Calls keep their arguments but get types again.
  void set_infer_again(bool again) { infer_again_ = again; }

 private:
  class Escaper;
  // What there is to know of a variable of the old function.
  struct Old {
    Expr now;  // null: not yet rewritten
    const Node* definition = nullptr;
  };

  void Visit(const Binding& binding);
  void VisitAll(std::span<const Binding> bindings);
  Expr VisitValue(const Expr& value);
  Expr VisitCall(const Call& call);
  Expr VisitItem(const GetItem& item);
  Expr VisitInvoke(const Invoke& invoke);
  Expr VisitScalar(const Scalar& scalar);
  Expr VisitIf(const If& node);
  Expr VisitSwitch(const Switch& node);
  Expr VisitLambda(const Function& lambda);
  LetPtr VisitBlock(const LetPtr& block);
  Expr VisitResult(const Expr& result);
  // The operands of a node that takes values as they are; whether they changed.
  bool Escape(std::span<const Expr> atoms, std::vector<Expr>* mapped);
  Expr KeepOrEmit(const Call& call, const std::vector<Expr>& args);
  // The current binding with another value, of the same type.
  Expr Replace(Expr value);
  types::Type Renamed(const types::Type& type) const { return type.Substitute(symbols_); }
  void NoteSymbols(const types::Type& old, const types::Type& now);

  text::Diagnostics* diagnostics_;
  Builder builder_;
  NodeMap<Old> old_;  // by variable
  NodeMap<int> uses_;
  // Names of data-dependent extents that inference gave anew, for types that stay as they were.
  std::vector<types::Dim::Binding> symbols_;
  const Binding* current_ = nullptr;
  bool changed_ = false;
  bool infer_again_ = false;
};

// The module with every function run through a fresh rewriter of this kind. Functions that also
// have a loop program stay as they are, so that both keep saying the same.
template <class R, class... A>
Module RewriteModule(const Module& module, text::Diagnostics* diagnostics, const A&... args) {
  Module result = module;
  for (const Module::Item& item : module.items()) {
    if (item.kernel != nullptr) continue;
    R rewriter(diagnostics, args...);
    result.Set(item.name, rewriter.Run(item.function));
  }
  return result;
}

}  // namespace tern::ir

#endif  // TERN_CORE_IR_REWRITER_H_
