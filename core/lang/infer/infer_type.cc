// SPDX-License-Identifier: Apache-2.0
// Turns written types into types::Type. Every function gives the unknown type after an error, which
// fits everything, so one wrong name causes one message.
#include <algorithm>

#include "core/base/strings.h"
#include "core/lang/infer/infer_state.h"
#include "core/lang/type_text.h"

namespace tern::lang {

using types::Dim;
using types::Type;

namespace {

std::vector<std::string_view> Views(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

constexpr std::string_view kScalarTypes[] = {"int", "float", "bool", "string"};

Type ScalarType(std::string_view name) {
  if (name == "int") return Type::Int();
  if (name == "float") return Type::Float();
  if (name == "bool") return Type::Bool();
  if (name == "string") return Type::String();
  return Type();
}

}  // namespace

std::string Nearest(std::string_view name, const std::vector<std::string_view>& known) {
  return std::string(DidYouMean(name, known));
}

Type Inference::ConvertType(const TypeExpr& type, TypeNames* names) {
  switch (type.kind) {
    case TypeExprKind::kError: return Type();
    case TypeExprKind::kName: return ConvertName(type, names);
    case TypeExprKind::kApplied: return ConvertApplied(type, names);
    case TypeExprKind::kTensor: return ConvertTensor(type, names);
    case TypeExprKind::kTuple: {
      std::vector<Type> elements;
      for (const TypeExprPtr& arg : type.args) elements.push_back(ConvertType(*arg, names));
      return Type::Tuple(std::move(elements));
    }
    case TypeExprKind::kFunction: {
      std::vector<Type> parameters;
      for (const TypeExprPtr& arg : type.args) parameters.push_back(ConvertType(*arg, names));
      return Type::Function(std::move(parameters), ConvertType(*type.result, names));
    }
  }
  return Type();
}

// A small name in a type: a scalar, a type variable that is declared, or one that this mention
// declares. Element types need their brackets, otherwise f32 would look like a scalar type.
Type Inference::ConvertName(const TypeExpr& type, TypeNames* names) {
  const std::string& name = type.name.text;
  const Type scalar = ScalarType(name);
  if (scalar.known()) return scalar;
  if (Contains(names->dims, name)) {
    Error("E1005", StrCat("'", name, "' is a dimension, not a type"), type.span,
          "expected a type here");
    return Type();
  }
  if (Contains(names->types, name)) return Type::Variable(name);
  if (DType::Parse(name).ok()) {
    Error("E1005", StrCat("'", name, "' needs its dimensions"), type.span, "not a whole type")
        .Help(StrCat("a single number is ", name, "[], a vector ", name, "[n]"));
    return Type();
  }
  // Names that begin with '_' belong to inference (unify.h).
  if (names->implicit && name[0] != '_') {
    names->types.push_back(name);
    return Type::Variable(name);
  }
  std::vector<std::string_view> known = Views(names->types);
  known.insert(known.end(), std::begin(kScalarTypes), std::end(kScalarTypes));
  text::Diagnostic& error =
      Error("E1005", StrCat("unknown type '", name, "'"), type.span, "not declared");
  const std::string near = Nearest(name, known);
  if (!near.empty())
    error.Help(StrCat("did you mean '", near, "'?"));
  else
    error.Help("a type variable is declared in the function's brackets or by a parameter's type");
  return Type();
}

bool Inference::CheckArity(const TypeExpr& type, size_t expected) {
  if (type.args.size() == expected) return true;
  Error("E1008",
        StrCat("type ", type.name.text, " takes ", expected, expected == 1 ? " type, " : " types, ",
               type.args.size(), " given"),
        type.span);
  return false;
}

Type Inference::ConvertApplied(const TypeExpr& type, TypeNames* names) {
  std::vector<Type> arguments;
  for (const TypeExprPtr& arg : type.args) arguments.push_back(ConvertType(*arg, names));
  const std::string& name = type.name.text;
  if (name == "List") return CheckArity(type, 1) ? Type::List(std::move(arguments[0])) : Type();
  if (name == "Map") {
    if (!CheckArity(type, 2)) return Type();
    return Type::Map(std::move(arguments[0]), std::move(arguments[1]));
  }
  const DataDecl* data = program_->FindData(name, names->from_prelude);
  if (data != nullptr) {
    if (!CheckArity(type, data->generics.size())) return Type();
    return Type::Data(name, std::move(arguments));
  }
  text::Diagnostic& error =
      Error("E1005", StrCat("unknown type '", name, "'"), type.name.span, "not declared");
  if (diagnostics_->items().size() == text::Diagnostics::kMaxKept) return Type();
  std::vector<std::string_view> known = {"List", "Map"};
  for (const DataDecl* other : program_->AllData()) known.push_back(other->name.text);
  const std::string near = Nearest(name, known);
  if (!near.empty()) error.Help(StrCat("did you mean '", near, "'?"));
  return Type();
}

Type Inference::ConvertTensor(const TypeExpr& type, TypeNames* names) {
  const Result<DType> dtype = DType::Parse(type.name.text);
  if (!dtype.ok()) {
    text::Diagnostic& error =
        Error("E1005", StrCat("'", type.name.text, "' is not an element type"), type.name.span,
              "expected f32, i64, bool, …");
    const Type scalar = ScalarType(type.name.text);
    if (scalar.known())
      error.Help(StrCat("tensors of ", type.name.text,
                        "s have a size: ", type.name.text == "int" ? "i64 or i32" : "f32 or f64"));
    return Type();
  }
  if (type.dims.size() > static_cast<size_t>(ops::kMaxDims)) {
    Error(
        "E1006",
        StrCat("a tensor of ", type.dims.size(), " axes; at most ", ops::kMaxDims, " are possible"),
        type.span);
    return Type();
  }
  types::TensorType tensor{*dtype, {}};
  for (const ExprPtr& dim : type.dims) tensor.dims.push_back(ConvertDim(*dim, names));
  return Type::Tensor(std::move(tensor));
}

// An extent: a constant, a name, ?, or arithmetic of these, which types::Dim normalizes.
Dim Inference::ConvertDim(const Expr& dim, TypeNames* names) {
  if (dim.kind == ExprKind::kError || dim.kind == ExprKind::kAnyDim) return Dim::Any();
  if (const std::optional<int64_t> value = IntLiteral(dim)) {
    if (*value < 0) Error("E1006", StrCat("an extent of ", *value), dim.span, "expected 0 or more");
    return Dim(std::max<int64_t>(*value, 0));
  }
  if (dim.kind == ExprKind::kName) return ConvertDimName(dim, names);
  if (dim.kind == ExprKind::kCall) return ConvertDimCall(dim, names);
  if (dim.kind == ExprKind::kBinary && dim.text.size() == 1) {
    // Only numbers are compared with 0: whether n - 1 is negative, the value of n tells.
    const Dim a = ConvertDim(*dim.children[0], names), b = ConvertDim(*dim.children[1], names);
    if (dim.text == "+") return a + b;
    if (dim.text == "-") return Difference(a - b, dim);
    if (dim.text == "*") return a * b;
    if (dim.text == "/" && !(b.is_constant() && b.constant() == 0)) return FloorDiv(a, b);
  }
  Error("E1006", "not a dimension", dim.span,
        "expected a number, a name, n + 1, 2 * n, n / 2 or ?");
  return Dim::Any();
}

Dim Inference::Difference(const Dim& difference, const Expr& dim) {
  if (!difference.is_constant() || difference.constant() >= 0) return difference;
  Error("E1006", StrCat("an extent of ", difference.constant()), dim.span, "expected 0 or more");
  return Dim(0);
}

Dim Inference::ConvertDimCall(const Expr& dim, TypeNames* names) {
  const std::string& name = dim.children[0]->text;
  if ((name == "max" || name == "min") && dim.children.size() == 3) {
    const Dim a = ConvertDim(*dim.children[1], names), b = ConvertDim(*dim.children[2], names);
    return name == "max" ? MaxDim(a, b) : MinDim(a, b);
  }
  Error("E1006", "not a dimension", dim.span, "only max(a, b) and min(a, b) are possible here");
  return Dim::Any();
}

// Like ConvertName: used, declared by this mention, or unknown.
Dim Inference::ConvertDimName(const Expr& dim, TypeNames* names) {
  const std::string& name = dim.text;
  if (name == "_") return Dim::Any();
  if (!names->dims_allowed) {
    Error("E1006", StrCat("a data type has no dimension '", name, "'"), dim.span,
          "expected a number or ?")
        .Help("write ? where the extent differs from value to value");
    return Dim::Any();
  }
  if (Contains(names->types, name)) {
    Error("E1006", StrCat("'", name, "' is a type, not a dimension"), dim.span);
    return Dim::Any();
  }
  if (Contains(names->dims, name)) return Dim::Symbol(name);
  const bool small = name[0] >= 'a' && name[0] <= 'z';
  if (names->implicit && small) {
    names->dims.push_back(name);
    return Dim::Symbol(name);
  }
  text::Diagnostic& error =
      Error("E1006", StrCat("unknown dimension '", name, "'"), dim.span, "not declared");
  const std::string near = Nearest(name, Views(names->dims));
  if (!near.empty())
    error.Help(StrCat("did you mean '", near, "'?"));
  else if (!small)
    error.Help("names of dimensions begin with a small letter");
  else
    error.Help(
        "a dimension is declared in the function's brackets or by a parameter's type; "
        "? stands for an extent that only the run knows");
  return Dim::Any();
}

}  // namespace tern::lang
