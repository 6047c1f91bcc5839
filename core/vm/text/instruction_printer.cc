// SPDX-License-Identifier: Apache-2.0
// Printing an instruction, driven by the instruction table, so that a new instruction needs no code
// here. Widths of the columns: 6 for the mnemonic, 16 for the callee, 12 for the operands before
// the destination.
#include "core/vm/text/instruction_printer.h"

#include <algorithm>

#include "core/base/json.h"
#include "core/base/sort.h"
#include "core/base/strings.h"

namespace tern::vm {
namespace {

constexpr size_t kMnemonicColumn = 6;
constexpr size_t kCalleeColumn = 16;
constexpr size_t kOperandColumn = 12;
constexpr size_t kDstColumn =
    kMnemonicColumn + kCalleeColumn + 5 + kOperandColumn;  // " in: " between them

void PadTo(size_t column, std::string* line) {
  if (line->size() < column) line->append(column - line->size(), ' ');
}

// One instruction in one of three forms. The word is decoded once, in the constructor.
class Printer {
 public:
  Printer(const Executable& executable, uint32_t index, const PrintOptions& options)
      : executable_(executable),
        options_(options),
        // Jumps are shown relative to the function.
        pc_(index - executable.FunctionOf(index).first_instruction) {
    DecodeInstruction(executable.InstructionWords(index), &instruction_);
  }

  // In columns, with what was printed where.
  InstructionFields Fields() && {
    InstructionFields fields;
    fields_ = &fields.operands;
    fields.text = Columns();
    fields.info = instruction_.info;
    return fields;
  }

  std::string Run() {
    switch (options_.form) {
      case TextForm::kColumns: return Columns();
      case TextForm::kInstructions: return Positional(-1);
      case TextForm::kAssignments: break;
    }
    // An assignment without a destination has no left side.
    const InstructionInfo& info = *instruction_.info;
    if (info.write >= 0 && !Destination().is_void())
      line_ = StrCat(Text(Destination(), Role::kWrite), " = ");
    return Positional(info.write);
  }

 private:
  const Operand& Destination() const {
    return instruction_.operands[static_cast<size_t>(instruction_.info->write)];
  }

  // Callee first, then the other operands in the order of the table, then the destination in a
  // column of its own.
  std::string Columns() {
    const InstructionInfo& info = *instruction_.info;
    StrAppend(&line_, info.mnemonic);
    PadTo(kMnemonicColumn, &line_);
    // A mnemonic that fills its column still needs a space.
    if (line_.back() != ' ') line_.push_back(' ');
    for (size_t i = 0; i < info.operand_count; ++i) {
      if (info.operands()[i].is_callee()) PrintCallee(i, info.operands()[i]);
    }
    bool positional = false;
    for (size_t i = 0; i < info.operand_count; ++i) {
      const OperandInfo& operand = info.operands()[i];
      if (operand.is_callee() || static_cast<int>(i) == info.write) continue;
      positional = PrintOperand(i, operand, positional);
    }
    if (info.write >= 0) {
      PadTo(kDstColumn, &line_);
      line_ += " dst: ";
      Append(static_cast<size_t>(info.write), info.operands()[static_cast<size_t>(info.write)]);
    }
    // Operands that are left out may leave spaces behind.
    while (line_.back() == ' ') line_.pop_back();
    return std::move(line_);
  }

  // Prints all operands but `skipped` in the order of isa.def; in parentheses in assignments.
  std::string Positional(int skipped) {
    const InstructionInfo& info = *instruction_.info;
    const bool call = options_.form == TextForm::kAssignments;
    StrAppend(&line_, info.symbol, call ? "(" : " ");
    bool first = true;
    for (size_t i = 0; i < instruction_.operands.size(); ++i) {
      if (static_cast<int>(i) == skipped) continue;
      const OperandInfo& operand = info.operands()[std::min<size_t>(i, info.operand_count - 1u)];
      const Role role = operand.is_callee() ? Role::kCallee : operand.role;
      StrAppend(&line_, first ? "" : ", ", Text(instruction_.operands[i], role));
      first = false;
    }
    if (call) line_.push_back(')');
    return std::move(line_);
  }

  // In columns: the operand's text, and where it is for those who ask.
  void Append(size_t index, const OperandInfo& info) {
    const Operand& operand = instruction_.operands[index];
    const size_t begin = line_.size();
    line_ += Text(operand, info.is_callee() ? Role::kCallee : info.role);
    if (fields_ == nullptr) return;
    const auto row = static_cast<size_t>(&info - instruction_.info->operand_infos.data());
    fields_->push_back({info.name, info.role, operand, row, begin, line_.size()});
  }

  // Padded from where it begins, so that operands of calls align.
  void PrintCallee(size_t index, const OperandInfo& info) {
    const size_t column = line_.size();
    Append(index, info);
    PadTo(column + kCalleeColumn, &line_);
    line_.push_back(' ');
  }

  // Prints one operand of the columns form. Returns whether the next operand without a label must
  // follow a comma.
  bool PrintOperand(size_t i, const OperandInfo& info, bool after_positional) {
    if (info.label == Label::kNone && !info.is_list()) {
      if (after_positional) line_ += ", ";
      Append(i, info);
      return true;
    }
    // An optional operand that is left out prints nothing, not even its label.
    if (info.repeat == Repeat::kOptional && instruction_.operands[i].is_void())
      return after_positional;
    if (line_.back() != ' ') line_.push_back(' ');
    if (info.label != Label::kNone)
      StrAppend(&line_, info.name, info.label == Label::kColon ? ": " : " ");
    if (!info.is_list()) {
      Append(i, info);
      return false;
    }
    for (size_t k = i; k < instruction_.operands.size(); ++k) {
      if (k != i) line_ += ", ";
      Append(k, info);
    }
    return false;
  }

  // The marks differ by form; the assembler takes both.
  std::string Text(const Operand& operand, Role role) const {
    const std::string_view mark = options_.form == TextForm::kInstructions ? "$" : "%";
    if (operand.is_void()) return "void";
    if (operand.is_vm()) return StrCat(mark, "vm");
    switch (operand.kind) {
      case OperandKind::kRegister: return StrCat(mark, operand.value);
      case OperandKind::kConstant: return StrCat("c[", operand.value, "]");
      case OperandKind::kFunction: return FunctionText(operand, role);
      case OperandKind::kImmediate: break;
    }
    // The verifier has checked that the number is a type.
    if (role == Role::kDType) return DTypeFromImmediate(operand.value)->ToString();
    if (role != Role::kOffset) return StrCat(operand.value);
    if (options_.labels) return StrCat("L", int64_t{pc_} + operand.value);
    // Offsets always have a sign, so that they cannot be taken for labels or registers.
    return StrCat(operand.value > 0 ? "+" : "", operand.value);
  }

  std::string FunctionText(const Operand& operand, Role role) const {
    const auto index = static_cast<size_t>(operand.function_index());
    if (operand.is_function()) return StrCat("@", QuoteName(executable_.functions()[index].name));
    // Where any value may stand, a primitive is marked, since a bare name would be read as
    // something else.
    return StrCat(role == Role::kCallee ? "" : "&", PrimitiveText(executable_.primitives()[index]));
  }

  const Executable& executable_;
  const PrintOptions& options_;
  const uint32_t pc_;
  Instruction instruction_;
  std::string line_;
  std::vector<OperandField>* fields_ = nullptr;
};

}  // namespace

std::string PrintInstruction(const Executable& executable, uint32_t instruction,
                             const PrintOptions& options) {
  return Printer(executable, instruction, options).Run();
}

InstructionFields FieldsOfInstruction(const Executable& executable, uint32_t instruction) {
  return Printer(executable, instruction, {}).Fields();
}

size_t OperandKindIndex(const Operand& operand) {
  if (operand.is_void()) return 5;
  if (operand.is_vm()) return 6;
  // The encoding's kinds come first; primitives are the functions of others.
  return static_cast<size_t>(operand.kind) + (operand.is_primitive() ? 1 : 0);
}

// Attributes may hold nearly anything; what would end the token or the line is quoted.
std::string PrimitiveText(std::string_view name) {
  const size_t brace = name.find('{');
  const std::string_view op = name.substr(0, brace);
  bool plain = IsPlainName(op);
  if (brace != std::string_view::npos) {
    const std::string_view attributes = name.substr(brace);
    plain = plain && attributes.find('}') == attributes.size() - 1;
    for (char c : attributes) plain = plain && c >= ' ' && c <= '~' && c != '"' && c != ';';
  }
  return plain ? std::string(name) : JsonQuote(name);
}

std::vector<uint32_t> JumpTargets(const Executable& executable, const FunctionInfo& function) {
  std::vector<uint32_t> targets;
  Instruction instruction;
  for (uint32_t pc = 0; pc < function.instruction_count; ++pc) {
    DecodeInstruction(executable.InstructionWords(function.first_instruction + pc), &instruction);
    const InstructionInfo& info = *instruction.info;
    for (size_t i = 0; i < info.operand_count; ++i) {
      if (info.operands()[i].role != Role::kOffset) continue;
      targets.push_back(static_cast<uint32_t>(int64_t{pc} + instruction.operands[i].value));
    }
  }
  Sort(&targets);
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  return targets;
}

// Then the assembler and the builder give them the same numbers without being told.
bool PrimitivesInOrder(const Executable& executable) {
  int64_t next = 0;
  Instruction instruction;
  for (uint32_t pc = 0; pc < executable.instruction_count(); ++pc) {
    DecodeInstruction(executable.InstructionWords(pc), &instruction);
    for (const Operand& operand : instruction.operands) {
      if (!operand.is_primitive() || operand.function_index() < next) continue;
      if (operand.function_index() != next) return false;
      ++next;
    }
  }
  return next == static_cast<int64_t>(executable.primitives().size());
}

}  // namespace tern::vm
