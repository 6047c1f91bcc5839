// SPDX-License-Identifier: Apache-2.0
#include "core/ir/infer.h"

#include "core/base/strings.h"
#include "core/ops/relations.h"

namespace tern::ir {

namespace {

Status CheckCount(const ops::OpInfo& op, size_t count) {
  const auto most = static_cast<size_t>(op.max_args);
  const auto least = static_cast<size_t>(op.min_args);
  if (count >= least && count <= most) return OkStatus();
  return InvalidArgument("takes (", op.parameters, "), ", count,
                         count == 1 ? " argument is" : " arguments are", " given");
}

// Collects what the relation asks for. Sets *unknown where an argument's type is not known, without
// an error: that was told already.
Status ReadArguments(const ops::OpInfo& op, std::span<const Expr> args,
                     std::vector<ops::ArgInfo>* infos, bool* unknown) {
  for (size_t i = 0; i < args.size(); ++i) {
    ops::ArgInfo info;
    const int index = static_cast<int>(i);
    if (IsNone(args[i])) {
      if (!op.IsOptional(index))
        return InvalidArgument("argument ", i, " (", op.parameter(index), ") is missing");
    } else {
      info.type = TensorTypeOf(args[i]);
      const types::Type type = TypeOf(args[i]);
      *unknown = *unknown || !type.known();
      if (type.known() && info.type == nullptr) {
        return TypeError("argument ", i, " (", op.parameter(index), ") is ", type.ToText(),
                         ", expected a tensor");
      }
      info.value = ValuesOf(args[i]);
    }
    infos->push_back(info);
  }
  return OkStatus();
}

// Unknown extents get names, so that later operators can be seen to agree on them.
void NameUnknownDims(std::vector<types::TensorType>* types, int* fresh_symbols) {
  for (types::TensorType& type : *types) {
    for (types::Dim& dim : type.dims) {
      if (dim.is_any()) dim = types::Dim::Symbol(StrCat("_", ++*fresh_symbols));
    }
  }
}

// Values of which nothing is known need not be carried along.
bool WorthKeeping(const ops::Values& values) {
  for (const types::Dim& value : values) {
    if (!value.is_any()) return true;
  }
  return values.empty();
}

}  // namespace

Status InferCall(const ops::OpInfo& op, const Attrs& attrs, std::span<const Expr> args,
                 int* fresh_symbols, Inferred* out) {
  TERN_TRY(CheckCount(op, args.size()));
  std::vector<ops::ArgInfo> infos;
  bool unknown = false;
  TERN_TRY(ReadArguments(op, args, &infos, &unknown));
  // Nothing can be said, and nothing is wrong.
  if (unknown) return OkStatus();
  ops::RelationOutput output;
  TERN_TRY(ops::RelationOf(op.op)(op, attrs, infos, &output));
  NameUnknownDims(&output.types, fresh_symbols);
  if (output.value.has_value() && WorthKeeping(*output.value)) {
    out->value = std::make_shared<const ops::Values>(*std::move(output.value));
  }
  // The type of one output is a tensor, that of several a tuple.
  TERN_TRY_ASSIGN(int count, ops::OutputCount(op, attrs));
  if (count == 1) {
    out->type = types::Type::Tensor(std::move(output.types[0]));
    return OkStatus();
  }
  std::vector<types::Type> elements;
  for (types::TensorType& type : output.types)
    elements.push_back(types::Type::Tensor(std::move(type)));
  out->type = types::Type::Tuple(std::move(elements));
  return OkStatus();
}

// Finds what symbols and type variables of `declared` stand for, by walking both types side by
// side. The first finding counts; conflicts are for AreCompatible to report.
void TypeMatcher::Match(const types::Type& declared, const types::Type& actual) {
  if (declared.kind() == types::TypeKind::kVariable) {
    if (actual.known()) BindVariable(declared.name(), actual);
    return;
  }
  if (declared.kind() != actual.kind()) return;
  switch (declared.kind()) {
    case types::TypeKind::kTensor: return MatchDims(declared.tensor().dims, actual.tensor().dims);
    case types::TypeKind::kTuple: return MatchAll(declared.elements(), actual.elements());
    case types::TypeKind::kFunction:
      MatchAll(declared.parameters(), actual.parameters());
      return Match(declared.result(), actual.result());
    case types::TypeKind::kList:
    case types::TypeKind::kMap:
    case types::TypeKind::kData: return MatchAll(declared.arguments(), actual.arguments());
    case types::TypeKind::kUnknown:
    case types::TypeKind::kNone:
    case types::TypeKind::kInt:
    case types::TypeKind::kFloat:
    case types::TypeKind::kBool:
    case types::TypeKind::kString:
    case types::TypeKind::kVariable: return;
  }
}

// The type with what was found put in place of symbols and variables.
types::Type TypeMatcher::Apply(const types::Type& type) const {
  return type.Substitute(dims_).SubstituteVariables(types_);
}

bool TypeMatcher::Knows(std::string_view symbol) const {
  for (const types::Dim::Binding& binding : dims_) {
    if (binding.first == symbol) return true;
  }
  return false;
}

void TypeMatcher::BindSymbol(const std::string& symbol, types::Dim dim) {
  if (!Knows(symbol)) dims_.emplace_back(symbol, std::move(dim));
}

void TypeMatcher::BindVariable(const std::string& name, const types::Type& type) {
  for (const types::Type::Binding& binding : types_) {
    if (binding.first == name) return;
  }
  types_.emplace_back(name, type);
}

void TypeMatcher::MatchAll(std::span<const types::Type> declared,
                           std::span<const types::Type> actual) {
  for (size_t i = 0; i < declared.size() && i < actual.size(); ++i) Match(declared[i], actual[i]);
}

void TypeMatcher::MatchDims(std::span<const types::Dim> declared,
                            std::span<const types::Dim> actual) {
  if (declared.size() != actual.size()) return;
  for (size_t axis = 0; axis < actual.size(); ++axis) {
    // Expressions such as 2 * n are not solved for n.
    if (declared[axis].is_symbol()) BindSymbol(declared[axis].ToText(), actual[axis]);
  }
}

namespace {

bool AllAreCompatible(std::span<const types::Type> a, std::span<const types::Type> b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!AreCompatible(a[i], b[i])) return false;
  }
  return true;
}

bool TensorsAreCompatible(const types::TensorType& a, const types::TensorType& b) {
  if (a.dtype != b.dtype || a.rank() != b.rank()) return false;
  // Only constants can be seen to differ; symbols may be equal at run time.
  for (size_t i = 0; i < a.dims.size(); ++i) {
    if (a.dims[i].is_constant() && b.dims[i].is_constant() && !(a.dims[i] == b.dims[i]))
      return false;
  }
  return true;
}

}  // namespace

// The result type of a call. Symbols that no argument tells are made anew if the callee is known.
types::Type InferInvoke(const types::Type& function, std::span<const Expr> args,
                        int* fresh_symbols) {
  if (!function.is_function()) return types::Type();
  TypeMatcher matcher;
  const std::span<const types::Type> parameters = function.parameters();
  for (size_t i = 0; i < parameters.size() && i < args.size(); ++i)
    matcher.Match(parameters[i], TypeOf(args[i]));
  std::vector<std::string> symbols;
  if (fresh_symbols != nullptr) function.result().CollectSymbols(&symbols);
  for (const std::string& symbol : symbols) {
    if (!matcher.Knows(symbol))
      matcher.BindSymbol(symbol, types::Dim::Symbol(StrCat("_", ++*fresh_symbols)));
  }
  return matcher.Apply(function.result());
}

Result<types::Type> InferConstruct(const types::DataType& data_type, int constructor,
                                   std::span<const Expr> fields) {
  const types::DataType::Constructor& made =
      data_type.constructors[static_cast<size_t>(constructor)];
  if (made.fields.size() != fields.size()) {
    return InvalidArgument(data_type.name, ".", made.name, " has ", made.fields.size(),
                           made.fields.size() == 1 ? " field, " : " fields, ", fields.size(),
                           fields.size() == 1 ? " is given" : " are given");
  }
  TypeMatcher matcher;
  for (size_t i = 0; i < fields.size(); ++i) matcher.Match(made.fields[i], TypeOf(fields[i]));
  // In a second loop, because a later field may tell a symbol of an earlier one.
  for (size_t i = 0; i < fields.size(); ++i) {
    const types::Type declared = matcher.Apply(made.fields[i]);
    if (AreCompatible(declared, TypeOf(fields[i]))) continue;
    return TypeError("field ", i, " of ", data_type.name, ".", made.name, " is ",
                     TypeOf(fields[i]).ToText(), ", expected ", declared.ToText());
  }
  std::vector<types::Type> arguments;
  for (const std::string& parameter : data_type.parameters)
    arguments.push_back(matcher.Apply(types::Type::Variable(parameter)));
  return types::Type::Data(data_type.name, std::move(arguments));
}

bool AreCompatible(const types::Type& a, const types::Type& b) {
  const auto open = [](const types::Type& type) {
    return !type.known() || type.kind() == types::TypeKind::kVariable;
  };
  if (open(a) || open(b) || a == b) return true;
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case types::TypeKind::kTensor: return TensorsAreCompatible(a.tensor(), b.tensor());
    case types::TypeKind::kTuple: return AllAreCompatible(a.elements(), b.elements());
    case types::TypeKind::kFunction:
      return AllAreCompatible(a.parameters(), b.parameters()) &&
             AreCompatible(a.result(), b.result());
    case types::TypeKind::kData:
      return a.name() == b.name() && AllAreCompatible(a.arguments(), b.arguments());
    case types::TypeKind::kList:
    case types::TypeKind::kMap: return AllAreCompatible(a.arguments(), b.arguments());
    case types::TypeKind::kUnknown:
    case types::TypeKind::kNone:
    case types::TypeKind::kInt:
    case types::TypeKind::kFloat:
    case types::TypeKind::kBool:
    case types::TypeKind::kString:
    case types::TypeKind::kVariable: break;
  }
  return false;
}

}  // namespace tern::ir
