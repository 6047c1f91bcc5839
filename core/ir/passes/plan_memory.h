// SPDX-License-Identifier: Apache-2.0
// Where the tensors of a function could lie if its memory were laid out before it runs: tensors of
// static size at offsets of one arena, those of symbolic size in storages that later tensors of the
// same size take over.
//
// A tensor is planned if an operator makes it and only operators read it: what goes into a tuple, a
// closure, another function or the result outlives the places that can be told here, and keeps
// memory of its own; so does what has an extent that only its operator can tell. A view (reshape,
// …) is no tensor of its own: it keeps what it looks at alive.
#ifndef TERN_CORE_IR_PASSES_PLAN_MEMORY_H_
#define TERN_CORE_IR_PASSES_PLAN_MEMORY_H_

#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/ir/module.h"

namespace tern::ir {

inline constexpr int64_t kPlanAlignment = 64;

struct PlannedTensor {
  const Var* var = nullptr;
  int field = -1;      // of an operator with several results
  types::Dim bytes;    // rounded up to kPlanAlignment where it is a number
  int storage = -1;    // index in FunctionPlan::storages; -1: memory of its own
  int64_t offset = 0;  // in the storage; 0 in those of symbolic size
  // Bindings, counted as they are printed: where it is made, and where it is read last.
  int first = 0, last = 0;
};

struct PlannedStorage {
  types::Dim bytes;
};

struct FunctionPlan {
  std::string function;
  std::vector<PlannedTensor> tensors;    // in the order they are made
  std::vector<PlannedStorage> storages;  // the arena, if there is one, is the first
  // Of tensors of static size that are planned: one after the other, at offsets, and the most that
  // is alive at once, below which no plan can be.
  int64_t static_bytes_before = 0, static_bytes_after = 0, static_bytes_live = 0;
  int symbolic_tensors = 0, symbolic_storages = 0, unplanned = 0;
};

// A function without lambdas.
FunctionPlan PlanMemory(std::string_view name, const Function& function);
std::vector<FunctionPlan> PlanMemory(const Module& module);

// Goes through the function by what dies where, and finds two tensors that lie over each other
// while both are needed, one that is larger than its place, or one that is not at a multiple of the
// alignment. Shares nothing with the planner but the plan.
Status CheckMemoryPlan(const Function& function, const FunctionPlan& plan);

// One line per tensor, and the sums.
std::string MemoryPlanText(const Module& module);
// {"functions":[{"name","static":{"before","after","live"},"symbolic":{"tensors","storages"},
// "unplanned","storages":[{"bytes"}],"tensors":[{"name","type","bytes","storage","offset","first",
// "last"}]}]}; sizes that are no numbers are texts. With `sizes`, extents of symbols, a function
// has "at" if all its sizes are numbers then: {"before": the sum of all tensors, "planned": of
// storages and tensors with memory of their own, "live": the most that is alive at once, "liveBy":
// what is alive at each binding, "tensors": [{"origin", "bytes", "base": where it lies if storages
// follow each other and then tensors of their own, "alone": where if all tensors follow each
// other}]}.
using Sizes = std::vector<types::Dim::Binding>;
void WriteMemoryPlanJson(const Module& module, const Sizes* sizes, JsonWriter* json);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_PASSES_PLAN_MEMORY_H_
