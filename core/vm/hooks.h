// SPDX-License-Identifier: Apache-2.0
// What the machine calls around instructions when someone looks on: debugger, recorder, profiler,
// instruments, tests. It knows none of them. Without hooks and breakpoints nothing of this is
// touched while code runs: with them a second loop runs, which asks at every instruction.
//
// Hooks say by `wants` which events they are called for; one that is not wanted is not prepared.
// Of one instruction the order is: BeforeInstruction, BeforeCall, OnAllocation (any number),
// AfterCall, OnFramePop, OnFramePush, OnRegisterWrite, AfterInstruction. An instruction that fails
// ends after the events that had happened; neither its writes nor AfterInstruction are told.
#ifndef TERN_CORE_VM_HOOKS_H_
#define TERN_CORE_VM_HOOKS_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "core/object/allocator.h"
#include "core/object/function.h"

namespace tern::vm {

class VirtualMachine;

// Why a run stopped. The numbers are part of the C API.
enum class StopReason : int32_t {
  kReturned = 0,
  kPaused = 1,      // as many instructions as asked for, or a hook without a reason of its own
  kBreakpoint = 2,  // before the instruction
  kCancelled = 3,
  kStepped = 4,     // a step of a debugger is done
  kCondition = 5,   // a condition of a debugger came true
  kNotFinite = 6,   // a NaN or an infinity was written
  kAllocation = 7,  // memory was allocated
  kWatched = 8,     // a watched register was written
  // With these the run ended with an error (VirtualMachine::error).
  kFailed = 16,
  kInstructionLimit = 17,
  kByteLimit = 18,
  kDepthLimit = 19,  // frames, or registers of all frames
  kTimeLimit = 20,
};
// "returned", "instruction limit", …
std::string_view StopReasonName(StopReason reason);

// Whether to go on, and if not why.
class HookAction {
 public:
  static constexpr HookAction Continue() { return {}; }
  // From this instruction on, up to so many may run at full speed without being told, as long as
  // they compute with numbers and registers only: Hooks::OnRunAhead tells how many did. The next
  // instruction is told as if this one never had been. `steps` > 0.
  static constexpr HookAction RunAhead(uint64_t steps) {
    HookAction action;
    action.ahead_ = steps;
    return action;
  }
  static constexpr HookAction Pause(StopReason reason = StopReason::kPaused) {
    HookAction action;
    action.pauses_ = true;
    action.reason_ = reason;
    return action;
  }
  constexpr bool pauses() const { return pauses_; }
  constexpr StopReason reason() const { return reason_; }
  constexpr uint64_t ahead() const { return ahead_; }

 private:
  bool pauses_ = false;
  uint64_t ahead_ = 0;
  StopReason reason_ = StopReason::kPaused;
};

enum HookEvents : uint32_t {
  kHookInstructions = 1,  // BeforeInstruction, AfterInstruction
  kHookWrites = 2,        // OnRegisterWrite
  kHookFrames = 4,        // OnFramePush, OnFramePop
  kHookCalls = 8,         // BeforeCall, AfterCall
  kHookAllocations = 16,  // OnAllocation
  kHookAll = 31,
};

// A register of a frame got another value. Parameters of a new frame are told by OnFramePush only.
struct RegisterWrite {
  size_t frame = 0;  // 0 is the outermost
  uint32_t reg = 0;
  const Any& old_value;  // counted here, so that it lives until the event is over
  const Any& new_value;
};

// A frame that was pushed (registers: arguments first, then none), or one that is gone (registers:
// as they were before the instruction that ended it).
struct FrameEvent {
  size_t frame = 0;  // its index: its depth below the outermost
  uint32_t function = 0;
  uint32_t pc = 0;  // pushed: its first instruction; popped: the ret or tail call
  std::span<const Any> registers;
};

// A call of a primitive. `args` are borrowed, without the context.
struct CallEvent {
  uint32_t pc = 0;
  const Function& function;
  AnyArgs args;
  size_t outputs = 0;  // the last so many of args are written by it (invoke_packed)
};

enum class CallAction : uint8_t {
  kRun,
  kSkip,  // *result is the call's value; AfterCall is not called
};

class Hooks {
 public:
  virtual ~Hooks() = default;
  // A set of HookEvents; asked when the hooks are set.
  virtual uint32_t wants() const { return kHookInstructions; }

  // Before each instruction; frames and registers may be read. To pause stops the run before it,
  // and the next Resume asks again.
  virtual HookAction BeforeInstruction(const VirtualMachine&, uint32_t /*pc*/) { return {}; }
  // After BeforeInstruction had answered RunAhead at `pc`: `steps` instructions ran since, perhaps
  // none. It must not answer that again before an instruction was told.
  virtual void OnRunAhead(const VirtualMachine&, uint32_t /*pc*/, uint64_t /*steps*/) {}
  // After it. To pause stops before the next, which for the last `ret` is never: it returns.
  virtual HookAction AfterInstruction(const VirtualMachine&, uint32_t /*pc*/) { return {}; }
  virtual void OnRegisterWrite(const VirtualMachine&, const RegisterWrite&) {}
  virtual void OnFramePush(const VirtualMachine&, const FrameEvent&) {}
  virtual void OnFramePop(const VirtualMachine&, const FrameEvent&) {}
  virtual CallAction BeforeCall(const VirtualMachine&, const CallEvent&, Any* /*result*/) {
    return CallAction::kRun;
  }
  // status: ok, or what the call failed with; result is none then.
  virtual void AfterCall(const VirtualMachine&, const CallEvent&, const Status&,
                         const AnyView& /*result*/) {}
  // Of the machine's own allocator, from whatever thread allocates while the machine runs.
  virtual void OnAllocation(const VirtualMachine&, const AllocationEvent&) {}
};

}  // namespace tern::vm

#endif  // TERN_CORE_VM_HOOKS_H_
