// SPDX-License-Identifier: Apache-2.0
#include "core/ir/codegen/tensor_places.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

#include "core/base/sort.h"
#include "core/base/strings.h"
#include "core/ir/passes/plan_memory.h"
#include "core/ir/visitor.h"
#include "core/object/regions.h"
#include "core/vm/places.h"

namespace tern::ir {

namespace {

using Where = PlannedTensor::Where;

// Planning takes the square of it: some 50 ms.
constexpr size_t kMostBindings = 10000;
// With fewer tensors of symbolic size there is nothing to lay out.
constexpr int kLeastSized = 3;

// Those that the machine knows when a run begins: the extents of parameters that are a symbol alone
// (vm/signature.h).
void AddSymbols(const types::Type& type, std::unordered_set<std::string>* symbols) {
  if (type.is_tuple()) {
    for (const types::Type& element : type.elements()) AddSymbols(element, symbols);
  }
  if (!type.is_tensor()) return;
  for (const types::Dim& dim : type.tensor().dims) {
    if (dim.is_symbol()) symbols->insert(dim.ToText());
  }
}

// Results of calls with the instruction that makes them, and what the machine cannot place.
class Places {
 public:
  Places(const Function& function, const FunctionPlan& plan, const CallInstructions& calls)
      : plan_(plan), calls_(calls) {
    for (const VarPtr& parameter : function.parameters()) AddSymbols(parameter->type(), &symbols_);
    for (const PlannedTensor& tensor : plan.tensors) {
      if (!IsPlaced(tensor)) unplaced_.insert(tensor.var);
    }
  }

  // " 12:0+401408 13:(256*n)@4-5"
  std::string CallsText() const {
    // Instruction and number in the plan: the results of one call stay in their order.
    std::vector<std::pair<uint32_t, size_t>> order;
    for (size_t i = 0; i < plan_.tensors.size(); ++i) {
      const PlannedTensor& tensor = plan_.tensors[i];
      const auto made = calls_.find(tensor.var);
      // Code that cannot be reached is not there. What a call makes beside its results ends with
      // it, and may lie in the arena too (RunContext::OfferPlaces): so one that has a result of
      // longer life gets no place at all.
      if (!unplaced_.contains(tensor.var) && made != calls_.end())
        order.emplace_back(made->second, i);
    }
    Sort(&order);
    std::string text;
    for (const auto& [instruction, index] : order) {
      const PlannedTensor& tensor = plan_.tensors[index];
      StrAppend(&text, " ", instruction, ":");
      if (tensor.where == Where::kStatic)
        StrAppend(&text, tensor.offset, "+", tensor.bytes.constant());
      else
        StrAppend(&text, "(", tensor.bytes.ToText(), ")@", tensor.first, "-", tensor.last);
    }
    return text;
  }

 private:
  bool IsPlaced(const PlannedTensor& tensor) const {
    if (tensor.where == Where::kStatic) return tensor.bytes.constant() > 0;
    if (tensor.where == Where::kOwn) return false;
    std::vector<std::string> symbols;
    tensor.bytes.CollectSymbols(&symbols);
    return std::ranges::all_of(
        symbols, [this](const std::string& symbol) { return symbols_.contains(symbol); });
  }

  const FunctionPlan& plan_;
  const CallInstructions& calls_;
  std::unordered_set<std::string> symbols_;
  std::unordered_set<const Var*> unplaced_;
};

}  // namespace

void AddTensorPlaces(const Module& module, uint32_t index, const CallInstructions& calls,
                     std::string* text) {
  const Module::Item& item = module.items()[index];
  // What another function calls has no arena (VirtualMachine), and most of it is gone.
  if (item.is_primitive) return;
  const Function& function = *item.function;
  size_t bindings = 0;
  ForEachBinding(function.bindings(), [&bindings](const Binding&) { ++bindings; });
  if (bindings > kMostBindings) return;
  const FunctionPlan plan = PlanMemory(item.name, function, &module);
  if (static_cast<uint64_t>(plan.static_bytes_after) <= Regions::kSmallest &&
      plan.symbolic_tensors < kLeastSized)
    return;
  if (static_cast<size_t>(plan.symbolic_tensors) > vm::kMostSizedPlaces) return;
  const std::string places = Places(function, plan, calls).CallsText();
  if (places.empty()) return;
  StrAppend(text, text->empty() ? "" : "; ", index, ":", plan.static_bytes_after, places);
}

}  // namespace tern::ir
