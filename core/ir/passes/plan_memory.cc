// SPDX-License-Identifier: Apache-2.0
#include "core/ir/passes/plan_memory.h"

#include <algorithm>
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

// Two steps: the lifetime of every tensor as a range of bindings, then places. Bindings of inner
// blocks are numbered where they stand, so that a range over a branch covers it.
class Planner {
 public:
  explicit Planner(FunctionPlan* plan) : plan_(*plan) {}

  // Extents of parameters are known from the beginning.
  void Run(const Function& function) {
    for (const VarPtr& parameter : function.parameters()) IsKnown(parameter->type());
    const LetPtr body = ToBlock(function.body());
    ReadBlock(*body);
    for (size_t i = 0; i < plan_.tensors.size(); ++i) Sort(i);
    PlaceStatic();
    PlaceSymbolic();
  }

 private:
  // --- lifetimes

  // Every binding gets a number, in the order in which it runs.
  void ReadBlock(const Let& block) {
    for (const Binding& binding : block.bindings()) {
      const int now = next_++;
      const bool reads = OnlyReads(binding.value);
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
    // Only results of operators are planned; others make their memory themselves.
    if (binding.value->As<Call>() == nullptr) return;
    const types::Type& type = binding.var->type();
    if (type.is_tensor()) return Add(binding.var, -1, type, now);
    if (!type.is_tuple()) return;
    for (size_t i = 0; i < type.elements().size(); ++i)
      Add(binding.var, static_cast<int>(i), type.elements()[i], now);
  }

  // field: the element of a tuple, -1 for a tensor.
  void Add(const VarPtr& var, int field, const types::Type& type, int now) {
    places_[var.get()].push_back(plan_.tensors.size());
    plan_.tensors.push_back({var.get(), field, PlannedBytes(type), -1, 0, now, now});
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
    const PlannedTensor& tensor = plan_.tensors[index];
    if (escapes_[index] || tensor.bytes.is_any())
      ++plan_.unplanned;
    else if (tensor.bytes.is_constant())
      static_.push_back(index);
    else
      symbolic_.push_back(index);
  }

  // Both ends are included: an operator reads its operands while it writes its result.
  bool Overlap(const PlannedTensor& a, const PlannedTensor& b) const {
    return a.first <= b.last && b.first <= a.last;
  }

  // Places the largest tensors first, each at the lowest offset where nothing lies that is needed
  // at the same time: greedy by size (Pisarchyk and Lee, "Efficient Memory Management for Deep
  // Neural Net Inference", 2020). Quadratic in the tensors of a function.
  void PlaceStatic() {
    if (static_.empty()) return;
    std::vector<size_t> order = static_;
    tern::Sort(&order, [this](size_t a, size_t b) {
      const int64_t left = plan_.tensors[a].bytes.constant();
      const int64_t right = plan_.tensors[b].bytes.constant();
      return left != right ? left > right : a < b;
    });
    std::vector<size_t> placed;  // by offset
    for (size_t index : order) {
      PlannedTensor& tensor = plan_.tensors[index];
      const int64_t bytes = tensor.bytes.constant();
      tensor.storage = 0;
      for (size_t other : placed) {
        const PlannedTensor& lies = plan_.tensors[other];
        if (!Overlap(tensor, lies)) continue;
        // `placed` is in the order of offsets, so the first gap that is large enough is the lowest.
        if (tensor.offset + bytes <= lies.offset) break;
        tensor.offset = std::max(tensor.offset, lies.offset + lies.bytes.constant());
      }
      const auto behind = std::upper_bound(
          placed.begin(), placed.end(), tensor.offset,
          [this](int64_t offset, size_t other) { return offset < plan_.tensors[other].offset; });
      placed.insert(behind, index);
      plan_.static_bytes_before += bytes;
      plan_.static_bytes_after = std::max(plan_.static_bytes_after, tensor.offset + bytes);
    }
    plan_.storages.push_back({types::Dim(plan_.static_bytes_after)});
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

  // A storage serves one tensor after the other, all of one symbolic size: sizes that are only
  // known at run time can be compared for equality only.
  void PlaceSymbolic() {
    std::unordered_map<std::string, std::vector<int>> by_size;  // storages
    std::unordered_map<int, int> busy_until;
    for (size_t index : symbolic_) {
      PlannedTensor& tensor = plan_.tensors[index];
      std::vector<int>& storages = by_size[tensor.bytes.ToText()];
      const auto free = std::find_if(storages.begin(), storages.end(), [&](int storage) {
        return busy_until[storage] < tensor.first;
      });
      if (free == storages.end()) {
        tensor.storage = static_cast<int>(plan_.storages.size());
        storages.push_back(tensor.storage);
        plan_.storages.push_back({tensor.bytes});
        ++plan_.symbolic_storages;
      } else {
        tensor.storage = *free;
      }
      busy_until[tensor.storage] = tensor.last;
      ++plan_.symbolic_tensors;
    }
  }

  FunctionPlan& plan_;
  int next_ = 0;
  std::unordered_map<const Node*, std::vector<size_t>> places_;  // by variable: its tensors
  std::vector<bool> escapes_;
  std::unordered_set<std::string> symbols_;  // of what came before
  std::vector<size_t> static_, symbolic_;
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

FunctionPlan PlanMemory(std::string_view name, const Function& function) {
  FunctionPlan plan;
  plan.function = name;
  Planner(&plan).Run(function);
  return plan;
}

std::vector<FunctionPlan> PlanMemory(const Module& module) {
  std::vector<FunctionPlan> plans;
  for (const Module::Item& item : module.items())
    plans.push_back(PlanMemory(item.name, *item.function));
  return plans;
}

std::string MemoryPlanText(const Module& module) {
  std::string text;
  for (const FunctionPlan& plan : PlanMemory(module)) {
    StrAppend(&text, "memory of ", plan.function, "\n");
    for (const PlannedTensor& tensor : plan.tensors) {
      StrAppend(&text, "  ", NameOf(tensor), ": ", TypeOfTensor(tensor).ToText(), ", ",
                tensor.bytes.ToText(), " bytes, bindings ", tensor.first, " to ", tensor.last);
      if (tensor.storage < 0)
        StrAppend(&text, ", memory of its own\n");
      else
        StrAppend(&text, ", storage ", tensor.storage, " at ", tensor.offset, "\n");
    }
    StrAppend(&text, "  static: ", plan.static_bytes_before, " bytes one after the other, ",
              plan.static_bytes_after, " planned, ", plan.static_bytes_live,
              " alive at once; symbolic: ", plan.symbolic_tensors, " tensors in ",
              plan.symbolic_storages, " storages; ", plan.unplanned, " of their own\n");
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

// A plan whose sizes are all numbers.
struct PlacedPlan {
  std::vector<int64_t> bytes, base, alone;  // of each tensor
  std::vector<int64_t> live;                // at each binding
  int64_t before = 0, planned = 0;
};

std::optional<int64_t> NumberOf(const types::Dim& bytes, const Sizes& sizes) {
  const types::Dim at = bytes.Substitute(sizes);
  // Far above what can be had; sums of this many tensors stay numbers.
  constexpr int64_t kMost = int64_t{1} << 50;
  if (!at.is_constant() || at.constant() < 0 || at.constant() > kMost) return std::nullopt;
  return at.constant();
}

// What is alive, binding by binding: sums of what begins and ends at each.
void AddLive(const FunctionPlan& plan, PlacedPlan* placed) {
  int last = 0;
  for (const PlannedTensor& tensor : plan.tensors) last = std::max(last, tensor.last);
  placed->live.assign(static_cast<size_t>(last) + 2, 0);
  for (size_t i = 0; i < plan.tensors.size(); ++i) {
    placed->live[static_cast<size_t>(plan.tensors[i].first)] += placed->bytes[i];
    placed->live[static_cast<size_t>(plan.tensors[i].last) + 1] -= placed->bytes[i];
  }
  for (size_t at = 1; at < placed->live.size(); ++at) placed->live[at] += placed->live[at - 1];
  placed->live.pop_back();
}

std::optional<PlacedPlan> PlacePlan(const FunctionPlan& plan, const Sizes& sizes) {
  PlacedPlan placed;
  std::vector<int64_t> bases;
  for (const PlannedStorage& storage : plan.storages) {
    const std::optional<int64_t> bytes = NumberOf(storage.bytes, sizes);
    if (!bytes) return std::nullopt;
    bases.push_back(placed.planned);
    placed.planned += *bytes;
  }
  for (const PlannedTensor& tensor : plan.tensors) {
    const std::optional<int64_t> bytes = NumberOf(tensor.bytes, sizes);
    if (!bytes) return std::nullopt;
    const bool is_own = tensor.storage < 0;
    placed.bytes.push_back(*bytes);
    placed.alone.push_back(placed.before);
    placed.base.push_back(is_own ? placed.planned
                                 : bases[static_cast<size_t>(tensor.storage)] + tensor.offset);
    placed.before += *bytes;
    placed.planned += is_own ? *bytes : 0;
  }
  AddLive(plan, &placed);
  return placed;
}

void WritePlaced(const FunctionPlan& plan, const PlacedPlan& placed, JsonWriter* json) {
  const std::vector<int64_t>& live = placed.live;
  json->Key("at").BeginObject().Field("before", placed.before).Field("planned", placed.planned);
  json->Field("live", *std::max_element(live.begin(), live.end()));
  json->Key("liveBy").Ints(live).Key("tensors").BeginArray();
  for (size_t i = 0; i < placed.bytes.size(); ++i) {
    json->BeginObject().Field("origin", plan.tensors[i].var->origin());
    json->Field("bytes", placed.bytes[i]).Field("base", placed.base[i]);
    json->Field("alone", placed.alone[i]).EndObject();
  }
  json->EndArray().EndObject();
}

void WritePlan(const FunctionPlan& plan, const Sizes* sizes, JsonWriter* json) {
  json->BeginObject().Field("name", plan.function).Key("static").BeginObject();
  json->Field("before", plan.static_bytes_before).Field("after", plan.static_bytes_after);
  json->Field("live", plan.static_bytes_live).EndObject().Key("symbolic").BeginObject();
  json->Field("tensors", plan.symbolic_tensors).Field("storages", plan.symbolic_storages);
  json->EndObject().Field("unplanned", plan.unplanned).Key("storages").BeginArray();
  for (const PlannedStorage& storage : plan.storages) {
    json->BeginObject();
    WriteBytes(storage.bytes, json);
    json->EndObject();
  }
  json->EndArray().Key("tensors").BeginArray();
  for (const PlannedTensor& tensor : plan.tensors) {
    json->BeginObject().Field("name", NameOf(tensor));
    json->Field("type", TypeOfTensor(tensor).ToText());
    WriteBytes(tensor.bytes, json);
    json->Field("storage", tensor.storage).Field("offset", tensor.offset);
    json->Field("first", tensor.first).Field("last", tensor.last).EndObject();
  }
  json->EndArray();
  const std::optional<PlacedPlan> placed =
      sizes == nullptr ? std::nullopt : PlacePlan(plan, *sizes);
  if (placed) WritePlaced(plan, *placed, json);
  json->EndObject();
}

}  // namespace

void WriteMemoryPlanJson(const Module& module, const Sizes* sizes, JsonWriter* json) {
  json->BeginObject().Key("functions").BeginArray();
  for (const FunctionPlan& plan : PlanMemory(module)) WritePlan(plan, sizes, json);
  json->EndArray().EndObject();
}

}  // namespace tern::ir
