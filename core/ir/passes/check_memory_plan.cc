// SPDX-License-Identifier: Apache-2.0
// CheckMemoryPlan (plan_memory.h) walks forward with the variables that are alive. The planner uses
// the first and last binding of each tensor: two different methods, so that a bug in one is seen by
// the other.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/base/strings.h"
#include "core/ir/passes/analyze_liveness.h"
#include "core/ir/passes/memory_views.h"
#include "core/ir/passes/plan_memory.h"
#include "core/ir/visitor.h"

namespace tern::ir {

namespace {

// Three things must hold: a tensor fits its place, tensors that are alive at once do not overlap,
// and what escapes has memory of its own.
class PlanChecker {
 public:
  PlanChecker(const Function& function, const FunctionPlan& plan)
      : plan_(plan), liveness_(function) {
    for (const PlannedTensor& tensor : plan.tensors) made_[tensor.var].push_back(&tensor);
  }

  Status Run(const Function& function) {
    for (const PlannedTensor& tensor : plan_.tensors) TERN_TRY(CheckPlace(tensor));
    return WalkBlock(*ToBlock(function.body()));
  }

 private:
  // What each variable that is alive refers to.
  using Alive = std::unordered_map<const Node*, std::vector<const PlannedTensor*>>;

  template <class... T>
  Status Error(const PlannedTensor& tensor, const T&... parts) const {
    return Status(StatusCode::kInternal,
                  StrCat("memory plan of ", plan_.function, ", tensor of binding ", tensor.first,
                         tensor.field < 0 ? "" : StrCat(" field ", tensor.field), ": ", parts...));
  }

  Status CheckPlace(const PlannedTensor& tensor) const {
    if (tensor.storage < 0) return OkStatus();
    if (static_cast<size_t>(tensor.storage) >= plan_.storages.size())
      return Error(tensor, "there is no storage ", tensor.storage);
    const types::Dim& room = plan_.storages[static_cast<size_t>(tensor.storage)].bytes;
    const types::Type& type = tensor.var->type();
    const types::Dim needed = PlannedBytes(
        tensor.field < 0 ? type : type.elements()[static_cast<size_t>(tensor.field)]);
    if (!(tensor.bytes == needed))
      return Error(tensor, "needs ", needed.ToText(), " bytes, has ", tensor.bytes.ToText());
    if (tensor.offset < 0 || tensor.offset % kPlanAlignment != 0)
      return Error(tensor, "offset ", tensor.offset, " is no multiple of ", kPlanAlignment);
    // Of symbolic sizes only equal ones can be compared.
    if (needed == room && tensor.offset == 0) return OkStatus();
    const bool numbers = needed.is_constant() && room.is_constant();
    if (numbers && tensor.offset + needed.constant() <= room.constant()) return OkStatus();
    return Error(tensor, needed.ToText(), " bytes at ", tensor.offset, " of a storage of ",
                 room.ToText());
  }

  // Symbolic sizes in one storage share its beginning.
  static bool LieOver(const PlannedTensor& a, const PlannedTensor& b) {
    if (a.storage < 0 || a.storage != b.storage) return false;
    if (!a.bytes.is_constant() || !b.bytes.is_constant()) return true;
    return a.offset < b.offset + b.bytes.constant() && b.offset < a.offset + a.bytes.constant();
  }

  // An atom that is stored or returned must not lie in memory that is used again.
  Status CheckKept(const Expr& atom) const {
    const auto found = alive_.find(atom.get());
    if (found == alive_.end()) return OkStatus();
    for (const PlannedTensor* tensor : found->second) {
      if (tensor->storage >= 0)
        return Error(*tensor, "lies in storage ", tensor->storage, " though it outlives its place");
    }
    return OkStatus();
  }

  Status CheckAllKept(const Expr& value) const {
    Status status;
    ForEachAtom(value, [&](const Expr& atom) {
      if (status.ok()) status = CheckKept(atom);
    });
    return status;
  }

  Status Make(const Binding& binding) {
    // A view adds no tensor but keeps those that it shows alive.
    if (const Node* viewed = ViewedBy(binding.value)) {
      const auto found = alive_.find(viewed);
      if (found != alive_.end()) {
        std::vector<const PlannedTensor*> tensors = found->second;
        if (const GetItem* item = binding.value->As<GetItem>())
          tensors = {tensors[static_cast<size_t>(item->index())]};
        alive_[binding.var.get()] = std::move(tensors);
      }
      return OkStatus();
    }
    const auto made = made_.find(binding.var.get());
    if (made == made_.end()) return OkStatus();
    std::vector<const PlannedTensor*> others;
    for (const auto& entry : alive_)
      others.insert(others.end(), entry.second.begin(), entry.second.end());
    for (const PlannedTensor* tensor : made->second) {
      for (const PlannedTensor* other : others) {
        if (LieOver(*tensor, *other))
          return Error(*tensor, "lies over that of binding ", other->first, ", which is needed");
      }
      others.push_back(tensor);
    }
    alive_[binding.var.get()] = made->second;
    return OkStatus();
  }

  void Forget(const std::vector<const Var*>& vars) {
    for (const Var* var : vars) alive_.erase(var);
  }

  Status WalkBranches(const Binding& binding) {
    const Liveness::Point& point = liveness_.at(binding.var);
    const Alive before = alive_;
    Alive behind = before;
    size_t index = 0;
    Status status;
    ForEachBlock(binding.value, [&](const Let& block) {
      if (!status.ok()) return;
      alive_ = before;
      Forget(point.entering[index]);
      status = WalkBlock(block);
      // What is needed behind the branches is needed in every branch, so what one has dropped is
      // dropped.
      std::erase_if(behind, [this](const auto& entry) { return !alive_.contains(entry.first); });
      Forget(point.results[index++]);
    });
    alive_ = std::move(behind);
    for (const auto& results : point.results) Forget(results);
    return status;
  }

  Status WalkBlock(const Let& block) {
    for (const Binding& binding : block.bindings()) {
      const Liveness::Point& point = liveness_.at(binding.var);
      // Operators only read their operands; other values may keep them.
      if (!OnlyReads(binding.value)) TERN_TRY(CheckAllKept(binding.value));
      if (!point.results.empty()) TERN_TRY(WalkBranches(binding));
      TERN_TRY(Make(binding));
      Forget(point.dying);
      if (point.unused) alive_.erase(binding.var.get());
    }
    return CheckAllKept(block.result());
  }

  const FunctionPlan& plan_;
  const Liveness liveness_;
  std::unordered_map<const Node*, std::vector<const PlannedTensor*>> made_;  // by variable
  Alive alive_;
};

}  // namespace

Status CheckMemoryPlan(const Function& function, const FunctionPlan& plan) {
  return PlanChecker(function, plan).Run(function);
}

}  // namespace tern::ir
