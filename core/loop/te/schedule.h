// SPDX-License-Identifier: Apache-2.0
// A definition's schedule applied: for every tensor, its axes, how some were made of others, and
// the loops in their order.
#ifndef TERN_CORE_LOOP_TE_SCHEDULE_H_
#define TERN_CORE_LOOP_TE_SCHEDULE_H_

#include <string>
#include <vector>

#include "core/loop/te/te.h"
#include "core/text/diagnostics.h"

namespace tern::loop::te {

struct Axis {
  std::string name;
  VarPtr var;   // of its loop, where it is one
  Expr extent;  // of a root: 0 <= var < extent; null for the others
  bool is_reduce = false;
  ForKind kind = ForKind::kSerial;
  int32_t lanes = 0, interleave = 0;  // as in For::Traits
  LoopTail tail = LoopTail::kOfKind;
  const Directive* marked = nullptr;  // the line that set the kind
};

// parent = outer * factor + inner, or fused = first * extent of second + second.
struct Relation {
  bool is_split = true;
  int parent = -1, outer = -1, inner = -1;  // of a fuse: fused, first, second
  Lanes factor;
};

struct Stage {
  Compute compute;
  std::vector<Axis> axes;   // the roots first: the tensor's axes, then the reduce axes
  std::vector<int> leaves;  // the loops, outermost first
  std::vector<Relation> relations;
  // The loop of its consumer that it is computed in, or -1. When a line makes that axis into
  // others, this names one of the others, so that it is a loop at the end.
  int attach_stage = -1, attach_axis = -1;
  bool is_inlined = false;

  int FindAxis(std::string_view name) const;  // -1 if there is none
  int LeafIndex(int axis) const;              // its place in leaves, or -1
  const Reduction* reduction() const { return compute.value->As<Reduction>(); }
  // How an axis was made, and what it was made into; null for roots and for loops.
  const Relation* MadeBy(int axis) const;
  const Relation* UsedBy(int axis) const;
};

// One stage per compute, in order. Mistakes are reported to the diagnostics. The definition
// must outlive the stages.
std::vector<Stage> ApplySchedule(const Definition& definition, text::Diagnostics* diagnostics);

}  // namespace tern::loop::te

#endif  // TERN_CORE_LOOP_TE_SCHEDULE_H_
