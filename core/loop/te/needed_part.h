// SPDX-License-Identifier: Apache-2.0
// Computes how much of a tensor one step of a loop of its consumer reads. Lowering of tensor
// expressions allocates and computes that part where a stage is computed inside of another one's
// loop.
#ifndef TERN_CORE_LOOP_TE_NEEDED_PART_H_
#define TERN_CORE_LOOP_TE_NEEDED_PART_H_

#include <span>
#include <vector>

#include "core/loop/te/nest.h"

namespace tern::loop::te {

struct NeededPart {
  // For each dimension of the tensor; never outside of it.
  std::vector<Range> ranges;
  // Conditions over the loops around the step. If one of them does not hold, the step reads
  // nothing.
  std::vector<Expr> conditions;
};

// The part that one step of the loop over leaf `level` of the nest reads. inside: tensors that are
// computed in loops, whose elements cannot say where others are read.
NeededPart FindNeededPart(const Nest& nest, size_t level, const Buffer& tensor,
                          std::span<const Buffer* const> inside, const Simplifier& simplifier);

}  // namespace tern::loop::te

#endif  // TERN_CORE_LOOP_TE_NEEDED_PART_H_
