// SPDX-License-Identifier: Apache-2.0
#include "core/ir/passes/plan_memory.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "core/base/sort.h"
#include "core/base/strings.h"
#include "core/ir/passes/memory_views.h"
#include "core/ir/text/printer.h"
#include "core/ir/visitor.h"

namespace tern::ir {

namespace {

PlaceRequest RequestOf(const PlannedTensor& tensor, int64_t bytes) {
  return {static_cast<uint64_t>(bytes), static_cast<uint32_t>(tensor.first),
          static_cast<uint32_t>(tensor.last)};
}

// Two steps: the lifetime of every tensor as a range of bindings, then places. Bindings of inner
// blocks are numbered where they stand, so that a range over a branch covers it.
class Planner {
 public:
  Planner(FunctionPlan* plan, const Module* module) : plan_(*plan), module_(module) {}

  // Extents of parameters are known from the beginning.
  void Run(const Function& function) {
    for (const VarPtr& parameter : function.parameters()) IsKnown(parameter->type());
    const LetPtr body = ToBlock(function.body());
    ReadBlock(*body);
    for (size_t i = 0; i < plan_.tensors.size(); ++i) Sort(i);
    PlaceStatic();
  }

 private:
  // --- lifetimes

  // Every binding gets a number, in the order in which it runs.
  void ReadBlock(const Let& block) {
    for (const Binding& binding : block.bindings()) {
      const int now = next_++;
      const bool reads = OnlyReads(binding.value, module_);
      ForEachAtom(binding.value, [&](const Expr& atom) { Use(atom, now, !reads); });
      ForEachBlock(binding.value, [this](const Let& inner) { ReadBlock(inner); });
      Make(binding, now);
    }
    ForEachAtom(block.result(), [this](const Expr& atom) { Use(atom, next_, true); });
  }

  // A use through a view is a use of every tensor that the view shows.
  void Use(const Expr& atom, int now, bool escapes) {
    const auto found = places_.find(atom.get());
    if (found == places_.end()) return;
    for (size_t tensor : found->second) {
      plan_.tensors[tensor].last = now;
      escapes_[tensor] = escapes_[tensor] || escapes;
    }
  }

  // A view shares the places of what it shows; an operator's result gets a place of its own.
  void Make(const Binding& binding, int now) {
    if (const Node* viewed = ViewedBy(binding.value)) {
      const auto found = places_.find(viewed);
      if (found == places_.end()) return;
      const GetItem* item = binding.value->As<GetItem>();
      const std::vector<size_t> all = found->second;
      places_[binding.var.get()] =
          item == nullptr ? all : std::vector<size_t>{all[static_cast<size_t>(item->index())]};
      return;
    }
    // Only results of kernels are planned; others make their memory themselves.
    if (!IsKernelCall(binding.value, module_)) return;
    const types::Type& type = binding.var->type();
    if (type.is_tensor()) return Add(binding.var, -1, type, now);
    if (!type.is_tuple()) return;
    for (size_t i = 0; i < type.elements().size(); ++i)
      Add(binding.var, static_cast<int>(i), type.elements()[i], now);
  }

  // field: the element of a tuple, -1 for a tensor.
  void Add(const VarPtr& var, int field, const types::Type& type, int now) {
    places_[var.get()].push_back(plan_.tensors.size());
    plan_.tensors.push_back({var.get(), field, PlannedBytes(type), PlannedTensor::Where::kOwn, 0,
                             now, now});
    escapes_.push_back(!IsKnown(type));
  }

  // Whether all extents are known before the operator runs. One that only the operator itself can
  // tell is too late for a place; tensors after it know it.
  bool IsKnown(const types::Type& type) {
    std::vector<std::string> symbols;
    type.CollectSymbols(&symbols);
    bool known = true;
    for (std::string& symbol : symbols) known = !symbols_.insert(std::move(symbol)).second && known;
    return known;
  }

  // --- places

  // Tensors that escape or have no computable size stay with the allocator.
  void Sort(size_t index) {
    PlannedTensor& tensor = plan_.tensors[index];
    if (escapes_[index] || tensor.bytes.is_any()) {
      ++plan_.unplanned;
    } else if (tensor.bytes.is_constant()) {
      tensor.where = PlannedTensor::Where::kStatic;
      static_.push_back(index);
    } else {
      tensor.where = PlannedTensor::Where::kAtEntry;
      ++plan_.symbolic_tensors;
    }
  }

  void PlaceStatic() {
    std::vector<PlaceRequest> requests;
    for (size_t index : static_) {
      requests.push_back(RequestOf(plan_.tensors[index], plan_.tensors[index].bytes.constant()));
      plan_.static_bytes_before += plan_.tensors[index].bytes.constant();
    }
    plan_.static_bytes_after = static_cast<int64_t>(LayOutPlaces(&requests));
    for (size_t i = 0; i < static_.size(); ++i)
      plan_.tensors[static_[i]].offset = static_cast<int64_t>(requests[i].offset);
    plan_.static_bytes_live = LiveBytes();
  }

  // The most bytes that are alive at once: a lower bound that no plan can beat, for reports.
  int64_t LiveBytes() const {
    std::vector<std::pair<int, int64_t>> changes;  // at a binding, ends before begins
    for (size_t index : static_) {
      const PlannedTensor& tensor = plan_.tensors[index];
      changes.emplace_back(tensor.first, tensor.bytes.constant());
      changes.emplace_back(tensor.last + 1, -tensor.bytes.constant());
    }
    tern::Sort(&changes);
    int64_t live = 0, most = 0;
    for (const auto& change : changes) most = std::max(most, live += change.second);
    return most;
  }

  FunctionPlan& plan_;
  const Module* module_;
  int next_ = 0;
  std::unordered_map<const Node*, std::vector<size_t>> places_;  // by variable: its tensors
  std::vector<bool> escapes_;
  std::unordered_set<std::string> symbols_;  // of what came before
  std::vector<size_t> static_;
};

std::string NameOf(const PlannedTensor& tensor) {
  const std::string name = StrCat("%", tensor.first);
  return tensor.field < 0 ? name : StrCat(name, ".", tensor.field);
}

types::Type TypeOfTensor(const PlannedTensor& tensor) {
  const types::Type& type = tensor.var->type();
  return tensor.field < 0 ? type : type.elements()[static_cast<size_t>(tensor.field)];
}

}  // namespace

FunctionPlan PlanMemory(std::string_view name, const Function& function, const Module* module) {
  FunctionPlan plan;
  plan.function = name;
  Planner(&plan, module).Run(function);
  return plan;
}

std::vector<FunctionPlan> PlanMemory(const Module& module) {
  std::vector<FunctionPlan> plans;
  for (const Module::Item& item : module.items())
    plans.push_back(PlanMemory(item.name, *item.function, &module));
  return plans;
}

std::string MemoryPlanText(const Module& module) {
  std::string text;
  for (const FunctionPlan& plan : PlanMemory(module)) {
    StrAppend(&text, "memory of ", plan.function, "\n");
    for (const PlannedTensor& tensor : plan.tensors) {
      StrAppend(&text, "  ", NameOf(tensor), ": ", TypeOfTensor(tensor).ToText(), ", ",
                tensor.bytes.ToText(), " bytes, bindings ", tensor.first, " to ", tensor.last);
      switch (tensor.where) {
        case PlannedTensor::Where::kOwn: StrAppend(&text, ", memory of its own\n"); break;
        case PlannedTensor::Where::kStatic: StrAppend(&text, ", at ", tensor.offset, "\n"); break;
        case PlannedTensor::Where::kAtEntry: StrAppend(&text, ", placed at entry\n"); break;
      }
    }
    StrAppend(&text, "  static: ", plan.static_bytes_before, " bytes one after the other, ",
              plan.static_bytes_after, " planned, ", plan.static_bytes_live,
              " alive at once; symbolic: ", plan.symbolic_tensors, " tensors; ", plan.unplanned,
              " of their own\n");
  }
  return text;
}

namespace {

void WriteBytes(const types::Dim& bytes, JsonWriter* json) {
  json->Key("bytes");
  if (bytes.is_constant())
    json->Int(bytes.constant());
  else
    json->String(bytes.ToText());
}

std::optional<int64_t> NumberOf(const types::Dim& bytes, const Sizes& sizes) {
  const types::Dim at = bytes.Substitute(sizes);
  // Far above what can be had; sums of this many tensors stay numbers.
  constexpr int64_t kMost = int64_t{1} << 50;
  if (!at.is_constant() || at.constant() < 0 || at.constant() > kMost) return std::nullopt;
  return (at.constant() + kPlanAlignment - 1) / kPlanAlignment * kPlanAlignment;
}

// What is alive, binding by binding: sums of what begins and ends at each.
std::vector<int64_t> LiveBy(const FunctionPlan& plan, const PlacedPlan& placed) {
  int last = 0;
  for (const PlannedTensor& tensor : plan.tensors) last = std::max(last, tensor.last);
  std::vector<int64_t> live(static_cast<size_t>(last) + 2);
  for (size_t i = 0; i < plan.tensors.size(); ++i) {
    live[static_cast<size_t>(plan.tensors[i].first)] += placed.bytes[i];
    live[static_cast<size_t>(plan.tensors[i].last) + 1] -= placed.bytes[i];
  }
  for (size_t at = 1; at < live.size(); ++at) live[at] += live[at - 1];
  live.pop_back();
  return live;
}

void WritePlaced(const FunctionPlan& plan, const PlacedPlan& placed, JsonWriter* json) {
  const std::vector<int64_t> live = LiveBy(plan, placed);
  const int64_t before = std::accumulate(placed.bytes.begin(), placed.bytes.end(), int64_t{0});
  json->Key("at").BeginObject().Field("before", before).Field("planned", placed.planned);
  json->Field("live", *std::max_element(live.begin(), live.end()));
  json->Key("liveBy").Ints(live).Key("tensors").BeginArray();
  int64_t alone = 0;
  for (size_t i = 0; i < placed.bytes.size(); ++i) {
    json->BeginObject().Field("origin", plan.tensors[i].var->origin());
    json->Field("bytes", placed.bytes[i]).Field("base", placed.base[i]);
    json->Field("alone", alone).EndObject();
    alone += placed.bytes[i];
  }
  json->EndArray().EndObject();
}

void WritePlan(const FunctionPlan& plan, const Sizes* sizes, JsonWriter* json) {
  json->BeginObject().Field("name", plan.function).Key("static").BeginObject();
  json->Field("before", plan.static_bytes_before).Field("after", plan.static_bytes_after);
  json->Field("live", plan.static_bytes_live).EndObject().Key("symbolic").BeginObject();
  json->Field("tensors", plan.symbolic_tensors).EndObject();
  json->Field("unplanned", plan.unplanned).Key("tensors").BeginArray();
  for (const PlannedTensor& tensor : plan.tensors) {
    json->BeginObject().Field("name", NameOf(tensor));
    json->Field("type", TypeOfTensor(tensor).ToText());
    WriteBytes(tensor.bytes, json);
    json->Field("storage", static_cast<int>(tensor.where)).Field("offset", tensor.offset);
    json->Field("first", tensor.first).Field("last", tensor.last).EndObject();
  }
  json->EndArray();
  const std::optional<PlacedPlan> placed =
      sizes == nullptr ? std::nullopt : PlaceTensors(plan, *sizes);
  if (placed) WritePlaced(plan, *placed, json);
  json->EndObject();
}

}  // namespace

std::optional<PlacedPlan> PlaceTensors(const FunctionPlan& plan, const Sizes& sizes) {
  PlacedPlan placed;
  std::vector<PlaceRequest> requests;
  for (const PlannedTensor& tensor : plan.tensors) {
    const std::optional<int64_t> bytes = NumberOf(tensor.bytes, sizes);
    if (!bytes) return std::nullopt;
    placed.bytes.push_back(*bytes);
    if (tensor.where == PlannedTensor::Where::kAtEntry)
      requests.push_back(RequestOf(tensor, *bytes));
  }
  placed.arena = plan.static_bytes_after + static_cast<int64_t>(LayOutPlaces(&requests));
  placed.planned = placed.arena;
  auto request = requests.begin();
  for (size_t i = 0; i < plan.tensors.size(); ++i) {
    switch (plan.tensors[i].where) {
      case PlannedTensor::Where::kOwn:
        placed.base.push_back(placed.planned);
        placed.planned += placed.bytes[i];
        break;
      case PlannedTensor::Where::kStatic: placed.base.push_back(plan.tensors[i].offset); break;
      case PlannedTensor::Where::kAtEntry:
        placed.base.push_back(plan.static_bytes_after +
                              static_cast<int64_t>((request++)->offset));
        break;
    }
  }
  return placed;
}

void WriteMemoryPlanJson(const Module& module, const Sizes* sizes, JsonWriter* json) {
  json->BeginObject().Key("functions").BeginArray();
  for (const FunctionPlan& plan : PlanMemory(module)) WritePlan(plan, sizes, json);
  json->EndArray().EndObject();
}

}  // namespace tern::ir
