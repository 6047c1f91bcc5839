// SPDX-License-Identifier: Apache-2.0
// LLVM as a shared library that is opened when the first loop program wants native code, and not
// before: linking it would cost every start of `tern` tens of milliseconds. Types come from LLVM's
// C headers (option TERN_LLVM), functions by name, so one build runs with LLVM 16 or newer and
// without any. Only native/jit includes this.
#ifndef TERN_NATIVE_JIT_LLVM_LIBRARY_H_
#define TERN_NATIVE_JIT_LLVM_LIBRARY_H_

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace tern::native {

struct LlvmLibrary {
#define TERN_LLVM_FUNCTION(name) decltype(&::name) name = nullptr;
#include "native/jit/llvm_functions.def"
#undef TERN_LLVM_FUNCTION
  std::string path;

  // Registers what generates code for an architecture ("X86", "AArch64", "RISCV"). Error if this
  // LLVM was built without it.
  Status InitializeTarget(std::string_view architecture) const;
  // A text of LLVM's, which is freed.
  std::string TakeMessage(char* message) const;
  // The error's text, which is freed; ok for null.
  Status TakeError(LLVMErrorRef error, std::string_view doing) const;

  void* handle = nullptr;
};

// Opened once per process and kept. Errors name what was tried and how to get LLVM.
// The environment variable TERN_LLVM_LIBRARY names a library to be used instead of the system's.
Result<const LlvmLibrary*> OpenLlvm();

}  // namespace tern::native

#endif  // TERN_NATIVE_JIT_LLVM_LIBRARY_H_
