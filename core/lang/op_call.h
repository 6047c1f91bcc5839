// SPDX-License-Identifier: Apache-2.0
// The call of an operator of core/ops as the language writes it: which expression is which
// argument, what scalars and lists stand for among tensors, and the attributes. Inference
// (infer_choice.cc) and lowering (lower_call.cc) read calls by this one reader, so they cannot
// disagree about what a call means.
#ifndef TERN_CORE_LANG_OP_CALL_H_
#define TERN_CORE_LANG_OP_CALL_H_

#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/lang/parse/ast.h"
#include "core/object/attrs.h"

namespace tern::lang {

using TypeOfExpr = types::Type (*)(const void* context, const Expr& expr);

// How an argument becomes a tensor.
enum class ArgumentForm : uint8_t {
  kMissing,
  kTensor,  // it is one
  kScalar,  // an int, a float, a bool: a tensor of rank 0
  kList,    // a list of ints, floats or bools: a tensor of rank 1
};

struct OpArgument {
  const Expr* expr = nullptr;  // null: missing
  ArgumentForm form = ArgumentForm::kMissing;
  types::TensorType type = {};
  std::optional<ops::Values> values = {};  // of small integer arguments, as far as they are known
};

struct OpCall {
  std::vector<OpArgument> arguments;
  Attrs attrs;
  bool unsolved = false;  // an argument's type is not known
};

// What is wrong with a call, and where.
struct OpProblem {
  std::string code;
  std::string message;
  Span span;
};

class OpCallReader {
 public:
  // type_of: the type of an expression as far as it is known; context is passed on to it.
  OpCallReader(TypeOfExpr type_of, const void* context) : type_of_(type_of), context_(context) {}

  // Reads a kCall, kUnary, kBinary or kIndex node whose operator is known. False with *problem set
  // where it is wrong. True with out->unsolved where an argument's type is open; the rest is not
  // filled then. The result points into the call's tree.
  bool Read(const Expr& call, const ops::OpInfo& op, OpCall* out, OpProblem* problem) const;
  // The value of an int expression in terms of dimensions, as far as the text tells; "?" otherwise.
  types::Dim ValueOf(const Expr& expr) const;

 private:
  bool ReadArguments(const Expr& call, const ops::OpInfo& op, OpCall* out,
                     OpProblem* problem) const;
  bool ReadArgument(const ops::OpInfo& op, DType dtype, OpArgument* argument,
                    OpProblem* problem) const;
  types::Dim ValueOfCall(const Expr& expr) const;

  TypeOfExpr type_of_;
  const void* context_;
};

// The types of the results by the operator's relation: one tensor type, or a tuple of several.
Result<types::Type> RelateCall(const ops::OpInfo& op, const OpCall& call);

// A name that is not an operator's own, for one that makes a tensor of a shape: zeros([n, 4]).
struct Maker {
  std::string_view name;
  std::string_view op;
  std::string_view value;  // its attribute of that name; empty for none
  std::string_view phrase;
};
std::span<const Maker> AllMakers();

// A literal int's value; empty for anything else, or where it is too large.
std::optional<int64_t> IntLiteral(const Expr& expr);

}  // namespace tern::lang

#endif  // TERN_CORE_LANG_OP_CALL_H_
