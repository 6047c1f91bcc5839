// SPDX-License-Identifier: Apache-2.0
// Target machines. LLVM builds tables of a processor's features and instructions for each, which
// takes longer than compiling a small loop: so they are kept, and lent to one thread at a time.
// Only native/jit includes this.
#ifndef TERN_NATIVE_JIT_LLVM_MACHINE_H_
#define TERN_NATIVE_JIT_LLVM_MACHINE_H_

#include <string>
#include <utility>

#include "native/jit/code_target.h"
#include "native/jit/llvm_library.h"

namespace tern::native {

// Disposing of it is the caller's. Errors: LLVM has no such target, E0802.
Result<LLVMTargetMachineRef> MakeMachine(const LlvmLibrary& llvm, const CodeTarget& target);

class LentMachine {
 public:
  static Result<LentMachine> Borrow(const LlvmLibrary& llvm, const CodeTarget& target);
  LentMachine(LentMachine&& other) noexcept
      : key_(std::move(other.key_)), machine_(std::exchange(other.machine_, nullptr)) {}
  LentMachine& operator=(LentMachine&&) = delete;
  ~LentMachine();  // gives it back

  LLVMTargetMachineRef get() const { return machine_; }

 private:
  LentMachine(std::string key, LLVMTargetMachineRef machine)
      : key_(std::move(key)), machine_(machine) {}

  std::string key_;
  LLVMTargetMachineRef machine_;
};

}  // namespace tern::native

#endif  // TERN_NATIVE_JIT_LLVM_MACHINE_H_
