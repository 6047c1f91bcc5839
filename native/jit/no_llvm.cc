// SPDX-License-Identifier: Apache-2.0
// llvm_compiler.h in a build without LLVM's headers: everything is an error that says so. The rest
// of the runtime is the same, because it falls back to other backends.
#include "native/jit/llvm_compiler.h"

namespace tern::native {
namespace {

Status NoLlvm() {
  return Unsupported("this build of Tern makes no native code: LLVM's C headers were missing")
      .AddNote(
          "help: install llvm-19-dev and build with -DTERN_LLVM=ON; without it, loop programs run "
          "by the reference interpreter")
      .SetErrorCode("E0801")
      .Clone();
}

}  // namespace

struct NativeCode::Jit {};
NativeCode::NativeCode(std::unique_ptr<Jit> jit) : jit_(std::move(jit)) {}
NativeCode::~NativeCode() = default;

Result<CodeTarget> HostCodeTarget() { return NoLlvm(); }
Result<std::string> LlvmDescription() { return NoLlvm(); }
Status VerifyLlvmIr(std::string_view) { return NoLlvm(); }
Result<std::string> CompileLlvmIr(std::string_view, const CodeTarget&, const CodeRequest&) {
  return NoLlvm();
}
Result<std::string> CompileClosedObject(std::string_view, const CodeTarget&, std::string_view,
                                        Effort) {
  return NoLlvm();
}
Result<std::unique_ptr<NativeCode>> NativeCode::FromIr(std::string_view) { return NoLlvm(); }
Result<std::unique_ptr<NativeCode>> NativeCode::FromObject(std::string_view) { return NoLlvm(); }
Result<void*> NativeCode::Find(const std::string&) const { return NoLlvm(); }

}  // namespace tern::native
