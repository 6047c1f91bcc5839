// SPDX-License-Identifier: Apache-2.0
// The messages for types that disagree, and the check that leads to them. Types are printed with
// the solutions known at that moment.
#include "core/base/strings.h"
#include "core/lang/infer/infer_state.h"
#include "core/lang/type_text.h"

namespace tern::lang {

using types::Type;
using types::TypeKind;

text::Diagnostic& Inference::Error(std::string_view code, const std::string& message,
                                   const Span& span, std::string_view label) {
  // Remembered, because checks of patterns skip functions with errors.
  if (global_ != nullptr) global_->has_errors = true;
  return diagnostics_->Error(code, message).At(span, label);
}

// A value of type `actual` goes where `expected` is wanted. Extents that only a run can compare
// mark the value (Expr::checked_as); lowering then makes a check of it.
bool Inference::Coerce(Expr* value, const Type& expected, const Type& actual, const Want& want) {
  bool needs_check = false;
  if (want.stored) unifier_.EnterStored();
  const std::optional<Mismatch> mismatch = unifier_.Unify(expected, actual, &needs_check);
  if (want.stored) unifier_.LeaveStored();
  if (mismatch.has_value()) {
    ReportMismatch(*value, expected, actual, *mismatch, want);
    GiveUp(actual);
    return false;
  }
  if (needs_check) value->checked_as = expected;
  return true;
}

// A lambda that does not fit, here or under the name that it has, may never be called in a way that
// types it: its open parameters become unknown, so that its body causes no further errors.
void Inference::GiveUp(const Type& function) {
  const Type type = unifier_.Resolve(function);
  if (!type.is_function()) return;
  for (const Type& parameter : type.parameters()) {
    const Type open = unifier_.Resolve(parameter);
    if (Unifier::IsVariable(open)) unifier_.Bind(open, Type());
  }
}

namespace {

// The place to underline: the result of a block and not its braces, which may be far apart.
Span PlaceOf(const Expr& value) {
  const Expr* at = &value;
  while (at->kind == ExprKind::kBlock && at->children[0] != nullptr) at = at->children[0].get();
  return at->kind == ExprKind::kBlock ? at->mark : at->span;
}

std::string CountText(size_t count) {
  return StrCat(count, count == 1 ? " parameter" : " parameters");
}

// Functions that take different numbers of arguments.
bool DifferInParameters(const Type& expected, const Type& actual) {
  return expected.is_function() && actual.is_function() &&
         expected.parameters().size() != actual.parameters().size();
}

std::string MismatchText(const Mismatch& mismatch, const std::string& what,
                         const std::string& expected, const std::string& actual) {
  if (mismatch.kind == MismatchKind::kInfinite)
    return StrCat(what, " would have a type that contains itself");
  if (mismatch.kind == MismatchKind::kType &&
      DifferInParameters(mismatch.expected, mismatch.actual)) {
    return StrCat(what, " has ", CountText(mismatch.actual.parameters().size()), ", expected ",
                  mismatch.expected.parameters().size());
  }
  if (mismatch.kind == MismatchKind::kType)
    return StrCat("type mismatch: ", what, " is ", actual, ", expected ", expected);
  const auto axis = static_cast<size_t>(mismatch.axis);
  const std::string to = ExtentName(mismatch.expected.tensor().dims[axis]);
  const std::string from = ExtentText(mismatch.actual.tensor().dims[axis]);
  return StrCat("shape mismatch: axis ", axis, " of ", what, " is ", from, ", expected ", to);
}

}  // namespace

void Inference::ReportMismatch(const Expr& value, const Type& raw_expected, const Type& raw_actual,
                               const Mismatch& mismatch, const Want& want) {
  const Type expected = unifier_.Apply(raw_expected), actual = unifier_.Apply(raw_actual);
  const std::string to = TypeText(expected), from = TypeText(actual);
  const bool dims =
      mismatch.kind == MismatchKind::kDim || mismatch.kind == MismatchKind::kUnchecked;
  text::Diagnostic& error =
      Error(dims                                       ? "E1010"
            : mismatch.kind == MismatchKind::kInfinite ? "E1019"
                                                       : "E1009",
            MismatchText(mismatch, want.what, to, from), PlaceOf(value), StrCat("this is ", from));
  if (want.declared.valid()) error.Mark(want.declared, want.declared_text);
  if (mismatch.kind == MismatchKind::kInfinite) {
    error.Note("a value is used as if it held itself; name its type to see where");
    return;
  }
  error.Context("expected", to);
  error.Context("got", from);
  const Type part_to = unifier_.Apply(mismatch.expected);
  const Type part_from = unifier_.Apply(mismatch.actual);
  const bool differ_in_text = TypeText(part_to) != TypeText(part_from);
  // The inner difference is worth a line only if it is not what the message says already.
  if (differ_in_text && !(part_to == expected) && !(part_from == actual))
    error.Note(StrCat("inside it, ", TypeText(part_from), " is not ", TypeText(part_to)));
  if (mismatch.kind == MismatchKind::kUnchecked)
    error.Help(
        "inside lists and functions no run-time check is possible: write ? in the type "
        "that is expected");
  SuggestConversion(value, part_to, part_from, &error);
}

// Adds a fix that converts the value, where a conversion exists.
void Inference::SuggestConversion(const Expr& value, const Type& expected, const Type& actual,
                                  text::Diagnostic* error) {
  const TypeKind to = expected.kind(), from = actual.kind();
  if (value.kind == ExprKind::kBlock && value.children[0] != nullptr)
    return SuggestConversion(*value.children[0], expected, actual, error);
  const Span span = PlaceOf(value);
  const std::string_view text = program_->sources->text(span);
  // A literal is rewritten instead of converted.
  if (to == TypeKind::kFloat && value.kind == ExprKind::kInt) {
    error->fixes.push_back({"write it as a float", {{span, StrCat(text, ".0")}}});
  } else if (to == TypeKind::kFloat && (from == TypeKind::kInt || from == TypeKind::kTensor)) {
    error->fixes.push_back({"convert it", {{span, StrCat("float(", text, ")")}}});
  } else if (to == TypeKind::kInt && (from == TypeKind::kFloat || from == TypeKind::kTensor)) {
    error->fixes.push_back({"convert it", {{span, StrCat("int(", text, ")")}}});
  } else if (to == TypeKind::kString && expected.is_scalar() && actual.is_scalar()) {
    error->fixes.push_back({"convert it", {{span, StrCat("string(", text, ")")}}});
  } else if (to == TypeKind::kTensor && (actual.is_scalar() || from == TypeKind::kList)) {
    const std::string dtype = expected.tensor().dtype.ToString();
    if (from != TypeKind::kString)
      error->fixes.push_back({"convert it", {{span, StrCat(dtype, "(", text, ")")}}});
  } else if (to == TypeKind::kTensor && from == TypeKind::kTensor &&
             !(expected.tensor().dtype == actual.tensor().dtype)) {
    const std::string dtype = expected.tensor().dtype.ToString();
    error->fixes.push_back({"convert its elements", {{span, StrCat(dtype, "(", text, ")")}}});
  } else if (from == TypeKind::kTuple && actual.elements().empty() &&
             value.kind == ExprKind::kBlock && !value.statements.empty() &&
             value.children[0] == nullptr) {
    error->Help("a block's value is the expression before its '}', without ';'");
  }
}

// Turns the status of an operator's relation into a diagnostic: at an attribute if the message
// quotes one, else at the call.
void Inference::ReportOpProblem(const Expr& call, const ops::OpInfo& op, const OpCall& read,
                                const Status& status) {
  const bool named = status.message().starts_with(op.name);
  const std::string code(status.error_code().empty() ? "E1014" : status.error_code());
  Span span = call.span;
  for (const Attribute& attribute : call.attributes) {
    if (status.message().find(StrCat("'", attribute.name.text, "'")) != std::string_view::npos)
      span = attribute.name.span;
  }
  text::Diagnostic& error = Error(
      code, named ? std::string(status.message()) : StrCat(op.name, ": ", status.message()), span);
  // A few arguments are enough to see the mistake; `concat` may have dozens.
  for (size_t i = 0; i < read.arguments.size() && i < 8; ++i) {
    if (read.arguments[i].expr == nullptr) continue;
    error.Context(StrCat("argument ", i, " (", op.parameter(static_cast<int>(i)), ")"),
                  TypeText(Known(*read.arguments[i].expr)));
  }
  for (const std::string& note : status.notes()) error.Note(note);
}

}  // namespace tern::lang
