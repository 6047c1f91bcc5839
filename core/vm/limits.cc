// SPDX-License-Identifier: Apache-2.0
// How far the interpreter's loops may go: limits, requests to stop, and what hooks let run ahead.
// None of it is asked at every instruction of the fast loop.
#include <algorithm>

#include "core/base/strings.h"
#include "core/vm/interpreter.h"
#include "core/vm/specialize.h"

namespace tern::vm {

// 0 means without a limit, of this Resume (max_instructions_) and of the whole run (options_).
uint64_t VirtualMachine::Interpreter::Remaining() const {
  uint64_t remaining = UINT64_MAX;
  if (max_instructions_ != 0) remaining = max_instructions_ - executed_;
  const uint64_t limit = vm_.options_.max_instructions;
  return limit != 0 ? std::min(remaining, limit - vm_.steps_) : remaining;
}

// The order decides which reason is told when several hold: cancel is first, as somebody waits for
// it; limits come before breakpoints, as the run is over.
bool VirtualMachine::Interpreter::MayGoOn(uint32_t pc) {
  // The default; an error or another reason overwrites it.
  stopped_ = StopReason::kPaused;
  const uint32_t attend = vm_.attend_.load(std::memory_order_relaxed);
  // The request is taken away, so that the run can be resumed.
  if ((attend & kAttendCancel) != 0) {
    vm_.attend_.fetch_and(~kAttendCancel, std::memory_order_relaxed);
    stopped_ = StopReason::kCancelled;
    return false;
  }
  if (max_instructions_ != 0 && executed_ >= max_instructions_) return false;
  if (vm_.options_.max_instructions != 0 && vm_.steps_ >= vm_.options_.max_instructions) {
    error_ = Stopped("step limit reached (",
                     FormatGrouped(static_cast<int64_t>(vm_.options_.max_instructions)),
                     " instructions)")
                 .SetErrorCode("S0301");
    return false;
  }
  if ((attend & kAttendMemory) != 0) {
    error_ = vm_.account_.OverLimit();
    return false;
  }
  // The clock is read only where a time limit was set: reading it costs more than a slice of code.
  if ((attend & kAttendTime) != 0 && vm_.Now() >= vm_.deadline_ns_) {
    error_ = Stopped("time limit reached (", vm_.options_.max_time_ns / 1'000'000, " ms)")
                 .SetErrorCode("S0303");
    return false;
  }
  // A run that stopped at a breakpoint must get past it when it is resumed.
  if (!vm_.breakpoints_.empty() && !vm_.skip_breakpoint_ && vm_.HasBreakpoint(pc)) {
    stopped_ = StopReason::kBreakpoint;
    return false;
  }
  return true;
}

// Whether an operator stopped because the run was cancelled. It has left its arguments alone, so
// the run can be resumed: the operator is the next instruction still, and is not counted.
bool VirtualMachine::Interpreter::IsCancelledInside() {
  constexpr auto kOrder = std::memory_order_relaxed;
  if (error_.error_code() != "S0302" || (vm_.attend_.load(kOrder) & kAttendCancel) == 0)
    return false;
  vm_.attend_.fetch_and(~kAttendCancel, kOrder);
  stopped_ = StopReason::kCancelled;
  --vm_.steps_;
  --executed_;
  return true;
}

// The fast loop may overshoot a grant by a function's length.
bool VirtualMachine::Interpreter::GrantAhead(uint64_t steps, uint32_t pc) {
  const uint64_t remaining = Remaining();
  const uint64_t room = vm_.program_->longest_function();
  if (remaining <= room || IsPinned()) {
    vm_.hooks_->OnRunAhead(vm_, pc, 0);
    return false;
  }
  if (vm_.ahead_code_.empty()) {
    const size_t count = vm_.program_->code().size();
    vm_.ahead_code_ = AheadCode({vm_.code_, count}, {vm_.plain_code_, count});
  }
  ahead_ = std::min(steps, remaining - room);
  ahead_from_ = vm_.steps_;
  ahead_pc_ = pc;
  return true;
}

void VirtualMachine::Interpreter::EndAhead() {
  ahead_ = 0;
  vm_.hooks_->OnRunAhead(vm_, ahead_pc_, vm_.steps_ - ahead_from_);
}

}  // namespace tern::vm
