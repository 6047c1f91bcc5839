// SPDX-License-Identifier: Apache-2.0
// Builder: makes one function in A-normal form. Every call is bound to a variable and its type is
// inferred at once, so that an importer or a pass can look at types and known values while it
// builds.
//
// Errors do not stop it: a mistake in a call is reported to the diagnostics (operator, origin,
// argument, axis, expected and actual) and its variable gets an unknown type, about which later
// calls are silent.
//
// Blocks of branches and bodies of lambdas are opened and closed like brackets; in between, the
// builder adds to them:
//
//   builder.BeginBlock();
//   Expr one = builder.EmitScalar(ScalarOp::kAdd, {x, y});
//   LetPtr then_block = builder.EndBlock(one);
//   …
//   Expr chosen = builder.BindAs(MakeIf(condition, then_block, else_block), type);
#ifndef TERN_CORE_IR_BUILDER_H_
#define TERN_CORE_IR_BUILDER_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/ir/control.h"
#include "core/ir/expr.h"
#include "core/ir/node_map.h"
#include "core/text/diagnostics.h"

namespace tern::ir {

class Builder {
 public:
  // diagnostics must outlive the builder.
  explicit Builder(text::Diagnostics* diagnostics) : diagnostics_(diagnostics) {}

  VarPtr AddParameter(std::string_view name, types::Type type);
  // For inlined bodies and passes: takes over a parameter as it is.
  void AddParameter(VarPtr var);

  // What the next calls come from and are called; stays until the next call of it.
  void SetOrigin(std::string_view origin) { origin_ = origin; }
  const std::string& origin() const { return origin_; }
  void SetName(std::string_view name) { name_ = name; }  // of the next binding only

  // op must be in ops.def and args be atoms; a missing optional argument is MakeNone(). Operators
  // with several results give a tuple: see Field.
  Expr Emit(std::string_view op, std::vector<Expr> args, const Attrs& attrs = {});
  Expr Emit(ops::Op op, std::vector<Expr> args, const Attrs& attrs = {});
  Expr Emit(const ops::OpInfo& op, std::vector<Expr> args, const Attrs& attrs);
  // A wrong argument is told like an operator's.
  Expr EmitScalar(ScalarOp op, std::vector<Expr> args);
  // The type is what both blocks have in common.
  Expr EmitIf(Expr condition, Expr then_block, Expr else_block);
  // callee: a Global, a closure or a Primitive. function: its type, from which the result's follows
  // for these arguments.
  Expr EmitInvoke(Expr callee, const types::Type& function, std::vector<Expr> args);
  // Field `index` of a tuple; of a tuple made by Bind(MakeTuple(…)), the field itself.
  Expr Field(const Expr& tuple, int index);
  // Calls, scalars, tuples, items, lambdas; atoms are given back as they are. What else there is
  // (branches, invocations, constructors) needs BindAs.
  Expr Bind(Expr value);

  // A value whose type is known from elsewhere.
  Expr BindAs(Expr value, const types::Type& type) { return Add(std::move(value), type, nullptr); }
  // Takes a binding over as it is, with its variable.
  Expr Adopt(const Binding& binding);
  // Of the block that is open.
  std::span<const Binding> bindings() const { return bindings_; }
  // The value of a variable bound here or in a block around this one, of the same lambda; null for
  // parameters and for what is no variable.
  const Node* Definition(const Expr& expr) const;

  void BeginBlock();
  // result: an atom or a tuple of atoms.
  LetPtr EndBlock(Expr result);
  void BeginLambda(std::vector<VarPtr> parameters);
  FunctionPtr EndLambda(Expr result);

  // A name for an extent that only a run can tell, as yet unused: "_3".
  types::Dim FreshDim();
  // What a value of either type is: dimensions that differ get fresh names; unknown where kinds
  // differ.
  types::Type Join(const types::Type& a, const types::Type& b);

  // result: an atom or a tuple of atoms.
  FunctionPtr Finish(Expr result, std::vector<std::string> output_names);

 private:
  // A block that is open around the one that bindings_ are of.
  struct Frame {
    std::vector<Binding> bindings;
    std::vector<VarPtr> parameters;  // of the lambda that the inner block is the body of
  };
  // Both are held: a caller may drop a block, whose addresses must not become those of others.
  struct Known {
    VarPtr var;
    Expr value;
    int lambda = 0;  // how many lambdas were open
  };

  void SkipSymbols(const types::Type& type);
  // Where fresh names go on, past those of what was adopted.
  int* FreshSymbols();
  Expr Add(Expr value, types::Type type, std::shared_ptr<const ops::Values> known);

  text::Diagnostics* diagnostics_;
  std::vector<VarPtr> parameters_;
  std::vector<Binding> bindings_;
  std::vector<Frame> outer_;
  NodeMap<Known> definitions_;  // by variable
  int lambda_depth_ = 0;
  std::string origin_, name_;
  int fresh_symbols_ = 0;
  // Adopted ones whose types SkipSymbols has not seen: most passes never make a name.
  std::vector<const Var*> unskipped_;
};

}  // namespace tern::ir

#endif  // TERN_CORE_IR_BUILDER_H_
