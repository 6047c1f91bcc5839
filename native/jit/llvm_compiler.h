// SPDX-License-Identifier: Apache-2.0
// LLVM IR text → native code: an object file for any target, or functions callable in this process.
//
// Nothing here trusts the text beyond what LLVM's verifier says of it; only texts that come from
// core/loop/emit should be given, because LLVM ends the process for what it verifies but cannot
// compile. Thread-safe: every compilation has a context of its own. A build without LLVM's headers
// (option TERN_LLVM) has the same functions, which say so.
#ifndef TERN_NATIVE_JIT_LLVM_COMPILER_H_
#define TERN_NATIVE_JIT_LLVM_COMPILER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "native/jit/code_target.h"

struct TernParallel;  // core/kernels/kernel.h

namespace tern::native {

enum class CodeForm : int8_t { kObject, kAssembly, kOptimizedIr };
// Quick leaves out what -O3 does to loops, where a module says that a schedule has done it
// (loop::kScheduledMark): for code that somebody waits for.
enum class Effort : int8_t { kThorough, kQuick };
struct CodeRequest {
  CodeForm form = CodeForm::kObject;
  Effort effort = Effort::kThorough;
};

// What this process runs on, with the vector length that is best there.
Result<CodeTarget> HostCodeTarget();

// "libLLVM.so.19.1", or why native code cannot be made here.
Result<std::string> LlvmDescription();

// Parses, verifies, optimises (-O3's pipeline, no fast math) and generates. The bytes of an ELF
// object, or text. Errors: LLVM's message with line and column in the IR text.
Result<std::string> CompileLlvmIr(std::string_view ir, const CodeTarget& target,
                                  const CodeRequest& request);

// An object that calls nothing outside of itself wherever the target can do without (baseline
// x86-64 converts 16-bit floats by calls), with a comment in its section .comment. The same bytes
// for the same text, target and LLVM.
Result<std::string> CompileClosedObject(std::string_view ir, const CodeTarget& target,
                                        std::string_view comment,
                                        Effort effort = Effort::kThorough);

// Only the first two of the steps of CompileLlvmIr.
Status VerifyLlvmIr(std::string_view ir);

// Code in this process's memory, made quickly, until destroyed: then no function of it may be
// running or be called again.
class NativeCode {
 public:
  static Result<std::unique_ptr<NativeCode>> FromIr(std::string_view ir);
  // object: made by CompileLlvmIr for this host.
  static Result<std::unique_ptr<NativeCode>> FromObject(std::string_view object);

  NativeCode(const NativeCode&) = delete;
  NativeCode& operator=(const NativeCode&) = delete;
  ~NativeCode();

  // Not found: names the function.
  Result<void*> Find(const std::string& name) const;

 private:
  struct Jit;
  explicit NativeCode(std::unique_ptr<Jit> jit);
  std::unique_ptr<Jit> jit_;
};

// A compiled loop function (docs/loop-ir.md, calling convention) and its call: 0, or a number for
// the error. Sanitizers would look for a function's type before its first byte, where compiled code
// may have no memory.
using LoopCode = int32_t (*)(void* const* buffers, const int64_t* slots);
#if defined(__clang__)
__attribute__((no_sanitize("function")))
#endif
inline int32_t CallLoopCode(LoopCode code, void* const* buffers, const int64_t* slots) {
  return code(buffers, slots);
}

// The same of a function with parallel loops: its entry loop::kParallelEntry, which takes who lends
// it workers, or null.
using ParallelLoopCode = int32_t (*)(void* const* buffers, const int64_t* slots,
                                     const TernParallel* parallel);
#if defined(__clang__)
__attribute__((no_sanitize("function")))
#endif
inline int32_t CallParallelLoopCode(ParallelLoopCode code, void* const* buffers,
                                    const int64_t* slots, const TernParallel* parallel) {
  return code(buffers, slots, parallel);
}

}  // namespace tern::native

#endif  // TERN_NATIVE_JIT_LLVM_COMPILER_H_
