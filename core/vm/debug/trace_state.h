// SPDX-License-Identifier: Apache-2.0
// The words of a trace (trace.h): what a machine holds in one state, as numbers of values, and the
// events that lead from state to state.
#ifndef TERN_CORE_VM_DEBUG_TRACE_STATE_H_
#define TERN_CORE_VM_DEBUG_TRACE_STATE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tern::vm {

using ValueId = uint32_t;
inline constexpr ValueId kNoneValue = 0;  // the number of none, always there

enum class TraceEventKind : uint8_t {
  kWrite = 0,  // a register changed
  kPush = 1,   // a frame came; its registers are none until their writes follow
  kPop = 2,    // the innermost frame went; its registers were written to none before
};

struct TraceEvent {
  uint32_t frame_and_kind = 0;  // frame << 2 | kind; frame 0 is the outermost
  uint32_t target = 0;          // the register; of push and pop: the function
  uint32_t before = 0;          // write: ValueId; pop: pc of the caller's call
  uint32_t after = 0;           // write: ValueId; push and pop: registers of the frame

  TraceEventKind kind() const { return static_cast<TraceEventKind>(frame_and_kind & 3); }
  uint32_t frame() const { return frame_and_kind >> 2; }
};

// A frame of a state. Its registers are ids[first .. the next frame's first).
struct TraceFrame {
  uint32_t function = 0;
  uint32_t pc = 0;  // of the innermost frame the next instruction, of the others their call
  uint32_t first = 0;
};

// All frames and registers of one state.
struct TraceState {
  std::vector<TraceFrame> frames;
  std::vector<ValueId> ids;

  size_t register_count(size_t frame) const;
  std::span<const ValueId> registers(size_t frame) const;
};

// The state after an event that fits it: its frame is there, and its register.
void ApplyEvent(const TraceEvent& event, TraceState* state);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_DEBUG_TRACE_STATE_H_
