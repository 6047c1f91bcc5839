// SPDX-License-Identifier: Apache-2.0
// The shape heap of a frame as somebody reads it: what each slot stands for and holds, and the
// rules of the function (vm.builtin.match_shape and its like) with the numbers of this run put in.
#ifndef TERN_CORE_VM_DEBUG_SHAPE_VIEW_H_
#define TERN_CORE_VM_DEBUG_SHAPE_VIEW_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/vm/debug/debugger.h"

namespace tern::vm {

struct ShapeSlot {
  std::string symbol;             // "n"; empty where no rule names it
  int64_t value = 0;              // in the state that is looked at
  std::optional<uint64_t> step;   // that wrote it last; none before
  std::optional<uint32_t> pc;     // of that step
  std::vector<uint32_t> readers;  // instructions of the function that read it, ascending
};

enum class ShapeRuleState : uint8_t { kPending = 0, kHolds = 1, kFails = 2 };

// One axis of a match, or one load or store.
struct ShapeRule {
  uint32_t pc = 0;
  std::string_view code;  // "ignore", "store", "equal-heap", "equal-value", "load", "store-shape"
  std::optional<uint32_t> slot;
  ShapeRuleState state = ShapeRuleState::kPending;
  std::string sentence;  // "axis 1 of y = 16 equals m in slot 1 ✓"
};

struct ShapeView {
  std::optional<uint32_t> reg;  // of the frame; none where the function has no shape heap
  std::vector<ShapeSlot> slots;
  std::vector<ShapeRule> rules;  // in the order of the code
};

// Of a frame, 0 is the innermost. frame < depth().
ShapeView ViewShapeHeap(const Debugger& debugger, size_t frame);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_DEBUG_SHAPE_VIEW_H_
