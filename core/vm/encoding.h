// SPDX-License-Identifier: Apache-2.0
// How an instruction lies in 64-bit words, in memory and on disk alike.
//
// A word that holds one operand has the operand's kind in its top byte and the value in the 56 bits
// below (immediates in two's complement). Most operands are small, and a word each would make an
// instruction four times as long as it need be, so operands also have a short form of 16 bits: the
// kind in the top two, the value in the other 14. An instruction is
//
//   word 0         opcode (top byte) | number of operands (next byte) | operands 2, 1, 0 in
//                  short form
//   [count word]   where the number is 255 or more: that byte is 255 and this immediate word
//                  tells it
//   short words    operands 3, 4, 5, 6, …: four to a word, the first lowest
//   long words     one for each operand whose short form is kLongForm, in order
//
// There is exactly one encoding of every instruction: unused shorts are zero, and what fits a short
// is in one. instr_offset[i] is the index of the first word of instruction i.
#ifndef TERN_CORE_VM_ENCODING_H_
#define TERN_CORE_VM_ENCODING_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/object/dtype.h"
#include "core/vm/isa.h"

namespace tern::vm {

enum class OperandKind : uint8_t { kRegister = 0, kImmediate = 1, kConstant = 2, kFunction = 3 };

inline constexpr int kValueBits = 56;
inline constexpr int64_t kMaxImmediate = (int64_t{1} << (kValueBits - 1)) - 1;
inline constexpr int64_t kMinImmediate = -kMaxImmediate - 1;
// Registers that are none: "no destination", and the state of the machine, handed to builtins.
inline constexpr int64_t kVoidRegister = (int64_t{1} << kValueBits) - 1;
inline constexpr int64_t kVmRegister = kVoidRegister - 1;

// One operand. A function operand names a function of this file or, with the low bit set, an
// imported primitive.
struct Operand {
  OperandKind kind = OperandKind::kRegister;
  int64_t value = kVoidRegister;

  static constexpr Operand Void() { return {}; }
  static constexpr Operand Vm() { return {OperandKind::kRegister, kVmRegister}; }
  static constexpr Operand Register(int64_t index) { return {OperandKind::kRegister, index}; }
  static constexpr Operand Immediate(int64_t value) { return {OperandKind::kImmediate, value}; }
  static constexpr Operand Constant(int64_t index) { return {OperandKind::kConstant, index}; }
  static constexpr Operand Function(int64_t index) { return {OperandKind::kFunction, index * 2}; }
  static constexpr Operand Primitive(int64_t index) {
    return {OperandKind::kFunction, index * 2 + 1};
  }

  constexpr bool is_register() const {
    return kind == OperandKind::kRegister && value < kVmRegister;
  }
  constexpr bool is_void() const {
    return kind == OperandKind::kRegister && value == kVoidRegister;
  }
  constexpr bool is_vm() const { return kind == OperandKind::kRegister && value == kVmRegister; }
  constexpr bool is_immediate() const { return kind == OperandKind::kImmediate; }
  constexpr bool is_constant() const { return kind == OperandKind::kConstant; }
  constexpr bool is_function() const { return kind == OperandKind::kFunction && (value & 1) == 0; }
  constexpr bool is_primitive() const { return kind == OperandKind::kFunction && (value & 1) != 0; }
  constexpr int64_t function_index() const { return value >> 1; }

  friend constexpr bool operator==(const Operand&, const Operand&) = default;
};

constexpr bool FitsImmediate(int64_t value) {
  return value >= kMinImmediate && value <= kMaxImmediate;
}

// A data type as an immediate: bits | code << 8 | (lanes - 1) << 16, so that scalars fit the short
// form.
constexpr int64_t DTypeToImmediate(DType dtype) {
  return dtype.bits | int64_t{dtype.code} << 8 | (int64_t{dtype.lanes} - 1) << 16;
}
// Nothing where the number is no known type.
std::optional<DType> DTypeFromImmediate(int64_t value);

inline constexpr uint16_t kLongForm = 0xffff;

uint64_t EncodeOperand(const Operand& operand);
Operand DecodeOperand(uint64_t word);  // the top byte must be a kind
// kLongForm where the operand does not fit.
uint16_t ShortForm(const Operand& operand);

// Appends the words of an instruction. Immediates must fit.
void EncodeInstruction(Opcode opcode, std::span<const Operand> operands,
                       std::vector<uint64_t>* words);

struct Instruction {
  const InstructionInfo* info = nullptr;
  std::vector<Operand> operands;  // kept between calls, so that a loop allocates once
};

// `words` are those of one instruction, no more and no less. Null, or what is wrong with them.
const char* DecodeInstruction(std::span<const uint64_t> words, Instruction* instruction);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_ENCODING_H_
