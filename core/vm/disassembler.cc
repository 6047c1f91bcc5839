// SPDX-License-Identifier: Apache-2.0
// Printing, driven by the instruction table. Columns are those of the founding document: 6 for the
// mnemonic, 16 for the callee, 12 for the operands before the destination.
#include "core/vm/disassembler.h"

#include <algorithm>
#include <unordered_set>

#include "core/base/json.h"
#include "core/base/strings.h"
#include "core/object/print.h"

namespace tern::vm {
namespace {

constexpr size_t kMnemonicColumn = 6;
constexpr size_t kCalleeColumn = 16;
constexpr size_t kOperandColumn = 12;
constexpr size_t kDstColumn =
    kMnemonicColumn + kCalleeColumn + 5 + kOperandColumn;  // " in: " between them
constexpr int64_t kMaxDecimalElements = 256;

void PadTo(size_t column, std::string* line) {
  if (line->size() < column) line->append(column - line->size(), ' ');
}

// Words of one instruction as text.
class InstructionPrinter {
 public:
  // use_labels: jumps as L<n>, n counted from the function's first instruction.
  InstructionPrinter(const Executable& executable, uint32_t index, bool use_labels)
      : executable_(executable),
        use_labels_(use_labels),
        function_(executable.FunctionOf(index)),
        pc_(index - function_.first_instruction) {
    DecodeInstruction(executable.InstructionWords(index), &instruction_);
  }

  std::string Run() {
    const InstructionInfo& info = *instruction_.info;
    StrAppend(&line_, info.mnemonic);
    PadTo(kMnemonicColumn, &line_);
    if (line_.back() != ' ') line_.push_back(' ');
    bool positional = false;
    for (size_t i = 0; i < info.operand_count; ++i) {
      const OperandInfo& operand = info.operands()[i];
      if (operand.is_callee()) PrintCallee(instruction_.operands[i]);
    }
    for (size_t i = 0; i < info.operand_count; ++i) {
      const OperandInfo& operand = info.operands()[i];
      if (operand.is_callee() || static_cast<int>(i) == info.write) continue;
      positional = PrintOperand(i, operand, positional);
    }
    if (info.write >= 0) PrintDestination(instruction_.operands[static_cast<size_t>(info.write)]);
    while (line_.back() == ' ') line_.pop_back();
    return std::move(line_);
  }

 private:
  void PrintCallee(const Operand& operand) {
    const size_t column = line_.size();
    StrAppend(&line_, Text(operand, Role::kCallee));
    PadTo(column + kCalleeColumn, &line_);
    line_.push_back(' ');
  }

  // Returns whether the next operand without a label goes behind a comma.
  bool PrintOperand(size_t i, const OperandInfo& info, bool after_positional) {
    if (info.label == Label::kNone && !info.is_list()) {
      StrAppend(&line_, after_positional ? ", " : "", Text(instruction_.operands[i], info.role));
      return true;
    }
    if (info.repeat == Repeat::kOptional && instruction_.operands[i].is_void())
      return after_positional;
    if (line_.back() != ' ') line_.push_back(' ');
    if (info.label != Label::kNone)
      StrAppend(&line_, info.name, info.label == Label::kColon ? ": " : " ");
    if (!info.is_list()) {
      StrAppend(&line_, Text(instruction_.operands[i], info.role));
      return false;
    }
    for (size_t k = i; k < instruction_.operands.size(); ++k) {
      StrAppend(&line_, k == i ? "" : ", ", Text(instruction_.operands[k], info.role));
    }
    return false;
  }

  void PrintDestination(const Operand& operand) {
    PadTo(kDstColumn, &line_);
    StrAppend(&line_, " dst: ", Text(operand, Role::kWrite));
  }

  std::string Text(const Operand& operand, Role role) const {
    if (operand.is_void()) return "void";
    if (operand.is_vm()) return "%vm";
    switch (operand.kind) {
      case OperandKind::kRegister: return StrCat("%", operand.value);
      case OperandKind::kConstant: return StrCat("c[", operand.value, "]");
      case OperandKind::kFunction: return FunctionText(operand, role);
      case OperandKind::kImmediate: break;
    }
    if (role == Role::kDType) return DTypeFromImmediate(operand.value)->ToString();
    if (role != Role::kOffset) return StrCat(operand.value);
    if (use_labels_) return StrCat("L", int64_t{pc_} + operand.value);
    return StrCat(operand.value > 0 ? "+" : "", operand.value);
  }

  std::string FunctionText(const Operand& operand, Role role) const {
    const auto index = static_cast<size_t>(operand.function_index());
    if (operand.is_function()) return StrCat("@", QuoteName(executable_.functions()[index].name));
    // Where any value may stand, a primitive is marked.
    return StrCat(role == Role::kCallee ? "" : "&", PrimitiveText(executable_.primitives()[index]));
  }

 public:
  // Names of operators with attributes read well as they are; anything unusual is quoted.
  static std::string PrimitiveText(std::string_view name) {
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

 private:
  const Executable& executable_;
  const bool use_labels_;
  const FunctionInfo& function_;
  const uint32_t pc_;
  Instruction instruction_;
  std::string line_;
};

void AppendHex(ByteSpan bytes, std::string* out) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (uint8_t byte : bytes) {
    out->push_back(kDigits[byte >> 4]);
    out->push_back(kDigits[byte & 15]);
  }
}

bool PrintsAsNumbers(const Tensor& tensor) {
  const DType dtype = tensor.dtype();
  if (dtype.lanes != 1 || tensor.element_count() > kMaxDecimalElements) return false;
  if (dtype.is_float()) {
    if (dtype.bits != 32 && dtype.bits != 64) return false;
    // NaNs have payloads that no decimal text keeps.
    for (int64_t i = 0; i < tensor.element_count(); ++i) {
      if (TensorElement(tensor, i) != TensorElement(tensor, i)) return false;
    }
    return true;
  }
  if (dtype.is_bool()) {
    // A byte other than 0 and 1 is not lost either: it goes as hex.
    const auto* bytes = static_cast<const uint8_t*>(tensor.data());
    return std::all_of(bytes, bytes + tensor.element_count(), [](uint8_t b) { return b <= 1; });
  }
  return dtype.is_int() && dtype.bits >= 8;
}

std::string TensorText(const Tensor& tensor) {
  std::string out = StrCat(tensor.TypeText(), " ");
  if (tensor.dtype().is_string()) {
    out.push_back('[');
    for (int64_t i = 0; i < tensor.element_count(); ++i) {
      StrAppend(&out, i == 0 ? "" : ", ", JsonQuote(tensor.string_at(i)));
    }
    return out + "]";
  }
  if (!PrintsAsNumbers(tensor)) {
    out += "hex ";
    AppendHex(tensor.bytes(), &out);
    return out;
  }
  out.push_back('[');
  for (int64_t i = 0; i < tensor.element_count(); ++i)
    StrAppend(&out, i == 0 ? "" : ", ", TensorElementText(tensor, i));
  return out + "]";
}

std::string FloatConstantText(double value) {
  if (value == value) return StrCat("float ", FormatDouble(value));
  uint64_t bits;
  __builtin_memcpy(&bits, &value, sizeof(bits));
  return StrCat("float bits ", FormatHex(bits));
}

// The targets of jumps in a function, ascending.
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
  std::sort(targets.begin(), targets.end());
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  return targets;
}

void DisassembleFunction(const Executable& executable, const FunctionInfo& function,
                         std::string* out) {
  StrAppend(out, ".func @", QuoteName(function.name), function.signature.ToText(), "\n");
  for (const auto& [index, name] : function.register_names)
    StrAppend(out, "  .name %", index, " ", QuoteName(name), "\n");
  const std::vector<uint32_t> targets = JumpTargets(executable, function);
  auto target = targets.begin();
  for (uint32_t pc = 0; pc < function.instruction_count; ++pc) {
    if (target != targets.end() && *target == pc) {
      StrAppend(out, "L", pc, ":\n");
      ++target;
    }
    const uint32_t index = function.first_instruction + pc;
    if (const DebugEntry* source = executable.FindDebug(index); source != nullptr) {
      StrAppend(out, "  .loc ", JsonQuote(source->text()));
      if (source->line != 0 || source->column != 0)
        StrAppend(out, " ", source->line, ":", source->column);
      out->push_back('\n');
    }
    StrAppend(out, "  ", InstructionPrinter(executable, index, true).Run(), "\n");
  }
}

// Whether the primitives stand in the order of their first use, each used.
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

std::string ConstantShapes(const Executable& executable) {
  std::vector<std::string> shapes;
  for (const Constant& constant : executable.constants()) {
    const Tensor* tensor = constant.value.TryCast<Tensor>();
    if (constant.kind == ConstantKind::kSplat)
      shapes.push_back(FormatDims(constant.dims));
    else
      shapes.push_back(tensor != nullptr ? FormatDims(tensor->dims()) : constant.TypeText());
  }
  return StrCat("(# ", shapes.size(), "): [", StrJoin(shapes, ", "), "]");
}

}  // namespace

std::string InstructionText(const Executable& executable, uint32_t instruction) {
  return InstructionPrinter(executable, instruction, false).Run();
}

std::string AsText(const Executable& executable, const ListingOptions& options) {
  std::string out;
  for (const FunctionInfo& function : executable.functions()) {
    StrAppend(&out, out.empty() ? "" : "\n", "@", QuoteName(function.name), ":\n");
    for (uint32_t pc = 0; pc < function.instruction_count; ++pc) {
      const uint32_t index = function.first_instruction + pc;
      std::string line = "  ";
      if (options.offsets) {
        const std::string number = StrCat(pc);
        line.append(number.size() < 4 ? 4 - number.size() : 0, ' ');
        StrAppend(&line, number, "  ");
      }
      line += InstructionText(executable, index);
      if (const DebugEntry* source = options.source ? executable.FindDebug(index) : nullptr;
          source != nullptr) {
        StrAppend(&line, "  ; ", source->text());
      }
      StrAppend(&out, line, "\n");
    }
  }
  return out;
}

std::string Stats(const Executable& executable) {
  std::vector<std::string> globals;
  for (const FunctionInfo& function : executable.functions()) globals.push_back(function.name);
  std::string out = "Relax VM executable statistics:\n";
  StrAppend(&out, "  Constant shapes ", ConstantShapes(executable), "\n");
  StrAppend(&out, "  Globals (#", globals.size(), "): [", StrJoin(globals, ", "), "]\n");
  StrAppend(&out, "  Packed functions (#", executable.primitives().size(), "): [",
            StrJoin(executable.primitives(), ", "), "]\n");
  return out;
}

std::string ConstantText(const Executable& executable, uint32_t index) {
  const Constant& constant = executable.constants()[index];
  switch (constant.kind) {
    case ConstantKind::kNone: return "none";
    case ConstantKind::kInt: return StrCat("int ", *constant.value.TryCast<int64_t>());
    case ConstantKind::kFloat: return FloatConstantText(*constant.value.TryCast<double>());
    case ConstantKind::kBool: return StrCat("bool ", *constant.value.TryCast<bool>());
    case ConstantKind::kString:
      return StrCat("string ", JsonQuote(*constant.value.TryCast<std::string_view>()));
    case ConstantKind::kDType: return StrCat("dtype ", constant.value.TryCast<DType>()->ToString());
    case ConstantKind::kShape: return StrCat("shape ", constant.value.TryCast<Shape>()->ToString());
    case ConstantKind::kTensor: return TensorText(*constant.value.TryCast<Tensor>());
    case ConstantKind::kSplat: {
      const Tensor& element = *constant.value.TryCast<Tensor>();
      std::string out =
          StrCat("splat ", element.dtype().ToString(), FormatDims(constant.dims), " hex ");
      if (!PrintsAsNumbers(element))
        AppendHex(element.bytes(), &out);
      else
        out.replace(out.size() - 4, 4, TensorElementText(element, 0));
      return out;
    }
    case ConstantKind::kTuple: break;
  }
  std::string out = "tuple (";
  for (size_t i = 0; i < constant.elements.size(); ++i)
    StrAppend(&out, i == 0 ? "" : ", ", "c[", constant.elements[i], "]");
  return out + ")";
}

std::string Disassemble(const Executable& executable) {
  std::string out;
  for (const auto& [key, value] : executable.metadata()) {
    StrAppend(&out, ".meta ", JsonQuote(key), " = ", JsonQuote(value), "\n");
  }
  for (uint32_t i = 0; i < executable.constants().size(); ++i) {
    StrAppend(&out, ".const c[", i, "] = ", ConstantText(executable, i), "\n");
  }
  if (!PrimitivesInOrder(executable)) {
    for (const std::string& name : executable.primitives()) {
      StrAppend(&out, ".primitive ", InstructionPrinter::PrimitiveText(name), "\n");
    }
  }
  for (const KernelInfo& kernel : executable.kernels()) {
    StrAppend(&out, ".kernel ", JsonQuote(kernel.name), " ", JsonQuote(kernel.format), " hex ");
    AppendHex(AsBytes(kernel.bytes), &out);
    out.push_back('\n');
  }
  for (const FunctionInfo& function : executable.functions()) {
    if (!out.empty()) out.push_back('\n');
    DisassembleFunction(executable, function, &out);
  }
  return out;
}

}  // namespace tern::vm
