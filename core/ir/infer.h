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

// The result type of a function of the module for these arguments: the symbols of its parameters
// stand for the extents that the arguments have.
types::Type InferInvoke(const Function& callee, std::span<const Expr> args);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_INFER_H_
