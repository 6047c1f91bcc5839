// SPDX-License-Identifier: Apache-2.0
// The interpreter's side of hooks: what an instruction changed, told after it.
//
// Only the stepping loop asks for this, and nothing in it reports. Before an instruction that is
// looked at, what it may overwrite is kept (`seen_`); after it, the difference is told.
#include "core/base/check.h"
#include "core/vm/interpreter.h"

namespace tern::vm {
namespace {

// Whether the instruction ends or begins a frame. Beginning one is only possible: the function may
// be replaced by a kernel, which needs no frame (BeganFrame).
bool EndsFrame(Handler handler) {
  return handler == Handler::kRet || handler == Handler::kTailInvoke ||
         handler == Handler::kTailInvokeClosure;
}
bool BeginsFrame(Handler handler) {
  return handler == Handler::kInvoke || handler == Handler::kInvokeClosure ||
         handler == Handler::kTailInvoke || handler == Handler::kTailInvokeClosure;
}

}  // namespace

// Whether a frame is there that was not: calls of functions that something replaces push none.
bool VirtualMachine::Interpreter::BeganFrame(const DecodedOp& op) const {
  const size_t expected = seen_->frame + (EndsFrame(op.handler) ? 1 : 2);
  return BeginsFrame(op.handler) && size_t{vm_.depth_} == expected;
}

// Keeps what the instruction may overwrite, but only what some hook wants: copies cost time and
// change reference counts.
bool VirtualMachine::Interpreter::ObserveBefore(uint32_t pc) {
  const uint32_t events = vm_.hook_events_;
  if ((events & kHookInstructions) != 0) {
    HookAction action = vm_.hooks_->BeforeInstruction(vm_, pc);
    if (action.ahead() > 0) {
      if (GrantAhead(action.ahead(), pc)) return false;
      action = vm_.hooks_->BeforeInstruction(vm_, pc);
      TERN_CHECK(action.ahead() == 0);
    }
    if (action.pauses()) {
      stopped_ = action.reason();
      return false;
    }
  }
  if (seen_ == nullptr) seen_ = std::make_unique<Seen>();
  const DecodedOp& op = vm_.program_->plain_code()[pc];
  const Frame& frame = vm_.top();
  const Any* registers = vm_.stack_.get() + frame.base;
  seen_->pc = pc;
  seen_->due = true;
  seen_->frame = size_t{vm_.depth_} - 1;
  seen_->function = frame.function;
  seen_->dst = frame.dst;
  seen_->old_value.Reset();
  seen_->registers.clear();
  if ((events & kHookWrites) != 0 && op.handler != Handler::kKill) {
    // A ret writes into the caller's frame.
    if (EndsFrame(op.handler) && seen_->frame > 0 && frame.dst >= 0) {
      seen_->old_value =
          vm_.stack_[vm_.frames_[seen_->frame - 1].base + static_cast<uint32_t>(frame.dst)];
    } else if (op.dst >= 0) {
      seen_->old_value = registers[op.dst];
    }
  }
  // All registers are needed where the frame is removed, and for a kill, which empties several.
  const bool needs_all = (events & kHookFrames) != 0 && EndsFrame(op.handler);
  const bool needs_killed = (events & kHookWrites) != 0 && op.handler == Handler::kKill;
  if (needs_all || needs_killed)
    seen_->registers.assign(registers, registers + (vm_.stack_top_ - frame.base));
  return true;
}

void VirtualMachine::Interpreter::TellWrite(size_t frame, int32_t reg, const Any& old_value) {
  const Any& new_value = vm_.stack_[vm_.frames_[frame].base + static_cast<uint32_t>(reg)];
  vm_.hooks_->OnRegisterWrite(vm_, {frame, static_cast<uint32_t>(reg), old_value, new_value});
}

// A tail call pops and pushes: both are told, in this order.
void VirtualMachine::Interpreter::TellFrames(const DecodedOp& op) {
  if (EndsFrame(op.handler)) {
    vm_.hooks_->OnFramePop(vm_, {seen_->frame, seen_->function, seen_->pc, seen_->registers});
  }
  if (!BeganFrame(op)) return;
  const Frame& frame = vm_.top();
  const FunctionInfo& info = Info(frame.function);
  vm_.hooks_->OnFramePush(vm_, {size_t{vm_.depth_} - 1,
                                frame.function,
                                info.first_instruction,
                                {vm_.stack_.get() + frame.base, info.register_count}});
}

// Which registers an instruction has written follows from its kind; registers of a new frame are
// told by OnFramePush.
void VirtualMachine::Interpreter::TellWrites(const DecodedOp& op) {
  if (op.handler == Handler::kKill) {
    for (ValueRef ref : ListOf(op))
      TellWrite(seen_->frame, ref, seen_->registers[static_cast<size_t>(ref)]);
  } else if (EndsFrame(op.handler)) {
    if (!BeganFrame(op) && seen_->frame > 0 && seen_->dst >= 0)
      TellWrite(seen_->frame - 1, seen_->dst, seen_->old_value);
  } else if (op.dst >= 0 && !BeganFrame(op)) {
    TellWrite(seen_->frame, op.dst, seen_->old_value);
  }
}

bool VirtualMachine::Interpreter::ObserveAfter() {
  // Nothing is due before the first instruction, or after one that failed.
  if (seen_ == nullptr || !seen_->due) return true;
  seen_->due = false;
  const DecodedOp& op = vm_.program_->plain_code()[seen_->pc];
  if ((vm_.hook_events_ & kHookFrames) != 0) TellFrames(op);
  if ((vm_.hook_events_ & kHookWrites) != 0) TellWrites(op);
  bool goes_on = true;
  if ((vm_.hook_events_ & kHookInstructions) != 0) {
    const HookAction action = vm_.hooks_->AfterInstruction(vm_, seen_->pc);
    if (action.pauses()) {
      stopped_ = action.reason();
      goes_on = false;
    }
  }
  seen_->old_value.Reset();  // so that counts of references are as they would be
  seen_->registers.clear();
  return goes_on;
}

// The context is no argument of the program's, so hooks do not see it.
Status VirtualMachine::Interpreter::ObservedCall(Function& function, size_t outputs,
                                                 std::span<const TernAny> args, Any* result) {
  const size_t skip = function.needs_context() ? 1 : 0;
  const AnyArgs views(reinterpret_cast<const AnyView*>(args.data()) + skip, args.size() - skip);
  const CallEvent event{vm_.pc_, function, views, outputs};
  if (vm_.hooks_->BeforeCall(vm_, event, result) == CallAction::kSkip) return OkStatus();
  Status status = CallPacked(function, outputs, args, result);
  vm_.hooks_->AfterCall(vm_, event, status, *result);
  return status;
}

}  // namespace tern::vm
