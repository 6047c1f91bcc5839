// SPDX-License-Identifier: Apache-2.0
// Builder code. Both languages have the same calls; what differs is in Syntax and in quoting.
//
// Constants are appended in their order as the text that assembly has for them, so that `ib.c(3)`
// means what it meant. A name that is both a primitive and a function says which of them it is.
#include "core/vm/text/builder_code.h"

#include <algorithm>
#include <optional>

#include "core/base/json.h"
#include "core/base/strings.h"
#include "core/vm/text/disassembler.h"
#include "core/vm/text/instruction_printer.h"

namespace tern::vm {
namespace {

constexpr size_t kMaxLiteral = 4000;  // compilers may refuse longer pieces of a text

// The method names of the two builders, by what they do.
struct Syntax {
  bool is_cpp;
  std::string_view keep_registers, metadata, constant, primitive, kernel, begin, end, name_register,
      source, bind, call, ret, jump, if_, if_equal, emit, list_open, list_close;
};
constexpr Syntax kCppSyntax = {true,
                               "set_keep_dense_registers",
                               "SetMetadata",
                               "AppendConstantText",
                               "DeclarePrimitive",
                               "AddKernel",
                               "BeginFunction",
                               "EndFunction",
                               "NameRegister",
                               "SetSource",
                               "Bind",
                               "EmitCall",
                               "EmitRet",
                               "EmitGoto",
                               "EmitIf",
                               "EmitIfEqual",
                               "Emit",
                               "{",
                               "}"};
constexpr Syntax kJsSyntax = {false,
                              "keepDenseRegisters",
                              "setMetadata",
                              "constantText",
                              "declarePrimitive",
                              "addKernel",
                              "function",
                              "",
                              "nameRegister",
                              "setSource",
                              "bind",
                              "emitCall",
                              "emitRet",
                              "emitGoto",
                              "emitIf",
                              "emitIfEqual",
                              "emit",
                              "[",
                              "]"};

// Whether the registers of a function have the numbers that the builder gives them (builder.cc,
// Formalize). Otherwise the code asks the builder to keep them.
bool InOrderOfUse(const Executable& executable, const FunctionInfo& function) {
  int64_t next = function.arity();
  const auto meet = [&next](const Operand& operand) {
    if (!operand.is_register() || operand.value < next) return true;
    return operand.value == next++;
  };
  Instruction instruction;
  for (uint32_t pc = 0; pc < function.instruction_count; ++pc) {
    DecodeInstruction(executable.InstructionWords(function.first_instruction + pc), &instruction);
    const int write = instruction.info->write;
    for (size_t i = 0; i < instruction.operands.size(); ++i) {
      if (static_cast<int>(i) != write && !meet(instruction.operands[i])) return false;
    }
    if (write >= 0 && !meet(instruction.operands[static_cast<size_t>(write)])) return false;
  }
  return true;
}

// One piece of a C++ literal. Bytes that are not printable ASCII are written in octal, always with
// three digits, so that nothing behind them is read as one of theirs.
std::string CppPiece(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (c >= ' ' && c <= '~') {
      out.push_back(c);
    } else if (c == '\n') {
      out += "\\n";
    } else {
      out.push_back('\\');
      for (const int shift : {6, 3, 0}) out.push_back(static_cast<char>('0' + (byte >> shift & 7)));
    }
  }
  return out + "\"";
}

// Long texts are several literals, which C++ joins.
std::string CppQuote(std::string_view text) {
  std::string out = CppPiece(text.substr(0, kMaxLiteral));
  for (size_t at = kMaxLiteral; at < text.size(); at += kMaxLiteral)
    StrAppend(&out, "\n      ", CppPiece(text.substr(at, kMaxLiteral)));
  // A zero inside would end the text, so its length is given.
  if (text.find('\0') == std::string_view::npos) return out;
  return StrCat("std::string(", out, ", ", text.size(), ")");
}

// Prints the program as calls of a builder, one per instruction.
class CodePrinter {
 public:
  CodePrinter(const Executable& executable, const Syntax& syntax)
      : executable_(executable), syntax_(syntax) {}

  std::string Run(std::string_view name) {
    const auto functions = executable_.functions();
    if (syntax_.is_cpp) {
      StrAppend(&out_, "#include \"core/vm/builder.h\"\n\ntern::Result<tern::vm::ExecutablePtr> ",
                name, "() {\n  using tern::vm::Opcode;\n  tern::vm::ExecBuilder ib;\n");
    } else {
      StrAppend(&out_, "export function ", name, "(runtime) {\n  const ib = runtime.builder();\n");
    }
    // One switch for all functions: keeping numbers that are right already changes nothing.
    const bool keep = std::any_of(functions.begin(), functions.end(), [this](const auto& function) {
      return !InOrderOfUse(executable_, function);
    });
    if (keep) Line(syntax_.keep_registers, "true");
    Tables();
    for (const FunctionInfo& function : functions) Function(function);
    return std::move(out_) + "  return ib." + (syntax_.is_cpp ? "Finish" : "finish") + "();\n}\n";
  }

 private:
  std::string Quote(std::string_view text) const {
    return syntax_.is_cpp ? CppQuote(text) : JsonQuote(text);
  }

  template <typename... Args>
  void Line(std::string_view method, const Args&... args) {
    StrAppend(&out_, indent_, "ib.", method, "(", args..., ");\n");
  }

  void Tables() {
    for (const auto& [key, value] : executable_.metadata())
      Line(syntax_.metadata, Quote(key), ", ", Quote(value));
    for (uint32_t i = 0; i < executable_.constants().size(); ++i) {
      Line(syntax_.constant, Quote(ConstantText(executable_, i)));
      // Behind the line, before its line break.
      out_.insert(out_.size() - 1, StrCat("  // c[", i, "]"));
    }
    // The builder numbers primitives by first use; only another order has to be declared.
    if (!PrimitivesInOrder(executable_)) {
      for (const std::string& name : executable_.primitives()) Line(syntax_.primitive, Quote(name));
    }
    for (const KernelInfo& kernel : executable_.kernels()) {
      if (syntax_.is_cpp) {
        Line(syntax_.kernel, "{", Quote(kernel.name), ", ", Quote(kernel.format), ", ",
             Quote(kernel.bytes), "}");
      } else {
        std::string bytes;
        for (const char c : kernel.bytes)
          // JavaScript has bytes as an array of numbers.
          StrAppend(&bytes, bytes.empty() ? "" : ", ", static_cast<int>(static_cast<uint8_t>(c)));
        Line(syntax_.kernel, Quote(kernel.name), ", ", Quote(kernel.format), ", [", bytes, "]");
      }
    }
  }

  void Function(const FunctionInfo& function) {
    const std::string signature = function.signature.ToText();
    // A plain number of inputs reads better than (%0, %1).
    const bool nameless = signature == Signature::OfArity(function.arity()).ToText();
    const std::string inputs = nameless ? StrCat(function.arity()) : Quote(signature);
    StrAppend(&out_, indent_, "ib.", syntax_.begin, "(", Quote(function.name), ", ", inputs,
              nameless && syntax_.is_cpp ? "u" : "", syntax_.is_cpp ? ");\n" : ", () => {\n");
    if (!syntax_.is_cpp) indent_ = "    ";
    for (const auto& [index, name] : function.register_names)
      Line(syntax_.name_register, "ib.r(", index, "), ", Quote(name));
    Body(function);
    indent_ = "  ";
    if (syntax_.is_cpp)
      StrAppend(&out_, indent_, "ib.EndFunction().IgnoreError();  // Finish tells all errors\n");
    else
      StrAppend(&out_, indent_, "});\n");
  }

  // Labels are named by the instruction they stand at, as in assembly.
  void Body(const FunctionInfo& function) {
    const std::vector<uint32_t> targets = JumpTargets(executable_, function);
    bool has_source = false;
    for (uint32_t pc = 0; pc < function.instruction_count; ++pc) {
      if (std::binary_search(targets.begin(), targets.end(), pc)) Line(syntax_.bind, LabelText(pc));
      const uint32_t index = function.first_instruction + pc;
      const DebugEntry* source = executable_.FindDebug(index);
      if (source != nullptr && source->line == 0 && source->column == 0)
        Line(syntax_.source, Quote(source->text()));
      else if (source != nullptr)
        Line(syntax_.source, Quote(source->text()), ", ", source->line, ", ", source->column);
      else if (has_source)
        // A location holds until the next one, so the first instruction without one ends it.
        Line(syntax_.source, "\"\"");
      has_source = source != nullptr;
      pc_ = pc;
      DecodeInstruction(executable_.InstructionWords(index), &instruction_);
      Emission();
    }
  }

  // Instructions with a method of their own use it; everything else goes through emit.
  void Emission() {
    const std::vector<Operand>& operands = instruction_.operands;
    const Opcode opcode = instruction_.info->opcode;
    if (opcode == Opcode::kRet) return Line(syntax_.ret, Text(0));
    if (opcode == Opcode::kGoto) return Line(syntax_.jump, Text(0));
    if (opcode == Opcode::kIf) return Line(syntax_.if_, Text(0), ", ", Text(1), ", ", Text(2));
    if (opcode == Opcode::kIfEqual)
      return Line(syntax_.if_equal, Text(0), ", ", Text(1), ", ", Text(2), ", ", Text(3));
    if (opcode == Opcode::kCall && IsPlain(operands[1])) {
      return Line(syntax_.call, Quote(Name(operands[1])), ", ", ListFrom(2),
                  operands[0].is_void() ? "" : StrCat(", ", Text(0)));
    }
    const InstructionInfo& info = *instruction_.info;
    in_emit_ = true;
    Line(syntax_.emit, syntax_.is_cpp ? StrCat("Opcode::k", info.symbol) : Quote(info.mnemonic),
         ", ", ListFrom(0));
    in_emit_ = false;
  }

  std::string ListFrom(size_t first) const {
    std::string out(syntax_.list_open);
    for (size_t i = first; i < instruction_.operands.size(); ++i)
      StrAppend(&out, i == first ? "" : ", ", Text(i));
    return StrCat(out, syntax_.list_close);
  }

  std::string LabelText(int64_t pc) const {
    const std::string name = StrCat("\"L", pc, "\"");
    return syntax_.is_cpp ? StrCat("ib.NamedLabel(", name, ")") : name;
  }

  // One operand. Jumps are labels in the methods that take labels, and operands in emit.
  std::string Text(size_t i) const {
    const InstructionInfo& info = *instruction_.info;
    const Operand& operand = instruction_.operands[i];
    const Role role = info.operands()[std::min<size_t>(i, info.operand_count - 1u)].role;
    if (role == Role::kOffset) {
      const std::string label = LabelText(int64_t{pc_} + operand.value);
      if (!in_emit_) return label;
      return StrCat(syntax_.is_cpp ? "ib.Jump(" : "ib.label(", label, ")");
    }
    if (operand.is_void()) return syntax_.is_cpp ? "ib.dst_void()" : "ib.void()";
    if (operand.is_vm()) return syntax_.is_cpp ? "ib.vm_state()" : "ib.vmState()";
    switch (operand.kind) {
      case OperandKind::kRegister: return StrCat("ib.r(", operand.value, ")");
      case OperandKind::kConstant: return StrCat("ib.c(", operand.value, ")");
      case OperandKind::kFunction: return NameText(operand);
      case OperandKind::kImmediate: break;
    }
    // JavaScript's numbers are exact up to 53 bits.
    const bool big = operand.value > (int64_t{1} << 53) || operand.value < -(int64_t{1} << 53);
    return StrCat("ib.imm(", operand.value, big && !syntax_.is_cpp ? "n" : "", ")");
  }

  std::string_view Name(const Operand& operand) const {
    const auto index = static_cast<size_t>(operand.function_index());
    return operand.is_function() ? executable_.functions()[index].name
                                 : executable_.primitives()[index];
  }

  // Whether the builder finds the callee by its name alone.
  bool IsPlain(const Operand& operand) const {
    return operand.is_function() || executable_.FindFunction(Name(operand)) == nullptr;
  }

  std::string NameText(const Operand& operand) const {
    const std::string_view how = IsPlain(operand) ? "f" : "primitive";
    return StrCat("ib.", how, "(", Quote(Name(operand)), ")");
  }

  const Executable& executable_;
  const Syntax& syntax_;
  std::string out_;
  std::string_view indent_ = "  ";
  Instruction instruction_;
  uint32_t pc_ = 0;
  bool in_emit_ = false;  // an operand of Emit, which takes no labels
};

}  // namespace

std::string AsBuilderCode(const Executable& executable, CodeLanguage language,
                          std::string_view name) {
  return CodePrinter(executable, language == CodeLanguage::kCpp ? kCppSyntax : kJsSyntax).Run(name);
}

}  // namespace tern::vm
