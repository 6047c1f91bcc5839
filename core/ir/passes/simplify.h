// SPDX-License-Identifier: Apache-2.0
// Local rewrites that need no new arithmetic: no-ops vanish, chains of moves become one, clip
// becomes clamp or relu, x * sigmoid(x) becomes silu, integer-tensor arguments whose values are
// known become attributes.
#ifndef TERN_CORE_IR_PASSES_SIMPLIFY_H_
#define TERN_CORE_IR_PASSES_SIMPLIFY_H_

#include "core/ir/passes/pass.h"

namespace tern::ir {

Module Simplify(const Module& module, const PassContext& context);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_PASSES_SIMPLIFY_H_
