// SPDX-License-Identifier: Apache-2.0
#include "core/ir/codegen/tensor_places.h"

#include <unordered_set>
#include <utility>

#include "core/base/sort.h"
#include "core/ir/passes/plan_memory.h"
#include "core/ir/visitor.h"
#include "core/object/regions.h"

namespace tern::ir {

namespace {

// Planning takes the square of it: some 50 ms.
constexpr size_t kMostBindings = 10000;

}  // namespace

void AddTensorPlaces(std::string_view name, const Function& function, uint32_t index,
                     const CallInstructions& calls, std::vector<vm::FunctionPlaces>* all) {
  size_t bindings = 0;
  ForEachBinding(function.bindings(), [&bindings](const Binding&) { ++bindings; });
  if (bindings > kMostBindings) return;
  const FunctionPlan plan = PlanMemory(name, function);
  if (static_cast<uint64_t>(plan.static_bytes_after) <= Regions::kSmallest) return;
  vm::FunctionPlaces places;
  places.function = index;
  places.arena_bytes = static_cast<uint64_t>(plan.static_bytes_after);
  // What a call makes beside its results ends with it, and may lie in the arena too
  // (RunContext::OfferPlaces). So one that has a result of longer life gets no place at all.
  std::unordered_set<const Var*> escaping;
  for (const PlannedTensor& tensor : plan.tensors) {
    // The first storage is the arena, the others are of symbolic sizes.
    if (tensor.storage != 0) escaping.insert(tensor.var);
  }
  // Instruction and number in the plan: the results of one call stay in their order.
  std::vector<std::pair<uint32_t, size_t>> order;
  for (size_t i = 0; i < plan.tensors.size(); ++i) {
    const PlannedTensor& tensor = plan.tensors[i];
    const auto made = calls.find(tensor.var);
    // Code that cannot be reached is not there.
    if (!escaping.contains(tensor.var) && tensor.bytes.constant() > 0 && made != calls.end())
      order.emplace_back(made->second, i);
  }
  Sort(&order);
  for (const auto& [instruction, tensor] : order) {
    const PlannedTensor& planned = plan.tensors[tensor];
    places.calls.push_back({instruction,
                            {static_cast<uint64_t>(planned.offset),
                             static_cast<uint64_t>(planned.bytes.constant())}});
  }
  if (!places.calls.empty()) all->push_back(std::move(places));
}

}  // namespace tern::ir
