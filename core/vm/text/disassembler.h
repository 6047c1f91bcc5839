// SPDX-License-Identifier: Apache-2.0
// Executables as text: the listing as in the Relax document (docs/founding-documents.md),
// statistics, and assembly text (.tasm) from which Assemble (assembler.h) makes the same executable
// again, byte for byte, in each of the forms below.
#ifndef TERN_CORE_VM_TEXT_DISASSEMBLER_H_
#define TERN_CORE_VM_TEXT_DISASSEMBLER_H_

#include <cstdint>
#include <string>

#include "core/vm/executable.h"

namespace tern::vm {

// How an instruction is written; the assembler reads all three, also mixed.
enum class TextForm : uint8_t {
  kColumns,       // call  vm.op.add        in: %0, %1       dst: %2
  kInstructions,  // Call $2, vm.op.add, $0, $1
  kAssignments,   // %2 = Call(vm.op.add, %0, %1)
};

// One instruction; jumps as offsets.
std::string InstructionText(const Executable& executable, uint32_t instruction,
                            TextForm form = TextForm::kColumns);

struct ListingOptions {
  bool offsets = false;  // number of each instruction in front
  bool source = false;   // what it was made from behind
};
// "@func0:" and its instructions, for every function.
std::string AsText(const Executable& executable, const ListingOptions& options = {});

// Constant shapes, globals, packed functions, as in the Relax document.
std::string Stats(const Executable& executable);

// Assembly text, complete and lossless. Its grammar is told in assembler.h.
std::string Disassemble(const Executable& executable, TextForm form = TextForm::kColumns);

// "f32[2, 2] [1, 2, 3, 4]": a constant as .const lines show it.
std::string ConstantText(const Executable& executable, uint32_t constant);

}  // namespace tern::vm

#endif  // TERN_CORE_VM_TEXT_DISASSEMBLER_H_
