// SPDX-License-Identifier: Apache-2.0
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

size_t IndexOf(const Type& variable) {
  return static_cast<size_t>(*ParseUint64(std::string_view(variable.name()).substr(1)));
}
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

// The same type with its parts mapped.
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
    default: return type;
  }
}

Mismatch Differ(const Type& expected, const Type& actual) {
  return {MismatchKind::kType, expected, actual};
}

}  // namespace

bool IsDimVariable(std::string_view symbol) { return symbol.starts_with(kDimPrefix); }

bool IsUnknownDim(const Dim& dim) {
  if (dim.is_any()) return true;
  const std::vector<std::string> symbols = SymbolsOf(dim);
  const auto unknown = [](const std::string& s) { return s[0] == '_' && !IsDimVariable(s); };
  return std::any_of(symbols.begin(), symbols.end(), unknown);
}

Type Unifier::FreshType() {
  types_.push_back({.level = level_});
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

// Solutions may mention variables that were solved later.
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

// How many nodes, at most `budget` + 1.
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

// On the way, variables inside get the level of the outer one: they live as long.
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

std::optional<Mismatch> Unifier::UnifyVariable(const Type& variable, const Type& type) {
  if (type == variable) return std::nullopt;
  // What is too large is told where it is made.
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
      if (expected.name() != actual.name()) break;
      return UnifyStored(expected.arguments(), actual.arguments());
    case TypeKind::kList:
    case TypeKind::kMap: return UnifyStored(expected.arguments(), actual.arguments());
    case TypeKind::kVariable:
      if (expected.name() != actual.name()) break;
      return std::nullopt;
    default: return std::nullopt;
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
    // What the caller passes goes where the function expects.
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
  if (!(to.dtype == from.dtype) || to.dims.size() != from.dims.size())
    return Differ(Apply(expected), Apply(actual));
  for (size_t axis = 0; axis < to.dims.size(); ++axis) {
    const Fit fit = UnifyDims(to.dims[axis], from.dims[axis]);
    if (fit == Fit::kFits) continue;
    if (fit == Fit::kCheck && needs_check != nullptr) {
      *needs_check = true;
      continue;
    }
    const MismatchKind kind = fit == Fit::kDiffers ? MismatchKind::kDim : MismatchKind::kUnchecked;
    return Mismatch{kind, Apply(expected), Apply(actual), static_cast<int>(axis)};
  }
  return std::nullopt;
}

Unifier::Fit Unifier::UnifyDims(const Dim& raw_expected, const Dim& raw_actual) {
  const Dim expected = Apply(raw_expected), actual = Apply(raw_actual);
  if (expected.is_any() || expected == actual) return Fit::kFits;
  for (const auto& [one, other] : {std::pair(expected, actual), std::pair(actual, expected)}) {
    if (!one.is_symbol() || !HasVariable(one)) continue;
    if (stored_ > 0 && IsUnknownDim(other)) return Fit::kUnchecked;
    const std::vector<std::string> inside = SymbolsOf(other);
    if (std::find(inside.begin(), inside.end(), one.ToText()) != inside.end()) return Fit::kDiffers;
    dims_[IndexOf(one.ToText())] = other;
    return Fit::kFits;
  }
  if (actual.is_any() || IsUnknownDim(expected) || IsUnknownDim(actual)) return Fit::kCheck;
  bool impossible = false;
  if (Solve(expected - actual, &impossible)) return Fit::kFits;
  // An equation in several unknowns: the run compares.
  const bool open = HasVariable(expected) || HasVariable(actual);
  return open && !impossible ? Fit::kCheck : Fit::kDiffers;
}

// difference = 0 for one variable that occurs in it linearly: c * v + rest = 0.
bool Unifier::Solve(const Dim& difference, bool* impossible) {
  for (const std::string& symbol : SymbolsOf(difference)) {
    if (!IsDimVariable(symbol)) continue;
    const Dim rest = SubstituteOne(difference, symbol, Dim(0));
    const Dim once = SubstituteOne(difference, symbol, Dim(1));
    Dim slope = once - rest;
    if (!slope.is_constant() || slope.constant() == 0) continue;
    if (!(SubstituteOne(difference, symbol, Dim(2)) - once == slope)) continue;
    Dim sum = Dim(0) - rest;  // = slope * v
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
