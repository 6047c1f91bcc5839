// SPDX-License-Identifier: Apache-2.0
// TraceReplay: runs again what a trace has skipped (Trace::Skip), and tells it to the trace.
//
// It has a machine of its own for the same program. What is skipped computes with registers alone,
// so that the same registers lead to the same steps, and nothing that others hold is changed.
#ifndef TERN_CORE_VM_DEBUG_TRACE_REPLAY_H_
#define TERN_CORE_VM_DEBUG_TRACE_REPLAY_H_

#include <cstdint>
#include <memory>

#include "core/vm/debug/trace.h"
#include "core/vm/hooks.h"
#include "core/vm/vm.h"

namespace tern::vm {

class TraceReplay : public Hooks {
 public:
  static Result<std::unique_ptr<TraceReplay>> Create(ProgramPtr program);
  ~TraceReplay() override;

  // Runs `steps` instructions from the state and tells the trace what each did.
  Status Run(const RunState& from, uint64_t steps, Trace* trace);

  uint32_t wants() const override { return kHookInstructions | kHookWrites | kHookFrames; }
  HookAction BeforeInstruction(const VirtualMachine& vm, uint32_t pc) override;
  HookAction AfterInstruction(const VirtualMachine& vm, uint32_t pc) override;
  void OnRegisterWrite(const VirtualMachine& vm, const RegisterWrite& write) override;
  void OnFramePush(const VirtualMachine& vm, const FrameEvent& event) override;
  void OnFramePop(const VirtualMachine& vm, const FrameEvent& event) override;

 private:
  explicit TraceReplay(std::unique_ptr<VirtualMachine> vm);

  std::unique_ptr<VirtualMachine> vm_;
  Trace* trace_ = nullptr;
};

}  // namespace tern::vm

#endif  // TERN_CORE_VM_DEBUG_TRACE_REPLAY_H_
