// SPDX-License-Identifier: Apache-2.0
// Normalizations in groups: operators that are several steps to a loop program, and one kernel
// call elsewhere (TERN_GROUP_COMPOSITE of group_formulas.def).
#ifndef TERN_CORE_IR_PASSES_GROUP_COMPOSITE_H_
#define TERN_CORE_IR_PASSES_GROUP_COMPOSITE_H_

#include <string_view>

#include "core/ir/expr.h"

namespace tern::ir {

// The steps of the operator, for these types and attributes; empty where it has none.
std::string_view CompositeSteps(const Call& call);

// The function with their steps in place of composites; itself where there are none. What a loop
// program is written of: the steps one by one would be slower than the operator.
FunctionPtr ExpandComposites(const FunctionPtr& function);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_PASSES_GROUP_COMPOSITE_H_
