// SPDX-License-Identifier: Apache-2.0
#include "native/jit/llvm_machine.h"

#include <map>
#include <mutex>
#include <vector>

#include "core/base/strings.h"

namespace tern::native {
namespace {

// Target machines that nobody uses now. Making one takes longer than compiling a small loop, and
// one cannot be used by two threads; so each is lent to one caller at a time.
class Pool {
 public:
  // Never destroyed: another thread may still compile when static objects are.
  static Pool& Get() {
    static Pool* const pool = new Pool;
    return *pool;
  }

  LLVMTargetMachineRef Take(const std::string& key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<LLVMTargetMachineRef>& idle = idle_[key];
    if (idle.empty()) return nullptr;
    LLVMTargetMachineRef machine = idle.back();
    idle.pop_back();
    return machine;
  }
  void Give(const std::string& key, LLVMTargetMachineRef machine) {
    const std::lock_guard<std::mutex> lock(mutex_);
    idle_[key].push_back(machine);
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::vector<LLVMTargetMachineRef>> idle_;
};

}  // namespace

Result<LLVMTargetMachineRef> MakeMachine(const LlvmLibrary& llvm, const CodeTarget& target) {
  TERN_TRY(llvm.InitializeTarget(target.architecture));
  LLVMTargetRef found = nullptr;
  char* message = nullptr;
  if (llvm.LLVMGetTargetFromTriple(target.triple.c_str(), &found, &message) != 0)
    return Unsupported("LLVM has no target '", target.triple, "': ", llvm.TakeMessage(message))
        .SetErrorCode("E0802");
  LLVMTargetMachineRef machine = llvm.LLVMCreateTargetMachine(
      found, target.triple.c_str(), target.cpu.c_str(), target.features.c_str(),
      LLVMCodeGenLevelAggressive, LLVMRelocPIC, LLVMCodeModelDefault);
  if (machine == nullptr)
    return Unsupported("LLVM makes no code for '", target.name, "'").SetErrorCode("E0802");
  return machine;
}

Result<LentMachine> LentMachine::Borrow(const LlvmLibrary& llvm, const CodeTarget& target) {
  // All by which machines differ.
  std::string key = StrCat(target.triple, "|", target.cpu, "|", target.features);
  if (LLVMTargetMachineRef idle = Pool::Get().Take(key); idle != nullptr)
    return LentMachine(std::move(key), idle);
  TERN_TRY_ASSIGN(LLVMTargetMachineRef made, MakeMachine(llvm, target));
  return LentMachine(std::move(key), made);
}

LentMachine::~LentMachine() {
  if (machine_ != nullptr) Pool::Get().Give(key_, machine_);
}

}  // namespace tern::native
