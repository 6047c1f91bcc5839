// SPDX-License-Identifier: Apache-2.0
// Reads calls of operators. Scalars take the element type of the tensors they stand beside, so that
// x * 2.0 is possible without a conversion; a float never becomes an int.
#include "core/lang/op_call.h"

#include <algorithm>

#include "core/base/strings.h"
#include "core/lang/type_text.h"
#include "core/ops/relations.h"

namespace tern::lang {

using types::Dim;
using types::Type;
using types::TypeKind;

namespace {

// How many lets the value of an int is followed through: enough for programs, and an end for
// chains.
constexpr int kMaxSteps = 32;  // through lets

// The text of an attribute's value, in the form that Attrs::Parse reads; nothing where it is no
// constant. A name is its own text, because attributes have words as values (mode = linear).
std::optional<std::string> AttributeText(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kInt: {
      const std::optional<int64_t> value = IntLiteral(expr);
      if (!value.has_value()) return std::nullopt;
      return StrCat(*value);
    }
    case ExprKind::kFloat: {
      std::string digits = expr.text;
      std::erase(digits, '_');
      return digits;
    }
    case ExprKind::kBool: return expr.text == "true" ? "1" : "0";
    case ExprKind::kName: return expr.text;
    case ExprKind::kString: return Unescape(expr.text);
    case ExprKind::kUnary: {
      if (expr.text != "-") return std::nullopt;
      const ExprKind kind = expr.children[0]->kind;
      if (kind != ExprKind::kInt && kind != ExprKind::kFloat) return std::nullopt;
      const std::optional<std::string> text = AttributeText(*expr.children[0]);
      if (!text.has_value()) return std::nullopt;
      return StrCat("-", *text);
    }
    case ExprKind::kError:
    case ExprKind::kTuple:
    case ExprKind::kList:
    case ExprKind::kMap:
    case ExprKind::kBinary:
    case ExprKind::kCall:
    case ExprKind::kField:
    case ExprKind::kIndex:
    case ExprKind::kIf:
    case ExprKind::kMatch:
    case ExprKind::kBlock:
    case ExprKind::kLambda:
    case ExprKind::kLoop:
    case ExprKind::kFor:
    case ExprKind::kPart:
    case ExprKind::kAnyDim: break;
  }
  return std::nullopt;
}

// Lists are written with commas, as Attrs has them.
std::optional<std::string> AttributeListText(const Expr& expr) {
  if (expr.kind != ExprKind::kList) return AttributeText(expr);
  std::string text;
  for (const ExprPtr& child : expr.children) {
    const std::optional<std::string> part = AttributeText(*child);
    if (!part.has_value()) return std::nullopt;
    StrAppend(&text, text.empty() ? "" : ",", *part);
  }
  return text;
}

// Arguments may be given by their names too: clip(x, max = 6.0). For an operator with any number of
// arguments only the required ones have names.
int ParameterIndex(const ops::OpInfo& op, std::string_view name) {
  const int count = op.max_args == INT32_MAX ? op.min_args : op.max_args;
  for (int i = 0; i < count; ++i) {
    if (op.parameter(i) == name) return i;
  }
  return -1;
}

constexpr Maker kMakers[] = {
    {"zeros", "constant_of_shape", "0", "zeros of that shape; dtype = f32 unless given"},
    {"ones", "constant_of_shape", "1", "ones of that shape; dtype = f32 unless given"},
    {"full", "constant_of_shape", "", "value = 2.5 everywhere; dtype = f32 unless given"},
    {"random", "random_uniform", "", "f32 numbers from 0 to 1 (without 1), by seed = 1"},
};

bool IsFloatType(DType dtype) { return dtype.is_float() && dtype.lanes == 1; }

}  // namespace

std::span<const Maker> AllMakers() { return kMakers; }

// With its minus, because the smallest int has no positive of its own. ParseInt64 refuses what does
// not fit in 64 bits.
std::optional<int64_t> IntLiteral(const Expr& expr) {
  if (expr.kind == ExprKind::kUnary && expr.text == "-" &&
      expr.children[0]->kind == ExprKind::kInt) {
    std::string digits = StrCat("-", expr.children[0]->text);
    std::erase(digits, '_');
    return ParseInt64(digits);
  }
  if (expr.kind != ExprKind::kInt) return std::nullopt;
  std::string digits = expr.text;
  std::erase(digits, '_');
  if (!digits.starts_with("0x") && !digits.starts_with("0X")) return ParseInt64(digits);
  // The test refuses 2^63 and more, so hexadecimal numbers are never negative either.
  uint64_t value = 0;
  for (const char c : digits.substr(2)) {
    if ((value >> 59) != 0) return std::nullopt;
    const char lower = static_cast<char>(c | 0x20);
    value = value * 16 + static_cast<uint64_t>(lower >= 'a' ? lower - 'a' + 10 : c - '0');
  }
  return static_cast<int64_t>(value);
}

// --- values

namespace {

// What a name of a let, in a function or outside, stands for; null for other names.
const Expr* DefinedBy(const Target& target) {
  if (target.kind == TargetKind::kLocal) return target.local->defined_by;
  const bool constant = target.kind == TargetKind::kFunction && target.function->is_constant;
  return constant ? target.function->body.get() : nullptr;
}

}  // namespace

// Follows names through lets, reads dimensions and constants, and computes with them. Only ints
// that the program text fixes have a value here; a parameter has none.
Dim OpCallReader::ValueOf(const Expr& start) const {
  const Expr* expr = &start;
  for (int step = 0; step < kMaxSteps && expr->kind == ExprKind::kName; ++step) {
    const Expr* defined = DefinedBy(expr->target);
    if (defined == nullptr) break;
    expr = defined;
  }
  if (const std::optional<int64_t> literal = IntLiteral(*expr)) return Dim(*literal);
  if (expr->kind == ExprKind::kName && expr->target.kind == TargetKind::kDimension)
    return Dim::Symbol(expr->text);
  if (expr->kind == ExprKind::kCall) return ValueOfCall(*expr);
  if (expr->kind != ExprKind::kBinary || type_of_(context_, *expr).kind() != TypeKind::kInt)
    return Dim::Any();
  const Dim a = ValueOf(*expr->children[0]), b = ValueOf(*expr->children[1]);
  if (a.is_any() || b.is_any()) return Dim::Any();
  if (expr->text == "+") return a + b;
  if (expr->text == "-") return a - b;
  if (expr->text == "*") return a * b;
  // Ints round quotients toward zero, dimensions round them down. These agree where nothing is
  // negative.
  const bool divides = expr->text == "/" && b.is_constant() && b.constant() > 0;
  return divides && a.Bounds().low >= 0 ? FloorDiv(a, b) : Dim::Any();
}

// dim(x, 1) is the extent itself where the tensor's type tells it, so that shapes which a program
// computes stay known.
Dim OpCallReader::ValueOfCall(const Expr& expr) const {
  if (expr.target.kind != TargetKind::kPrimitive || expr.children.size() != 3 ||
      expr.children[0]->text != "dim")
    return Dim::Any();
  const Type type = type_of_(context_, *expr.children[1]);
  const std::optional<int64_t> axis = IntLiteral(*expr.children[2]);
  if (!type.is_tensor() || !axis.has_value()) return Dim::Any();
  const int64_t rank = type.tensor().rank();
  // A negative axis counts from the end.
  const int64_t at = *axis < 0 ? *axis + rank : *axis;
  return at >= 0 && at < rank ? type.tensor().dims[static_cast<size_t>(at)] : Dim::Any();
}

// --- arguments

bool OpCallReader::ReadArguments(const Expr& call, const ops::OpInfo& op, OpCall* out,
                                 OpProblem* problem) const {
  // A sign or an index has its operands as all children, a call has the callee first.
  const size_t first = call.kind == ExprKind::kCall ? 1 : 0;
  for (size_t i = first; i < call.children.size(); ++i)
    out->arguments.push_back({.expr = call.children[i].get()});
  for (const Attribute& attribute : call.attributes) {
    const int index = ParameterIndex(op, attribute.name.text);
    if (index >= 0) {
      const auto at = static_cast<size_t>(index);
      if (out->arguments.size() <= at) out->arguments.resize(at + 1);
      if (out->arguments[at].expr != nullptr) {
        *problem = {"E1008", StrCat("argument '", attribute.name.text, "' is given twice"),
                    attribute.name.span};
        return false;
      }
      out->arguments[at].expr = attribute.value.get();
      continue;
    }
    const std::optional<std::string> text = AttributeListText(*attribute.value);
    if (!text.has_value()) {
      *problem = {"E1020",
                  StrCat("attribute '", attribute.name.text, "' of ", op.name,
                         " is not a constant; expected a number, a word or a list of them"),
                  attribute.value->span};
      return false;
    }
    if (out->attrs.Has(attribute.name.text)) {
      *problem = {"E1020", StrCat("attribute '", attribute.name.text, "' is given twice"),
                  attribute.name.span};
      return false;
    }
    // An empty list is the default.
    if (text->empty()) continue;  // an empty list: the default
    const Result<Attrs> parsed = Attrs::Parse(StrCat(attribute.name.text, "=", *text));
    if (!parsed.ok()) {
      *problem = {"E1020", std::string(parsed.status().message()), attribute.value->span};
      return false;
    }
    out->attrs.SetString(attribute.name.text, *text);
  }
  return true;
}

// Decides how one argument becomes a tensor, and of which element type. `dtype` is that of the
// tensors it stands beside.
bool OpCallReader::ReadArgument(const ops::OpInfo& op, DType dtype, OpArgument* argument,
                                OpProblem* problem) const {
  Type type = type_of_(context_, *argument->expr);
  if (type.is_tensor()) {
    argument->form = ArgumentForm::kTensor;
    argument->type = type.tensor();
    return true;
  }
  argument->form = ArgumentForm::kScalar;
  if (type.kind() == TypeKind::kList) {
    argument->form = ArgumentForm::kList;
    type = type.arguments()[0];
    // Only a list that is written in the call tells its length.
    const bool literal = argument->expr->kind == ExprKind::kList;
    argument->type.dims = {literal ? Dim(static_cast<int64_t>(argument->expr->children.size()))
                                   : Dim::Any()};
  }
  // Beside tensors of an elementwise operator a number is one more operand of their type; elsewhere
  // ints are axes, shapes and positions, which are i64.
  const bool elementwise = op.family == ops::Family::binary || op.family == ops::Family::unary;
  if (type.kind() == TypeKind::kFloat && (IsFloatType(dtype) || !elementwise)) {
    argument->type.dtype = IsFloatType(dtype) ? dtype : kF32;
  } else if (type.kind() == TypeKind::kInt) {
    const bool like_others = argument->form == ArgumentForm::kScalar && elementwise;
    argument->type.dtype = like_others ? dtype : kI64;
  } else if (type.kind() == TypeKind::kBool) {
    argument->type.dtype = kBool;
  } else {
    *problem = {
        "E1009",
        StrCat("an operand of ", op.name, " is ", KindText(type_of_(context_, *argument->expr)),
               type.kind() == TypeKind::kFloat ? StrCat(", beside a tensor of ", dtype.ToString())
                                               : std::string(", expected a tensor")),
        argument->expr->span};
    return false;
  }
  return true;
}

bool OpCallReader::Read(const Expr& call, const ops::OpInfo& op, OpCall* out,
                        OpProblem* problem) const {
  if (!ReadArguments(call, op, out, problem)) return false;
  DType dtype{};
  bool found = false;
  // First the types of all arguments, because one tensor decides about the scalars before it as
  // well.
  bool floats = false;
  for (const OpArgument& argument : out->arguments) {
    if (argument.expr == nullptr) continue;
    const Type type = type_of_(context_, *argument.expr);
    if (!type.known() || type.kind() == TypeKind::kVariable) out->unsolved = true;
    floats = floats || type.kind() == TypeKind::kFloat;
    // `where` chooses by bools; the tensors that it chooses from decide.
    if (!type.is_tensor() || (found && !(op.name == "where" && dtype == kBool))) continue;
    dtype = type.tensor().dtype;
    found = true;
  }
  if (out->unsolved) return true;
  // No tensor at all: the scalars decide among themselves.
  if (!found) dtype = floats ? kF32 : kI64;
  for (OpArgument& argument : out->arguments) {
    if (argument.expr == nullptr) continue;
    if (!ReadArgument(op, dtype, &argument, problem)) return false;
    // Small ints may be shapes or axes, so the relation gets their values and not only their types.
    if (!(argument.type.dtype == kI64) || argument.form == ArgumentForm::kTensor) continue;
    if (argument.form == ArgumentForm::kScalar) {
      argument.values = ops::Values{ValueOf(*argument.expr)};
    } else if (argument.expr->kind == ExprKind::kList) {
      argument.values.emplace();
      for (const ExprPtr& child : argument.expr->children)
        argument.values->push_back(ValueOf(*child));
    }
  }
  return true;
}

Result<Type> RelateCall(const ops::OpInfo& op, const OpCall& call) {
  const auto count = static_cast<int>(call.arguments.size());
  if (count < op.min_args || count > op.max_args) {
    return InvalidArgument(op.name, " takes (", op.parameters, "), ", count,
                           count == 1 ? " argument is given" : " arguments are given")
        // Counted here, so that relations may index their arguments.
        .SetErrorCode("E1008");
  }
  std::vector<ops::ArgInfo> infos;
  for (int i = 0; i < count; ++i) {
    const OpArgument& argument = call.arguments[static_cast<size_t>(i)];
    if (argument.form == ArgumentForm::kMissing && !op.IsOptional(i)) {
      return InvalidArgument(op.name, ": argument ", i, " (", op.parameter(i), ") is missing")
          .SetErrorCode("E1008");
    }
    infos.push_back({argument.form == ArgumentForm::kMissing ? nullptr : &argument.type,
                     argument.values.has_value() ? &*argument.values : nullptr});
  }
  ops::RelationOutput output;
  TERN_TRY(ops::RelationOf(op.op)(op, call.attrs, infos, &output));
  TERN_TRY_ASSIGN(const int results, ops::OutputCount(op, call.attrs));
  if (results == 1) return Type::Tensor(std::move(output.types[0]));
  std::vector<Type> elements;
  for (types::TensorType& type : output.types) elements.push_back(Type::Tensor(std::move(type)));
  return Type::Tuple(std::move(elements));
}

}  // namespace tern::lang
