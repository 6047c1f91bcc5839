// SPDX-License-Identifier: Apache-2.0
// Where the tensors of a function lie while it runs: all in one arena, those of static size at
// offsets that are known now, those of symbolic size behind them, at offsets that are found when a
// run begins and its sizes are known. A run follows the plan (core/vm/places.h).
//
// A tensor is planned if an operator makes it and only operators read it, functions that are one
// kernel among them: what goes into a tuple, a
// closure, another function or the result outlives the places that can be told here, and keeps
// memory of its own; so does what has an extent that only its operator can tell. A view (reshape,
// …) is no tensor of its own: it keeps what it looks at alive.
#ifndef TERN_CORE_IR_PASSES_PLAN_MEMORY_H_
#define TERN_CORE_IR_PASSES_PLAN_MEMORY_H_

#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/ir/module.h"
#include "core/object/arena.h"

namespace tern::ir {

inline constexpr int64_t kPlanAlignment = Arena::kAlignment;

struct PlannedTensor {
  enum class Where : int8_t { kOwn = -1, kStatic, kAtEntry };

  const Var* var = nullptr;
  int field = -1;      // of an operator with several results
  types::Dim bytes;    // rounded up to kPlanAlignment where it is a number
  Where where = Where::kOwn;
  int64_t offset = 0;  // of kStatic: in the arena
  // Bindings, counted as they are printed: where it is made, and where it is read last.
  int first = 0, last = 0;
};

struct FunctionPlan {
  std::string function;
  std::vector<PlannedTensor> tensors;  // in the order they are made
  // Of tensors of static size that are planned: one after the other, at offsets, and the most that
  // is alive at once, below which no plan can be.
  int64_t static_bytes_before = 0, static_bytes_after = 0, static_bytes_live = 0;
  int symbolic_tensors = 0, unplanned = 0;
};

// Extents of symbols.
using Sizes = std::vector<types::Dim::Binding>;

// The plan for sizes: where each tensor lies, in bytes.
struct PlacedPlan {
  std::vector<int64_t> bytes;
  std::vector<int64_t> base;  // in the arena, of one of its own: behind the arena and those before
  int64_t arena = 0;          // bytes
  int64_t planned = 0;        // the arena and tensors with memory of their own
};

// A function without lambdas. module: that of the functions it calls; kernels among them are
// planned as operators are.
FunctionPlan PlanMemory(std::string_view name, const Function& function,
                        const Module* module = nullptr);
std::vector<FunctionPlan> PlanMemory(const Module& module);

// Nothing where some size is no number then.
std::optional<PlacedPlan> PlaceTensors(const FunctionPlan& plan, const Sizes& sizes);

// Goes through the function by what dies where, and finds two tensors that lie over each other
// while both are needed, one that is larger than its place, or one that is not at a multiple of the
// alignment. Tensors of symbolic size are looked at where `sizes` say how large they are. Shares
// nothing with the planner but the plan.
Status CheckMemoryPlan(const Function& function, const FunctionPlan& plan,
                       const Sizes& sizes = {}, const Module* module = nullptr);

// One line per tensor, and the sums.
std::string MemoryPlanText(const Module& module);
// {"functions":[{"name","static":{"before","after","live"},"symbolic":{"tensors"},"unplanned",
// "tensors":[{"name","type","bytes","storage","offset","first","last"}]}]}; sizes that are no
// numbers are texts; storage: Where. With `sizes`, a function has "at" if all its sizes are numbers
// then: {"before": the sum of all tensors, "planned": of the arena and tensors with memory of their
// own, "live": the most that is alive at once, "liveBy": what is alive at each binding, "tensors":
// [{"origin", "bytes", "base": where it lies if tensors with memory of their own follow the arena,
// "alone": where if all tensors follow each other}]}.
void WriteMemoryPlanJson(const Module& module, const Sizes* sizes, JsonWriter* json);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_PASSES_PLAN_MEMORY_H_
