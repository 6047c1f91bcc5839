// SPDX-License-Identifier: Apache-2.0
// Normalizations in groups: operators that are several steps to a loop program, and one kernel call
// elsewhere.
#ifndef TERN_CORE_FUSE_COMPOSITE_H_
#define TERN_CORE_FUSE_COMPOSITE_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/ir/expr.h"

namespace tern::fuse {

// Where a step takes an argument from: what an earlier step made, an operand of the call, or its
// epsilon.
struct Source {
  enum class Kind : int8_t { kNone, kStep, kOperand, kEpsilon };
  Kind kind = Kind::kNone;
  int8_t index = 0;
};

// An operator of one or two arguments; what it reduces are the axis of the call and those behind
// it. A step whose last argument the call does not have is left out.
struct Step {
  ops::Op op;
  Source a, b;
};

struct Composite {
  ops::Op op;
  int64_t default_axis;
  std::span<const Step> steps;

  // How often the steps read an operand, and how often they reduce.
  int64_t Reads(size_t operand) const;
  int64_t ReductionCount() const;
};

// Null where the operator has no steps, for these types and attributes.
const Composite* CompositeOf(const ir::Call& call);

// The function with their steps in place of composites; itself where there are none. What a loop
// program is made of: the steps one by one would be slower than the operator.
ir::FunctionPtr ExpandComposites(const ir::FunctionPtr& function);

}  // namespace tern::fuse

#endif  // TERN_CORE_FUSE_COMPOSITE_H_
