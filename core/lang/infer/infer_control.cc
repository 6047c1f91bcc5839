// SPDX-License-Identifier: Apache-2.0
// Blocks, branches, loops and patterns. Whoever opens a scope notes its size and cuts it back, so
// that names end with their block.
#include <algorithm>

#include "core/base/strings.h"
#include "core/lang/infer/infer_state.h"
#include "core/lang/type_text.h"

namespace tern::lang {

using types::Dim;
using types::Type;
using types::TypeKind;

// A condition is a bool, or a tensor of rank 0 that holds one; lowering reads the element.
void Inference::CheckCondition(Expr* condition, std::string_view of) {
  const Type type = unifier_.Resolve(Infer(condition, Type::Bool()));
  if (type.is_tensor() && type.tensor().dtype == kBool && type.tensor().dims.empty()) return;
  Coerce(condition, Type::Bool(), type, {StrCat("the condition of ", of), {}});
}

// --- branches

namespace {

// True for an expected type without open variables: each branch can then be checked against it
// alone, and errors name the declaration and not the other branch.
bool IsWhole(const Type& type) {
  std::vector<std::string> variables;
  type.CollectVariables(&variables);
  const auto open = [](const std::string& name) { return name[0] == '$'; };
  return type.known() && std::none_of(variables.begin(), variables.end(), open);
}

}  // namespace

// The common type of a branch and those before it.
Type Inference::Join(Expr* branch, const Type& so_far, const Type& type, const Want& want) {
  const Type a = unifier_.Apply(so_far), b = unifier_.Apply(type);
  const bool tensors = a.is_tensor() && b.is_tensor() && a.tensor().dtype == b.tensor().dtype &&
                       a.tensor().dims.size() == b.tensor().dims.size();
  if (!tensors) {
    Coerce(branch, so_far, type, want);
    return so_far.known() ? so_far : type;
  }
  // Branches may differ in extents that only a run knows: the joined extent is "?". Extents that
  // are known and differ stay an error.
  types::TensorType joined = a.tensor();
  types::TensorType compared = b.tensor();
  for (size_t axis = 0; axis < joined.dims.size(); ++axis) {
    Dim& dim = joined.dims[axis];
    if (dim == compared.dims[axis]) continue;
    if (IsUnknownDim(dim) || IsUnknownDim(compared.dims[axis])) dim = Dim::Any();
  }
  Coerce(branch, Type::Tensor(joined), b, want);
  return Type::Tensor(std::move(joined));
}

Type Inference::InferIf(Expr* expr, const Type& expected) {
  CheckCondition(expr->children[0].get(), "if");
  Expr* const then = expr->children[1].get();
  Expr* const other = expr->children[2].get();
  // Without else there is no value for the other way, so the first may have none either.
  if (other == nullptr) {
    CheckExpr(then, Type::Tuple({}), {"the value of an if without else", {}});
    return Type::Tuple({});
  }
  const Type whole = unifier_.Apply(expected);
  if (IsWhole(whole)) {
    CheckExpr(then, whole, {"this branch", {}});
    CheckExpr(other, whole, {"this branch", {}});
    return whole;
  }
  const Type first = Infer(then, expected);
  const Type second = Infer(other, first);
  return Join(other, first, second,
              {"the else branch",
               then->children.empty() || then->children[0] == nullptr ? then->span
                                                                      : then->children[0]->span,
               "the other branch says what is expected"});
}

// Cases are inferred in order; where nothing is expected, the first says what the others are.
Type Inference::InferMatch(Expr* expr, const Type& expected) {
  const Type subject = Infer(expr->children[0].get(), Type());
  const Type whole = unifier_.Apply(expected);
  const bool given = IsWhole(whole);
  Type result = given ? whole : Type();
  for (Arm& arm : expr->arms) {
    // The names of a pattern are visible in the guard and in the body of their case only.
    const size_t scope = context_.scope.size();
    InferPattern(arm.pattern.get(), subject);
    BindPattern(arm.pattern.get());
    if (arm.guard != nullptr) CheckCondition(arm.guard.get(), "this case");
    if (given) {
      CheckExpr(arm.body.get(), whole, {"this case", {}});
    } else {
      const Type type = Infer(arm.body.get(), result.known() ? result : expected);
      const Span first = expr->arms[0].body->span;
      result = &arm == &expr->arms[0]
                   ? type
                   : Join(arm.body.get(), result, type,
                          {"this case", first, "the first case says what is expected"});
    }
    context_.scope.CutBack(scope);
  }
  return result;
}

// --- blocks

// Statements in order, so that a name is visible behind its let only; its value is inferred before
// it is bound, which is why `let x = x + 1` means the older x.
Type Inference::InferBlock(Expr* expr, const Type& expected) {
  const size_t scope = context_.scope.size();
  for (Statement& statement : expr->statements) {
    switch (statement.kind) {
      case StatementKind::kLet: InferLet(&statement); break;
      case StatementKind::kFunction: InferLocalFunction(statement.function.get()); break;
      case StatementKind::kExpression: {
        const Type type = Infer(statement.value.get(), Type());
        // A block-like statement without ';' is the only one whose value could get lost unnoticed,
        // so it must have none.
        if (!statement.has_semicolon)
          Coerce(statement.value.get(), Type::Tuple({}), type, {"a statement without ';'", {}});
        break;
      }
    }
    SolvePending(false);
  }
  Type result = Type::Tuple({});
  if (expr->children[0] != nullptr) result = Infer(expr->children[0].get(), expected);
  context_.scope.CutBack(scope);
  return result;
}

void Inference::InferLet(Statement* statement) {
  Type type;
  if (statement->type != nullptr) {
    type = ConvertType(*statement->type, &context_.names);
    CheckExpr(statement->value.get(), type, {"this value", statement->type->span, "declared here"});
  } else {
    type = Infer(statement->value.get(), Type());
  }
  InferPattern(statement->pattern.get(), type);
  BindPattern(statement->pattern.get());
  // op_call.h follows this to find the value of small ints, which shapes may depend on.
  if (Local* local = statement->pattern->local) local->defined_by = statement->value.get();
}

// --- loops

// Brings the variables of a loop into scope, and gives the type that the next values have together:
// the variable's own, or a tuple. A variable without a written type has that of its first value.
Type Inference::LoopVariables(Expr* expr) {
  std::vector<Type> types;
  for (Param& param : expr->params) {
    Type type;
    const std::string what = StrCat("the first value of ", param.pattern->name.text);
    if (param.type != nullptr) {
      type = ConvertType(*param.type, &context_.names);
      CheckExpr(param.first.get(), type, {what, param.type->span, "declared here"});
    } else {
      // A fresh variable widens unknown extents (Unifier::UnifyVariable), which may differ from
      // turn to turn.
      type = unifier_.FreshType();
      CheckExpr(param.first.get(), type, {what, {}});
    }
    types.push_back(type);
  }
  // All first values are checked before any variable is bound: they see the names outside only.
  CheckParameters(expr->params);
  for (size_t i = 0; i < types.size(); ++i) InferPattern(expr->params[i].pattern.get(), types[i]);
  for (Param& param : expr->params) BindPattern(param.pattern.get());
  return types.size() == 1 ? types[0] : Type::Tuple(std::move(types));
}

namespace {

// Names the variables as the place that says what the next value must be.
Want WantNext(const Expr& loop) {
  Want want{"the next value of this loop", {}, "the variables are declared here"};
  if (loop.params.empty()) return want;
  want.declared = text::Cover(loop.params.front().pattern->span, loop.params.back().pattern->span);
  return want;
}

}  // namespace

Type Inference::InferLoop(Expr* expr) {
  const size_t scope = context_.scope.size();
  const Type state = LoopVariables(expr);
  CheckCondition(expr->children[0].get(), "the loop");
  CheckExpr(expr->children[1].get(), state, WantNext(*expr));
  context_.scope.CutBack(scope);
  return state;
}

Type Inference::InferFor(Expr* expr) {
  const size_t scope = context_.scope.size();
  const Type element = unifier_.FreshType();
  Expr* const over = expr->children[0].get();
  const Type actual = Infer(over, Type());
  Coerce(over, Type::List(element), actual, {"what 'for' goes over", {}});
  const Type state = LoopVariables(expr);
  InferPattern(expr->pattern.get(), element);
  BindPattern(expr->pattern.get());
  CheckExpr(expr->children[1].get(), state, WantNext(*expr));
  context_.scope.CutBack(scope);
  return state;
}

// --- patterns

namespace {

// The names that a pattern binds. Alternatives bind the same, so the first one tells.
void CollectNames(const Pattern& pattern, std::vector<Pattern const*>* names) {
  if (pattern.local != nullptr) names->push_back(&pattern);
  if (pattern.kind == PatternKind::kOr) return CollectNames(*pattern.args[0], names);
  for (const PatternPtr& arg : pattern.args) CollectNames(*arg, names);
}

}  // namespace

void Inference::BindPattern(Pattern* pattern) {
  std::vector<const Pattern*> names;
  CollectNames(*pattern, &names);
  CheckDistinct(names);
  for (const Pattern* name : names) context_.scope.Push(name->local);
}

// Quadratic, but patterns and lists of parameters are short.
void Inference::CheckDistinct(const std::vector<const Pattern*>& names) {
  for (size_t i = 0; i < names.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (names[i]->name.text != names[j]->name.text) continue;
      Error("E1004", StrCat("'", names[i]->name.text, "' occurs twice"), names[i]->span,
            "names of one pattern or list of parameters differ")
          .Mark(names[j]->span, "first here");
      break;
    }
  }
}

void Inference::CheckParameters(const std::vector<Param>& params) {
  std::vector<const Pattern*> names;
  for (const Param& param : params) {
    if (param.pattern->local != nullptr) names.push_back(param.pattern.get());
  }
  CheckDistinct(names);
}

// Gives a type to every part of a pattern, so that names in it have types. A type that is still
// open is settled by the pattern: (a, b) needs a tuple of two.
void Inference::InferPattern(Pattern* pattern, const Type& type) {
  pattern->type = type;
  switch (pattern->kind) {
    case PatternKind::kError:
    case PatternKind::kWildcard: return;
    case PatternKind::kBind: return InferBind(pattern, type);
    case PatternKind::kList: return InferListPattern(pattern, type);
    case PatternKind::kOr: return InferAlternatives(pattern, type);
    case PatternKind::kLiteral: {
      const Type literal = Infer(pattern->literal.get(), Type());
      Coerce(pattern->literal.get(), type, literal, {"this pattern", {}});
      return;
    }
    case PatternKind::kConstructor: return InferConstructorPattern(pattern, type);
    case PatternKind::kTuple: break;
  }
  std::vector<Type> elements;
  const Type known = unifier_.Resolve(type);
  const bool fits = known.is_tuple() && known.elements().size() == pattern->args.size();
  for (size_t i = 0; i < pattern->args.size(); ++i)
    elements.push_back(fits ? known.elements()[i] : unifier_.FreshType());
  if (!fits) {
    // Coerce wants an expression for the place of its message.
    Expr place;
    place.span = pattern->span;
    Coerce(&place, type, Type::Tuple(elements), {"this pattern", {}});
  }
  for (size_t i = 0; i < pattern->args.size(); ++i)
    InferPattern(pattern->args[i].get(), elements[i]);
}

// Alternatives share the Local of a name (ParseAlternatives); the place where it was made tells the
// first, which says the type.
void Inference::InferBind(Pattern* pattern, const Type& type) {
  Local* const local = pattern->local;
  if (local->name.span == pattern->name.span) {
    local->type = type;
    return;
  }
  // Where the name is used, nobody knows which alternative it came from, so no check at run time
  // could help: the types have to fit here.
  const std::optional<Mismatch> mismatch = unifier_.Unify(local->type, type, nullptr);
  if (!mismatch.has_value()) return;
  Expr place;
  place.span = pattern->name.span;
  ReportMismatch(place, local->type, type, *mismatch,
                 {StrCat("'", pattern->name.text, "' of this alternative"), local->name.span,
                  "the first alternative says what is expected"});
}

void Inference::InferListPattern(Pattern* pattern, const Type& type) {
  const Type known = unifier_.Resolve(type);
  const bool fits = known.kind() == TypeKind::kList;
  const Type element = fits ? known.arguments()[0] : unifier_.FreshType();
  if (!fits) {
    Expr place;
    place.span = pattern->span;
    Coerce(&place, type, Type::List(element), {"this pattern", {}});
  }
  for (size_t i = 0; i < pattern->args.size(); ++i)
    InferPattern(pattern->args[i].get(), i < pattern->item_count() ? element : Type::List(element));
}

void Inference::InferAlternatives(Pattern* pattern, const Type& type) {
  std::vector<const Pattern*> first;
  for (const PatternPtr& arg : pattern->args) {
    InferPattern(arg.get(), type);
    std::vector<const Pattern*> names;
    CollectNames(*arg, &names);
    if (arg == pattern->args[0]) {
      first = std::move(names);
      continue;
    }
    CheckDistinct(names);
    CheckSameNames(first, names, *arg);
    CheckSameNames(names, first, *pattern->args[0]);
  }
}

// Reports names of `wanted` that the alternative, whose names are `names`, lacks. Called both ways,
// so that no order of alternatives hides a mistake.
void Inference::CheckSameNames(const std::vector<const Pattern*>& wanted,
                               const std::vector<const Pattern*>& names,
                               const Pattern& alternative) {
  for (const Pattern* want : wanted) {
    const auto same = [&](const Pattern* name) { return name->name.text == want->name.text; };
    if (std::any_of(names.begin(), names.end(), same)) continue;
    Error("E1018", StrCat("'", want->name.text, "' is not in every alternative"), alternative.span,
          StrCat("no '", want->name.text, "' here"))
        .Mark(want->name.span, "in this one it is")
        .Help("what alternatives share is one case: each gives the same names");
  }
}

// The pattern is read like the use of a name: a constructor is a function from its fields to the
// type, whose instance also types the fields.
void Inference::InferConstructorPattern(Pattern* pattern, const Type& type) {
  Expr name;
  name.kind = ExprKind::kName;
  name.text = pattern->name.text;
  name.span = pattern->name.span;
  const Type made = InferName(&name);
  const bool known = made.known() && name.target.kind == TargetKind::kConstructor;
  const ConstructorDecl* const declared =
      known ? &name.target.data->constructors[static_cast<size_t>(name.target.tag)] : nullptr;
  if (!known || !OrderFields(pattern, *declared)) {
    // Unknown constructor or field: the fields still need types, and kError keeps the case out of
    // the decision tree.
    for (const PatternPtr& arg : pattern->args) InferPattern(arg.get(), Type());
    pattern->kind = PatternKind::kError;
    return;
  }
  pattern->data = name.target.data;
  pattern->tag = name.target.tag;
  const Type result = made.is_function() ? made.result() : made;
  name.span = pattern->span;
  Coerce(&name, type, result, {"this pattern", {}});
  const size_t fields = made.is_function() ? made.parameters().size() : 0;
  if (fields != pattern->args.size()) {
    Error("E1008",
          StrCat("constructor ", pattern->name.text, " has ", fields,
                 fields == 1 ? " field, " : " fields, ", pattern->args.size(), " in this pattern"),
          pattern->span)
        .Mark(declared->span, "declared here");
  }
  for (size_t i = 0; i < pattern->args.size(); ++i)
    InferPattern(pattern->args[i].get(), i < fields ? made.parameters()[i] : Type());
}

}  // namespace tern::lang
