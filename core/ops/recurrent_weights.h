// SPDX-License-Identifier: Apache-2.0
// The packed form of recurrent weights (RecurrentAttrs in math_attrs.h): written by the pass that
// packs them, read by the operators. Each direction of w and of r is panels [16 gates][k][16], as
// those of matmul; what is beyond the rows is zero.
#ifndef TERN_CORE_OPS_RECURRENT_WEIGHTS_H_
#define TERN_CORE_OPS_RECURRENT_WEIGHTS_H_

#include <cstdint>

#include "core/ops/math_attrs.h"
#include "core/ops/panels.h"

namespace tern::ops {

// The rows of r are one matrix. Of a gru that resets its state ahead of the product they are two,
// each with panels of its own: those of the candidate are multiplied later.
struct StateRows {
  int64_t first, candidate;

  constexpr int64_t panels() const { return PanelCount(first) + PanelCount(candidate); }
};
constexpr StateRows StateRowsOf(const RecurrentAttrs& attrs, int64_t gates, int64_t hidden) {
  if (gates == 3 && !attrs.linear_before_reset) return {2 * hidden, hidden};
  return {gates * hidden, 0};
}

}  // namespace tern::ops

#endif  // TERN_CORE_OPS_RECURRENT_WEIGHTS_H_
