// SPDX-License-Identifier: Apache-2.0
// Commands, stops and budgets; what is asked of a state is in debugger_state.cc.
//
// A command sets a goal (SetGoal). Going forward, the goal is tested at every place that is come
// to: first by stepping through the recorded past (RunForward), then by hooks while the machine
// runs (RunLive). Going backward is a walk over the trace; the machine does not move.
#include "core/vm/debug/debugger.h"

#include <algorithm>

#include "core/base/strings.h"
#include "core/object/graph/print.h"

namespace tern::vm {
namespace {

// How many instructions pass between two looks at the clock: a look costs more than an instruction.
constexpr uint32_t kClockEvery = 64;
constexpr uint64_t kNever = UINT64_MAX;

}  // namespace

std::string_view DebugStopName(DebugStop reason) {
  switch (reason) {
    case DebugStop::kBegun: return "begun";
    case DebugStop::kReturned: return "returned";
    case DebugStop::kStep: return "step";
    case DebugStop::kBreakpoint: return "breakpoint";
    case DebugStop::kTarget: return "target";
    case DebugStop::kSlice: return "slice";
    case DebugStop::kStart: return "start";
    case DebugStop::kCancelled: return "cancelled";
    case DebugStop::kStepLimit: return "step-limit";
    case DebugStop::kTimeLimit: return "time-limit";
    case DebugStop::kMemoryLimit: return "memory-limit";
    case DebugStop::kDepthLimit: return "depth-limit";
    case DebugStop::kTrap: return "trap";
  }
  return "";
}

Debugger::Debugger(std::unique_ptr<VirtualMachine> vm, const DebuggerOptions& options)
    : options_(options),
      vm_(std::move(vm)),
      recorder_(options.recorder),
      cursor_(&recorder_.trace()) {
  // The debugger is the machine's hook and passes on to its recorder what it does not need itself.
  vm_->SetHooks(this);
}

Debugger::~Debugger() { vm_->SetHooks(nullptr); }

Result<std::unique_ptr<Debugger>> Debugger::Create(ProgramPtr program,
                                                   const DebuggerOptions& options) {
  VmOptions vm_options;
  vm_options.platform = options.platform;
  vm_options.parallel = options.parallel;
  vm_options.devices = options.devices;
  // The machine's own limits end a run for good, so they lie above the budgets, which only pause
  // it. What the trace keeps alive is counted by the machine too.
  vm_options.max_depth = std::max<uint32_t>(1'000'000, options.budgets.depth);
  if (options.budgets.bytes != 0)
    vm_options.max_bytes = options.budgets.bytes + options.recorder.trace.max_bytes;
  TERN_TRY_ASSIGN(std::unique_ptr<VirtualMachine> vm,
                  VirtualMachine::Create(std::move(program), vm_options));
  return std::unique_ptr<Debugger>(new Debugger(std::move(vm), options));
}

Status Debugger::Begin(std::string_view function, AnyArgs args) {
  // No run, if the machine refuses the arguments.
  begun_ = false;
  TERN_TRY(vm_->Begin(function, args));
  recorder_.Start(*vm_);
  // The cursor may stand in the trace of the run before.
  cursor_.Invalidate();
  begun_ = true;
  in_past_ = has_goal_ = false;
  unchecked_ = true;
  checked_step_ = trace().end_step();
  spent_ns_ = 0;
  cancel_.store(false, std::memory_order_relaxed);
  // Breakpoints stay from run to run, what they have counted does not.
  for (Breakpoint& breakpoint : breakpoints_) {
    breakpoint.hits = breakpoint.failures = 0;
    breakpoint.was_true = false;
  }
  SetStop(DebugStop::kBegun, StrCat("@", function, " was begun; nothing was executed yet"));
  return OkStatus();
}

void Debugger::Cancel() { cancel_.store(true, std::memory_order_relaxed); }

// 0 without a clock; a time budget is then never reached.
int64_t Debugger::Now() const {
  const TernPlatform* platform = options_.platform;
  if (platform == nullptr || platform->clock_ns == nullptr) return 0;
  return platform->clock_ns(platform->context);
}

// --- commands

void Debugger::SetStop(DebugStop reason, std::string text, uint32_t breakpoint) {
  stop_.reason = reason;
  stop_.name = std::string(DebugStopName(reason));
  if (reason == DebugStop::kTrap) StrAppend(&stop_.name, "(", error().error_code(), ")");
  stop_.text = std::move(text);
  stop_.breakpoint = breakpoint;
}

// The newest step is the machine itself; anything older is looked at through the cursor.
void Debugger::LookAt(uint64_t step) {
  in_past_ = step < trace().end_step();
  if (in_past_)
    cursor_.Seek(step);
  else
    // This place was come to by a look, so the next command does not test it again.
    checked_step_ = trace().end_step();
}

bool Debugger::GoesBack() const {
  return goal_.command == DebugCommand::kNextBack || goal_.command == DebugCommand::kFinishBack ||
         goal_.command == DebugCommand::kContinueBack;
}

// Checks the argument and notes what the goal is relative to: depth and step of the state that is
// looked at.
Status Debugger::SetGoal(DebugCommand command, uint64_t argument) {
  goal_ = {command, argument, depth(), argument};
  const bool counts = command == DebugCommand::kStep || command == DebugCommand::kNext ||
                      command == DebugCommand::kStepBack || command == DebugCommand::kNextBack;
  if (counts && argument == 0) return InvalidArgument("0 steps are no step").SetErrorCode("E0304");
  if (command == DebugCommand::kStep)
    // An absolute step, so that a slice that ends in between needs nothing else; a sum that
    // overflows means never.
    goal_.argument = step() > kNever - argument ? kNever : step() + argument;
  if (command == DebugCommand::kRunTo && argument >= executable().instruction_count()) {
    return OutOfRange("there is no instruction ", argument, ": the program has ",
                      executable().instruction_count())
        .SetErrorCode("E0304");
  }
  if (command == DebugCommand::kSeek && argument < trace().first_step()) {
    return OutOfRange("step ", argument, " is not recorded any more: the oldest is ",
                      trace().first_step())
        .SetErrorCode("E0304");
  }
  // A run that has returned has no frames; its end counts as depth 1, so that going back does not
  // stop at once.
  if (GoesBack()) goal_.depth = std::max<size_t>(goal_.depth, 1);
  // The present place counts as tested: "continue" must leave the breakpoint it stands at.
  if (!in_past_) checked_step_ = trace().end_step();
  return OkStatus();
}

Result<DebugStopInfo> Debugger::Run(DebugCommand command, uint64_t argument, uint64_t slice) {
  if (!begun_) return InvalidArgument("no run was begun").SetErrorCode("E0304");
  if (command != DebugCommand::kResume) {
    TERN_TRY(SetGoal(command, argument));
    cancel_.store(false, std::memory_order_relaxed);
    // Conditions count as met when they become true, so their present value is noted first.
    if (!unchecked_) PrimeConditions();
  } else if (!has_goal_) {
    return InvalidArgument("there is no command to go on with").SetErrorCode("E0304");
  }
  // Interrupted sets it again if a slice ends before the goal.
  has_goal_ = false;
  // Two commands need no walk: the trace can be looked at anywhere.
  if (goal_.command == DebugCommand::kStepBack) {
    const uint64_t first = trace().first_step();
    LookAt(step() - first < argument ? first : step() - argument);
    SetStop(step() == first ? DebugStop::kStart : DebugStop::kStep, StrCat("at step ", step()));
  } else if (goal_.command == DebugCommand::kSeek && goal_.argument <= trace().end_step()) {
    LookAt(goal_.argument);
    SetStop(DebugStop::kTarget, StrCat("at step ", step()));
  } else if (GoesBack()) {
    RunBackward(slice);
  } else {
    RunForward(slice);
  }
  return stop_;
}

// Whether to stop now because of a request to cancel, or at the end of a slice.
bool Debugger::Interrupted(uint64_t done, uint64_t slice) {
  if (cancel_.exchange(false, std::memory_order_relaxed)) {
    SetStop(DebugStop::kCancelled, "stopped on request");
    return true;
  }
  if (slice == 0 || done < slice) return false;
  // Resume goes on with the same goal.
  has_goal_ = true;
  SetStop(DebugStop::kSlice, StrCat("after ", slice, " instructions"));
  return true;
}

void Debugger::RunForward(uint64_t slice) {
  // At the very beginning of a run nothing was tested yet: a breakpoint at the first instruction
  // must be met, but only by commands that may stay where they are.
  const bool may_stay =
      goal_.command == DebugCommand::kContinue || goal_.command == DebugCommand::kRunTo;
  const bool is_unchecked = unchecked_;
  unchecked_ = false;
  if (is_unchecked && may_stay && !in_past_ && MeetsBreakpoint(true)) return;
  uint64_t done = 0;
  // The past first: recorded steps are looked at, not executed again.
  for (; in_past_; ++done) {
    if (Interrupted(done, slice)) return;
    LookAt(step() + 1);
    // The end of a returned run has no frame, so no place to test.
    if (!in_past_ && vm_->state() == VirtualMachine::State::kReturned) break;
    if (MeetsBreakpoint(true) || Reached()) return;
  }
  // The slice may end exactly where the recorded past does.
  if (slice != 0 && done == slice) {
    Interrupted(done, slice);
    return;
  }
  RunLive(slice == 0 ? 0 : slice - done);
}

void Debugger::RunLive(uint64_t slice) {
  if (!vm_->active()) return StopAtEnd();
  stopped_ = false;
  until_clock_ = 0;
  resumed_ns_ = Now();
  const Result<StopReason> reason = vm_->Resume(slice);
  spent_ns_ += Now() - resumed_ns_;
  // The trace ends where the machine stopped.
  recorder_.Finish(*vm_);
  if (!reason.ok() || *reason == StopReason::kReturned) return StopAtEnd();
  // A hook has set the stop. Otherwise the slice was used up.
  if (stopped_) return;
  has_goal_ = true;
  SetStop(DebugStop::kSlice, StrCat("after ", slice, " instructions"));
}

void Debugger::StopAtEnd() {
  // However the run ended, its end is the present.
  in_past_ = false;
  if (vm_->state() == VirtualMachine::State::kReturned)
    return SetStop(DebugStop::kReturned, StrCat("the result is ", PrintValue(vm_->result())));
  // The run failed; budgets that the machine enforces itself have names of their own.
  const std::string_view code = error().error_code();
  SetStop(code == "E0302"   ? DebugStop::kMemoryLimit
          : code == "E0303" ? DebugStop::kDepthLimit
                            : DebugStop::kTrap,
          std::string(error().message()));
}

void Debugger::RunBackward(uint64_t slice) {
  const uint64_t start = step();
  for (uint64_t done = 0;; ++done) {
    if (Interrupted(done, slice)) return;
    // Steps before the oldest that is still recorded cannot be restored.
    if (step() == trace().first_step()) {
      const uint64_t dropped = trace().stats().dropped_steps;
      return SetStop(DebugStop::kStart, dropped == 0 ? "at the first step"
                                                     : StrCat("at the oldest recorded step; ",
                                                              dropped, " before it were dropped"));
    }
    LookAt(step() - 1);
    // The place that the command began at is not met again.
    if (MeetsBreakpoint(false) && step() < start) return;
    // Shallower than where it began: the call of that frame.
    if (goal_.command == DebugCommand::kFinishBack && depth() < goal_.depth)
      return SetStop(DebugStop::kStep, "at the call");
    // Over calls: deeper steps are passed. After leaving the frame, steps of its caller count.
    if (goal_.command != DebugCommand::kNextBack || depth() > goal_.depth) continue;
    goal_.depth = depth();
    if (--goal_.remaining == 0) return SetStop(DebugStop::kStep, StrCat("at step ", step()));
  }
}

// Whether the goal has come true at the present place.
bool Debugger::Reached() {
  switch (goal_.command) {
    case DebugCommand::kStep:
      if (step() < goal_.argument) return false;
      SetStop(DebugStop::kStep, StrCat("at step ", step()));
      return true;
    case DebugCommand::kNext:
      // Over calls, as in RunBackward.
      if (depth() > goal_.depth) return false;
      goal_.depth = depth();
      if (--goal_.remaining > 0) return false;
      SetStop(DebugStop::kStep, StrCat("at step ", step()));
      return true;
    case DebugCommand::kFinish:
      if (depth() >= goal_.depth) return false;
      SetStop(DebugStop::kStep, "back in the caller");
      return true;
    case DebugCommand::kRunTo:
      if (frame(0).pc != goal_.argument) return false;
      SetStop(DebugStop::kTarget,
              StrCat("at ", PlaceText(static_cast<uint32_t>(goal_.argument), executable())));
      return true;
    case DebugCommand::kSeek:
      if (step() < goal_.argument) return false;
      SetStop(DebugStop::kTarget, StrCat("at step ", step()));
      return true;
    // These have no goal going forward.
    case DebugCommand::kContinue:
    case DebugCommand::kStepBack:
    case DebugCommand::kNextBack:
    case DebugCommand::kFinishBack:
    case DebugCommand::kContinueBack:
    case DebugCommand::kResume: return false;
  }
  return false;
}

// --- budgets

// Whether more is alive than the budget. Tensors that only the trace holds are given up first,
// oldest first.
bool Debugger::OverMemory() {
  const auto limit = static_cast<int64_t>(std::min<uint64_t>(options_.budgets.bytes, INT64_MAX));
  while (vm_->account().held() > limit) {
    if (recorder_.trace().GiveWay()) continue;
    SetStop(DebugStop::kMemoryLimit,
            StrCat(FormatBytes(static_cast<uint64_t>(vm_->account().held())),
                   " of tensors and objects are alive, more than the budget of ",
                   FormatBytes(options_.budgets.bytes)));
    return true;
  }
  return false;
}

// Asked before each instruction. Whatever it finds leaves the run as it is, so a raised budget lets
// it go on.
bool Debugger::OverBudget() {
  const DebugBudgets& budgets = options_.budgets;
  if (budgets.steps != 0 && vm_->steps() >= budgets.steps) {
    SetStop(
        DebugStop::kStepLimit,
        StrCat("the budget of ",
               FormatGrouped(static_cast<int64_t>(std::min<uint64_t>(budgets.steps, INT64_MAX))),
               " instructions is used up"));
    return true;
  }
  if (budgets.depth != 0 && vm_->depth() > budgets.depth) {
    SetStop(DebugStop::kDepthLimit, StrCat("more frames than the budget of ", budgets.depth));
    return true;
  }
  if (budgets.bytes != 0 && OverMemory()) return true;
  // The countdown first: the clock is read every kClockEvery instructions, and after each call.
  if (budgets.time_ns == 0 || until_clock_-- != 0) return false;
  until_clock_ = kClockEvery;
  const int64_t spent = spent_ns_ + Now() - resumed_ns_;
  if (spent < budgets.time_ns) return false;
  SetStop(DebugStop::kTimeLimit,
          StrCat("the budget of ", budgets.time_ns / 1'000'000, " ms is used up"));
  return true;
}

// --- hooks

// At every instruction of a run. The order matters: requests to stop come before breakpoints,
// budgets last, since a goal that is reached on the last allowed instruction counts.
HookAction Debugger::BeforeInstruction(const VirtualMachine& vm, uint32_t pc) {
  bool pauses = Interrupted(0, 0);
  // The same place is not tested twice, for instance when a slice ended there.
  if (!pauses && vm.steps() != checked_step_) {
    checked_step_ = vm.steps();
    recorder_.trace().set_end_pc(pc);
    pauses = MeetsBreakpoint(true) || Reached();
  }
  if (pauses || OverBudget()) {
    stopped_ = true;
    return HookAction::Pause();
  }
  recorder_.set_most_ahead(StepsAhead());
  return recorder_.BeforeInstruction(vm, pc);
}

// How many instructions none of the above needs to see.
uint64_t Debugger::StepsAhead() const {
  const DebugCommand command = goal_.command;
  const bool is_seek = command == DebugCommand::kSeek;
  if (!is_seek && has_breakpoints_) return 0;
  if (!is_seek && command != DebugCommand::kStep && command != DebugCommand::kContinue) return 0;
  // The machine may go further by a function's length.
  const uint64_t room = vm_->program().longest_function();
  const auto left = [room](uint64_t limit, uint64_t done) {
    return limit > done + room ? limit - done - room : 0;
  };
  uint64_t steps = kNever;
  if (command != DebugCommand::kContinue) steps = left(goal_.argument, vm_->steps());
  const DebugBudgets& budgets = options_.budgets;
  if (budgets.steps != 0) steps = std::min(steps, left(budgets.steps, vm_->steps()));
  // Each instruction pushes one frame at most.
  if (budgets.depth != 0) steps = std::min(steps, left(budgets.depth, vm_->depth()));
  return steps;
}

void Debugger::OnRunAhead(const VirtualMachine& vm, uint32_t pc, uint64_t steps) {
  if (steps > 0) until_clock_ = 0;
  recorder_.OnRunAhead(vm, pc, steps);
}

HookAction Debugger::AfterInstruction(const VirtualMachine& vm, uint32_t pc) {
  return recorder_.AfterInstruction(vm, pc);
}
void Debugger::OnRegisterWrite(const VirtualMachine& vm, const RegisterWrite& write) {
  recorder_.OnRegisterWrite(vm, write);
}
void Debugger::OnFramePush(const VirtualMachine& vm, const FrameEvent& event) {
  recorder_.OnFramePush(vm, event);
}
void Debugger::OnFramePop(const VirtualMachine& vm, const FrameEvent& event) {
  recorder_.OnFramePop(vm, event);
}
CallAction Debugger::BeforeCall(const VirtualMachine& vm, const CallEvent& call, Any* result) {
  return recorder_.BeforeCall(vm, call, result);
}
void Debugger::AfterCall(const VirtualMachine& vm, const CallEvent& call, const Status& status,
                         const AnyView& result) {
  until_clock_ = 0;  // a call may have taken long
  recorder_.AfterCall(vm, call, status, result);
}
void Debugger::OnAllocation(const VirtualMachine& vm, const AllocationEvent& event) {
  recorder_.OnAllocation(vm, event);
}

// --- changing the run

// Makes the past the present: frames and registers are put into the machine, contents of lists and
// maps that were changed since are put back, and what was recorded after is forgotten.
Status Debugger::Rewind() {
  if (!begun_) return InvalidArgument("no run was begun").SetErrorCode("E0304");
  if (depth() == 0)
    return InvalidArgument("the run has returned: go back to a step before").SetErrorCode("E0304");
  const uint64_t target = step();
  cursor_.Seek(target);
  RunState state;
  state.steps = target;
  for (size_t i = 0; i < cursor_.depth(); ++i) {
    const TraceFrame& frame = cursor_.state().frames[i];
    FrameState& made = state.frames.emplace_back();
    made.function = frame.function;
    made.pc = frame.pc;
    // The trace holds every value that a register had (trace.h).
    for (ValueId id : cursor_.state().registers(i)) made.registers.push_back(trace().value(id));
  }
  // May fail (limits); nothing was changed until here.
  TERN_TRY(vm_->RestoreState(state));
  recorder_.trace().contents().Restore(target);
  recorder_.trace().TruncateAfter(target);
  recorder_.Finish(*vm_);
  cursor_.Invalidate();
  in_past_ = has_goal_ = false;
  checked_step_ = target;
  SetStop(DebugStop::kStep, StrCat("the run goes on from step ", target));
  return OkStatus();
}

Status Debugger::SetRegister(size_t frame, uint32_t reg, Any value) {
  TERN_TRY(CheckFrame(frame));
  if (reg >= this->frame(frame).register_count) {
    return OutOfRange("there is no register %", reg, ": the frame has ",
                      this->frame(frame).register_count)
        .SetErrorCode("E0304");
  }
  TERN_TRY(Rewind());
  const size_t index = FromOutermost(frame);
  // The trace learns the new value as well, or going back and forth would show the old one.
  recorder_.trace().Poke(static_cast<uint32_t>(index), reg, value);
  cursor_.Invalidate();
  return vm_->SetRegister(index, reg, std::move(value));
}

}  // namespace tern::vm
