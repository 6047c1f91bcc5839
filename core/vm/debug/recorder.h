// SPDX-License-Identifier: Apache-2.0
// Recorder: the hooks that write a run down in a Trace (trace.h).
//
//   Recorder recorder(options);
//   vm->Begin("main", args);
//   recorder.Start(*vm);
//   vm->SetHooks(&recorder);
//   vm->Resume();
//   recorder.Finish(*vm);
//
// It may be started at any place of a run. Stretches that compute with registers alone run at full
// speed: of these the trace keeps where they began (Trace::Skip). Values are kept by reference, so
// while a trace holds them their memory is not reused and nothing is computed in place. What a
// primitive writes into its arguments is kept too: outputs of invoke_packed and arguments of
// vm.builtin.* of any size, other tensors up to `watched_bytes` and all lists.
#ifndef TERN_CORE_VM_DEBUG_RECORDER_H_
#define TERN_CORE_VM_DEBUG_RECORDER_H_

#include <cstdint>

#include "core/base/spin_lock.h"
#include "core/vm/debug/trace.h"
#include "core/vm/hooks.h"
#include "core/vm/vm.h"

namespace tern::vm {

struct RecorderOptions {
  TraceOptions trace;
  // Tensors up to so many bytes are looked at for writes that no instruction declares.
  uint64_t watched_bytes = 4096;
  // Whether the run may go ahead where that loses nothing.
  bool runs_ahead = true;
};

class Recorder : public Hooks {
 public:
  explicit Recorder(const RecorderOptions& options = {});

  // Takes the machine's present state, of a run that was begun, as the first.
  void Start(const VirtualMachine& vm);
  // After each Resume: where it stopped; a step that failed is forgotten.
  void Finish(const VirtualMachine& vm);

  // So many instructions may run without being told, from the next on; of who passes hooks on.
  void set_most_ahead(uint64_t steps) { most_ahead_ = steps; }

  Trace& trace() { return trace_; }
  const Trace& trace() const { return trace_; }

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

 private:
  uint64_t StepsAhead();

  RecorderOptions options_;
  Trace trace_;
  bool open_ = false;  // between BeforeInstruction and AfterInstruction
  uint64_t most_ahead_ = UINT64_MAX;
  uint32_t told_ = 0;      // so many instructions are to be told before the run may go ahead again
  uint32_t patience_ = 0;  // how many, after the next stretch that was short
  SpinLock lock_;          // allocations come from any thread
  uint32_t allocations_ = 0;
  uint64_t allocated_bytes_ = 0;
  uint64_t largest_ = 0;
};

}  // namespace tern::vm

#endif  // TERN_CORE_VM_DEBUG_RECORDER_H_
