// SPDX-License-Identifier: Apache-2.0
// Calls of small functions, and of private functions that are called once, become their bodies.
// Functions that come to themselves again stay calls. What nothing calls any more is left to
// eliminate_dead_code.
#ifndef TERN_CORE_IR_PASSES_INLINE_FUNCTIONS_H_
#define TERN_CORE_IR_PASSES_INLINE_FUNCTIONS_H_

#include "core/ir/passes/pass.h"

namespace tern::ir {

Module InlineFunctions(const Module& module, const PassContext& context);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_PASSES_INLINE_FUNCTIONS_H_
