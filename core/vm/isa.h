// SPDX-License-Identifier: Apache-2.0
// Opcodes and what is known of each: everything here is expanded from isa.def at compile time.
//
// Operand strings are parsed by consteval, so a wrong role letter or a list that is not last stops
// the compilation. Encoder, verifier, printer and parser loop over OperandInfo and have no case per
// instruction.
#ifndef TERN_CORE_VM_ISA_H_
#define TERN_CORE_VM_ISA_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tern::vm {

enum class Opcode : uint8_t {
#define TERN_INSTRUCTION(number, symbol, mnemonic, operands, flow, meaning) k##symbol = number,
#include "core/vm/isa.def"
#undef TERN_INSTRUCTION
};

enum class Flow : uint8_t { kNext, kJump, kEnd };

// What an operand is for; the enumerators' values are the letters of isa.def.
enum class Role : char {
  kWrite = 'w',
  kRead = 'r',
  kValue = 'v',
  kKill = 'k',
  kPhi = 'q',
  kInteger = 'i',
  kCount = 'n',
  kDType = 'd',
  kOffset = 'o',
  kString = 's',
  kConstant = 'c',
  kFunction = 'f',
  kPrimitive = 'p',
  kCallee = 'a',
};

enum class Repeat : uint8_t { kOnce, kOptional, kAny, kSome };
enum class Label : uint8_t { kColon, kNone, kPlain };

struct OperandInfo {
  std::string_view name;
  Role role = Role::kValue;
  Repeat repeat = Repeat::kOnce;
  Label label = Label::kColon;

  constexpr bool is_list() const { return repeat == Repeat::kAny || repeat == Repeat::kSome; }
  // Printed first and without a label, in a column of its own.
  constexpr bool is_callee() const {
    return name == "callee" &&
           (role == Role::kCallee || role == Role::kFunction || role == Role::kPrimitive);
  }
};

inline constexpr size_t kMaxOperandInfos = 6;

struct InstructionInfo {
  Opcode opcode{};
  std::string_view symbol;
  std::string_view mnemonic;
  std::string_view meaning;
  std::string_view operand_text;
  Flow flow = Flow::kNext;
  uint8_t operand_count = 0;
  int8_t write = -1;  // index of the destination operand, -1: none
  std::array<OperandInfo, kMaxOperandInfos> operand_infos{};

  constexpr std::span<const OperandInfo> operands() const {
    return {operand_infos.data(), operand_count};
  }
  constexpr bool has_list() const {
    return operand_count > 0 && operand_infos[operand_count - 1u].is_list();
  }
  constexpr size_t fixed_count() const { return operand_count - (has_list() ? 1u : 0u); }
};

// All instructions in the order of isa.def.
std::span<const InstructionInfo> AllInstructions();
// Null where no instruction has that number.
inline const InstructionInfo* FindInstruction(uint8_t number);
const InstructionInfo* FindInstruction(std::string_view mnemonic);
// Of an opcode known to be one.
inline const InstructionInfo& GetInfo(Opcode opcode);

namespace internal {

// Calling this in a constant expression stops the compilation and shows up in its error message.
void BadOperandString(const char* why);

consteval Role ParseRole(char letter) {
  constexpr std::string_view kLetters = "wrvkqindoscfpa";
  if (kLetters.find(letter) == std::string_view::npos) BadOperandString("unknown role letter");
  return static_cast<Role>(letter);
}

consteval OperandInfo ParseOperand(std::string_view text) {
  OperandInfo info;
  if (text.starts_with('.')) info.label = Label::kNone;
  if (text.starts_with('\'')) info.label = Label::kPlain;
  if (info.label != Label::kColon) text.remove_prefix(1);
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon + 1 >= text.size())
    BadOperandString("name:role expected");
  info.name = text.substr(0, colon);
  info.role = ParseRole(text[colon + 1]);
  if (text.size() > colon + 3) BadOperandString("text after the role");
  if (text.size() == colon + 3) {
    const char suffix = text[colon + 2];
    if (suffix != '?' && suffix != '*' && suffix != '+') BadOperandString("unknown suffix");
    info.repeat = suffix == '?' ? Repeat::kOptional : suffix == '*' ? Repeat::kAny : Repeat::kSome;
  }
  return info;
}

consteval void AddOperand(InstructionInfo& info, std::string_view text) {
  if (info.operand_count == kMaxOperandInfos) BadOperandString("too many operands");
  if (info.has_list()) BadOperandString("a list must come last");
  const OperandInfo operand = ParseOperand(text);
  if (operand.role == Role::kWrite) {
    if (info.write >= 0) BadOperandString("two destinations");
    info.write = static_cast<int8_t>(info.operand_count);
  }
  info.operand_infos[info.operand_count++] = operand;
}

consteval InstructionInfo MakeInfo(Opcode opcode, std::string_view symbol,
                                   std::string_view mnemonic, std::string_view operands, Flow flow,
                                   std::string_view meaning) {
  InstructionInfo info;
  info.opcode = opcode;
  info.symbol = symbol;
  info.mnemonic = mnemonic;
  info.meaning = meaning;
  info.operand_text = operands;
  info.flow = flow;
  while (!operands.empty()) {
    const size_t end = operands.find(' ');
    AddOperand(info, operands.substr(0, end));
    operands.remove_prefix(end == std::string_view::npos ? operands.size() : end + 1);
  }
  return info;
}

inline constexpr InstructionInfo kInstructions[] = {
#define TERN_INSTRUCTION(number, symbol, mnemonic, operands, flow, meaning) \
  MakeInfo(Opcode::k##symbol, #symbol, mnemonic, operands, Flow::flow, meaning),
#include "core/vm/isa.def"
#undef TERN_INSTRUCTION
};

consteval std::array<int16_t, 256> MakeIndex() {
  std::array<int16_t, 256> index{};
  index.fill(-1);
  for (size_t i = 0; i < std::size(kInstructions); ++i) {
    const auto number = static_cast<uint8_t>(kInstructions[i].opcode);
    if (index[number] >= 0) BadOperandString("two instructions with one number");
    index[number] = static_cast<int16_t>(i);
  }
  return index;
}

inline constexpr std::array<int16_t, 256> kIndex = MakeIndex();  // by number; -1: none

}  // namespace internal

inline constexpr size_t kInstructionCount = std::size(internal::kInstructions);

inline const InstructionInfo* FindInstruction(uint8_t number) {
  const int16_t index = internal::kIndex[number];
  return index < 0 ? nullptr : &internal::kInstructions[index];
}

inline const InstructionInfo& GetInfo(Opcode opcode) {
  return internal::kInstructions[internal::kIndex[static_cast<uint8_t>(opcode)]];
}

}  // namespace tern::vm

#endif  // TERN_CORE_VM_ISA_H_
