// SPDX-License-Identifier: Apache-2.0
// Expressions except calls and control. `expected` is a hint that flows into lists, tuples and
// lambdas (bidirectional checking in the small); only CheckExpr insists on it.
#include <algorithm>

#include "core/base/strings.h"
#include "core/lang/infer/infer_state.h"
#include "core/lang/type_text.h"

namespace tern::lang {

using types::Type;
using types::TypeKind;

namespace {

// The expected type of one element of a tuple; unknown if no such tuple is expected.
Type ElementOf(const Type& expected, size_t index, size_t count) {
  const bool fits = expected.is_tuple() && expected.elements().size() == count;
  return fits ? expected.elements()[index] : Type();
}

// The expected type argument of a List or Map; unknown if none is expected.
Type ArgumentOf(const Type& expected, TypeKind kind, size_t index) {
  return expected.kind() == kind ? expected.arguments()[index] : Type();
}

}  // namespace

// The size is checked at every node, because tuples that mention one value twice double a type with
// each line, and everything that walks types would take exponential time.
Type Inference::Infer(Expr* expr, const Type& expected) {
  if (HasNoMemory()) return expr->type = Type();
  expr->type = InferKind(expr, unifier_.Resolve(expected));
  if (!unifier_.IsTooLarge(expr->type)) return expr->type;
  Error("E1017", "the type of this grows beyond all bounds", expr->span)
      .Help("each line that uses a value twice in one tuple doubles its type; use a data type");
  expr->type = Type();
  return expr->type;
}

void Inference::CheckExpr(Expr* expr, const Type& expected, const Want& want) {
  const Type actual = Infer(expr, expected);
  Coerce(expr, expected, actual, want);
}

Type Inference::InferKind(Expr* expr, const Type& expected) {
  switch (expr->kind) {
    case ExprKind::kError: return Type();
    case ExprKind::kInt: return InferInt(*expr);
    case ExprKind::kFloat: return Type::Float();
    case ExprKind::kString: return Type::String();
    case ExprKind::kBool: return Type::Bool();
    case ExprKind::kName: return InferName(expr);
    case ExprKind::kTuple: return InferTuple(expr, expected);
    case ExprKind::kList: return InferList(expr, expected);
    case ExprKind::kMap: return InferMap(expr, expected);
    case ExprKind::kUnary:
    case ExprKind::kBinary:
    case ExprKind::kField:
    case ExprKind::kIndex:
      // The operands are needed first; what the operator means follows from them.
      for (const ExprPtr& child : expr->children) Infer(child.get(), Type());
      return Choose(expr);
    case ExprKind::kCall: return InferCall(expr, expected);
    case ExprKind::kIf: return InferIf(expr, expected);
    case ExprKind::kMatch: return InferMatch(expr, expected);
    case ExprKind::kBlock: return InferBlock(expr, expected);
    case ExprKind::kLambda: return InferLambda(expr, expected);
    case ExprKind::kLoop: return InferLoop(expr);
    case ExprKind::kFor: return InferFor(expr);
    // Of an index, which TrySlice takes apart.
    case ExprKind::kPart:
      for (const ExprPtr& end : expr->children) {
        if (end != nullptr) Infer(end.get(), Type());
      }
      return Type();
    case ExprKind::kAnyDim:
      Error("E1002", "? stands for an extent in a type; it is no value", expr->span);
      return Type();
  }
  return Type();
}

Type Inference::InferInt(const Expr& expr) {
  if (!IntLiteral(expr).has_value())
    Error("E1001", "this number does not fit into an int", expr.span, "ints have 64 bits");
  return Type::Int();
}

Type Inference::InferTuple(Expr* expr, const Type& expected) {
  std::vector<Type> elements;
  const size_t count = expr->children.size();
  for (size_t i = 0; i < count; ++i)
    elements.push_back(Infer(expr->children[i].get(), ElementOf(expected, i, count)));
  return Type::Tuple(std::move(elements));
}

Type Inference::InferList(Expr* expr, const Type& expected) {
  // An expected item type that is open is no help; then the first item decides.
  Type element = unifier_.Resolve(ArgumentOf(expected, TypeKind::kList, 0));
  const bool given = element.known() && !Unifier::IsVariable(element);
  if (!given) element = unifier_.FreshType();
  Want want{
      "an item of this list", {}, given ? "" : "the first item says what the others are", true};
  for (const ExprPtr& child : expr->children) {
    CheckExpr(child.get(), element, want);
    if (!given) want.declared = expr->children[0]->span;
  }
  return Type::List(element);
}

Type Inference::InferMap(Expr* expr, const Type& expected) {
  // As for lists; keys and values are independent.
  const auto part = [&](size_t index) {
    const Type type = unifier_.Resolve(ArgumentOf(expected, TypeKind::kMap, index));
    return type.known() ? type : unifier_.FreshType();
  };
  const Type key = part(0), value = part(1);
  Want key_want{"a key of this map", {}, "the first key says what the others are", true};
  Want value_want{"a value of this map", {}, "the first value says what the others are", true};
  for (size_t i = 0; i + 1 < expr->children.size(); i += 2) {
    CheckExpr(expr->children[i].get(), key, key_want);
    CheckExpr(expr->children[i + 1].get(), value, value_want);
    key_want.declared = expr->children[0]->span;
    value_want.declared = expr->children[1]->span;
  }
  return Type::Map(key, value);
}

// --- names

// The order of look-up is part of the language: locals, dimensions of the function, functions,
// constructors. Primitives and operators are no values; a call of one does not come here
// (IsOverloaded).
Type Inference::InferName(Expr* expr) {
  Target& target = expr->target;
  if (Local* local = context_.scope.Find(expr->text)) {
    target = {.kind = TargetKind::kLocal, .local = local};
    ++local->uses;
    return local->function != nullptr ? TypeOfUse(local->function) : local->type;
  }
  const std::vector<std::string>& dims = context_.names.dims;
  if (std::find(dims.begin(), dims.end(), expr->text) != dims.end()) {
    target.kind = TargetKind::kDimension;
    return Type::Int();
  }
  if (Function* function = program_->FindFunction(expr->text, InPrelude())) {
    target = {.kind = TargetKind::kFunction, .function = function};
    const Type type = TypeOfUse(function);
    return function->is_constant && type.is_function() ? type.result() : type;
  }
  const ConstructorRef ref = program_->FindConstructor(expr->text, InPrelude());
  // The constructor as a value: a constant, or a function from the fields, with fresh type
  // arguments.
  if (ref.data != nullptr) {
    target = {.kind = TargetKind::kConstructor, .data = ref.data, .tag = ref.tag};
    const types::DataType& data = ref.data->type;
    const auto& constructor = data.constructors[static_cast<size_t>(ref.tag)];
    std::vector<Type> arguments;
    for (const std::string& name : data.parameters) arguments.push_back(Type::Variable(name));
    Type type = Type::Data(data.name, std::move(arguments));
    if (!constructor.fields.empty()) type = Type::Function(constructor.fields, std::move(type));
    return unifier_.Instantiate(type, data.parameters, {});
  }
  UnknownName(*expr);
  return Type();
}

// Helps with a name that means nothing: an operator used as a value, a similar name, an element
// type.
void Inference::UnknownName(const Expr& expr) {
  const bool hidden = expr.text.starts_with("prelude_");
  const bool callable =
      (!hidden && !FindPrimitives(expr.text).empty()) || ops::FindOp(expr.text) != nullptr;
  if (callable) {
    Error("E1003", StrCat("'", expr.text, "' is an operator, not a value"), expr.span)
        .Help(StrCat("to pass it on, write a function: |x| ", expr.text, "(x)"));
    return;
  }
  const bool capital = expr.text[0] >= 'A' && expr.text[0] <= 'Z';
  text::Diagnostic& error =
      Error(capital ? "E1007" : "E1003",
            StrCat(capital ? "unknown constructor '" : "unknown name '", expr.text, "'"), expr.span,
            "not declared");
  // Else a program of n wrong names would take the time of n * n comparisons.
  if (diagnostics_->items().size() == text::Diagnostics::kMaxKept) return;
  std::vector<std::string_view> known;
  for (const Scope::Entry& entry : context_.scope.entries())
    known.push_back(entry.local->name.text);
  for (const std::string& dim : context_.names.dims) known.push_back(dim);
  for (const Function* function : program_->AllFunctions()) known.push_back(function->name.text);
  for (const DataDecl* data : program_->AllData()) {
    for (const ConstructorDecl& constructor : data->constructors)
      known.push_back(constructor.name.text);
  }
  for (const Primitive& primitive : AllPrimitives()) {
    if (!primitive.is_private()) known.push_back(primitive.name);
  }
  for (const ops::OpInfo& op : ops::AllOps()) known.push_back(op.name);
  for (const Maker& maker : AllMakers()) known.push_back(maker.name);
  const std::string near = Nearest(expr.text, known);
  if (!near.empty()) {
    error.Help(StrCat("did you mean '", near, "'?"));
    error.fixes.push_back({StrCat("change to '", near, "'"), {{expr.span, near}}});
  } else if (capital) {
    error.Help(
        "names that begin with a capital letter are constructors; values begin with a small one");
  } else if (DType::Parse(expr.text).ok()) {
    error.Help(StrCat("a tensor is made as in ", expr.text, "([1, 2])"));
  }
}

// --- functions without a name

Type Inference::InferLambda(Expr* expr, const Type& expected) {
  const size_t scope = context_.scope.size();
  const size_t count = expr->params.size();
  const bool fits = expected.is_function() && expected.parameters().size() == count;
  std::vector<Type> parameters;
  CheckParameters(expr->params);
  for (size_t i = 0; i < count; ++i) {
    Param& param = expr->params[i];
    // A written type wins over the expected one; a difference shows when the lambda itself is
    // checked.
    Type type = fits ? expected.parameters()[i] : unifier_.FreshType();
    if (param.type != nullptr) type = ConvertType(*param.type, &context_.names);
    InferPattern(param.pattern.get(), type);
    BindPattern(param.pattern.get());
    parameters.push_back(std::move(type));
  }
  Expr* const body = expr->children[0].get();
  Type result;
  // Without a written result, a fresh variable is bound to the body's type, which widens unknown
  // extents: another call may give others.
  if (expr->type_expr != nullptr) {
    result = ConvertType(*expr->type_expr, &context_.names);
    CheckExpr(body, result,
              {"the result of this function", expr->type_expr->span, "declared here"});
  } else {
    const Type hint = fits ? expected.result() : Type();
    result = unifier_.FreshType();
    const Type actual = Infer(body, hint);
    Coerce(body, result, actual, {"the result of this function", {}});
  }
  context_.scope.CutBack(scope);
  return Type::Function(std::move(parameters), std::move(result));
}

}  // namespace tern::lang
