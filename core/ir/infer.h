// SPDX-License-Identifier: Apache-2.0
// Inference of one call: checks the argument count, runs the operator's relation, names the
// dimensions that only a run can tell (_1, _2, …) and keeps small integer results as symbolic
// values.
#ifndef TERN_CORE_IR_INFER_H_
#define TERN_CORE_IR_INFER_H_

#include <memory>

#include "core/ir/expr.h"

namespace tern::ir {

struct Inferred {
  types::Type type;  // unknown where some argument's is
  std::shared_ptr<const ops::Values> value;
};

// fresh_symbols counts the names given so far.
Status InferCall(const ops::OpInfo& op, const Attrs& attrs, std::span<const Expr> args,
                 int* fresh_symbols, Inferred* out);

// What symbols and type variables of declared types are in actual ones.
class TypeMatcher {
 public:
  // The first that is met counts.
  void Match(const types::Type& declared, const types::Type& actual);
  // What is not known stays.
  types::Type Apply(const types::Type& type) const;
  bool Knows(std::string_view symbol) const;
  void BindSymbol(const std::string& symbol, types::Dim dim);

 private:
  void BindVariable(const std::string& name, const types::Type& type);
  void MatchAll(std::span<const types::Type> declared, std::span<const types::Type> actual);
  void MatchDims(std::span<const types::Dim> declared, std::span<const types::Dim> actual);

  std::vector<types::Dim::Binding> dims_;
  std::vector<types::Type::Binding> types_;
};

// The result type of a function of this type for these arguments: symbols and type variables of its
// parameters stand for what the arguments have. Symbols that no parameter tells get fresh names.
types::Type InferInvoke(const types::Type& function, std::span<const Expr> args,
                        int* fresh_symbols);

// The type of a constructor's value; parameters that no field tells stay type variables. An error
// says which field has another type than is declared.
Result<types::Type> InferConstruct(const types::DataType& data_type, int constructor,
                                   std::span<const Expr> fields);

// Whether a value may have both types, as far as they tell: unknown types and type variables go
// with everything, dimensions too where one is symbolic.
bool AreCompatible(const types::Type& a, const types::Type& b);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_INFER_H_
