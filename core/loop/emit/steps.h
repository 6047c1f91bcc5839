// SPDX-License-Identifier: Apache-2.0
// Whether the counter of a loop can overflow: in the interpreter one that has no room for its step
// is behind every end, and emitted loops must end there, too.
#ifndef TERN_CORE_LOOP_EMIT_STEPS_H_
#define TERN_CORE_LOOP_EMIT_STEPS_H_

#include "core/loop/stmt.h"

namespace tern::loop {

// A counter that takes steps of no more cannot get near 2^63 in years.
inline constexpr int64_t kSmallStep = int64_t{1} << 16;

// Steps of constants and lanes; the value of any other may be huge.
inline bool IsSmallStep(const Expr& step) {
  if (step->kind == ExprKind::kVScale) return true;
  if (const IntImm* constant = AsInt(step))
    return constant->value > 0 && constant->value <= kSmallStep;
  const Binary* lanes = step->As<Binary>();
  return lanes != nullptr && lanes->op == BinaryOp::kMul && IsSmallStep(lanes->a) &&
         IsSmallStep(lanes->b);
}

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_EMIT_STEPS_H_
