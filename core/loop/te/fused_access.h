// SPDX-License-Identifier: Apache-2.0
// Accesses over fused axes. Where a tensor is indexed by axes that a schedule fused, side by side
// in their order and over whole dimensions, the fused axis takes their place in the number of the
// element, so that the loop is over neighbours in memory. All else takes quotients and remainders.
#ifndef TERN_CORE_LOOP_TE_FUSED_ACCESS_H_
#define TERN_CORE_LOOP_TE_FUSED_ACCESS_H_

#include <vector>

#include "core/loop/te/schedule.h"

namespace tern::loop::te {

// An axis made of two: fused = outer * inner_extent + inner.
struct FusedAxis {
  int outer, inner, fused;  // axes of the stage
  Expr inner_extent;        // simplified
  Expr value;               // of the fused axis, by loop variables
};

// In the order in which they were fused.
using FusedAxes = std::vector<FusedAxis>;

// The number of the element, where indices of an access are a fused axis; else null.
Expr FlatIndex(const Stage& stage, const FusedAxes& fused, const Buffer& buffer,
               std::span<const Expr> indices);

// The value with its loads made flat where possible, except loads of the buffers in `kept`.
Expr FlattenLoads(const Stage& stage, const FusedAxes& fused, std::span<const Buffer* const> kept,
                  const Expr& value);

}  // namespace tern::loop::te

#endif  // TERN_CORE_LOOP_TE_FUSED_ACCESS_H_
