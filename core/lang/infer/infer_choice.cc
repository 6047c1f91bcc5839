// SPDX-License-Identifier: Apache-2.0
// Operators, and primitives that share a name, are chosen by the types of their arguments.
//
#include <algorithm>
// Each Try function gives the type of the expression, or nothing if a type that it needs is still a
// variable; the expression then waits in Context::pending and is tried again. It may be tried many
// times, so it must not report an error before it knows enough, and must report one only once: a
// result, also the unknown type after an error, takes it off the list.
#include <array>

#include "core/base/strings.h"
#include "core/lang/infer/infer_state.h"
#include "core/lang/parse/parse_state.h"
#include "core/lang/type_text.h"

namespace tern::lang {

using types::Dim;
using types::Type;
using types::TypeKind;

namespace {

constexpr size_t kMaxPending = 1000;

// The operator of core/ops that a sign means where one operand is a tensor. "!=" is missing on
// purpose: it is `equal` and then `not` (TryBinary, FunctionLowering::LowerBinary).
struct TensorOperator {
  std::string_view text;
  std::string_view op;
};
constexpr TensorOperator kTensorOperators[] = {{"+", "add"},
                                               {"-", "sub"},
                                               {"*", "mul"},
                                               {"/", "div"},
                                               {"%", "mod"},
                                               {"@", "matmul"},
                                               {"==", "equal"},
                                               {"<", "less"},
                                               {"<=", "less_equal"},
                                               {">", "greater"},
                                               {">=", "greater_equal"},
                                               {"&&", "and"},
                                               {"||", "or"}};

const ops::OpInfo* TensorOperatorOf(std::string_view text) {
  for (const TensorOperator& entry : kTensorOperators) {
    if (entry.text == text) return ops::FindOp(entry.op);
  }
  return nullptr;
}

bool IsComparison(std::string_view text) {
  return text == "==" || text == "!=" || text == "<" || text == "<=" || text == ">" || text == ">=";
}

// Functions have no equality, so no value that may hold one can be compared.
bool HasFunction(const Type& type) {
  const auto any = [](std::span<const Type> parts) {
    return std::any_of(parts.begin(), parts.end(), HasFunction);
  };
  if (type.is_function()) return true;
  if (type.is_tuple()) return any(type.elements());
  const TypeKind kind = type.kind();
  return (kind == TypeKind::kList || kind == TypeKind::kMap || kind == TypeKind::kData) &&
         any(type.arguments());
}

}  // namespace

// The reader asks for types through a plain function pointer, because lowering reads calls the same
// way, from a tree that is finished.
OpCallReader Inference::Reader() const {
  const auto type_of = [](const void* context, const Expr& expr) {
    return static_cast<const Inference*>(context)->Known(expr);
  };
  return OpCallReader(type_of, this);
}

// --- waiting

// A type, or a fresh variable that stands for it until SolvePending finds one.
Type Inference::Choose(Expr* expr) {
  if (const std::optional<Type> type = TryChoose(expr, false)) return *type;
  // All that wait are tried again at each call, because it may tell what they wait for.
  if (context_.pending.size() >= kMaxPending) {
    Error("E1017", StrCat("more than ", kMaxPending, " choices wait for types"), expr->span,
          "this, too, is not known here")
        .Help("write the types of parameters, as in |x: int| …");
    context_.pending.clear();
    return Type();
  }
  context_.pending.push_back(expr);
  return unifier_.FreshType();
}

std::optional<Type> Inference::TryChoose(Expr* expr, bool force) {
  switch (expr->kind) {
    case ExprKind::kUnary: return TryUnary(expr);
    case ExprKind::kBinary: return TryBinary(expr, force);
    case ExprKind::kField: return TryField(expr);
    case ExprKind::kIndex: return TryIndex(expr);
    case ExprKind::kError:
    case ExprKind::kInt:
    case ExprKind::kFloat:
    case ExprKind::kString:
    case ExprKind::kBool:
    case ExprKind::kName:
    case ExprKind::kTuple:
    case ExprKind::kList:
    case ExprKind::kMap:
    case ExprKind::kCall:
    case ExprKind::kIf:
    case ExprKind::kMatch:
    case ExprKind::kBlock:
    case ExprKind::kLambda:
    case ExprKind::kLoop:
    case ExprKind::kFor:
    case ExprKind::kPart:
    case ExprKind::kAnyDim: break;
  }
  return TryCall(expr, force);
}

// Tries the waiting choices until none makes progress, because each may tell what another waits
// for. Every turn makes at least one choice, so n choices need at most n turns. With force, as at
// the end of a function, choices are made with what is known; those that cannot be made are errors.
void Inference::SolvePending(bool force) {
  for (bool progress = true; progress && !context_.pending.empty();) {
    progress = false;
    // Forced choices are guesses, so one is made only where no certain choice is left, and certain
    // ones are tried again after it.
    for (const bool forced : {false, true}) {
      if (forced && (!force || progress)) break;
      std::vector<Expr*> waiting = std::exchange(context_.pending, {});
      for (size_t i = 0; i < waiting.size(); ++i) {
        const std::optional<Type> type =
            forced && progress ? std::nullopt : TryChoose(waiting[i], forced);
        if (!type.has_value()) {
          context_.pending.push_back(waiting[i]);
          continue;
        }
        progress = true;
        Coerce(waiting[i], waiting[i]->type, *type, {"the value of this", {}});
      }
    }
  }
  if (!force) return;
  for (Expr* expr : std::exchange(context_.pending, {})) ReportUnsolved(expr);
}

// Names the first operand whose type is open, because there a written type helps.
void Inference::ReportUnsolved(Expr* expr) {
  const Expr* open = expr;
  for (const ExprPtr& child : expr->children) {
    if (child == nullptr || (expr->kind == ExprKind::kCall && child == expr->children[0])) continue;
    if (Unifier::IsVariable(unifier_.Resolve(child->type))) {
      open = child.get();
      break;
    }
  }
  const std::string what =
      open->kind == ExprKind::kName ? StrCat("the type of '", open->text, "'") : "a type";
  Error("E1011", StrCat(what, " cannot be told from its uses"), open->span, "not known here")
      .Mark(expr->span, "needed to choose what this does")
      .Help("write the type of the parameter, as in x: int or |x: f32[n]| …");
  // The result becomes unknown instead of open, so that nothing else complains about it.
  if (Unifier::IsVariable(unifier_.Resolve(expr->type)))
    unifier_.Bind(unifier_.Resolve(expr->type), Type());
}

// --- operators

std::optional<Type> Inference::TryUnary(Expr* expr) {
  const Type type = unifier_.Resolve(expr->children[0]->type);
  // An unknown type comes from an error that was reported; it gives an unknown type without
  // another.
  if (!type.known()) return Type();
  if (Unifier::IsVariable(type)) return std::nullopt;
  const bool minus = expr->text == "-";
  if (type.is_tensor()) {
    expr->target = {.kind = TargetKind::kOperator, .op = ops::FindOp(minus ? "neg" : "not")};
    return TryOperator(expr, *expr->target.op, true);
  }
  if (minus ? type.is_number() : type.kind() == TypeKind::kBool) return type;
  Error("E1009", StrCat("'", expr->text, "' of ", KindText(unifier_.Apply(type))), expr->span,
        minus ? "expected an int, a float or a tensor" : "expected a bool or a tensor of bools");
  return Type();
}

std::optional<Type> Inference::TryBinary(Expr* expr, bool force) {
  const Type a = unifier_.Resolve(expr->children[0]->type);
  const Type b = unifier_.Resolve(expr->children[1]->type);
  // With one operand unknown a comparison of scalars is still a bool, so what follows can be
  // checked.
  if (!a.known() || !b.known()) {
    return IsComparison(expr->text) && !a.is_tensor() && !b.is_tensor() ? Type::Bool() : Type();
  }
  const bool open_a = Unifier::IsVariable(a), open_b = Unifier::IsVariable(b);
  if (open_a || open_b) {
    if (expr->text == "&&" || expr->text == "||" || expr->text == "..") {
      // Tensors have && and || too, so an open operand might become one; `..` is for ints alone. At
      // the end of the function nothing more will come, and scalars are the natural reading.
      if (!force) return std::nullopt;
      const Type wanted = expr->text == ".." ? Type::Int() : Type::Bool();
      unifier_.Unify(a, wanted, nullptr);
      unifier_.Unify(b, wanted, nullptr);
      return TryBinary(expr, false);
    }
    // One known operand: assume that the other is of the same type, but only as a last resort,
    // because it might be a tensor beside a scalar.
    if (!force || (open_a && open_b)) return std::nullopt;
    unifier_.Unify(a, b, nullptr);
    return TryBinary(expr, false);
  }
  if (!a.is_tensor() && !b.is_tensor()) return ScalarBinary(expr, a, b);
  // a != b of tensors is not(equal(a, b)).
  const ops::OpInfo* op = TensorOperatorOf(expr->text == "!=" ? "==" : expr->text);
  if (op != nullptr) {
    expr->target = {.kind = TargetKind::kOperator, .op = op};
    return TryOperator(expr, *op, force);
  }
  return ScalarBinary(expr, a, b);
}

// The type of a sign between two values that are no tensors, or an error with a hint about
// conversions. Ints and floats never mix by themselves.
std::optional<Type> Inference::ScalarBinary(Expr* expr, const Type& a, const Type& b) {
  const std::string& text = expr->text;
  const Type left = unifier_.Apply(a), right = unifier_.Apply(b);
  const bool numbers = a.is_number() && a == b;
  const bool strings = a.kind() == TypeKind::kString && b.kind() == TypeKind::kString;
  if (text == "..") {
    if (a.kind() == TypeKind::kInt && b.kind() == TypeKind::kInt) return Type::List(Type::Int());
  } else if (text == "&&" || text == "||") {
    if (a.kind() == TypeKind::kBool && b.kind() == TypeKind::kBool) return Type::Bool();
  } else if (text == "==" || text == "!=") {
    // Unify is what says whether types are equal, and settles variables inside, as in xs == [].
    const bool comparable = !HasFunction(left) && !HasFunction(right);
    if (comparable && !unifier_.Unify(a, b, nullptr).has_value()) return Type::Bool();
  } else if (IsComparison(text)) {
    if (numbers || strings) return Type::Bool();
  } else if (text == "+" && strings) {
    return Type::String();
  } else if (text == "+" && a.kind() == TypeKind::kList && b.kind() == TypeKind::kList) {
    if (!unifier_.Unify(a, b, nullptr).has_value()) return a;
  } else if (text != "@" && numbers) {
    return a;
  }
  // All cases that exist have returned.
  text::Diagnostic& error =
      Error("E1009", StrCat("'", text, "' of ", KindText(left), " and ", KindText(right)),
            expr->mark, text == "@" ? "expected two tensors" : "not possible with these");
  error.Mark(expr->children[0]->span, StrCat("this is ", TypeText(left)));
  error.Mark(expr->children[1]->span, StrCat("this is ", TypeText(right)));
  // Offers to make a float of an int that stands beside one.
  for (const ExprPtr& child : expr->children) {
    const Type& other = &child == &expr->children[0] ? right : left;
    const bool int_beside_float =
        unifier_.Resolve(child->type).kind() == TypeKind::kInt && other.kind() == TypeKind::kFloat;
    if (int_beside_float) SuggestConversion(*child, other, Type::Int(), &error);
  }
  return IsComparison(text) ? Type::Bool() : Type();
}

// --- parts

std::optional<Type> Inference::TryField(Expr* expr) {
  const Type type = unifier_.Resolve(expr->children[0]->type);
  if (!type.known() || expr->text.empty()) return Type();
  if (Unifier::IsVariable(type)) return std::nullopt;
  const std::optional<int64_t> index = ParseInt64(expr->text);
  const int64_t count = type.is_tuple() ? static_cast<int64_t>(type.elements().size()) : 0;
  if (index.has_value() && *index < count) return type.elements()[static_cast<size_t>(*index)];
  if (type.is_data() && !index.has_value()) return TryRecordField(expr, type);
  Error("E1009",
        type.is_tuple() ? StrCat("a tuple of ", count, " has no field ", expr->text)
                        : StrCat(KindText(unifier_.Apply(type)), " has no fields"),
        expr->mark, type.is_tuple() ? "fields count from 0" : "only tuples and records have fields")
      .Mark(expr->children[0]->span, StrCat("this is ", TypeText(unifier_.Apply(type))));
  return Type();
}

// xs[i], m[key] and text[i] get an item; x[i] of a tensor is its slice i along axis 0; x[i..j] is a
// slice of the container.
std::optional<Type> Inference::TryIndex(Expr* expr) {
  const Type type = unifier_.Resolve(expr->children[0]->type);
  if (!type.known()) return Type();
  if (Unifier::IsVariable(type)) return std::nullopt;
  Expr* const index = expr->children[1].get();
  const Type actual = unifier_.Resolve(index->type);
  if (type.kind() == TypeKind::kMap) {
    if (expr->children.size() > 2 || index->kind == ExprKind::kPart) {
      Error("E1009", "a map has no parts", expr->span, "expected one key");
      return Type();
    }
    Coerce(index, type.arguments()[0], actual, {"the key", {}});
    return type.arguments()[1];
  }
  const bool list = type.kind() == TypeKind::kList;
  const bool has_items = list || type.is_tensor() || type.kind() == TypeKind::kString;
  if (has_items && IsSlice(*expr)) return TrySlice(expr, type);
  if (!has_items) {
    Error("E1009", StrCat(KindText(unifier_.Apply(type)), " has no items"), expr->span,
          "expected a list, a map, a string or a tensor before '['");
    return Type();
  }
  Coerce(index, Type::Int(), actual, {"the index", {}});
  if (list) return type.arguments()[0];
  if (!type.is_tensor()) return Type::String();
  types::TensorType tensor = unifier_.Apply(type).tensor();
  if (tensor.dims.empty()) {
    Error("E1014", "a tensor of rank 0 has no slices", expr->span)
        .Help("its element is float(x), int(x) or bool(x)");
    return Type();
  }
  tensor.dims.erase(tensor.dims.begin());
  return Type::Tensor(std::move(tensor));
}

// --- calls by name

// f(x, …) where f is a name that several things have. The order matters: a list after an element
// type makes a tensor (bool([true]) too, although bool is a primitive), then come names that mean
// one thing, then those whose first argument chooses.
std::optional<Type> Inference::TryCall(Expr* expr, bool force) {
  const Expr& callee = *expr->children[0];
  const std::vector<const Primitive*> primitives = FindPrimitives(callee.text);
  const ops::OpInfo* const op = ops::FindOp(callee.text);
  const Result<DType> dtype = DType::Parse(callee.text);
  Type first;
  // After an error in the first argument nothing can be said.
  if (expr->children.size() > 1) {
    first = unifier_.Resolve(expr->children[1]->type);
    if (!first.known()) return Type();
  } else if (primitives.size() == 1 && primitives[0]->type.parameters().empty()) {
    // prelude_list() is the only primitive without arguments.
    return TryPrimitive(expr, *primitives[0], force);
  } else if (!primitives.empty() || (op == nullptr && dtype.ok())) {
    Error("E1008", StrCat(callee.text, " takes an argument, none is given"), expr->span);
    return Type();
  }
  const bool list = first.kind() == TypeKind::kList;
  if (dtype.ok() && (primitives.empty() || list)) return TryConvert(expr, *dtype);
  if (primitives.empty()) return TryOperator(expr, *op, force);
  if (primitives.size() == 1 && op == nullptr) return TryPrimitive(expr, *primitives[0], force);
  return ChooseByFirst(expr, first, force);
}

// For a tensor the operator wins over primitives of its name (abs, min, exp, …); for other values a
// primitive does if one fits.
std::optional<Type> Inference::ChooseByFirst(Expr* expr, const Type& first, bool force) {
  const std::string& name = expr->children[0]->text;
  const std::vector<const Primitive*> primitives = FindPrimitives(name);
  const ops::OpInfo* const op = ops::FindOp(name);
  if (Unifier::IsVariable(first)) return std::nullopt;
  if (first.is_tensor() && op != nullptr) return TryOperator(expr, *op, force);
  if (const Primitive* primitive = ChoosePrimitive(name, first))
    return TryPrimitive(expr, *primitive, force);
  if (op != nullptr) return TryOperator(expr, *op, force);
  text::Diagnostic& error =
      Error("E1009", StrCat("no '", name, "' takes ", KindText(unifier_.Apply(first))),
            expr->children[1]->span, StrCat("this is ", TypeText(unifier_.Apply(first))));
  for (const Primitive* primitive : primitives)
    error.Note(StrCat(name, ": ", TypeText(primitive->type), ": ", primitive->phrase));
  return Type();
}

// The ordinary case: a polymorphic type whose variables are fresh for each call. Only the rows with
// "?" need more.
std::optional<Type> Inference::TryPrimitive(Expr* expr, const Primitive& primitive, bool force) {
  const size_t count = expr->children.size() - 1;
  const size_t takes = primitive.type.parameters().size();
  expr->target = {.kind = TargetKind::kPrimitive, .primitive = &primitive};
  if (count != takes) {
    Error("E1008",
          StrCat(primitive.name, " takes ", takes, takes == 1 ? " argument, " : " arguments, ",
                 count, " given"),
          expr->span)
        .Context("its type", TypeText(primitive.type));
    return Type();
  }
  if (takes > 0 && !primitive.type.parameters()[0].known())
    return TryTensorPrimitive(expr, primitive);
  std::vector<std::string> variables;
  primitive.type.CollectVariables(&variables);
  const Type type = unifier_.Instantiate(primitive.type, variables, {});
  for (size_t i = 0; i < takes; ++i) {
    Expr* const argument = expr->children[i + 1].get();
    Coerce(argument, type.parameters()[i], argument->type,
           {StrCat("argument ", i + 1, " of ", primitive.name), {}});
  }
  static_cast<void>(force);
  RefuseAttributes(*expr, primitive.name);
  return type.result();
}

// Rows with "?": any tensor fits, and the results of to_list and stack follow from its type.
std::optional<Type> Inference::TryTensorPrimitive(Expr* expr, const Primitive& primitive) {
  const Type type = unifier_.Apply(expr->children[1]->type);
  if (!type.known()) return Type();
  if (Unifier::IsVariable(type)) return std::nullopt;
  const std::string_view name = primitive.name;
  RefuseAttributes(*expr, name);
  if (expr->children.size() > 2) {
    Expr* const second = expr->children[2].get();
    Coerce(second, Type::Int(), second->type, {StrCat("argument 2 of ", name), {}});
  }
  if (name == "stack" && type.kind() == TypeKind::kList) {
    const Type item = unifier_.Resolve(type.arguments()[0]);
    if (Unifier::IsVariable(item)) return std::nullopt;
    if (item.is_tensor() && item.tensor().dims.size() < static_cast<size_t>(ops::kMaxDims)) {
      // The new axis comes first; its extent is known if the list stands in the call.
      types::TensorType stacked = item.tensor();
      const Expr& list = *expr->children[1];
      const bool literal = list.kind == ExprKind::kList;
      stacked.dims.insert(
          stacked.dims.begin(),
          literal ? Dim(static_cast<int64_t>(list.children.size())) : unifier_.UnknownDim());
      return Type::Tensor(std::move(stacked));
    }
  }
  const bool tensor = type.is_tensor() && name != "stack";
  if (tensor && name != "to_list") return primitive.type.result();
  if (tensor && type.tensor().dims.size() == 1) {
    const DType dtype = type.tensor().dtype;
    if (dtype.is_float()) return Type::List(Type::Float());
    if (dtype.is_int()) return Type::List(Type::Int());
    if (dtype.is_bool()) return Type::List(Type::Bool());
  }
  Error("E1009", StrCat(name, " of ", KindText(type)), expr->children[1]->span,
        name == "stack"     ? "expected a list of tensors"
        : name == "to_list" ? "expected a tensor of rank 1"
                            : "expected a tensor");
  return Type();
}

// f32(x) of a number, a tensor, or nested lists of numbers. Each level of lists is an axis.
std::optional<Type> Inference::TryConvert(Expr* expr, DType dtype) {
  expr->target = {.kind = TargetKind::kConvert, .dtype = dtype};
  RefuseAttributes(*expr, dtype.ToString());
  if (expr->children.size() != 2) {
    Error("E1008",
          StrCat(dtype.ToString(), " takes 1 argument, ", expr->children.size() - 1, " given"),
          expr->span)
        .Help(StrCat("the elements stand in a list: ", dtype.ToString(), "([1, 2, 3])"));
    return Type();
  }
  types::TensorType tensor{dtype, {}};
  // `literal` follows the first item down as long as lists are written out; below that only the
  // type tells the rank, and the run finds the extents.
  const Expr* literal = expr->children[1].get();
  Type type = unifier_.Resolve(literal->type);
  while (type.kind() == TypeKind::kList) {
    const bool list = literal != nullptr && literal->kind == ExprKind::kList;
    tensor.dims.push_back(list ? Dim(static_cast<int64_t>(literal->children.size()))
                               : unifier_.UnknownDim());
    // Rows of a literal must be of one length, which can be told here; the run compares those of
    // other lists.
    if (list && literal->children.empty()) return Type::Tensor(std::move(tensor));
    if (list) {
      for (const ExprPtr& child : literal->children) {
        if (child->kind != ExprKind::kList || literal->children[0]->kind != ExprKind::kList ||
            child->children.size() == literal->children[0]->children.size())
          continue;
        Error("E1010",
              StrCat("a row of ", child->children.size(), " elements, expected ",
                     literal->children[0]->children.size()),
              child->span, "another length")
            .Mark(literal->children[0]->span, "the first row says what the others are");
        return Type();
      }
    }
    literal = list ? literal->children[0].get() : nullptr;
    type = unifier_.Resolve(type.arguments()[0]);
  }
  if (Unifier::IsVariable(type)) return std::nullopt;
  if (!type.known()) return Type();
  // A tensor keeps its shape; tensors inside lists are for `stack`.
  if (type.is_tensor() && tensor.dims.empty()) {
    tensor.dims = unifier_.Apply(type).tensor().dims;
    return Type::Tensor(std::move(tensor));
  }
  const bool fits = type.is_number() || type.kind() == TypeKind::kBool ||
                    (type.kind() == TypeKind::kString && dtype.is_string());
  if (fits && tensor.dims.size() <= static_cast<size_t>(ops::kMaxDims))
    return Type::Tensor(std::move(tensor));
  Error("E1009",
        StrCat(dtype.ToString(), " of ", KindText(unifier_.Apply(expr->children[1]->type))),
        expr->children[1]->span, "expected a number, a list of numbers, or a tensor");
  return Type();
}

namespace {

// Whether inference may still find an extent; a relation of core/ops sees such a name as a symbol
// of its own, which would make equal extents look different.
bool HasOpenDim(const types::TensorType& type) {
  for (const Dim& dim : type.dims) {
    std::vector<std::string> symbols;
    dim.CollectSymbols(&symbols);
    if (std::any_of(symbols.begin(), symbols.end(), IsDimVariable)) return true;
  }
  return false;
}

}  // namespace

// The type of an operator's results, by its relation in core/ops. It waits while an argument's type
// is open or, without force, while an extent is.
std::optional<Type> Inference::TryOperator(Expr* expr, const ops::OpInfo& op, bool force) {
  expr->target = {.kind = TargetKind::kOperator, .op = &op};
  OpCall call;
  OpProblem problem;
  if (!Reader().Read(*expr, op, &call, &problem)) {
    Error(problem.code, problem.message, problem.span);
    return Type();
  }
  for (const OpArgument& argument : call.arguments) {
    if (argument.expr == nullptr) continue;
    if (!unifier_.Resolve(argument.expr->type).known()) return Type();
    if (!force && HasOpenDim(argument.type)) return std::nullopt;
  }
  if (call.unsolved) return std::nullopt;
  Result<Type> type = RelateCall(op, call);
  if (!type.ok()) {
    ReportOpProblem(*expr, op, call, type.status());
    return Type();
  }
  // "?" is unequal to itself. An extent that only a run can tell gets a name of its own, so that
  // two uses of one result have equal shapes.
  const auto name = [&](const Type& part) {
    types::TensorType tensor = part.tensor();
    for (Dim& dim : tensor.dims) {
      if (dim.is_any()) dim = unifier_.UnknownDim();
    }
    return Type::Tensor(std::move(tensor));
  };
  if (!type->is_tuple()) return name(*type);
  std::vector<Type> elements;
  for (const Type& part : type->elements()) elements.push_back(name(part));
  return Type::Tuple(std::move(elements));
}

}  // namespace tern::lang
