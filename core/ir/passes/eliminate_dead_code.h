// SPDX-License-Identifier: Apache-2.0
// Takes away bindings that no result depends on. All operators are pure.
#ifndef TERN_CORE_IR_PASSES_ELIMINATE_DEAD_CODE_H_
#define TERN_CORE_IR_PASSES_ELIMINATE_DEAD_CODE_H_

#include "core/ir/passes/pass.h"

namespace tern::ir {

Module EliminateDeadCode(const Module& module, const PassContext& context);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_PASSES_ELIMINATE_DEAD_CODE_H_
