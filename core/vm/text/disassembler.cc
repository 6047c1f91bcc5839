// SPDX-License-Identifier: Apache-2.0
// Executables as text. Everything that Assemble reads must be complete here: numbers that decimal
// text would change are written as bits or bytes. instruction_printer.cc has the instructions.
#include "core/vm/text/disassembler.h"

#include <algorithm>
#include <unordered_set>

#include "core/base/json.h"
#include "core/base/strings.h"
#include "core/base/utf8.h"
#include "core/object/graph/print.h"
#include "core/vm/text/instruction_printer.h"

namespace tern::vm {
namespace {

// Longer tensors are shorter as hex, and are read by programs only.
constexpr int64_t kMaxDecimalElements = 256;

void AppendHex(ByteSpan bytes, std::string* out) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (uint8_t byte : bytes) {
    out->push_back(kDigits[byte >> 4]);
    out->push_back(kDigits[byte & 15]);
  }
}

// Whether decimal text gives the same bits when it is read again.
bool PrintsAsNumbers(const Tensor& tensor) {
  const DType dtype = tensor.dtype();
  if (dtype.lanes != 1 || tensor.element_count() > kMaxDecimalElements) return false;
  if (dtype.is_float()) {
    if (dtype.bits != 32 && dtype.bits != 64) return false;
    // NaNs have payloads that no decimal text keeps. (Infinities and -0 read back as they are.)
    for (int64_t i = 0; i < tensor.element_count(); ++i) {
      if (TensorElement(tensor, i) != TensorElement(tensor, i)) return false;
    }
    return true;
  }
  if (dtype.is_bool()) {
    // A byte other than 0 and 1 must not be lost, so it is written as hex.
    const auto* bytes = static_cast<const uint8_t*>(tensor.data());
    return std::all_of(bytes, bytes + tensor.element_count(), [](uint8_t b) { return b <= 1; });
  }
  return dtype.is_int() && dtype.bits >= 8;
}

// Type, then elements: as strings, bytes or numbers.
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

// As with tensors: a NaN is written as its bits.
std::string FloatConstantText(double value) {
  if (value == value) return StrCat("float ", FormatDouble(value));
  uint64_t bits;
  __builtin_memcpy(&bits, &value, sizeof(bits));
  return StrCat("float bits ", FormatHex(bits));
}

// Labels stand where something jumps to, named by the instruction's number.
void DisassembleFunction(const Executable& executable, const FunctionInfo& function, TextForm form,
                         std::string* out) {
  StrAppend(out, ".func @", QuoteName(function.name), function.signature.ToText(), "\n");
  for (const auto& [index, name] : function.register_names)
    StrAppend(out, "  .name %", index, " ", QuoteName(name), "\n");
  // Ascending, so one iterator follows the instructions.
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
    StrAppend(out, "  ", PrintInstruction(executable, index, {.form = form, .labels = true}), "\n");
  }
}

// For Stats: shapes of tensors, texts of other constants.
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

std::string InstructionText(const Executable& executable, uint32_t instruction, TextForm form) {
  return PrintInstruction(executable, instruction, {.form = form});
}

// For reading: without constants and signatures, which Disassemble has.
std::string AsText(const Executable& executable, const ListingOptions& options) {
  std::string out;
  for (const FunctionInfo& function : executable.functions()) {
    StrAppend(&out, out.empty() ? "" : "\n", "@", QuoteName(function.name), ":\n");
    for (uint32_t pc = 0; pc < function.instruction_count; ++pc) {
      const uint32_t index = function.first_instruction + pc;
      std::string line = "  ";
      // Four columns hold the numbers of most functions.
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

// The wording is fixed: tools that read it exist.
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
      // Hex first; a number replaces the word.
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

namespace {

// Control characters other than line break and tab would be escapes in every line.
bool IsPrintable(std::string_view bytes) {
  return IsValidUtf8(bytes) && std::all_of(bytes.begin(), bytes.end(), [](char c) {
           const auto byte = static_cast<unsigned char>(c);
           return byte >= ' ' || c == '\n' || c == '\t';
         });
}

// Writes the bytes of a kernel: as text in quotes where it can be read (a loop program), else as
// hex.
void AppendKernelBytes(std::string_view bytes, std::string* out) {
  if (IsPrintable(bytes)) {
    StrAppend(out, " text ", JsonQuote(bytes));
    return;
  }
  StrAppend(out, " hex ");
  AppendHex(AsBytes(bytes), out);
}

}  // namespace

std::string Disassemble(const Executable& executable, TextForm form) {
  // The order is that in which the builder must see things: metadata and constants, primitives,
  // kernels, functions.
  std::string out;
  for (const auto& [key, value] : executable.metadata()) {
    StrAppend(&out, ".meta ", JsonQuote(key), " = ", JsonQuote(value), "\n");
  }
  for (uint32_t i = 0; i < executable.constants().size(); ++i) {
    StrAppend(&out, ".const c[", i, "] = ", ConstantText(executable, i), "\n");
  }
  // Only if the order of first use would give another table.
  if (!PrimitivesInOrder(executable)) {
    for (const std::string& name : executable.primitives()) {
      StrAppend(&out, ".primitive ", PrimitiveText(name), "\n");
    }
  }
  for (const KernelInfo& kernel : executable.kernels()) {
    StrAppend(&out, ".kernel ", JsonQuote(kernel.name), " ", JsonQuote(kernel.format));
    AppendKernelBytes(kernel.bytes, &out);
    out.push_back('\n');
  }
  for (const FunctionInfo& function : executable.functions()) {
    if (!out.empty()) out.push_back('\n');
    DisassembleFunction(executable, function, form, &out);
  }
  return out;
}

}  // namespace tern::vm
