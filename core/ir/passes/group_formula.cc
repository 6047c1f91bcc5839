// SPDX-License-Identifier: Apache-2.0
#include "core/ir/passes/group_formula.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "core/base/half.h"
#include "core/base/strings.h"
#include "core/ir/splat.h"

namespace tern::ir {

namespace {

struct FormulaRow {
  ops::Op op;
  char types;
  std::string_view text, fold, result;
};

constexpr FormulaRow kFormulaRows[] = {
#define TERN_GROUP_FORMULA(op, types, formula) {ops::Op::k_##op, #types[0], formula, "", ""},
#define TERN_GROUP_REDUCTION(op, types, fold, element, result) \
  {ops::Op::k_##op, #types[0], element, fold, result},
#include "core/ir/passes/group_formulas.def"
};

struct Macro {
  std::string_view name, text;
};
constexpr Macro kMacros[] = {
#define TERN_GROUP_MACRO(name, formula) {#name, formula},
#include "core/ir/passes/group_formulas.def"
};

bool Fits(char types, DType type) {
  switch (types) {
    case 'F': return type.is_float();
    case 'H': return type.is_float() && type.bits <= 32;
    case 'S': return type.is_float() || type.is_signed_int();
    case 'N': return type.is_float() || type.is_int();
    case 'D':
    case 'I': return type.is_int();
    case 'U': return type.is_int() && !type.is_signed_int();
    case 'B': return type.is_bool();
    default: return true;
  }
}

// The one element that a constant repeats, or null.
TensorPtr OnlyElement(const Expr& atom) {
  const Tensor* tensor = ConstantTensor(atom);
  if (tensor == nullptr || tensor->element_count() == 0) return nullptr;
  if (TensorPtr element = SplatElement(*tensor)) return element;
  if (tensor->element_count() == 1) return tensor->View({}, {}, 0).value();
  double value = 0;  // of a filled one: the first
  return UniformValue(*tensor, &value) ? tensor->View({}, {}, 0).value() : nullptr;
}

template <class T>
T Read(const Tensor& element) {
  T value;
  std::memcpy(&value, element.data(), sizeof(T));
  return value;
}

std::optional<double> FloatOf(const Tensor& element) {
  const DType type = element.dtype();
  if (type == kF64) return Read<double>(element);
  if (type == kF32) return static_cast<double>(Read<float>(element));
  if (type == kF16) return static_cast<double>(F16ToF32(Read<uint16_t>(element)));
  if (type == kBf16) return static_cast<double>(Bf16ToF32(Read<uint16_t>(element)));
  return std::nullopt;
}

std::string IntegerText(const Tensor& element) {
  const bool is_signed = element.dtype().is_signed_int();
  switch (element.dtype().bits) {
    case 8:
      return is_signed ? StrCat(int{Read<int8_t>(element)}) : StrCat(int{Read<uint8_t>(element)});
    case 16:
      return is_signed ? StrCat(int{Read<int16_t>(element)}) : StrCat(int{Read<uint16_t>(element)});
    case 32: return is_signed ? StrCat(Read<int32_t>(element)) : StrCat(Read<uint32_t>(element));
    case 64: return is_signed ? StrCat(Read<int64_t>(element)) : StrCat(Read<uint64_t>(element));
    default: return "";
  }
}

// A literal with a point is float32 where nothing beside it says otherwise.
std::string FloatText(double value, DType type) {
  if (std::isnan(value)) return StrCat(LoopTypeName(type), "(nan)");
  if (std::isinf(value)) return StrCat(LoopTypeName(type), value > 0 ? "(inf)" : "(-inf)");
  std::string text;
  if (type == kF32) {
    // Read as a double first, so the short text must not be rounded twice.
    text = FormatFloat(static_cast<float>(value));
    if (static_cast<double>(static_cast<float>(ParseDouble(text).value_or(0))) != value)
      text = FormatDouble(value);
  } else {
    text = FormatDouble(value);
  }
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return type == kF32 ? text : StrCat(LoopTypeName(type), "(", text, ")");
}

// x to a constant power is done without a power where that is as exact.
std::string_view PowerFormula(const Call& call, DType type) {
  const TensorPtr element = call.args().size() == 2 ? OnlyElement(call.args()[1]) : nullptr;
  if (!element) return "";
  std::optional<double> exponent = FloatOf(*element);
  if (!exponent.has_value() && element->dtype().is_int())
    exponent = ParseDouble(IntegerText(*element));
  // Integers to the power of a float go through float64.
  if (!exponent.has_value() || (!type.is_float() && element->dtype() != type)) return "";
  if (*exponent == 2) return "$a * $a";
  if (*exponent == 3) return "$a * $a * $a";
  if (!type.is_float()) return "";
  if (*exponent == -1) return "1 / $a";
  return *exponent == 0.5 ? "select($a == $t(-inf), $t(inf), sqrt($a))" : "";
}

std::string_view ClipFormula(const Call& call) {
  if (call.arg(1) == nullptr) return call.arg(2) == nullptr ? "$a" : "select($a > $c, $c, $a)";
  if (call.arg(2) == nullptr) return "select($a < $b, $b, $a)";
  return "select($a < $b, $b, select($a > $c, $c, $a))";
}

std::string_view InfinityFormula(const Call& call) {
  const bool negative = call.attrs().GetInt("negative", 1) != 0;
  const bool positive = call.attrs().GetInt("positive", 1) != 0;
  if (negative && positive) return "abs($a) == $t(inf)";
  return negative ? "$a == $t(-inf)" : positive ? "$a == $t(inf)" : "";
}

// Division by what may be zero is refused by operators when they run.
bool DividesByNumbers(const Call& call) {
  const TensorPtr divisor = call.args().size() == 2 ? OnlyElement(call.args()[1]) : nullptr;
  return divisor && IntegerText(*divisor) != "0";
}

// Of the operand that says what is computed: the first, or what a condition chooses from.
const types::TensorType* DataType(const Call& call) {
  const size_t index = call.Is(ops::Op::k_where) ? 1 : 0;
  return index < call.args().size() ? TensorTypeOf(call.args()[index]) : nullptr;
}

GroupFormula MakeFormula(const Call& call, bool reduction) {
  const types::TensorType* data = DataType(call);
  if (data == nullptr || LoopTypeName(data->dtype).empty()) return {};
  const DType type = data->dtype;
  GroupFormula made;
  made.type = type.is_float() && type.bits == 16 ? kF32 : type;
  switch (call.op().op) {
    case ops::Op::k_cast: {
      const Result<DType> to = DType::Parse(call.attrs().GetString("to", ""));
      if (!reduction && to.ok() && !LoopTypeName(*to).empty()) made.text = "$a";
      return made;
    }
    case ops::Op::k_pow: made.text = reduction ? "" : PowerFormula(call, type); return made;
    case ops::Op::k_clip:
      made.text = !reduction && Fits('N', type) ? ClipFormula(call) : "";
      return made;
    case ops::Op::k_is_inf:
      made.text = !reduction && Fits('F', type) ? InfinityFormula(call) : "";
      return made;
    default: break;
  }
  for (const FormulaRow& row : kFormulaRows) {
    if (row.op != call.op().op || row.fold.empty() == reduction || !Fits(row.types, type)) continue;
    if (row.types == 'D' && !DividesByNumbers(call)) continue;
    made.text = row.text;
    made.fold = row.fold;
    made.result = row.result;
    break;
  }
  return made;
}

}  // namespace

GroupFormula ElementFormula(const Call& call) { return MakeFormula(call, false); }

GroupFormula ReductionFormula(const Call& call) {
  if (call.args().size() != 1) return {};
  return MakeFormula(call, true);
}

std::string_view MacroFormula(std::string_view name) {
  for (const Macro& macro : kMacros) {
    if (macro.name == name) return macro.text;
  }
  return "";
}

int OperandReads(std::string_view formula, size_t index) {
  const char letter = static_cast<char>('a' + index);
  int reads = 0;
  for (size_t i = 0; i + 1 < formula.size(); ++i) {
    if (formula[i] == '$' && formula[i + 1] == letter) ++reads;
    if (formula[i] != '#' || index != 0) continue;
    const size_t open = formula.find('(', i);
    const std::string_view macro = MacroFormula(formula.substr(i + 1, open - i - 1));
    // Macros stand at most once in a formula, of one operand, and read their own so often.
    reads += OperandReads(macro, 0) - 1;
  }
  return reads;
}

std::string LoopTypeName(DType dtype) {
  if (dtype.lanes != 1 || (dtype.bits & (dtype.bits - 1)) != 0 || dtype.bits < 8) return "";
  if (dtype.is_bool()) return dtype.bits == 8 ? "bool" : "";
  if (dtype == kBf16) return "bfloat16";
  if (dtype.bits > 64) return "";
  if (dtype.is_int()) return StrCat(dtype.is_signed_int() ? "int" : "uint", int{dtype.bits});
  return dtype.is_float() && dtype.bits >= 16 ? StrCat("float", int{dtype.bits}) : "";
}

std::string LiteralText(float value, DType type) {
  return FloatText(static_cast<double>(value), type);
}

std::string LiteralText(const Expr& atom, bool wide) {
  const TensorPtr element = OnlyElement(atom);
  if (!element) return "";
  const DType type = element->dtype();
  if (type.is_bool()) return Read<uint8_t>(*element) != 0 ? "true" : "false";
  if (const std::optional<double> value = FloatOf(*element))
    return FloatText(*value, wide && type.bits == 16 ? kF32 : type);
  const std::string text = type.is_int() ? IntegerText(*element) : "";
  return text.empty() ? "" : StrCat(LoopTypeName(type), "(", text, ")");
}

}  // namespace tern::ir
