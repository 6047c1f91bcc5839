// SPDX-License-Identifier: Apache-2.0
// Rewrites image regions to channels-last: convolutions and pools ask for it, what lies between
// them (elementwise, concat, softmax, reductions, pad, resize, slice, …) follows with its axes
// remapped, and transposes that undo each other vanish. Parameters and results keep their declared
// layout; tensors that no image operator touches stay as they are.
#ifndef TERN_CORE_IR_PASSES_CHOOSE_LAYOUT_H_
#define TERN_CORE_IR_PASSES_CHOOSE_LAYOUT_H_

#include "core/ir/passes/pass.h"

namespace tern::ir {

Module ChooseLayout(const Module& module, const PassContext& context);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_PASSES_CHOOSE_LAYOUT_H_
