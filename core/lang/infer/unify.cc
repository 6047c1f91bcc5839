// SPDX-License-Identifier: Apache-2.0
// Unification after J. A. Robinson (1965), with the occurs check, over types whose dimensions are
// arithmetic over symbols (types::Dim). Variables are numbers in names, so a type needs no pointer
// to its Unifier. Chains of solutions are followed and not compressed.
#include "core/lang/infer/unify.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/base/strings.h"

namespace tern::lang {

using types::Dim;
using types::Type;
using types::TypeKind;

namespace {

constexpr std::string_view kDimPrefix = "_v";

// The number in "$12".
size_t IndexOf(const Type& variable) {
  return static_cast<size_t>(*ParseUint64(std::string_view(variable.name()).substr(1)));
}
// The number in "_v12" or "_v12_n".
size_t IndexOf(std::string_view symbol) {
  const std::string_view number = symbol.substr(kDimPrefix.size());
  return static_cast<size_t>(*ParseUint64(number.substr(0, number.find('_'))));
}

std::vector<std::string> SymbolsOf(const Dim& dim) {
  std::vector<std::string> symbols;
  dim.CollectSymbols(&symbols);
  return symbols;
}

bool HasVariable(const Dim& dim) {
  const std::vector<std::string> symbols = SymbolsOf(dim);
  return std::any_of(symbols.begin(), symbols.end(), IsDimVariable);
}

Dim SubstituteOne(const Dim& dim, const std::string& symbol, const Dim& value) {
  const Dim::Binding binding[] = {{symbol, value}};
  return dim.Substitute(binding);
}

// Rebuilds a type with its parts mapped. Resolve, Apply and Widen differ only in what they do to a
// part.
template <class TypeMap, class DimMap>
Type MapParts(const Type& type, const TypeMap& map, const DimMap& map_dim) {
  const auto all = [&](std::span<const Type> list) {
    std::vector<Type> mapped;
    mapped.reserve(list.size());
    for (const Type& part : list) mapped.push_back(map(part));
    return mapped;
  };
  switch (type.kind()) {
    case TypeKind::kTensor: {
      types::TensorType tensor = type.tensor();
      for (Dim& dim : tensor.dims) dim = map_dim(dim);
      return Type::Tensor(std::move(tensor));
    }
    case TypeKind::kTuple:
      return type.elements().empty() ? type : Type::Tuple(all(type.elements()));
    case TypeKind::kFunction: return Type::Function(all(type.parameters()), map(type.result()));
    case TypeKind::kList: return Type::List(map(type.arguments()[0]));
    case TypeKind::kMap: return Type::Map(map(type.arguments()[0]), map(type.arguments()[1]));
    case TypeKind::kData:
      return type.arguments().empty() ? type : Type::Data(type.name(), all(type.arguments()));
    case TypeKind::kUnknown:
    case TypeKind::kNone:
    case TypeKind::kInt:
    case TypeKind::kFloat:
    case TypeKind::kBool:
    case TypeKind::kString:
    case TypeKind::kVariable: break;
  }
  return type;
}

Mismatch Differ(const Type& expected, const Type& actual) {
  return {MismatchKind::kType, expected, actual};
}

}  // namespace

bool IsDimVariable(std::string_view symbol) { return symbol.starts_with(kDimPrefix); }

// A symbol "_12": a name that UnknownDim made. Symbols of programs never begin with '_'.
bool IsUnknownDim(const Dim& dim) {
  if (dim.is_any()) return true;
  const std::vector<std::string> symbols = SymbolsOf(dim);
  const auto unknown = [](const std::string& s) { return s[0] == '_' && !IsDimVariable(s); };
  return std::any_of(symbols.begin(), symbols.end(), unknown);
}

Type Unifier::FreshType() {
  types_.push_back({.level = level_});
  // The variable lives at the current level, so Generalize can tell it from those of functions
  // around.
  return Type::Variable(StrCat("$", types_.size() - 1));
}

Dim Unifier::FreshDim(std::string_view name) {
  dims_.emplace_back();
  return Dim::Symbol(StrCat(kDimPrefix, dims_.size() - 1, name.empty() ? "" : "_", name));
}

Dim Unifier::UnknownDim() { return Dim::Symbol(StrCat("_", ++unknown_dims_)); }

bool Unifier::IsVariable(const Type& type) {
  return type.kind() == TypeKind::kVariable && type.name()[0] == '$';
}

int Unifier::LevelOf(const Type& variable) const { return types_[IndexOf(variable)].level; }

Type Unifier::Resolve(Type type) const {
  while (IsVariable(type)) {
    const Variable& variable = types_[IndexOf(type)];
    if (!variable.solved) break;
    type = variable.solution;
  }
  return type;
}

Type Unifier::Apply(const Type& type) const {
  return MapParts(
      Resolve(type), [this](const Type& part) { return Apply(part); },
      [this](const Dim& dim) { return Apply(dim); });
}

// Substitutes until nothing changes, because a solution may mention variables that were solved
// after it.
Dim Unifier::Apply(const Dim& dim) const {
  Dim result = dim;
  for (bool again = true; again;) {
    again = false;
    for (const std::string& symbol : SymbolsOf(result)) {
      if (!IsDimVariable(symbol) || !dims_[IndexOf(symbol)].has_value()) continue;
      result = SubstituteOne(result, symbol, *dims_[IndexOf(symbol)]);
      again = true;
    }
  }
  return result;
}

// Unknown extents lose their names: where a type is shared by several values, they need not be
// equal.
Type Unifier::Widen(const Type& type) {
  return MapParts(
      type, [](const Type& part) { return Widen(part); },
      [](const Dim& dim) { return IsUnknownDim(dim) ? Dim::Any() : dim; });
}

Type Unifier::Instantiate(const Type& type, const std::vector<std::string>& variables,
                          const std::vector<std::string>& symbols) {
  std::vector<Type::Binding> type_bindings;
  for (const std::string& name : variables) type_bindings.emplace_back(name, FreshType());
  std::vector<Dim::Binding> dim_bindings;
  for (const std::string& name : symbols) dim_bindings.emplace_back(name, FreshDim(name));
  return type.SubstituteVariables(type_bindings).Substitute(dim_bindings);
}

// The number of nodes, at most `budget` + 1: a type may be exponentially large, so counting stops
// early.
int Unifier::Count(const Type& raw, int budget) const {
  const Type type = Resolve(raw);
  int count = 1;
  const auto add = [&](std::span<const Type> parts) {
    for (const Type& part : parts) {
      if (count <= budget) count += Count(part, budget - count);
    }
  };
  if (type.is_tuple()) add(type.elements());
  if (type.is_function()) add(type.parameters());
  if (type.is_function() && count <= budget) count += Count(type.result(), budget - count);
  const TypeKind kind = type.kind();
  if (kind == TypeKind::kList || kind == TypeKind::kMap || kind == TypeKind::kData)
    add(type.arguments());
  return count;
}

bool Unifier::IsTooLarge(const Type& type) const { return Count(type, kMaxSize) > kMaxSize; }

// The occurs check, which also lowers levels: variables inside `raw` will be reachable from
// `variable`, so they live as long and must not be generalized earlier.
bool Unifier::Occurs(const Type& variable, const Type& raw) {
  const Type type = Resolve(raw);
  if (IsVariable(type)) {
    if (type == variable) return true;
    Variable& inner = types_[IndexOf(type)];
    inner.level = std::min(inner.level, types_[IndexOf(variable)].level);
    return false;
  }
  const auto any = [&](std::span<const Type> parts) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](const Type& part) { return Occurs(variable, part); });
  };
  const TypeKind kind = type.kind();
  if (type.is_tuple()) return any(type.elements());
  if (type.is_function()) return any(type.parameters()) || Occurs(variable, type.result());
  if (kind == TypeKind::kList || kind == TypeKind::kMap || kind == TypeKind::kData)
    return any(type.arguments());
  return false;
}

void Unifier::Bind(const Type& variable, Type type) {
  Variable& entry = types_[IndexOf(variable)];
  TERN_CHECK(!entry.solved, "a variable is solved once");
  entry.solution = std::move(type);
  entry.solved = true;
}

// Solves a variable by a type. Unknown extents in it are widened, because the variable may stand
// for several values.
std::optional<Mismatch> Unifier::UnifyVariable(const Type& variable, const Type& type) {
  if (type == variable) return std::nullopt;
  // Infer reports a type that is too large where it is made; here it only must not spread.
  if (IsTooLarge(type)) {
    Bind(variable, Type());
    return std::nullopt;
  }
  if (Occurs(variable, type)) return Mismatch{MismatchKind::kInfinite, variable, type};
  Bind(variable, Widen(Apply(type)));
  return std::nullopt;
}

std::optional<Mismatch> Unifier::Unify(const Type& raw_expected, const Type& raw_actual,
                                       bool* needs_check) {
  // After an error a type is unknown and fits everything.
  const Type expected = Resolve(raw_expected), actual = Resolve(raw_actual);
  if (!expected.known() || !actual.known()) return std::nullopt;
  if (IsVariable(expected)) return UnifyVariable(expected, actual);
  if (IsVariable(actual)) return UnifyVariable(actual, expected);
  if (expected.kind() != actual.kind()) return Differ(expected, actual);
  switch (expected.kind()) {
    case TypeKind::kTensor: return UnifyTensors(expected, actual, needs_check);
    case TypeKind::kTuple:
      if (expected.elements().size() != actual.elements().size()) break;
      return UnifyLists(expected.elements(), actual.elements());
    case TypeKind::kFunction:
      if (expected.parameters().size() != actual.parameters().size()) break;
      return UnifyFunctions(expected, actual);
    case TypeKind::kData:
      // What containers hold must fit as it is, because nothing compares items at run time.
      if (expected.name() != actual.name()) break;
      return UnifyStored(expected.arguments(), actual.arguments());
    case TypeKind::kList:
    case TypeKind::kMap: return UnifyStored(expected.arguments(), actual.arguments());
    // Rigid variables are equal by name only.
    case TypeKind::kVariable:
      if (expected.name() != actual.name()) break;
      return std::nullopt;
    case TypeKind::kUnknown:
    case TypeKind::kNone:
    case TypeKind::kInt:
    case TypeKind::kFloat:
    case TypeKind::kBool:
    case TypeKind::kString: return std::nullopt;
  }
  return Differ(expected, actual);
}

std::optional<Mismatch> Unifier::UnifyLists(std::span<const Type> expected,
                                            std::span<const Type> actual) {
  for (size_t i = 0; i < expected.size() && i < actual.size(); ++i) {
    if (std::optional<Mismatch> mismatch = Unify(expected[i], actual[i], nullptr)) return mismatch;
  }
  return std::nullopt;
}

std::optional<Mismatch> Unifier::UnifyStored(std::span<const Type> expected,
                                             std::span<const Type> actual) {
  EnterStored();
  std::optional<Mismatch> mismatch = UnifyLists(expected, actual);
  LeaveStored();
  return mismatch;
}

std::optional<Mismatch> Unifier::UnifyFunctions(const Type& expected, const Type& actual) {
  for (size_t i = 0; i < expected.parameters().size(); ++i) {
    // Parameters are contravariant: a caller passes what `expected` says to what `actual` takes.
    // The message still means the function as a whole, so the parts are swapped back.
    std::optional<Mismatch> mismatch =
        Unify(actual.parameters()[i], expected.parameters()[i], nullptr);
    if (!mismatch.has_value()) continue;
    std::swap(mismatch->expected, mismatch->actual);
    return mismatch;
  }
  return Unify(expected.result(), actual.result(), nullptr);
}

std::optional<Mismatch> Unifier::UnifyTensors(const Type& expected, const Type& actual,
                                              bool* needs_check) {
  const types::TensorType& to = expected.tensor();
  const types::TensorType& from = actual.tensor();
  // The element type and the rank have no run-time check.
  if (!(to.dtype == from.dtype) || to.dims.size() != from.dims.size())
    return Differ(Apply(expected), Apply(actual));
  for (size_t axis = 0; axis < to.dims.size(); ++axis) {
    const Fit fit = UnifyDims(to.dims[axis], from.dims[axis]);
    if (fit == Fit::kFits) continue;
    // Only a tensor that is itself the value can be compared by the run; inside other types
    // needs_check is null.
    if (fit == Fit::kCheck && needs_check != nullptr) {
      *needs_check = true;
      continue;
    }
    const MismatchKind kind = fit == Fit::kDiffers ? MismatchKind::kDim : MismatchKind::kUnchecked;
    return Mismatch{kind, Apply(expected), Apply(actual), static_cast<int>(axis)};
  }
  return std::nullopt;
}

// Whether extent `actual` goes where `expected` is wanted; may solve a variable. In order: equal, a
// variable alone, known only to the run, an equation that can be solved.
Unifier::Fit Unifier::UnifyDims(const Dim& raw_expected, const Dim& raw_actual) {
  const Dim expected = Apply(raw_expected), actual = Apply(raw_actual);
  if (expected.is_any() || expected == actual) return Fit::kFits;
  for (const auto& [one, other] : {std::pair(expected, actual), std::pair(actual, expected)}) {
    if (!one.is_symbol() || !HasVariable(one)) continue;
    // See EnterStored: the extent of one item must not become that of all.
    if (stored_ > 0 && IsUnknownDim(other)) return Fit::kUnchecked;
    // A variable inside its own solution, v = v + 1, has none.
    const std::vector<std::string> inside = SymbolsOf(other);
    if (std::find(inside.begin(), inside.end(), one.ToText()) != inside.end()) return Fit::kDiffers;
    dims_[IndexOf(one.ToText())] = other;
    return Fit::kFits;
  }
  if (actual.is_any() || IsUnknownDim(expected) || IsUnknownDim(actual)) return Fit::kCheck;
  bool impossible = false;
  if (Solve(expected - actual, &impossible)) return Fit::kFits;
  // An equation in several unknowns may hold: the run compares. One without unknowns was unequal
  // above.
  const bool open = HasVariable(expected) || HasVariable(actual);
  return open && !impossible ? Fit::kCheck : Fit::kDiffers;
}

// Solves difference = 0 for one variable that occurs linearly in it: c * v + rest = 0. Linearity is
// tested at 0, 1 and 2, because Dim has no derivative; v = -rest / c must be exact and not
// negative. `impossible` means that no value of v solves it.
bool Unifier::Solve(const Dim& difference, bool* impossible) {
  for (const std::string& symbol : SymbolsOf(difference)) {
    if (!IsDimVariable(symbol)) continue;
    const Dim rest = SubstituteOne(difference, symbol, Dim(0));
    const Dim once = SubstituteOne(difference, symbol, Dim(1));
    Dim slope = once - rest;
    if (!slope.is_constant() || slope.constant() == 0) continue;
    if (!(SubstituteOne(difference, symbol, Dim(2)) - once == slope)) continue;
    Dim sum = Dim(0) - rest;  // = slope * v
    // A positive divisor, because FloorDiv rounds down.
    if (slope.constant() < 0) {
      slope = Dim(0) - slope;
      sum = rest;
    }
    const Dim solution = FloorDiv(sum, slope);
    const bool exact = solution * slope == sum;
    if (exact && !(solution.is_constant() && solution.constant() < 0)) {
      dims_[IndexOf(symbol)] = solution;
      return true;
    }
    if (rest.is_constant()) *impossible = true;
  }
  return false;
}

}  // namespace tern::lang
