// SPDX-License-Identifier: Apache-2.0
// CheckMemoryPlan (plan_memory.h) walks forward with the variables that are alive. The planner uses
// the first and last binding of each tensor: two different methods, so that a bug in one is seen by
// the other.
#include <algorithm>
#include <optional>
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
  PlanChecker(const Function& function, const FunctionPlan& plan, const Sizes& sizes,
              const Module* module)
      : plan_(plan), module_(module), liveness_(function), placed_(PlaceTensors(plan, sizes)) {
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
    if (tensor.where == PlannedTensor::Where::kOwn) return OkStatus();
    const types::Type& type = tensor.var->type();
    const types::Dim needed = PlannedBytes(
        tensor.field < 0 ? type : type.elements()[static_cast<size_t>(tensor.field)]);
    if (!(tensor.bytes == needed))
      return Error(tensor, "needs ", needed.ToText(), " bytes, has ", tensor.bytes.ToText());
    if (tensor.where == PlannedTensor::Where::kAtEntry) return OkStatus();
    if (tensor.offset < 0 || tensor.offset % kPlanAlignment != 0)
      return Error(tensor, "offset ", tensor.offset, " is no multiple of ", kPlanAlignment);
    if (needed.is_constant() && tensor.offset + needed.constant() <= plan_.static_bytes_after)
      return OkStatus();
    return Error(tensor, needed.ToText(), " bytes at ", tensor.offset, " of an arena of ",
                 plan_.static_bytes_after);
  }

  // Where the tensor lies; no bytes where it is not in the arena, or not known where.
  Place PlaceOf(const PlannedTensor& tensor) const {
    const auto index = static_cast<size_t>(&tensor - plan_.tensors.data());
    if (tensor.where == PlannedTensor::Where::kOwn) return {};
    if (placed_)
      return {static_cast<uint64_t>(placed_->base[index]),
              static_cast<uint64_t>(placed_->bytes[index])};
    if (tensor.where == PlannedTensor::Where::kAtEntry) return {};
    return {static_cast<uint64_t>(tensor.offset), static_cast<uint64_t>(tensor.bytes.constant())};
  }

  bool LieOver(const PlannedTensor& a, const PlannedTensor& b) const {
    const Place left = PlaceOf(a), right = PlaceOf(b);
    return left.offset < right.offset + right.bytes && right.offset < left.offset + left.bytes;
  }

  // An atom that is stored or returned must not lie in memory that is used again.
  Status CheckKept(const Expr& atom) const {
    const auto found = alive_.find(atom.get());
    if (found == alive_.end()) return OkStatus();
    for (const PlannedTensor* tensor : found->second) {
      if (tensor->where != PlannedTensor::Where::kOwn)
        return Error(*tensor, "lies in the arena though it outlives its place");
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
      if (!OnlyReads(binding.value, module_)) TERN_TRY(CheckAllKept(binding.value));
      if (!point.results.empty()) TERN_TRY(WalkBranches(binding));
      TERN_TRY(Make(binding));
      Forget(point.dying);
      if (point.unused) alive_.erase(binding.var.get());
    }
    return CheckAllKept(block.result());
  }

  const FunctionPlan& plan_;
  const Module* module_;
  const Liveness liveness_;
  const std::optional<PlacedPlan> placed_;
  std::unordered_map<const Node*, std::vector<const PlannedTensor*>> made_;  // by variable
  Alive alive_;
};

}  // namespace

Status CheckMemoryPlan(const Function& function, const FunctionPlan& plan, const Sizes& sizes,
                       const Module* module) {
  return PlanChecker(function, plan, sizes, module).Run(function);
}

}  // namespace tern::ir
