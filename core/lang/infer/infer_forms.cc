// SPDX-License-Identifier: Apache-2.0
// Forms that stand for others: slices, fields of records, and arguments by name. Each is rewritten
// here to the calls, matches and blocks that it means, so that lowering knows only those. Children
// that stay keep their places in the text, which messages show.
#include <algorithm>

#include "core/base/strings.h"
#include "core/lang/infer/infer_state.h"
#include "core/lang/parse/parse_state.h"
#include "core/lang/type_text.h"

namespace tern::lang {

using types::Type;
using types::TypeKind;

namespace {

// The name of a value that a form needs twice. No program can write it, and an inner form hides the
// name of the one around it.
constexpr std::string_view kShared = "..";

ExprPtr MakeInt(int64_t value, const Span& span) {
  ExprPtr expr = MakeExpr(ExprKind::kInt, span);
  expr->text = StrCat(value);
  expr->type = Type::Int();
  return expr;
}

ExprPtr MakeInts(std::vector<ExprPtr> items, const Span& span) {
  ExprPtr list = MakeExpr(ExprKind::kList, span);
  list->type = Type::List(Type::Int());
  list->children = std::move(items);
  return list;
}

ExprPtr MakeName(std::string_view name, const Span& span) {
  ExprPtr expr = MakeExpr(ExprKind::kName, span);
  expr->text = name;
  return expr;
}

// A use of the local, whose type is known.
ExprPtr MakeUse(Local* local, const Span& span) {
  ExprPtr expr = MakeName(local->name.text, span);
  expr->target = {.kind = TargetKind::kLocal, .local = local};
  expr->type = local->type;
  ++local->uses;
  return expr;
}

// Turns *call into name(arguments…).
void BecomeCall(Expr* call, std::string_view name, std::vector<ExprPtr> arguments) {
  call->kind = ExprKind::kCall;
  call->children.clear();
  call->children.push_back(MakeName(name, call->mark));
  for (ExprPtr& argument : arguments) call->children.push_back(std::move(argument));
}

bool IsRange(const Expr& expr) { return expr.kind == ExprKind::kBinary && expr.text == ".."; }
bool IsPart(const Expr& expr) { return expr.kind == ExprKind::kPart || IsRange(expr); }

// "x", "x" and "y": what a message lists.
std::string Listed(const std::vector<std::string_view>& names) {
  std::string text;
  for (const std::string_view name : names) StrAppend(&text, text.empty() ? "" : ", ", name);
  return text;
}

std::vector<std::string_view> FieldNames(const ConstructorDecl& constructor) {
  std::vector<std::string_view> names;
  for (const Name& name : constructor.field_names) names.push_back(name.text);
  return names;
}

// The number of the field, or -1.
int FieldIndex(const ConstructorDecl& constructor, std::string_view name) {
  for (size_t i = 0; i < constructor.field_names.size(); ++i) {
    if (constructor.field_names[i].text == name) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

Local* Inference::MakeLocal(std::string_view name, const Span& span, const Type& type) {
  std::deque<Local>& locals = (infers_prelude_ ? program_->prelude->file : program_->file)->locals;
  locals.push_back({.name = {std::string(name), span}});
  locals.back().type = type;
  return &locals.back();
}

// --- indices

// Whether the items of an index take parts of the value, or several axes at once.
bool Inference::IsSlice(const Expr& index) {
  return index.children.size() > 2 || IsPart(*index.children[1]);
}

// The ends of items must be ints. False where one is something else, about which a message was
// given; nothing where one is open.
std::optional<bool> Inference::CheckIndexItems(Expr* expr) {
  bool fits = true;
  for (size_t i = 1; i < expr->children.size(); ++i) {
    Expr* const item = expr->children[i].get();
    if (!IsPart(*item)) {
      fits = Coerce(item, Type::Int(), item->type, {"the index", {}}) && fits;
      continue;
    }
    // A whole range has been checked to be of ints; only it can be open or wrong.
    if (IsRange(*item)) {
      const Type actual = unifier_.Resolve(item->type);
      if (Unifier::IsVariable(actual)) return std::nullopt;
      fits = actual.known() && fits;
      continue;
    }
    for (const ExprPtr& end : item->children) {
      if (end != nullptr)
        fits = Coerce(end.get(), Type::Int(), end->type, {"an end of the range", {}}) && fits;
    }
  }
  return fits;
}

// text[i..j] and xs[i..j] are slice(value, i, j); xs[i..] reads the value's length, so the value
// gets a name: { let .. = xs; slice(.., i, length(..)) }.
std::optional<Type> Inference::SliceItems(Expr* expr, const Type& type) {
  if (expr->children.size() > 2) {
    Error("E1008",
          StrCat(KindText(unifier_.Apply(type)), " has one axis, ", expr->children.size() - 1,
                 " are given"),
          expr->span, "only tensors have several");
    return Type();
  }
  ExprPtr value = std::move(expr->children[0]);
  const ExprPtr part = std::move(expr->children[1]);
  ExprPtr begin = std::move(part->children[0]), end = std::move(part->children[1]);
  if (begin == nullptr) begin = MakeInt(0, part->span);
  std::vector<ExprPtr> arguments(3);
  arguments[1] = std::move(begin);
  if (end != nullptr) {
    arguments[0] = std::move(value);
    arguments[2] = std::move(end);
    BecomeCall(expr, "slice", std::move(arguments));
    return TryCall(expr, false);
  }
  Local* const shared = MakeLocal(kShared, value->span, type);
  ExprPtr length = MakeExpr(ExprKind::kCall, part->span);
  length->children.push_back(MakeName("length", part->span));
  length->children.push_back(MakeUse(shared, value->span));
  length->type = Choose(length.get());
  arguments[0] = MakeUse(shared, value->span);
  arguments[2] = std::move(length);
  ExprPtr call = MakeExpr(ExprKind::kCall, expr->span);
  BecomeCall(call.get(), "slice", std::move(arguments));
  call->type = Choose(call.get());
  const Type result = call->type;
  BecomeBlock(expr, shared, std::move(value), std::move(call));
  return result;
}

// Turns *expr into { let name = value; result }.
void Inference::BecomeBlock(Expr* expr, Local* name, ExprPtr value, ExprPtr result) {
  Statement statement;
  statement.kind = StatementKind::kLet;
  statement.span = value->span;
  statement.pattern = MakePattern(PatternKind::kBind, value->span);
  statement.pattern->name = name->name;
  statement.pattern->local = name;
  statement.pattern->type = name->type;
  statement.value = std::move(value);
  expr->kind = ExprKind::kBlock;
  expr->statements.clear();
  expr->statements.push_back(std::move(statement));
  expr->children.clear();
  expr->children.push_back(std::move(result));
}

namespace {

// One call of the chain that an index of a tensor becomes; the value before it is its first
// argument.
struct Step {
  std::string_view op;
  std::vector<ExprPtr> arguments = {};
  std::vector<Attribute> attributes = {};
};

// The parts among the items are one slice, then each position is a gather with a scalar index, the
// last axis first, so that the axes before it keep their numbers. x[..] is x.
std::vector<Step> StepsOf(std::vector<ExprPtr> items, const Span& place) {
  std::vector<ExprPtr> begins, ends, axes;
  std::vector<Step> gathers;
  for (size_t i = 0; i < items.size(); ++i) {
    Expr& item = *items[i];
    const auto axis = static_cast<int64_t>(i);
    if (!IsPart(item)) {
      Step gather{.op = "gather"};
      gather.arguments.push_back(std::move(items[i]));
      gather.attributes.push_back({{"axis", place}, MakeInt(axis, place)});
      gathers.insert(gathers.begin(), std::move(gather));
      continue;
    }
    ExprPtr begin = std::move(item.children[0]), end = std::move(item.children[1]);
    if (begin == nullptr && end == nullptr) continue;  // the whole axis
    begins.push_back(begin != nullptr ? std::move(begin) : MakeInt(0, item.span));
    ends.push_back(end != nullptr ? std::move(end) : MakeInt(INT64_MAX, item.span));
    axes.push_back(MakeInt(axis, item.span));
  }
  std::vector<Step> steps;
  if (!begins.empty()) {
    Step slice{.op = "slice"};
    for (std::vector<ExprPtr>* list : {&begins, &ends, &axes})
      slice.arguments.push_back(MakeInts(std::move(*list), place));
    steps.push_back(std::move(slice));
  }
  for (Step& gather : gathers) steps.push_back(std::move(gather));
  if (steps.empty()) steps.push_back({.op = "identity"});
  return steps;
}

// Turns *call into step.op(value, …).
void BecomeStep(Expr* call, ExprPtr value, Step step) {
  step.arguments.insert(step.arguments.begin(), std::move(value));
  BecomeCall(call, step.op, std::move(step.arguments));
  call->attributes = std::move(step.attributes);
}

}  // namespace

// x[i, j..k, ..]: every call of the chain but the last is a node of its own; the last is *expr.
std::optional<Type> Inference::SliceTensor(Expr* expr, const Type& type) {
  const size_t rank = unifier_.Apply(type).tensor().dims.size(), count = expr->children.size() - 1;
  if (count > rank) {
    Error("E1014", StrCat("a tensor of rank ", rank, " has no axis ", rank), expr->span,
          StrCat(count, count == 1 ? " item is given" : " items are given"));
    return Type();
  }
  ExprPtr value = std::move(expr->children[0]);
  std::vector<Step> steps = StepsOf({std::make_move_iterator(expr->children.begin() + 1),
                                     std::make_move_iterator(expr->children.end())},
                                    expr->mark);
  for (size_t i = 0; i + 1 < steps.size(); ++i) {
    ExprPtr call = MakeExpr(ExprKind::kCall, expr->span);
    call->mark = expr->mark;
    BecomeStep(call.get(), std::move(value), std::move(steps[i]));
    call->type = Choose(call.get());
    value = std::move(call);
  }
  BecomeStep(expr, std::move(value), std::move(steps.back()));
  return TryCall(expr, false);
}

// The items are ints by now, or open: then nothing has been changed.
std::optional<Type> Inference::TrySlice(Expr* expr, const Type& type) {
  const std::optional<bool> fits = CheckIndexItems(expr);
  if (!fits.has_value()) return std::nullopt;
  if (!*fits) return Type();
  return type.is_tensor() ? SliceTensor(expr, type) : SliceItems(expr, type);
}

// zeros(shape) is constant_of_shape(shape, value = 0), unless the program has its own `zeros`.
void Inference::ExpandMaker(Expr* call) {
  Expr& callee = *call->children[0];
  if (callee.kind != ExprKind::kName || context_.scope.Find(callee.text) != nullptr ||
      program_->FindFunction(callee.text, InPrelude()) != nullptr)
    return;
  const std::span<const Maker> makers = AllMakers();
  const auto maker = std::find_if(makers.begin(), makers.end(),
                                  [&](const Maker& each) { return each.name == callee.text; });
  if (maker == makers.end()) return;
  callee.text = maker->op;
  if (maker->value.empty()) return;
  ExprPtr value = MakeInt(0, callee.span);
  value->text = maker->value;
  call->attributes.push_back({{"value", callee.span}, std::move(value)});
}

// --- records

// value.name is a match with one case. Only a type of one constructor has fields by name: of
// several, a match has to say which it is.
std::optional<Type> Inference::TryRecordField(Expr* expr, const Type& type) {
  const DataDecl* data = program_->FindData(type.name(), InPrelude());
  const bool record = data != nullptr && data->constructors.size() == 1;
  const int index = record ? FieldIndex(data->constructors[0], expr->text) : -1;
  if (index < 0) {
    text::Diagnostic& error =
        Error("E1009", StrCat(TypeText(unifier_.Apply(type)), " has no field '", expr->text, "'"),
              expr->mark, "no such field");
    error.Mark(expr->children[0]->span, StrCat("this is ", TypeText(unifier_.Apply(type))));
    if (!record) {
      error.Help("match tells which constructor made it, and gives its fields");
    } else if (data->constructors[0].field_names.empty()) {
      error.Help(StrCat("its fields have no names: match it, or declare them as in ",
                        data->constructors[0].name.text, "(x: int)"));
    } else {
      error.Help(StrCat("its fields are ", Listed(FieldNames(data->constructors[0]))));
    }
    return Type();
  }
  const ConstructorDecl& constructor = data->constructors[0];
  Arm arm;
  arm.span = expr->mark;
  arm.pattern = MakePattern(PatternKind::kConstructor, expr->span);
  arm.pattern->name = {constructor.name.text, Span()};
  Local* const field = MakeLocal(expr->text, expr->mark, Type());
  for (size_t i = 0; i < constructor.fields.size(); ++i) {
    PatternPtr arg = MakePattern(PatternKind::kWildcard, expr->mark);
    if (static_cast<int>(i) == index) {
      arg->kind = PatternKind::kBind;
      arg->name = field->name;
      arg->local = field;
    }
    arm.pattern->args.push_back(std::move(arg));
  }
  InferPattern(arm.pattern.get(), type);
  arm.body = MakeUse(field, expr->mark);
  expr->kind = ExprKind::kMatch;
  expr->arms.push_back(std::move(arm));
  return field->type;
}

// Point(y = 2, x = 1) and Point(..p, x = 1): the arguments are put in the order of the declaration;
// those that are not given come from the value behind "..". False, with a message, where that
// cannot be done.
bool Inference::OrderArguments(Expr* call, const ConstructorDecl& constructor, Local* base) {
  std::vector<ExprPtr> ordered(constructor.fields.size());
  const auto fail = [&](std::string message, const Span& span) -> text::Diagnostic& {
    return Error("E1008", message, span).Mark(constructor.span, "declared here");
  };
  for (size_t i = 1; i < call->children.size(); ++i) {
    if (i <= ordered.size()) {
      ordered[i - 1] = std::move(call->children[i]);
      continue;
    }
    fail(StrCat("constructor ", constructor.name.text, " has ", ordered.size(), " fields"),
         call->children[i]->span);
    return false;
  }
  for (Attribute& attribute : call->attributes) {
    const std::string& name = attribute.name.text;
    if (name == kShared) continue;
    const int index = FieldIndex(constructor, name);
    if (index < 0) {
      fail(StrCat("constructor ", constructor.name.text, " has no field '", name, "'"),
           attribute.name.span)
          .Help(constructor.field_names.empty()
                    ? std::string("its fields have no names; they are given in order")
                    : StrCat("its fields are ", Listed(FieldNames(constructor))));
      return false;
    }
    ExprPtr& place = ordered[static_cast<size_t>(index)];
    if (place != nullptr) {
      fail(StrCat("field '", name, "' is given twice"), attribute.name.span);
      return false;
    }
    place = std::move(attribute.value);
  }
  std::vector<std::string_view> missing;
  for (size_t i = 0; i < ordered.size(); ++i) {
    if (ordered[i] != nullptr) continue;
    const bool named = i < constructor.field_names.size();
    if (base == nullptr || !named) {
      missing.push_back(named ? std::string_view(constructor.field_names[i].text) : "a field");
      continue;
    }
    ordered[i] = MakeExpr(ExprKind::kField, base->name.span);
    ordered[i]->text = constructor.field_names[i].text;
    ordered[i]->mark = base->name.span;
    ordered[i]->children.push_back(MakeName(kShared, base->name.span));
  }
  if (!missing.empty()) {
    fail(StrCat("constructor ", constructor.name.text, " needs ", Listed(missing)), call->span);
    return false;
  }
  call->attributes.clear();
  call->children.resize(1);
  for (ExprPtr& argument : ordered) call->children.push_back(std::move(argument));
  return true;
}

// A call of a constructor with arguments by name. One that has a mistake becomes a kError, because
// its arguments may have been moved already.
Type Inference::InferRecord(Expr* call, const ConstructorRef& ref, const Type& expected) {
  const std::optional<Type> type = OrderRecord(call, ref, expected);
  if (type.has_value()) return *type;
  call->kind = ExprKind::kError;
  call->children.clear();
  call->attributes.clear();
  return Type();
}

// The value behind ".." is computed first, once. Nothing where a message was given.
std::optional<Type> Inference::OrderRecord(Expr* call, const ConstructorRef& ref,
                                           const Type& expected) {
  const ConstructorDecl& constructor = ref.data->constructors[static_cast<size_t>(ref.tag)];
  Local* base = nullptr;
  ExprPtr value;
  for (Attribute& attribute : call->attributes) {
    if (attribute.name.text != kShared) continue;
    if (base != nullptr || &attribute != &call->attributes[0]) {
      Error("E1008", "'..' stands once, before the fields by name", attribute.name.span);
      return std::nullopt;
    }
    value = std::move(attribute.value);
    base = MakeLocal(kShared, value->span, Infer(value.get(), expected));
  }
  // Names of a base that is no record are looked up in its own type, and would blame a field.
  if (base != nullptr && ref.data->constructors.size() != 1) {
    Error("E1008", StrCat("'..' of type ", ref.data->name.text, ", which has several constructors"),
          base->name.span, "only what one constructor makes has known fields");
    return std::nullopt;
  }
  const Type from = base == nullptr ? Type() : unifier_.Resolve(base->type);
  if (from.known() && !Unifier::IsVariable(from) &&
      !(from.is_data() && from.name() == ref.data->name.text)) {
    Error("E1009", StrCat("'..' of ", KindText(unifier_.Apply(from))), base->name.span,
          StrCat("expected ", ref.data->name.text));
    return std::nullopt;
  }
  if (!OrderArguments(call, constructor, base)) return std::nullopt;
  if (base == nullptr) return InferCall(call, expected);
  auto made = std::make_unique<Expr>(std::move(*call));
  *call = Expr();
  call->span = made->span;
  call->mark = made->mark;
  context_.scope.Push(base);
  const Type result = Infer(made.get(), expected);
  context_.scope.CutBack(context_.scope.size() - 1);
  BecomeBlock(call, base, std::move(value), std::move(made));
  return result;
}

// Puts the fields of a pattern in the order of the declaration; those that `..` stands for match
// anything. False, with a message, where a name is wrong; the pattern is as it was then. A wrong
// number of fields is left to InferConstructorPattern.
bool Inference::OrderFields(Pattern* pattern, const ConstructorDecl& constructor) {
  if (pattern->fields.empty() && !pattern->has_rest) return true;
  std::vector<size_t> places;
  size_t next = 0;
  for (const Name& name : pattern->fields) {
    const int found =
        name.text.empty() ? static_cast<int>(next++) : FieldIndex(constructor, name.text);
    const bool twice = std::count(places.begin(), places.end(), static_cast<size_t>(found)) > 0;
    if (found >= 0 && !twice) {
      places.push_back(static_cast<size_t>(found));
      continue;
    }
    const std::string message =
        twice ? StrCat("field '", name.text, "' is matched twice")
              : StrCat("constructor ", pattern->name.text, " has no field '", name.text, "'");
    Error("E1008", message, name.span).Mark(constructor.span, "declared here");
    return false;
  }
  if (next > constructor.fields.size()) return true;
  std::vector<PatternPtr> ordered(constructor.fields.size());
  for (size_t i = 0; i < places.size(); ++i) ordered[places[i]] = std::move(pattern->args[i]);
  for (PatternPtr& arg : ordered) {
    if (arg == nullptr && pattern->has_rest)
      arg = MakePattern(PatternKind::kWildcard, pattern->span);
  }
  std::erase(ordered, nullptr);
  pattern->has_rest = false;
  pattern->fields.clear();
  pattern->args = std::move(ordered);
  return true;
}

}  // namespace tern::lang
