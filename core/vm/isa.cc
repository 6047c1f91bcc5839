// SPDX-License-Identifier: Apache-2.0
// Look-ups in the instruction table.
#include "core/vm/isa.h"

#include "core/base/check.h"

namespace tern::vm {
namespace {

consteval std::array<int16_t, 256> MakeIndex() {
  std::array<int16_t, 256> index{};
  index.fill(-1);
  for (size_t i = 0; i < kInstructionCount; ++i) {
    const auto number = static_cast<uint8_t>(internal::kInstructions[i].opcode);
    if (index[number] >= 0) internal::BadOperandString("two instructions with one number");
    index[number] = static_cast<int16_t>(i);
  }
  return index;
}

constexpr std::array<int16_t, 256> kIndex = MakeIndex();

}  // namespace

namespace internal {
void BadOperandString(const char* why) { CheckFailed("isa.def", 0, why); }
}  // namespace internal

std::span<const InstructionInfo> AllInstructions() { return internal::kInstructions; }

const InstructionInfo* FindInstruction(uint8_t number) {
  const int16_t index = kIndex[number];
  return index < 0 ? nullptr : &internal::kInstructions[index];
}

const InstructionInfo* FindInstruction(std::string_view mnemonic) {
  for (const InstructionInfo& info : internal::kInstructions) {
    if (info.mnemonic == mnemonic) return &info;
  }
  return nullptr;
}

const InstructionInfo& GetInfo(Opcode opcode) {
  return internal::kInstructions[kIndex[static_cast<uint8_t>(opcode)]];
}

}  // namespace tern::vm
