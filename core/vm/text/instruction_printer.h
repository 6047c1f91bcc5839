// SPDX-License-Identifier: Apache-2.0
// What listings, assembly text and builder code share: one instruction as text, and the facts of an
// executable that all of them ask for.
#ifndef TERN_CORE_VM_TEXT_INSTRUCTION_PRINTER_H_
#define TERN_CORE_VM_TEXT_INSTRUCTION_PRINTER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/vm/encoding.h"
#include "core/vm/executable.h"
#include "core/vm/isa.h"
#include "core/vm/text/disassembler.h"

namespace tern::vm {

struct PrintOptions {
  TextForm form = TextForm::kColumns;
  bool labels = false;  // jumps as L<n>, n counted from the function's first instruction
};
std::string PrintInstruction(const Executable& executable, uint32_t instruction,
                             const PrintOptions& options);

// An operand as a printed instruction shows it, for readers that must not take the text apart.
struct OperandField {
  std::string_view name;  // of isa.def
  Role role = Role::kValue;
  Operand operand;
  size_t row = 0;  // which of the instruction's operands() tells of it
  // Where it is in the text, without its label.
  size_t begin = 0;
  size_t end = 0;
};

struct InstructionFields {
  const InstructionInfo* info = nullptr;
  std::string text;  // in columns
  // As they are printed: the callee first, the destination last. An operand that is left out of
  // the text is left out here.
  std::vector<OperandField> operands;
};
InstructionFields FieldsOfInstruction(const Executable& executable, uint32_t instruction);

// What an operand is, for readers that do not know how operands are encoded.
inline constexpr std::string_view kOperandKindNames[] = {
    "register", "immediate", "constant", "function", "primitive", "void", "vm"};
// A place in kOperandKindNames.
size_t OperandKindIndex(const Operand& operand);
inline std::string_view OperandKindName(const Operand& operand) {
  return kOperandKindNames[OperandKindIndex(operand)];
}

// Names of operators with attributes read well as they are; anything unusual is quoted.
std::string PrimitiveText(std::string_view name);

// The targets of jumps in a function, ascending, counted from its first instruction.
std::vector<uint32_t> JumpTargets(const Executable& executable, const FunctionInfo& function);

// Whether the primitives stand in the order of their first use, each used.
bool PrimitivesInOrder(const Executable& executable);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_TEXT_INSTRUCTION_PRINTER_H_
