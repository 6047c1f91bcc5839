// SPDX-License-Identifier: Apache-2.0
// Values inside values get bindings of their own, in the order in which they are computed: operands
// from the left to the right, before what uses them. Blocks stay blocks; a block that stands as a
// value becomes part of the one around it. Types follow as things are bound.
#ifndef TERN_CORE_IR_PASSES_TO_A_NORMAL_FORM_H_
#define TERN_CORE_IR_PASSES_TO_A_NORMAL_FORM_H_

#include "core/ir/passes/pass.h"

namespace tern::ir {

Module ToANormalForm(const Module& module, const PassContext& context);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_PASSES_TO_A_NORMAL_FORM_H_
