// SPDX-License-Identifier: Apache-2.0
// Primitive functions get their loop text: one `te` definition (docs/loop-ir.md), written from the
// formulas of group_formulas.def, with a schedule that runs vectors along the last axis. Functions
// that have a text, and those that no formula says, stay as they are.
#ifndef TERN_CORE_IR_PASSES_LOWER_GROUPS_H_
#define TERN_CORE_IR_PASSES_LOWER_GROUPS_H_

#include <string>
#include <string_view>

#include "core/ir/passes/pass.h"

namespace tern::ir {

// Of elementwise operators of one shape, reductions of it, and elementwise operators on what these
// leave. The dimensions of parameters are numbers and symbols that stand alone. Empty where there
// is no text.
// relaxed: it may round a * b + c once.
std::string LoopText(std::string_view name, const Function& function, bool relaxed = false);

// Whether a size may be called so in a loop text that LoopText writes.
bool IsSizeName(std::string_view name);

Module LowerGroups(const Module& module, const PassContext& context);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_PASSES_LOWER_GROUPS_H_
