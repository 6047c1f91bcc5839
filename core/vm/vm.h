// SPDX-License-Identifier: Apache-2.0
// VirtualMachine: runs the functions of a linked program (linker.h).
//
// Registers are Any values in one contiguous stack, a window per frame, arguments first. Frames lie
// on a stack of the machine's own, so it can stop after any instruction and go on later: Begin,
// then Resume in slices; Call does both. A failed or stopped run leaves its frames to be looked at
// until the next Begin, and the machine usable. A machine is cheap, belongs to one thread at a
// time, and shares its program; Cancel may come from any thread.
#ifndef TERN_CORE_VM_VM_H_
#define TERN_CORE_VM_VM_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/object/memory_account.h"
#include "core/object/run_context.h"
#include "core/vm/arena_layout.h"
#include "core/vm/hooks.h"
#include "core/vm/linker.h"

namespace tern::vm {

class VmAllocationObserver;

struct VmOptions {
  ObjectPtr<Allocator> allocator;                 // null: a pooled one of its own
  const TernPlatform* platform = nullptr;         // memory for that one; null: malloc
  const TernParallel* parallel = nullptr;         // null: everything on the calling thread
  const kernels::KernelTable* kernels = nullptr;  // as RunContext::kernels
  std::vector<DevicePtr> devices = {};            // numbers 1, 2, …; 0 is the processor
  uint64_t max_instructions = 0;                  // per run; 0: no limit
  // Of tensors, objects and texts together, and of tensors on each device; 0: what the platform
  // says, if anything.
  uint64_t max_bytes = 0;
  int64_t max_time_ns = 0;            // per run, while it runs; 0: no limit; needs a clock
  uint32_t max_depth = 10'000;        // frames
  uint32_t max_registers = 1u << 22;  // of all frames together
  // Runs everything in the loop that asks at every instruction, which otherwise runs only where
  // hooks, breakpoints or the end of a budget need it. What programs do is the same.
  bool always_step = false;
};

// One active call, outermost first.
struct FrameView {
  uint32_t function = 0;  // index in the executable
  uint32_t pc =
      0;  // of the next instruction, in the whole code; of a failed run, of the one that failed
  std::span<const Any> registers;
};

// A call as RestoreState makes it again.
struct FrameState {
  uint32_t function = 0;
  // As in FrameView: of the innermost frame the next instruction, of the others the call they are
  // in.
  uint32_t pc = 0;
  std::vector<Any> registers;  // as many as the function has
};

// A run, taken between two instructions. Values are shared, not copied.
struct RunState {
  std::vector<FrameState> frames;  // outermost first
  uint64_t steps = 0;
};

class VirtualMachine {
 public:
  static Result<std::unique_ptr<VirtualMachine>> Create(ProgramPtr program,
                                                        const VmOptions& options = {});
  ~VirtualMachine();
  VirtualMachine(const VirtualMachine&) = delete;
  VirtualMachine& operator=(const VirtualMachine&) = delete;

  const Program& program() const { return *program_; }
  const ProgramPtr& shared_program() const { return program_; }
  const Executable& executable() const { return program_->executable(); }
  RunContext& context() { return context_; }
  const RunContext& context() const { return context_; }

  // Runs a function to its end. Arguments are borrowed. A breakpoint or a cancel is an error here.
  Result<Any> Call(std::string_view function, AnyArgs args);
  Result<Any> Call(std::string_view function, std::initializer_list<AnyView> args) {
    return Call(function, AnyArgs(args.begin(), args.size()));
  }
  Result<Any> Call(uint32_t function, AnyArgs args);

  // The same in pieces. Begin checks the arguments against the signature and ends any run before
  // it.
  Status Begin(std::string_view function, AnyArgs args);
  Status Begin(uint32_t function, AnyArgs args);
  // Executes at most max_instructions (0: until something else stops it).
  Result<StopReason> Resume(uint64_t max_instructions = 0);
  // After kReturned, once.
  Any TakeResult() { return std::move(result_); }
  const Any& result() const { return result_; }
  // Drops all frames.
  void Reset();

  // Makes the run stop with kCancelled soon: between instructions, or inside an operator that takes
  // long, which a run that is resumed begins again. Any thread.
  void Cancel() { attend_.fetch_or(kAttendCancel, std::memory_order_relaxed); }

  enum class State : uint8_t { kIdle, kPaused, kReturned, kFailed };
  State state() const { return state_; }
  bool active() const { return state_ == State::kPaused; }
  // Why the last run stopped, with an error or without.
  StopReason stop_reason() const { return stop_reason_; }
  size_t depth() const { return depth_; }
  // 0 is the outermost.
  FrameView frame(size_t index) const;
  // Instructions executed since Begin.
  uint64_t steps() const { return steps_; }
  uint64_t max_depth_seen() const { return max_depth_seen_; }
  AllocatorStats memory() const { return context_.allocator()->stats(); }
  // Holds runs to max_bytes.
  MemoryAccount& account() { return account_; }
  // Of device 1, 2, …
  AllocatorStats device_memory(size_t device) const {
    return context_.devices()[device - 1]->stats();
  }
  // What kFailed ended with; ok otherwise.
  const Status& error() const { return error_; }
  // {"state","steps","frames":[{"function","pc","registers":[…]}],"memory":{…}}, innermost frame
  // first.
  void WriteState(JsonWriter* json) const;

  // At an instruction of the whole code.
  void SetBreakpoint(uint32_t pc, bool on = true);
  void ClearBreakpoints();
  bool HasBreakpoint(uint32_t pc) const;
  // Called as hooks.h says; null: none. Not owned. Costs only where set. Not from inside a hook.
  void SetHooks(Hooks* hooks);
  Hooks* hooks() const { return hooks_; }

  // Runs `native` wherever bytecode or a host would enter the function, with the same arguments (a
  // closure's captured values behind the others); null puts the bytecode back. Of this machine
  // only. The caller warrants that both compute the same. Not while the machine runs.
  Status ReplaceFunction(std::string_view function, FunctionPtr native);

  // --- changing a run that is not running ---
  // These are for debuggers: to step back, to try other values. A run that has failed or returned
  // becomes a paused one. What registers hold is checked when it is read, so any value is safe.

  RunState SaveState() const;
  // Replaces all frames; on error nothing is changed.
  Status RestoreState(const RunState& state);
  Status SetRegister(size_t frame, uint32_t reg, Any value);
  // The next instruction of the innermost frame, one of its function.
  Status SetPc(uint32_t pc);
  // Undoes a call: drops the innermost frame; its caller's next instruction is the call.
  Status PopFrame();
  // Undoes a return. The next instruction must be a call, whose frame this is; the first frame has
  // no caller.
  Status PushFrame(const FrameState& frame);
  void SetSteps(uint64_t steps) { steps_ = steps; }

 private:
  friend class VmAllocationObserver;
  struct Frame {
    uint32_t function = 0;
    uint32_t return_op = 0;  // index of the caller's next op
    uint32_t base = 0;       // first register
    int32_t dst = -1;        // register of the caller, -1: none
    uint32_t borrowed = 0;   // so many registers, the first, hold values that the caller counts
  };
  class Interpreter;

  VirtualMachine(ProgramPtr program, const VmOptions& options);
  void UseKernels(KernelTablePtr kernels);
  void LimitMemory(const DeviceList& devices);
  void Fail(Status status);
  Status CheckFrameState(const FrameState& frame, bool is_innermost) const;
  Status CheckMayEdit() const;
  void Edited();
  Status Prepare(uint32_t function, AnyArgs args, bool borrow);
  Result<StopReason> Run(uint64_t max_instructions);
  Result<Any> CallReplaced(uint32_t function, AnyArgs args);
  // Of a replaced function: whether the replacement runs this call.
  bool TakesCall(uint32_t function, AnyArgs args) const;
  int64_t Now() const;  // with a time limit only
  RunContext::StopCause StopCauseNow() const;
  void PopAll();
  void OpenArena(uint32_t function, AnyArgs args);
  // Gives every frame references of its own to what it borrowed.
  void OwnAll();
  void ReleaseRegisters(const Frame& frame);
  Frame& top() { return frames_[depth_ - 1]; }
  bool IsReplaced(uint32_t function) const {
    return !replacements_.empty() && replacements_[function].function != nullptr;
  }

  ProgramPtr program_;
  VmOptions options_;
  RunContext context_;
  MemoryAccount account_;
  KernelTablePtr kernels_;  // of the program when this machine was made; null: none
  // What is run: the program's, its kernels' where it has some, or copies where this machine
  // replaces functions of its own.
  const DecodedOp* code_;
  const DecodedOp* plain_code_;
  std::vector<DecodedOp> own_code_;
  std::vector<DecodedOp> own_plain_code_;
  std::vector<DecodedOp> ahead_code_;      // of code_; made when a hook first lets the run go ahead
  std::vector<Replacement> replacements_;  // by function; empty: none at all
  std::unique_ptr<Any[]> stack_;           // all none from stack_top_ on
  uint32_t stack_capacity_ = 0;            // at most max_registers, but for the first
  uint32_t stack_top_ = 0;
  std::unique_ptr<Frame[]> frames_;
  uint32_t frame_capacity_ = 0;  // at most max_depth
  uint32_t depth_ = 0;
  ArenaLayout layout_;
  static constexpr uint32_t kNoArena = UINT32_MAX;
  uint32_t arena_function_ = kNoArena;  // of the run, if it has one
  std::vector<TernAny> args_;  // of the packed call being made
  uint32_t pc_ = 0;            // next instruction when not running
  State state_ = State::kIdle;
  StopReason stop_reason_ = StopReason::kPaused;
  uint64_t steps_ = 0;
  uint64_t max_depth_seen_ = 0;
  Any result_;
  Status error_;
  int64_t used_ns_ = 0;      // of this run, with a time limit
  int64_t deadline_ns_ = 0;  // 0: none
  // Looked at after calls of primitives too: a set of kAttend….
  static constexpr uint32_t kAttendCancel = 1;
  static constexpr uint32_t kAttendTime = 2;
  static constexpr uint32_t kAttendMemory = 4;
  std::atomic<uint32_t> attend_{0};
  std::vector<uint32_t> breakpoints_;  // ascending
  bool skip_breakpoint_ = false;       // go on from the one that stopped the run
  bool running_ = false;               // inside Resume
  Hooks* hooks_ = nullptr;
  uint32_t hook_events_ = 0;  // what they want
  std::unique_ptr<VmAllocationObserver> allocation_observer_;
};

}  // namespace tern::vm

#endif  // TERN_CORE_VM_VM_H_
