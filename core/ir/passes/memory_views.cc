// SPDX-License-Identifier: Apache-2.0
#include "core/ir/passes/memory_views.h"

#include "core/ir/passes/plan_memory.h"

namespace tern::ir {

// The operators whose result shares the memory of their first argument. The planner must not reuse
// that memory while a view is alive.
const Node* ViewedBy(const Expr& value) {
  if (const GetItem* item = value->As<GetItem>()) return item->tuple().get();
  if (value->As<Var>() != nullptr) return value.get();
  const Call* call = value->As<Call>();
  if (call == nullptr || call->args().empty()) return nullptr;
  return call->op().IsView() ? call->args()[0].get() : nullptr;
}

bool IsKernelCall(const Expr& value, const Module* module) {
  if (value->As<Call>() != nullptr) return true;
  const Invoke* invoke = value->As<Invoke>();
  const Global* callee = invoke == nullptr ? nullptr : invoke->callee()->As<Global>();
  if (callee == nullptr || module == nullptr) return false;
  const Module::Item* item = module->FindItem(callee->name());
  return item != nullptr && item->is_primitive;
}

// Everything else may keep a reference: stored in an object, or passed to code that is not known.
bool OnlyReads(const Expr& value, const Module* module) {
  if (IsKernelCall(value, module)) return true;
  switch (value->kind()) {
    case NodeKind::kCall:
    case NodeKind::kGetItem:
    case NodeKind::kScalar:
    case NodeKind::kIf:
    case NodeKind::kVar:
    case NodeKind::kConstant: return true;
    case NodeKind::kTuple:
    case NodeKind::kInvoke:
    case NodeKind::kSwitch:
    case NodeKind::kConstruct:
    case NodeKind::kMakeClosure:
    case NodeKind::kDeviceCopy:
    case NodeKind::kGlobal:
    case NodeKind::kLet:
    case NodeKind::kFunction:
    case NodeKind::kPrimitive:
    case NodeKind::kFatal: break;
  }
  return false;
}

// Rounded up to the alignment, so that sizes can be added. Symbolic sizes are not rounded; each has
// its own storage.
types::Dim PlannedBytes(const types::Type& type) {
  if (!type.is_tensor() || type.tensor().dtype.bits % 8 != 0) return types::Dim::Any();
  const types::Dim count = type.tensor().ElementCount();
  const int64_t size = type.tensor().dtype.size();
  if (count.is_any()) return count;
  if (!count.is_constant()) return count * types::Dim(size);
  int64_t bytes = 0;
  // Beyond 2^48 bytes no machine has the memory; "any" keeps sums from overflowing.
  if (__builtin_mul_overflow(count.constant(), size, &bytes) || bytes > (int64_t{1} << 48))
    return types::Dim::Any();
  return types::Dim((bytes + kPlanAlignment - 1) / kPlanAlignment * kPlanAlignment);
}

}  // namespace tern::ir
