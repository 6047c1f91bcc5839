// SPDX-License-Identifier: Apache-2.0
// Elementwise operators of one shape, and reductions of it, become private functions that are
// marked primitive and carry a loop text (lower_groups.h): one call, and on backends that run loops
// a pass over the data per loop nest that never writes what lies between. Without such a backend
// the function's operators run as before.
//
// What stays apart: operators without a formula, values that something outside a group reads,
// shapes that no loop of the group has, and tensors so small that a call is most of their cost.
// Groups that have the same text share a function.
#ifndef TERN_CORE_IR_PASSES_FUSE_OPS_H_
#define TERN_CORE_IR_PASSES_FUSE_OPS_H_

#include "core/ir/passes/pass.h"

namespace tern::ir {

Module FuseOps(const Module& module, const PassContext& context);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_PASSES_FUSE_OPS_H_
