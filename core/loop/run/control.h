// SPDX-License-Identifier: Apache-2.0
// Control: what of a tape decides which operations run, on which elements and in which lanes. A run
// that looks at nothing else touches no memory, and it can count many iterations that are alike
// without doing them.
#ifndef TERN_CORE_LOOP_RUN_CONTROL_H_
#define TERN_CORE_LOOP_RUN_CONTROL_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/loop/run/lane_math.h"
#include "core/loop/run/tape.h"

namespace tern::loop {

// An innermost loop: the operations from `top` to the jump back at `back`.
struct TapeLoop {
  size_t top = 0, back = 0;
  // Registers that control depends on and that one iteration hands to the next.
  std::vector<int32_t> carried;
  // Each register of the loop that control depends on is set in one place, so that what one
  // iteration adds to it can be told from the operations in their order.
  bool is_plain = true;
};

struct ControlPlan {
  // By operation: whether a jump, a loop's end, an index or a mask depends on it.
  std::vector<uint8_t> needed;
  // One of these depends on numbers in memory, so that only a full run tells what happens.
  bool reads_memory = false;
  std::vector<TapeLoop> loops;

  const TapeLoop* LoopEndingAt(size_t back) const;  // null where no innermost loop does
};

ControlPlan PlanControl(const Tape& tape);

// The registers of a run as they are at the end of an iteration.
struct RegisterView {
  const Tape& tape;
  int64_t vscale;
  std::span<const int64_t> offsets;  // by register, into lanes
  std::span<const Lane> lanes;
  std::span<const int64_t> elements;  // by buffer

  int64_t LanesOf(int32_t reg) const {
    return tape.registers[static_cast<size_t>(reg)].lane_count().At(vscale);
  }
  const Lane* At(int32_t reg) const { return lanes.data() + offsets[static_cast<size_t>(reg)]; }
};

struct AlikeIterations {
  int64_t count = 0;
  std::vector<int64_t> steps;  // by access in order: how much further each iteration's element is
};

// How many iterations of the loop after the one that has just ended are like it: they take the same
// jumps, have the same masks, and touch elements that lie inside of their buffers. All but the last
// `tail` of them; 0 where that cannot be told. before: the carried registers at the beginning of
// the iteration; each changes in every further iteration by as much as it has since.
AlikeIterations CountAlike(const ControlPlan& plan, const TapeLoop& loop, const RegisterView& now,
                           std::span<const int64_t> before, int64_t tail);

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_RUN_CONTROL_H_
