// SPDX-License-Identifier: Apache-2.0
// Loop text → lowered loops → LLVM IR text → object.
#include "native/objects/precompile.h"

#include <algorithm>

#include "core/base/strings.h"
#include "core/loop/emit/llvm_text.h"
#include "core/loop/parser.h"
#include "core/loop/passes/pipeline.h"
#include "native/jit/llvm_compiler.h"
#include "native/objects/link_object.h"

namespace tern::native {
namespace {

Result<const ObjectTarget*> ParseTarget(std::string_view name) {
  if (name == "host") {
    const ObjectTarget* best = BestTarget(DetectProcessor());
    if (best != nullptr) return best;
    return Unsupported("no code target fits this processor").SetErrorCode("E0804");
  }
  TERN_TRY_ASSIGN(const CodeTarget target, FindCodeTarget(name));  // lists them where there is none
  return FindObjectTarget(target.name);
}

loop::LlvmFlavor FlavorOf(const ObjectTarget& target, const CodeTarget& code) {
  using enum loop::LlvmFlavor;
  const bool arm = target.machine == ElfMachine::kAArch64;
  if (code.scalable) return arm ? kSve : kScalable;
  return arm ? kNeon : kFixed;
}

Result<std::string> LlvmTextOf(const LoopKernel& kernel, const ObjectTarget& target,
                               const CodeTarget& code) {
  TERN_TRY_ASSIGN(const loop::SourceFile source, loop::ParseLoops(kernel.name, kernel.text));
  const loop::LoweringOptions options = loop::DefaultLowering(*loop::FindTarget(code.loops));
  TERN_TRY_ASSIGN(const loop::Program program, LowerFile(source, options));
  return loop::LlvmText(program, FlavorOf(target, code));
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
  TERN_TRY_ASSIGN(const std::string ir, LlvmTextOf(kernel, target, code));
  TERN_TRY_ASSIGN(std::string object, CompileClosedObject(ir, code, KernelStamp(kernel.text)));
  if (target.machine == ElfMachine::kRiscV) return object;  // which has no loader to ask
  TERN_TRY_ASSIGN(const ObjectImage image, LinkObject(object, target.machine));
  if (image.Find(kernel.name) == nullptr)
    return NotFound("the loop program of kernel '", kernel.name, "' has no function of that name")
        .SetErrorCode("E0805");
  return object;
}

}  // namespace tern::native
