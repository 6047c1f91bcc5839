// SPDX-License-Identifier: Apache-2.0
// From what the machine tells its hooks to a delta log. What an instruction did is told after it,
// so a step is written as a whole or not at all.
#include "core/vm/debug/recorder.h"

#include <algorithm>

#include "core/vm/debug/trace_replay.h"

namespace tern::vm {
namespace {

// A stretch costs two states, so it has to be long next to them.
constexpr uint64_t kFewAhead = 128;
// Told at first: a run that is over soon is written down as it goes.
constexpr uint32_t kFirstTold = 256;
// Instructions that are told after a stretch that was short: more each time, for programs that have
// no long ones.
constexpr uint32_t kLeastPatience = 16;
constexpr uint32_t kMostPatience = 2048;

// Frames and registers as one list each, in the form of a key frame (trace.h).
TraceState StateOf(const VirtualMachine& vm, std::vector<Any>* registers) {
  TraceState state;
  for (size_t i = 0; i < vm.depth(); ++i) {
    const FrameView view = vm.frame(i);
    state.frames.push_back({view.function, view.pc, static_cast<uint32_t>(registers->size())});
    registers->insert(registers->end(), view.registers.begin(), view.registers.end());
  }
  return state;
}

}  // namespace

Recorder::Recorder(const RecorderOptions& options) : options_(options), trace_(options.trace) {}

void Recorder::Start(const VirtualMachine& vm) {
  std::vector<Any> registers;
  const TraceState state = StateOf(vm, &registers);
  // Without memory for another machine everything is told.
  Result<std::unique_ptr<TraceReplay>> replay = TraceReplay::Create(vm.shared_program());
  told_ = options_.runs_ahead && replay.ok() ? kFirstTold : UINT32_MAX;
  patience_ = kLeastPatience;
  if (replay.ok()) trace_.set_replay(*std::move(replay));
  trace_.Start(state, registers, vm.steps());
  open_ = false;
  allocations_ = 0;
  allocated_bytes_ = largest_ = 0;
}

void Recorder::Finish(const VirtualMachine& vm) {
  // The instruction failed: what it wrote in place stays and is recorded, its registers were never
  // written.
  if (open_) {
    trace_.contents().Settle(trace_.end_step());
    trace_.AbandonStep();
  }
  open_ = false;
  if (vm.depth() > 0) trace_.set_end_pc(vm.frame(vm.depth() - 1).pc);
}

// 0: the next instruction is to be told.
uint64_t Recorder::StepsAhead() {
  if (told_ == UINT32_MAX) return 0;
  if (told_ > 0) {
    --told_;
    return 0;
  }
  if (most_ahead_ < kFewAhead) return 0;
  return std::min(most_ahead_, std::max<uint64_t>(kSkippedSteps, 2 * trace_.register_count()));
}

void Recorder::OnRunAhead(const VirtualMachine& vm, uint32_t pc, uint64_t steps) {
  if (steps >= kFewAhead + trace_.register_count()) {
    patience_ = kLeastPatience;
  } else {
    told_ = patience_;
    patience_ = std::min(2 * patience_, kMostPatience);
  }
  if (steps == 0) return;
  std::vector<Any> registers;
  const TraceState state = StateOf(vm, &registers);
  trace_.Skip(steps, pc, state, registers);
}

HookAction Recorder::BeforeInstruction(const VirtualMachine&, uint32_t pc) {
  if (const uint64_t ahead = StepsAhead(); ahead > 0) return HookAction::RunAhead(ahead);
  trace_.BeginStep(pc);
  open_ = true;
  allocations_ = 0;
  allocated_bytes_ = largest_ = 0;
  return HookAction::Continue();
}

HookAction Recorder::AfterInstruction(const VirtualMachine&, uint32_t) {
  // Written once per step, since steps that allocate are few.
  if (allocations_ > 0) trace_.Allocated(allocations_, allocated_bytes_, largest_);
  trace_.EndStep();
  open_ = false;
  return HookAction::Continue();
}

void Recorder::OnRegisterWrite(const VirtualMachine&, const RegisterWrite& write) {
  trace_.Write(static_cast<uint32_t>(write.frame), write.reg, write.new_value);
}

void Recorder::OnFramePush(const VirtualMachine&, const FrameEvent& event) {
  trace_.Push(event.function, event.registers);
}

void Recorder::OnFramePop(const VirtualMachine&, const FrameEvent&) { trace_.Pop(); }

// Copies what the call may write into. Outputs and arguments of builtins are known to be written
// and are kept at any size; other tensors only if they are small, because copying every weight
// before each operator would cost more than the run.
CallAction Recorder::BeforeCall(const VirtualMachine&, const CallEvent& call, Any*) {
  const bool is_builtin = call.function.name().starts_with("vm.builtin.");
  for (size_t i = 0; i < call.args.size(); ++i) {
    const AnyView& arg = call.args[i];
    if (!arg.is_object()) continue;
    const bool is_output = i + call.outputs >= call.args.size();
    const Tensor* tensor = arg.TryCast<Tensor>();
    if (tensor != nullptr && !is_output && !is_builtin &&
        tensor->byte_size() > options_.watched_bytes)
      continue;
    trace_.contents().Guard(Any(arg));
  }
  return CallAction::kRun;
}

void Recorder::AfterCall(const VirtualMachine&, const CallEvent&, const Status&, const AnyView&) {
  // What did not change is dropped again.
  trace_.contents().Settle(trace_.end_step());
}

void Recorder::OnAllocation(const VirtualMachine&, const AllocationEvent& event) {
  if (event.is_free) return;
  // Operators allocate from worker threads.
  const SpinLockGuard guard(&lock_);
  ++allocations_;
  allocated_bytes_ += event.bytes;
  largest_ = std::max<uint64_t>(largest_, event.bytes);
}

}  // namespace tern::vm
