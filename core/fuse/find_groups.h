// SPDX-License-Identifier: Apache-2.0
// Which bindings of a block can be one loop nest (fuse_ops).
#ifndef TERN_CORE_FUSE_FIND_GROUPS_H_
#define TERN_CORE_FUSE_FIND_GROUPS_H_

#include <vector>

#include "core/fuse/formulas.h"
#include "core/ir/expr.h"
#include "core/ir/node_map.h"

namespace tern::fuse {

using UseCounts = ir::NodeMap<int>;

// Every member but the last is read by members only and has a formula (formulas.h). All have
// one shape, or reduce it, or have the shape that such a reduction leaves.
struct FusedGroup {
  std::vector<const ir::Binding*> members;  // in order; the last one's variable is the result
  // What the members read and do not bind, in order of first use: variables, and constants that
  // are no single number.
  std::vector<ir::Expr> inputs;
};

// Of the block itself, without inner blocks; two members or more. uses: how often each variable is
// read in the function.
// kept: variables of composites (composite.h) that are to stay calls of their own.
using KeptCalls = ir::NodeSet;
std::vector<FusedGroup> FindFusedGroups(const ir::Let& block, const UseCounts& uses,
                                        const KeptCalls& kept, Formulas* formulas);

}  // namespace tern::fuse

#endif  // TERN_CORE_FUSE_FIND_GROUPS_H_
