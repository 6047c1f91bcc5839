// SPDX-License-Identifier: Apache-2.0
// Replaces bindings whose value is known: shape arithmetic by symbolic values, filled tensors by
// splats, calls whose arguments are all constants by the evaluator. A call that fails to evaluate
// is kept, and fails at run time.
#ifndef TERN_CORE_IR_PASSES_FOLD_CONSTANTS_H_
#define TERN_CORE_IR_PASSES_FOLD_CONSTANTS_H_

#include "core/ir/passes/pass.h"

namespace tern::ir {

Module FoldConstants(const Module& module, const PassContext& context);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_PASSES_FOLD_CONSTANTS_H_
