// SPDX-License-Identifier: Apache-2.0
// Bindings with equal operator, attributes and arguments become one, the first.
#ifndef TERN_CORE_IR_PASSES_ELIMINATE_COMMON_SUBEXPRESSIONS_H_
#define TERN_CORE_IR_PASSES_ELIMINATE_COMMON_SUBEXPRESSIONS_H_

#include "core/ir/passes/pass.h"

namespace tern::ir {

Module EliminateCommonSubexpressions(const Module& module, const PassContext& context);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_PASSES_ELIMINATE_COMMON_SUBEXPRESSIONS_H_
