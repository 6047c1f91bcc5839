// SPDX-License-Identifier: Apache-2.0
// Taking a run's state and putting it back: what stepping backwards and trying other values need.
//
// A state that comes from outside is checked so far that the interpreter's own assumptions hold:
// every pc lies in its frame's function, callers stand at calls, register files have their size.
// Values are not checked: each instruction looks at the kinds of what it reads.
#include <utility>

#include "core/vm/interpreter.h"

namespace tern::vm {
namespace {

// Tail calls have no frame to return to, calls of primitives push none.
bool IsFrameCall(Handler handler) {
  return handler == Handler::kInvoke || handler == Handler::kInvokeClosure;
}

}  // namespace

RunState VirtualMachine::SaveState() const {
  RunState state;
  state.steps = steps_;
  state.frames.reserve(depth());
  // Registers are copied with their counts: later instructions must not change what was saved.
  for (size_t i = 0; i < depth(); ++i) {
    const FrameView view = frame(i);
    state.frames.push_back(
        {view.function, view.pc, std::vector<Any>(view.registers.begin(), view.registers.end())});
  }
  return state;
}

// A hook may not change the run it is called from.
Status VirtualMachine::CheckMayEdit() const {
  return running_ ? InvalidArgument("the machine runs: pause it first") : OkStatus();
}

// After a change: a run that has failed or returned is a paused one again, since its frames may go
// on.
void VirtualMachine::Edited() {
  state_ = depth_ == 0 ? State::kIdle : State::kPaused;
  stop_reason_ = StopReason::kPaused;
  skip_breakpoint_ = false;
  error_ = OkStatus();
  result_.Reset();
}

Status VirtualMachine::CheckFrameState(const FrameState& frame, bool is_innermost) const {
  if (frame.function >= executable().functions().size()) {
    return OutOfRange("function ", frame.function, " of an executable that has ",
                      executable().functions().size());
  }
  const FunctionInfo& info = executable().functions()[frame.function];
  // pc below the function's first instruction becomes huge as an unsigned number, so one comparison
  // serves both ends.
  if (frame.pc - info.first_instruction >= info.instruction_count) {
    return OutOfRange("instruction ", frame.pc, " is not in @", info.name, ", which has ",
                      info.instruction_count, " from ", info.first_instruction);
  }
  if (frame.registers.size() != info.register_count) {
    return InvalidArgument("a frame of @", info.name, " has ", info.register_count,
                           " registers, got ", frame.registers.size());
  }
  if (!is_innermost && !IsFrameCall(program_->plain_code()[frame.pc].handler)) {
    return InvalidArgument("instruction ", frame.pc - info.first_instruction, " of @", info.name,
                           " calls no function, so no frame can return to it");
  }
  return OkStatus();
}

Status VirtualMachine::RestoreState(const RunState& state) {
  TERN_TRY(CheckMayEdit());
  // All frames are checked before the present run is given up.
  for (size_t i = 0; i < state.frames.size(); ++i)
    TERN_TRY(CheckFrameState(state.frames[i], i + 1 == state.frames.size()));
  if (state.frames.size() > options_.max_depth) {
    return InvalidArgument(state.frames.size(), " frames are more than the limit of ",
                           options_.max_depth);
  }
  // Pushed one by one: each becomes the caller of the next, so its pc must be a call.
  Reset();
  for (const FrameState& frame : state.frames) {
    const Status pushed = PushFrame(frame);
    if (pushed.ok()) continue;
    // Only memory or limits can fail here; half a state is of no use.
    Reset();
    return pushed.Clone();
  }
  steps_ = state.steps;
  return OkStatus();
}

Status VirtualMachine::SetRegister(size_t frame, uint32_t reg, Any value) {
  TERN_TRY(CheckMayEdit());
  if (frame >= depth()) return OutOfRange("frame ", frame, " of a run with ", depth(), " frames");
  const size_t count = this->frame(frame).registers.size();
  if (reg >= count) return OutOfRange("register %", reg, " of a frame with ", count, " registers");
  OwnAll();  // the old value may be lent to a callee
  stack_[frames_[frame].base + reg] = std::move(value);
  if (state_ != State::kPaused) Edited();
  return OkStatus();
}

Status VirtualMachine::SetPc(uint32_t pc) {
  TERN_TRY(CheckMayEdit());
  if (depth_ == 0) return InvalidArgument("there is no frame whose next instruction to set");
  const FunctionInfo& info = executable().functions()[top().function];
  if (pc - info.first_instruction >= info.instruction_count) {
    return OutOfRange("instruction ", pc, " is not in @", info.name, ", the innermost function");
  }
  OwnAll();
  pc_ = pc;
  Edited();
  return OkStatus();
}

Status VirtualMachine::PopFrame() {
  TERN_TRY(CheckMayEdit());
  if (depth_ == 0) return InvalidArgument("there is no frame to drop");
  OwnAll();
  const uint32_t return_op = top().return_op;
  Interpreter(this).Pop();
  // The caller's next instruction is the call again.
  if (depth_ > 0) pc_ = return_op - 1;
  Edited();
  return OkStatus();
}

Status VirtualMachine::PushFrame(const FrameState& frame) {
  TERN_TRY(CheckMayEdit());
  TERN_TRY(CheckFrameState(frame, true));
  TERN_TRY(executable().LoadConstants(frame.function));
  uint32_t return_op = 0;
  int32_t dst = -1;
  // The frame below stands at its call: from there come the place to return to and the result's
  // register.
  if (depth_ > 0) {
    const DecodedOp& call = program_->plain_code()[pc_];
    if (!IsFrameCall(call.handler))
      return InvalidArgument("the next instruction calls no function: no frame can be on top");
    return_op = pc_ + 1;
    dst = call.dst;
  }
  OwnAll();
  TERN_TRY(Interpreter(this).Push(frame.function, return_op, dst));
  Any* registers = stack_.get() + top().base;
  for (size_t i = 0; i < frame.registers.size(); ++i) registers[i] = frame.registers[i];
  pc_ = frame.pc;
  Edited();
  return OkStatus();
}

}  // namespace tern::vm
