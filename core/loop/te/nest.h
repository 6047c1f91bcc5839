// SPDX-License-Identifier: Apache-2.0
// Nest: one stage while its loops are made, its axes from given ranges; how long its loops are and
// what its axes are in terms of their variables.
#ifndef TERN_CORE_LOOP_TE_NEST_H_
#define TERN_CORE_LOOP_TE_NEST_H_

#include <span>
#include <vector>

#include "core/loop/analysis/simplifier.h"
#include "core/loop/te/schedule.h"
#include "core/loop/visitor.h"

namespace tern::loop::te {

// The part of a tensor's dimension that is computed: min, min + 1, … min + extent - 1; nothing
// where the extent is not positive.
struct Range {
  Expr min, extent;
};

class Nest {
 public:
  // ranges: one for each axis of the tensor. All of it must outlive the nest.
  Nest(const Stage& stage, std::span<const Range> ranges, const Simplifier& simplifier)
      : stage_(stage), ranges_(ranges), simplifier_(simplifier) {}

  const Stage& stage() const { return stage_; }
  std::span<const Range> ranges() const { return ranges_; }
  const Axis& axis(int index) const { return stage_.axes[static_cast<size_t>(index)]; }

  // How many steps an axis has, rests included.
  Expr Extent(int axis) const;
  // The axis in terms of loop variables, from 0.
  Expr Value(int axis) const;
  // How many steps a loop has.
  Expr LoopExtent(int axis) const;
  // Whether the extent of an axis that was split is a multiple of the factor for sure.
  bool ComesOutEven(const Relation& split) const;
  // The inner loop of a split of a root, inside its outer loop, simply ends with the axis; other
  // splits that do not come out even are guarded.
  bool EndsWithAxis(const Relation& split) const;
  // The variables of the formula in terms of loop variables.
  std::vector<Substitution> RootValues() const;

 private:
  void AddValue(size_t root, std::vector<Substitution>* map) const;
  Expr RootExtent(int axis) const;
  Expr NotNegative(Expr extent) const;

  const Stage& stage_;
  std::span<const Range> ranges_;
  const Simplifier& simplifier_;
};

}  // namespace tern::loop::te

#endif  // TERN_CORE_LOOP_TE_NEST_H_
