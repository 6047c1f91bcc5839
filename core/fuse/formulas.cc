// SPDX-License-Identifier: Apache-2.0
#include "core/fuse/formulas.h"

#include <string_view>

#include "core/fuse/literal.h"

namespace tern::fuse {
namespace {

using ir::Call;

// --- conditions of TERN_FUSE_FORMULA_IF

bool Always(const Call&) { return true; }

bool DividesByNumber(const Call& call) {
  const std::optional<double> divisor =
      call.args().size() == 2 ? NumberOf(call.args()[1]) : std::nullopt;
  return divisor.has_value() && *divisor != 0;
}

bool CastsToLoopType(const Call& call) {
  const Result<DType> to = DType::Parse(call.attrs().GetString("to", ""));
  return to.ok() && IsLoopType(*to);
}

bool TakesNegative(const Call& call) { return call.attrs().GetInt("negative", 1) != 0; }
bool TakesPositive(const Call& call) { return call.attrs().GetInt("positive", 1) != 0; }
bool TakesEitherSign(const Call& call) { return TakesNegative(call) && TakesPositive(call); }

bool HasLeast(const Call& call) { return call.arg(1) != nullptr; }
bool HasMost(const Call& call) { return call.arg(2) != nullptr; }
bool HasBothLimits(const Call& call) { return HasLeast(call) && HasMost(call); }

// x to a constant power is done without a power where that is as exact.
bool HasExponent(const Call& call, double wanted) {
  if (call.args().size() != 2) return false;
  const types::TensorType *data = ir::TensorTypeOf(call.args()[0]),
                          *exponent = ir::TensorTypeOf(call.args()[1]);
  // Integers to the power of a float go through float64.
  const bool fits = data != nullptr && exponent != nullptr &&
                    (data->dtype.is_float() || exponent->dtype == data->dtype);
  return fits && NumberOf(call.args()[1]) == wanted;
}
bool IsSquare(const Call& call) { return HasExponent(call, 2); }
bool IsCube(const Call& call) { return HasExponent(call, 3); }
bool IsInverse(const Call& call) { return HasExponent(call, -1); }
bool IsRoot(const Call& call) { return HasExponent(call, 0.5); }

// --- the table

struct Row {
  ops::Op op;
  char types;
  bool (*condition)(const Call& call);
  const char* element;
  std::optional<loop::BinaryOp> fold;
  const char* result;
};

constexpr Row kRows[] = {
#define TERN_FUSE_FORMULA(op, types, formula) \
  {ops::Op::k_##op, #types[0], &Always, formula, std::nullopt, ""},
#define TERN_FUSE_FORMULA_IF(op, types, Condition, formula) \
  {ops::Op::k_##op, #types[0], &Condition, formula, std::nullopt, ""},
#define TERN_FUSE_REDUCTION(op, types, Fold, element, result) \
  {ops::Op::k_##op, #types[0], &Always, element, loop::BinaryOp::k##Fold, result},
#include "core/fuse/formulas.def"
};

bool Fits(char types, DType type) {
  switch (types) {
    case 'F': return type.is_float();
    case 'H': return type.is_float() && type.bits <= 32;
    case 'S': return type.is_float() || type.is_signed_int();
    case 'N': return type.is_float() || type.is_int();
    case 'I': return type.is_int();
    case 'U': return type.is_int() && !type.is_signed_int();
    case 'B': return type.is_bool();
    default: return true;
  }
}

// 16-bit floats compute in float32.
DType Computed(DType type) { return type.is_float() && type.bits == 16 ? kF32 : type; }

// Of the operand that says what is computed: the first, or what a condition chooses from.
const types::TensorType* DataType(const Call& call) {
  const size_t index = call.Is(ops::Op::k_where) ? 1 : 0;
  return index < call.args().size() ? ir::TensorTypeOf(call.args()[index]) : nullptr;
}

}  // namespace

bool IsLoopType(DType type) { return loop::DataType::IsSupported(type); }

OperatorFormula Formulas::ElementFormula(const ir::Call& call) { return Find(call, false); }

OperatorFormula Formulas::ReductionFormula(const ir::Call& call) {
  return call.args().size() == 1 ? Find(call, true) : OperatorFormula();
}

// The first row that fits: rows of special cases stand before the general one.
OperatorFormula Formulas::Find(const ir::Call& call, bool reduction) {
  const types::TensorType* data = DataType(call);
  if (data == nullptr || !IsLoopType(data->dtype)) return {};
  const types::TensorType* first = ir::TensorTypeOf(call.args()[0]);
  for (const Row& row : kRows) {
    if (row.op != call.op().op || row.fold.has_value() != reduction ||
        !Fits(row.types, data->dtype) || !row.condition(call))
      continue;
    OperatorFormula found;
    found.type = Computed(data->dtype);
    const DType type_of_a = first == nullptr ? found.type : Computed(first->dtype);
    found.element = Parsed(row.element, type_of_a, found.type);
    found.fold = row.fold;
    if (row.result[0] != 0) found.result = Parsed(row.result, found.type, found.type);
    return found;
  }
  return {};
}

// Each text is parsed once for each pair of types; groups of a model use few. Texts are compared by
// address, since all of them are literals of the table.
const loop::Formula* Formulas::Parsed(const char* text, DType first, DType type) {
  for (const Known& known : known_) {
    if (known.text == text && known.first == first && known.type == type)
      return known.formula.get();
  }
  constexpr std::string_view kNames[kFieldCount] = {"a",    "b",     "c",        "alpha", "beta",
                                                    "bits", "count", "infinity", "ones"};
  std::vector<loop::FormulaParameter> parameters;
  for (std::string_view name : kNames) parameters.push_back({name, loop::DataType(type)});
  parameters[0].type = loop::DataType(first);
  Result<loop::Formula> parsed = loop::ParseFormula(text, parameters, loop::DataType(type));
  TERN_CHECK(parsed.ok(), "a formula of the table that does not fit its types");
  known_.push_back({text, first, type, std::make_unique<const loop::Formula>(*std::move(parsed))});
  return known_.back().formula.get();
}

}  // namespace tern::fuse
