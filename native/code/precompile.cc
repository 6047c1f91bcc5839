// SPDX-License-Identifier: Apache-2.0
// Loop text → proven and lowered loops → LLVM IR text → object.
#include "native/code/precompile.h"

#include <algorithm>

#include "core/base/strings.h"
#include "core/loop/emit/llvm_text.h"
#include "core/loop_kernels/bind.h"
#include "native/code/link_object.h"
#include "native/jit/llvm_compiler.h"

namespace tern::native {
namespace {

Result<const ObjectTarget*> ParseTarget(std::string_view name) {
  if (name == "host") {
    const ObjectTarget* best = BestTarget(DetectProcessor());
    if (best != nullptr) return best;
    return Unsupported("no code target fits this processor").SetErrorCode("E0804");
  }
  TERN_TRY_ASSIGN(const CodeTarget target, FindCodeTarget(name));  // lists them where there is none
  const ObjectTarget* found = FindObjectTarget(target.name);
  if (found != nullptr) return found;
  return std::move(Unsupported("executables hold no native code for ", name)
                       .SetErrorCode("E0804")
                       .AddNote("help: tern lower --emit object makes objects of loop programs"));
}

// Only loops that stay inside their buffers for all inputs are compiled, because code does not
// check.
Result<loop::Program> Lower(const LoopKernel& kernel, const CodeTarget& code) {
  TERN_TRY_ASSIGN(const vm::Signature signature, vm::Signature::Parse(kernel.signature));
  TERN_TRY_ASSIGN(const loop::BoundKernel bound,
                  loop::BindKernel({kernel.name, kernel.text, &signature}));
  TERN_TRY(bound.proof.Clone());
  TERN_TRY_ASSIGN(loop::LoopFunction function,
                  loop::LowerKernel(bound, *loop::FindTarget(code.loops)));
  function.name = KernelSymbol(kernel.name);
  loop::Program program;
  program.functions.push_back(std::move(function));
  return program;
}

}  // namespace

Result<std::vector<const ObjectTarget*>> ParseObjectTargets(std::string_view names) {
  std::vector<const ObjectTarget*> targets;
  for (const std::string_view name : StrSplit(names, ',')) {
    TERN_TRY_ASSIGN(const ObjectTarget* target, ParseTarget(StrTrim(name)));
    targets.push_back(target);
  }
  std::sort(targets.begin(), targets.end());  // all of them lie in the table
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  return targets;
}

Result<std::string> PrecompileKernel(const LoopKernel& kernel, const ObjectTarget& target) {
  TERN_TRY_ASSIGN(const CodeTarget code, FindCodeTarget(target.name));
  TERN_TRY_ASSIGN(const loop::Program program, Lower(kernel, code));
  const loop::LlvmFlavor flavor = loop::FlavorOf(*loop::FindTarget(code.loops));
  TERN_TRY_ASSIGN(const std::string ir, loop::LlvmText(program, flavor));
  // Its stamp says of which text it was made, so that a changed program does not run old code.
  TERN_TRY_ASSIGN(std::string object, CompileClosedObject(ir, code, KernelStamp(kernel.text)));
  if (target.machine == ElfMachine::kRiscV) return object;  // which has no loader to ask
  // The object must pass the loader that will read it.
  TERN_TRY_ASSIGN(const ObjectImage image, LinkObject(object, target.machine));
  if (image.Find(KernelSymbol(kernel.name)) == nullptr)
    return Unsupported("its name '", kernel.name, "' cannot be that of a compiled function")
        .SetErrorCode("E0805");
  return object;
}

}  // namespace tern::native
