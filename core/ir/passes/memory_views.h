// SPDX-License-Identifier: Apache-2.0
// What values do with the memory of their operands. plan_memory makes plans by these rules, and
// check_memory_plan checks plans by them.
#ifndef TERN_CORE_IR_PASSES_MEMORY_VIEWS_H_
#define TERN_CORE_IR_PASSES_MEMORY_VIEWS_H_

#include "core/ir/expr.h"
#include "core/ir/module.h"

namespace tern::ir {

// The variable whose memory a value shows under another name: a reshape's operand, the tuple of an
// item, the original of a copy; null where a value has memory of its own, or none.
const Node* ViewedBy(const Expr& value);
// An operator, or a call of a function of the module that is one kernel (is_primitive of its item):
// their results are tensors of their own. A null module has no such functions.
bool IsKernelCall(const Expr& value, const Module* module);
// Operands are read and then no longer needed: kernels, items, scalars, conditions. Everything else
// may keep them.
bool OnlyReads(const Expr& value, const Module* module);
// What a tensor of that type takes, numbers rounded up to the plan's alignment; "any" where it
// cannot be told.
types::Dim PlannedBytes(const types::Type& type);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_PASSES_MEMORY_VIEWS_H_
