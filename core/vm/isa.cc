// SPDX-License-Identifier: Apache-2.0
// Look-ups in the instruction table.
#include "core/vm/isa.h"

#include "core/base/check.h"

namespace tern::vm {
namespace internal {
// Only reached in a constant expression that is wrong; at run time nothing calls it.
void BadOperandString(const char* why) { CheckFailed("isa.def", 0, why); }
}  // namespace internal

std::span<const InstructionInfo> AllInstructions() { return internal::kInstructions; }

const InstructionInfo* FindInstruction(std::string_view mnemonic) {
  // For text alone, so linear; numbers have an index.
  for (const InstructionInfo& info : internal::kInstructions) {
    if (info.mnemonic == mnemonic) return &info;
  }
  return nullptr;
}

}  // namespace tern::vm
