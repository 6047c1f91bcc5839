// SPDX-License-Identifier: Apache-2.0
// What the machine calls around instructions when someone looks on: debugger, recorder, profiler,
// tests. It knows none of them. Without hooks and breakpoints nothing of this is touched while code
// runs.
#ifndef TERN_CORE_VM_HOOKS_H_
#define TERN_CORE_VM_HOOKS_H_

#include <cstdint>

namespace tern::vm {

class VirtualMachine;

enum class HookAction : uint8_t {
  kContinue,
  kPause,  // stop before the instruction, with StopReason::kPaused
};

class Hooks {
 public:
  virtual ~Hooks() = default;
  // Before each instruction; the machine's frames and registers may be read.
  virtual HookAction BeforeInstruction(const VirtualMachine& vm, uint32_t pc) = 0;
  // After it. Not called for one that failed.
  virtual void AfterInstruction(const VirtualMachine& vm, uint32_t pc) = 0;
};

}  // namespace tern::vm

#endif  // TERN_CORE_VM_HOOKS_H_
