// SPDX-License-Identifier: Apache-2.0
// Decisions that are known now: a branch on a constant becomes the block that it takes, a switch on
// a constructor the case of that constructor, a field of a tuple that field, a call of a closure
// that was made here a call of its function.
#ifndef TERN_CORE_IR_PASSES_FOLD_BRANCHES_H_
#define TERN_CORE_IR_PASSES_FOLD_BRANCHES_H_

#include "core/ir/passes/pass.h"

namespace tern::ir {

Module FoldBranches(const Module& module, const PassContext& context);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_PASSES_FOLD_BRANCHES_H_
