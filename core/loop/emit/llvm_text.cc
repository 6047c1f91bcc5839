// SPDX-License-Identifier: Apache-2.0
// A module: its functions, the intrinsics they use, and their attributes.
#include "core/loop/emit/llvm_text.h"

#include <set>

#include "core/base/strings.h"
#include "core/loop/emit/llvm_function.h"

namespace tern::loop {

std::string_view LlvmFlavorName(LlvmFlavor flavor) {
  switch (flavor) {
    case LlvmFlavor::kFixed: return "fixed";
    case LlvmFlavor::kScalable: return "scalable";
    case LlvmFlavor::kSve: return "sve";
  }
  return "?";
}

Result<std::string> LlvmText(const Program& program, LlvmFlavor flavor) {
  std::set<std::string> declarations;
  std::string functions;
  for (const LoopFunction& function : program.functions) {
    TERN_TRY_ASSIGN(const std::string text, LlvmFunction(function, flavor, &declarations).Write());
    functions += text + "\n";
  }
  for (const std::string& declaration : declarations) functions += declaration;
  const char* range = flavor == LlvmFlavor::kSve ? " vscale_range(1,16)" : "";
  return StrCat(functions, "\nattributes #0 = { nounwind", range, " }\n");
}

}  // namespace tern::loop
