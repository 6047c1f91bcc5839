// SPDX-License-Identifier: Apache-2.0
// Builder: makes one function in A-normal form. Every call is bound to a variable and its type is
// inferred at once, so that an importer or a pass can look at types and known values while it
// builds.
//
// Errors do not stop it: what is wrong with a call goes to the diagnostics (operator, origin,
// argument, axis, expected and actual) and its variable gets an unknown type, about which later
// calls are silent.
#ifndef TERN_CORE_IR_BUILDER_H_
#define TERN_CORE_IR_BUILDER_H_

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ir/expr.h"
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
  // Field `index` of a tuple; of a tuple made by Bind(MakeTuple(…)), the field itself.
  Expr Field(const Expr& tuple, int index);
  // Any node but a Let: calls, tuples, items, atoms (given back as they are).
  Expr Bind(Expr value);

  // A value whose type is known from elsewhere.
  Expr BindAs(Expr value, const types::Type& type) { return Add(std::move(value), type, nullptr); }
  // Takes a binding over as it is, with its variable.
  Expr Adopt(const Binding& binding);
  std::span<const Binding> bindings() const { return bindings_; }
  // The value of a variable bound here; null for parameters and for what is no variable.
  const Node* Definition(const Expr& expr) const;

  // result: an atom or a tuple of atoms.
  FunctionPtr Finish(Expr result, std::vector<std::string> output_names);

 private:
  void SkipSymbols(const types::Type& type);
  Expr Add(Expr value, types::Type type, std::shared_ptr<const ops::Values> known);

  text::Diagnostics* diagnostics_;
  std::vector<VarPtr> parameters_;
  std::vector<Binding> bindings_;
  std::unordered_map<const Node*, size_t> index_;  // variable → its binding
  std::string origin_, name_;
  int fresh_symbols_ = 0;
};

}  // namespace tern::ir

#endif  // TERN_CORE_IR_BUILDER_H_
