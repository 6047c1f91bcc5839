// SPDX-License-Identifier: Apache-2.0
// Elementwise operators of one shape, and reductions of it, become private functions that are
// marked primitive and carry a loop program (define_group.h): one call, and on backends that run
// loops a pass over the data per loop nest that never writes what lies between. Without such a
// backend the function's operators run as before.
//
// What stays apart: operators without a formula, values that something outside a group reads,
// shapes that no loop of the group has, and tensors so small that a call is most of their cost.
// Groups whose programs are the same share a function.
#ifndef TERN_CORE_FUSE_FUSE_OPS_H_
#define TERN_CORE_FUSE_FUSE_OPS_H_

#include "core/ir/passes/pass.h"

namespace tern::fuse {

ir::Module FuseOps(const ir::Module& module, const ir::PassContext& context);

}  // namespace tern::fuse

#endif  // TERN_CORE_FUSE_FUSE_OPS_H_
