// SPDX-License-Identifier: Apache-2.0
// A module: its functions, the intrinsics they use, and their attributes.
#include "core/loop/emit/llvm_text.h"

#include "core/base/strings.h"
#include "core/loop/emit/llvm_function.h"

namespace tern::loop {

std::string_view LlvmFlavorName(LlvmFlavor flavor) {
  switch (flavor) {
    case LlvmFlavor::kFixed: return "fixed";
    case LlvmFlavor::kNeon: return "neon";
    case LlvmFlavor::kScalable: return "scalable";
    case LlvmFlavor::kMve: return "mve";
    case LlvmFlavor::kSve: return "sve";
  }
  return "?";
}

bool IsScalable(LlvmFlavor flavor) {
  return flavor == LlvmFlavor::kScalable || flavor == LlvmFlavor::kSve;
}

LlvmFlavor FlavorOf(const Target& target) {
  if (target.folds_tails) return LlvmFlavor::kMve;
  const bool arm = target.name.starts_with("aarch64");
  if (target.scalable) return arm ? LlvmFlavor::kSve : LlvmFlavor::kScalable;
  return arm ? LlvmFlavor::kNeon : LlvmFlavor::kFixed;
}

Result<std::string> LlvmText(const Program& program, LlvmFlavor flavor) {
  LlvmModuleParts parts;
  std::string functions;
  for (const LoopFunction& function : program.functions) {
    TERN_TRY_ASSIGN(const std::string text, LlvmFunction(function, flavor, &parts).Write());
    functions += text + "\n";
  }
  functions += parts.outlined;
  for (const std::string& declaration : parts.declarations) functions += declaration;
  // SVE has vectors of 128 to 2048 bits; the range lets LLVM fold comparisons with vscale.
  const char* range = flavor == LlvmFlavor::kSve ? " vscale_range(1,16)" : "";
  functions += StrCat("\nattributes #0 = { nounwind", range, " }\n");
  for (size_t i = 0; i < parts.metadata.size(); ++i)
    functions += StrCat("!", i, " = ", parts.metadata[i], "\n");
  if (!parts.has_plain_loops) functions += StrCat("!", kScheduledMark, " = !{}\n");
  return functions;
}

}  // namespace tern::loop
