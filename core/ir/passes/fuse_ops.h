// SPDX-License-Identifier: Apache-2.0
// Chains of elementwise operators, and such chains into a reduction, become private functions that
// are marked primitive: one call, for which a loop program can be made that never writes what lies
// between. Nothing runs them faster yet, so the pipeline does not run this pass by itself; a
// primitive function is compiled like any other.
#ifndef TERN_CORE_IR_PASSES_FUSE_OPS_H_
#define TERN_CORE_IR_PASSES_FUSE_OPS_H_

#include <unordered_map>
#include <vector>

#include "core/ir/passes/pass.h"

namespace tern::ir {

// Bindings of one block that can be one loop nest: every one but the last is read by one later
// member only, has the last one's shape (or is what the last one reduces), and is elementwise.
struct FusedGroup {
  std::vector<const Binding*> members;  // in order; the last one's variable is the result
  // Variables that the members read and do not bind, in order of first use.
  std::vector<VarPtr> inputs;
  bool reduces = false;  // the last member is a reduction
};

// Of the block itself, without inner blocks. uses: how often each variable is read in the function.
std::vector<FusedGroup> FindFusedGroups(const Let& block,
                                        const std::unordered_map<const Node*, int>& uses);

Module FuseOps(const Module& module, const PassContext& context);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_PASSES_FUSE_OPS_H_
