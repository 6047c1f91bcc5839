// SPDX-License-Identifier: Apache-2.0
// The part of simplify that is about operators which move elements: no-ops, chains, and
// integer-tensor arguments whose values are known turned into attributes, which frees the
// arithmetic that computed them.
#ifndef TERN_CORE_IR_PASSES_SIMPLIFY_SHAPES_H_
#define TERN_CORE_IR_PASSES_SIMPLIFY_SHAPES_H_

#include <vector>

#include "core/ir/builder.h"

namespace tern::ir {

// What takes the place of a call with args (of the new function), whose result was `var`; null to
// keep it.
Expr SimplifyShape(const Call& call, const std::vector<Expr>& args, const Var& var,
                   Builder* builder);

// The attributes of a reshape of x to the dims of `to`, which may be symbolic: 0 for extents that
// stay, -1 for one other.
bool ReshapeTarget(const types::TensorType& x, const types::TensorType& to, Attrs* attrs);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_PASSES_SIMPLIFY_SHAPES_H_
