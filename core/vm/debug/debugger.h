// SPDX-License-Identifier: Apache-2.0
// Debugger: one run of a function that can be stopped anywhere and gone through in both directions.
//
// It owns its machine and records the run (recorder.h), so going back is a matter of looking: the
// machine stays where it is, and what is asked for (frames, registers, objects) is answered from
// the trace. Going forward from the past replays the trace up to its end and only then executes.
// Rewind makes the past the present: the machine itself is put there, what was recorded since is
// forgotten. Primitives that are not deterministic therefore show what they did, not what they
// would do.
//
// Every command ends with a Stop that has a named reason. Commands run in slices: with a slice of n
// the command stops after n instructions with kSlice, and Resume goes on with it. Budgets stop
// before the instruction that would exceed them; raised, the run goes on.
//
// One thread at a time; Cancel may come from any.
#ifndef TERN_CORE_VM_DEBUG_DEBUGGER_H_
#define TERN_CORE_VM_DEBUG_DEBUGGER_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/vm/debug/debugger_breakpoint.h"
#include "core/vm/debug/recorder.h"
#include "core/vm/vm.h"

namespace tern::vm {

// Why a command ended. Numbers and names are part of the C API.
enum class DebugStop : int32_t {
  kBegun = 0,         // "begun": nothing was executed yet
  kReturned = 1,      // "returned"
  kStep = 2,          // "step": as many as asked for
  kBreakpoint = 3,    // "breakpoint"
  kTarget = 4,        // "target": where it was to run to
  kSlice = 5,         // "slice": Resume goes on
  kStart = 6,         // "start": going back, the oldest recorded step
  kCancelled = 7,     // "cancelled"
  kStepLimit = 8,     // "step-limit"
  kTimeLimit = 9,     // "time-limit"
  kMemoryLimit = 10,  // "memory-limit"
  kDepthLimit = 11,   // "depth-limit"
  kTrap = 12,         // "trap(CODE)": the run failed; it can be looked at and rewound
};
// Without the code of a trap.
std::string_view DebugStopName(DebugStop reason);

struct DebugStopInfo {
  DebugStop reason = DebugStop::kBegun;
  std::string name;         // "trap(E0301)"
  std::string text;         // one sentence
  uint32_t breakpoint = 0;  // its id, 0: none
};

enum class DebugCommand : int32_t {
  kStep = 0,    // argument: how many instructions, into calls
  kNext = 1,    // how many, over calls
  kFinish = 2,  // out of the innermost frame
  kContinue = 3,
  kRunTo = 4,     // an instruction of the whole code
  kSeek = 5,      // a step, in either direction
  kStepBack = 6,  // how many
  kNextBack = 7,
  kFinishBack = 8,  // back to the call of the innermost frame
  kContinueBack = 9,
  kResume = 10,  // what a slice interrupted
};

// Of one run; 0: none. Each is looked at before an instruction, so all can be raised and the run
// gone on with.
struct DebugBudgets {
  uint64_t steps = 0;
  uint64_t bytes = 0;  // of live tensors; what only the trace holds is given up first
  uint32_t depth = 10'000;
  int64_t time_ns = 0;  // of executing; needs the platform's clock
};

struct DebuggerOptions {
  DebugBudgets budgets;
  RecorderOptions recorder;
  const TernPlatform* platform = nullptr;  // as in VmOptions; must outlive the debugger
  const TernParallel* parallel = nullptr;
  std::vector<DevicePtr> devices = {};
};

// A frame of the state that is looked at; 0 is the innermost here.
struct DebugFrame {
  uint32_t function = 0;
  uint32_t pc = 0;
  uint32_t register_count = 0;
};

// A value that a register had.
struct DebugVersion {
  uint64_t step = 0;  // the instruction that wrote it
  uint32_t pc = 0;
  Any value;
};

class Debugger final : private Hooks {
 public:
  static Result<std::unique_ptr<Debugger>> Create(ProgramPtr program,
                                                  const DebuggerOptions& options = {});
  ~Debugger();

  const Executable& executable() const { return vm_->executable(); }
  const VirtualMachine& machine() const { return *vm_; }
  const Trace& trace() const { return recorder_.trace(); }

  // Begins a run, ending the one before. Breakpoints stay.
  Status Begin(std::string_view function, AnyArgs args);
  bool begun() const { return begun_; }

  // Runs a command for at most `slice` instructions (0: no limit). Errors: no run was begun, an
  // argument out of range. What happens in the run is in the stop.
  Result<DebugStopInfo> Run(DebugCommand command, uint64_t argument = 1, uint64_t slice = 0);
  const DebugStopInfo& stop() const { return stop_; }
  // Any thread: the command that runs stops soon. Not inside a primitive.
  void Cancel();
  DebugBudgets budgets() const { return options_.budgets; }
  void set_budgets(const DebugBudgets& budgets) { options_.budgets = budgets; }

  Result<uint32_t> AddBreakpoint(std::string_view text);
  Status RemoveBreakpoint(uint32_t id);
  Status EnableBreakpoint(uint32_t id, bool on);
  Status IgnoreBreakpoint(uint32_t id, uint64_t times);
  const std::vector<Breakpoint>& breakpoints() const { return breakpoints_; }

  // --- the state that is looked at ---
  uint64_t step() const { return in_past_ ? cursor_.step() : trace().end_step(); }
  // Older than what the machine is at.
  bool in_past() const { return in_past_; }
  size_t depth() const { return in_past_ ? cursor_.depth() : vm_->depth(); }
  DebugFrame frame(size_t from_innermost) const;
  Result<Any> Register(size_t frame, uint32_t reg) const;
  // The very value, whose contents may have changed since the state that is looked at.
  Result<Any> RawRegister(size_t frame, uint32_t reg) const;
  // By name ("x") or number ("3").
  Result<uint32_t> FindRegister(size_t frame, std::string_view name) const;
  // Whether the step before wrote it.
  bool RegisterChanged(size_t frame, uint32_t reg) const;
  Result<Any> Evaluate(std::string_view expression, size_t frame = 0) const;
  // What the register held in this frame, newest first, as far as it is recorded.
  std::vector<DebugVersion> History(size_t frame, uint32_t reg, size_t limit) const;
  // After kReturned; else the error of the run, or S0301 or S0302 with why it stopped.
  Result<Any> TakeResult() const;
  // What the run failed with; ok otherwise.
  const Status& error() const { return vm_->error(); }

  // --- changing the run ---
  // Makes the state that is looked at the machine's.
  Status Rewind();
  // Rewinds, and gives a register another value.
  Status SetRegister(size_t frame, uint32_t reg, Any value);

 private:
  class Scope;
  struct Goal {
    DebugCommand command = DebugCommand::kContinue;
    uint64_t argument = 0;
    size_t depth = 0;        // when it began
    uint64_t remaining = 0;  // steps of kNext and kNextBack that are left
  };

  Debugger(std::unique_ptr<VirtualMachine> vm, const DebuggerOptions& options);

  uint32_t wants() const override { return kHookAll; }
  HookAction BeforeInstruction(const VirtualMachine& vm, uint32_t pc) override;
  void OnRunAhead(const VirtualMachine& vm, uint32_t pc, uint64_t steps) override;
  HookAction AfterInstruction(const VirtualMachine& vm, uint32_t pc) override;
  void OnRegisterWrite(const VirtualMachine& vm, const RegisterWrite& write) override;
  void OnFramePush(const VirtualMachine& vm, const FrameEvent& event) override;
  void OnFramePop(const VirtualMachine& vm, const FrameEvent& event) override;
  CallAction BeforeCall(const VirtualMachine& vm, const CallEvent& call, Any* result) override;
  void AfterCall(const VirtualMachine& vm, const CallEvent& call, const Status& status,
                 const AnyView& result) override;
  void OnAllocation(const VirtualMachine& vm, const AllocationEvent& event) override;

  Status SetGoal(DebugCommand command, uint64_t argument);
  bool GoesBack() const;
  void RunForward(uint64_t slice);
  void RunLive(uint64_t slice);
  void RunBackward(uint64_t slice);
  bool Interrupted(uint64_t done, uint64_t slice);
  void LookAt(uint64_t step);
  void SetStop(DebugStop reason, std::string text, uint32_t breakpoint = 0);
  void StopAtEnd();

  bool Reached();
  bool OverBudget();
  uint64_t StepsAhead() const;
  bool OverMemory();
  // Whether a breakpoint wants to stop at the present place; forward counts, backward does not.
  bool MeetsBreakpoint(bool forward);
  bool Meets(const Breakpoint& breakpoint) const;
  bool ConditionHolds(Breakpoint* breakpoint) const;
  bool ComputedNotFinite(std::string* what) const;
  void StopAt(const Breakpoint& breakpoint);
  void PrimeConditions();
  void IndexBreakpoints();
  Breakpoint* FindBreakpoint(uint32_t id);
  Status NoBreakpoint(uint32_t id) const;
  size_t FromOutermost(size_t from_innermost) const { return depth() - 1 - from_innermost; }
  Status CheckFrame(size_t frame) const;
  int64_t Now() const;

  DebuggerOptions options_;
  std::unique_ptr<VirtualMachine> vm_;
  Recorder recorder_;
  TraceCursor cursor_;
  bool begun_ = false;
  bool in_past_ = false;
  bool unchecked_ = false;  // the place where the run began was not compared with breakpoints yet
  uint64_t checked_step_ = 0;  // of the live place that a command began at
  Goal goal_;
  bool has_goal_ = false;  // that a slice interrupted
  bool stopped_ = false;   // by a hook, in this Resume
  DebugStopInfo stop_;
  std::vector<Breakpoint> breakpoints_;
  uint32_t next_breakpoint_ = 1;
  std::vector<uint8_t> break_at_;  // of each instruction: some breakpoint is there
  bool has_global_ = false;        // there are breakpoints that are nowhere
  bool has_breakpoints_ = false;   // there are some that are on
  int64_t spent_ns_ = 0;
  int64_t resumed_ns_ = 0;
  uint32_t until_clock_ = 0;
  std::atomic<bool> cancel_{false};
};

}  // namespace tern::vm

#endif  // TERN_CORE_VM_DEBUG_DEBUGGER_H_
