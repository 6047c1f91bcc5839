// SPDX-License-Identifier: Apache-2.0
// Calls of functions and closures whose value is at once what the function gives are marked: code
// generation makes them in place of this frame, so that a loop of any length needs one.
#ifndef TERN_CORE_IR_PASSES_MARK_TAIL_CALLS_H_
#define TERN_CORE_IR_PASSES_MARK_TAIL_CALLS_H_

#include "core/ir/passes/pass.h"

namespace tern::ir {

Module MarkTailCalls(const Module& module, const PassContext& context);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_PASSES_MARK_TAIL_CALLS_H_
