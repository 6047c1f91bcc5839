// SPDX-License-Identifier: Apache-2.0
// Declarations, types and patterns; parse_expr.cc has expressions. Each Parse function takes at
// least one token or reports an error, on which the loops of its callers rely.
#include "core/lang/parse/parser.h"

#include <algorithm>
#include <utility>

#include "core/base/strings.h"
#include "core/lang/parse/foreign_words.h"
#include "core/lang/parse/parse_state.h"

namespace tern::lang {

// --- types

namespace {

TypeExprPtr MakeType(TypeExprKind kind, Span span) {
  auto type = std::make_unique<TypeExpr>();
  type->kind = kind;
  type->span = span;
  return type;
}

// A capital letter names a data type, which takes types in brackets; a small one names a scalar, a
// type variable or, with brackets, the element type of a tensor with dimensions. So no table of
// names is needed to read a type.
TypeExprPtr ParseNamedType(ParseState* state) {
  const bool capital = state->IsKind(TokenKind::kTypeName);
  const Token& token = state->Take();
  TypeExprPtr type = MakeType(capital ? TypeExprKind::kApplied : TypeExprKind::kName, token.span);
  type->name = {std::string(token.text), token.span};
  if (capital && state->Accept("["))
    ParseList(state, "]", [&] { type->args.push_back(ParseType(state)); });
  if (!capital && state->Is("[")) {
    state->Take();
    type->kind = TypeExprKind::kTensor;
    ParseList(state, "]", [&] { type->dims.push_back(ParseExpr(state)); });
  }
  return type;
}

}  // namespace

TypeExprPtr ParseType(ParseState* state) {
  const Span begin = state->Peek().span;
  TypeExprPtr type = MakeType(TypeExprKind::kError, begin);
  if (!state->Enter()) {
    state->Leave();
    return type;
  }
  if (state->Accept("(")) {
    type->kind = TypeExprKind::kTuple;
    ParseList(state, ")", [&] { type->args.push_back(ParseType(state)); });
    // (T) is T; a tuple of one does not exist.
    if (type->args.size() == 1) type = std::move(type->args[0]);
  } else if (state->Accept("fn")) {
    type->kind = TypeExprKind::kFunction;
    if (state->Expect("(")) ParseList(state, ")", [&] { type->args.push_back(ParseType(state)); });
    if (state->Expect("->", "and the type of the result")) type->result = ParseType(state);
    // Types are never half filled: later stages use `result` without a test.
    if (type->result == nullptr) type->result = MakeType(TypeExprKind::kError, begin);
  } else if (state->IsKind(TokenKind::kName) || state->IsKind(TokenKind::kTypeName)) {
    type = ParseNamedType(state);
  } else {
    text::Diagnostic* diagnostic = state->Fail("a type such as int or f32[n, 4]");
    // [int] is how several other languages write the type of a list.
    if (diagnostic != nullptr && state->Is("["))
      diagnostic->Help("a list's type is written List[int], a tensor's f32[n, 4]");
  }
  state->Leave();
  type->span = state->SpanFrom(begin);
  return type;
}

// --- patterns

PatternPtr MakePattern(PatternKind kind, Span span) {
  auto pattern = std::make_unique<Pattern>();
  pattern->kind = kind;
  pattern->span = span;
  return pattern;
}

namespace {

// The local that the pattern binds to the name, or null.
Local* FindLocal(const Pattern& pattern, std::string_view name) {
  if (pattern.local != nullptr && pattern.name.text == name) return pattern.local;
  for (const PatternPtr& arg : pattern.args) {
    if (Local* const found = FindLocal(*arg, name)) return found;
  }
  return nullptr;
}

// A number with an optional '-', a string or a bool. Floats are refused: equality of rounded
// numbers is rarely what is meant, and -0.0 and NaN have no obvious answer.
PatternPtr ParseLiteralPattern(ParseState* state) {
  const Span begin = state->Peek().span;
  const bool negative = state->Accept("-");
  const Token& token = state->Peek();
  PatternPtr pattern = MakePattern(PatternKind::kLiteral, begin);
  ExprKind kind = ExprKind::kError;
  if (token.kind == TokenKind::kInt) kind = ExprKind::kInt;
  if (token.kind == TokenKind::kString && !negative) kind = ExprKind::kString;
  if ((token.Is("true") || token.Is("false")) && !negative) kind = ExprKind::kBool;
  if (kind == ExprKind::kError) {
    text::Diagnostic* diagnostic = state->Fail("a pattern");
    if (diagnostic != nullptr && token.kind == TokenKind::kFloat)
      diagnostic->Help("floats cannot be matched; compare them in a guard: x if x == 0.5 => …");
    pattern->kind = PatternKind::kError;
    // Taken, so that the list around it can go on behind it.
    if (token.kind == TokenKind::kFloat) state->Take();
    return pattern;
  }
  state->Take();
  pattern->literal = MakeExpr(kind, state->SpanFrom(begin));
  pattern->literal->text = StrCat(negative ? "-" : "", token.text);
  return pattern;
}

// Point(x, y), Point(x = a, ..): fields in order, then fields by name, then `..` for all others.
PatternPtr ParseConstructorPattern(ParseState* state) {
  PatternPtr pattern = MakePattern(PatternKind::kConstructor, state->Peek().span);
  pattern->name = state->TakeTypeName("a constructor");
  if (!state->Accept("(")) return pattern;
  pattern->has_parentheses = true;
  ParseList(state, ")", [&] {
    if (pattern->has_rest) state->Fail("')': '..' stands last");
    if (state->Accept("..")) {
      pattern->has_rest = true;
      return;
    }
    Name field;
    if (AtNamed(*state)) {
      field = state->TakeName("a field");
      state->Take();
    } else if (!pattern->fields.empty() && !pattern->fields.back().text.empty()) {
      state->Fail("a field by its name, as the ones before it");
    }
    pattern->fields.push_back(std::move(field));
    pattern->args.push_back(ParseAlternatives(state));
  });
  return pattern;
}

// [], [x, y], [x, ..rest], [x, ..]
// Only the last item may be `..`, so a list pattern tests a minimal length and reads from the
// front.
PatternPtr ParseListPattern(ParseState* state) {
  PatternPtr pattern = MakePattern(PatternKind::kList, state->Take().span);
  ParseList(state, "]", [&] {
    if (pattern->has_rest) {
      text::Diagnostic* diagnostic = state->Fail("']': the rest of a list stands last");
      if (diagnostic != nullptr) diagnostic->Help("the last item is xs[length(xs) - 1]");
    }
    if (!state->Is("..")) return pattern->args.push_back(ParseAlternatives(state));
    const Token& dots = state->Take();
    const bool named = state->IsKind(TokenKind::kName);
    const Name name = named ? state->TakeName("a name") : Name{"_", dots.span};
    PatternPtr rest = MakeBind(state, name);
    // A second `..` is reported above and dropped; has_rest promises exactly one.
    if (!std::exchange(pattern->has_rest, true)) pattern->args.push_back(std::move(rest));
  });
  return pattern;
}

// Lets equal names of two alternatives share one Local, because the case's body cannot tell which
// of them matched.
void ShareLocals(const Pattern& first, Pattern* other) {
  if (other->local != nullptr) {
    if (Local* const same = FindLocal(first, other->name.text)) other->local = same;
  }
  for (const PatternPtr& arg : other->args) ShareLocals(first, arg.get());
}

PatternPtr ParseTuplePattern(ParseState* state) {
  PatternPtr pattern = MakePattern(PatternKind::kTuple, state->Take().span);
  ParseList(state, ")", [&] { pattern->args.push_back(ParseAlternatives(state)); });
  if (pattern->args.size() == 1) return std::move(pattern->args[0]);
  return pattern;
}

}  // namespace

// A fresh binding; "_" and the empty name of a mistake bind nothing.
PatternPtr MakeBind(ParseState* state, Name name) {
  PatternPtr pattern = MakePattern(PatternKind::kBind, name.span);
  if (name.text == "_" || name.text.empty()) {
    pattern->kind = name.text.empty() ? PatternKind::kError : PatternKind::kWildcard;
    return pattern;
  }
  // In the file and not in the pattern, because alternatives share locals and patterns are dropped.
  state->file()->locals.push_back({.name = name});
  pattern->local = &state->file()->locals.back();
  pattern->name = std::move(name);
  return pattern;
}

PatternPtr ParsePattern(ParseState* state) {
  const Span begin = state->Peek().span;
  PatternPtr pattern;
  if (!state->Enter()) {
    pattern = MakePattern(PatternKind::kError, begin);
  } else if (state->Is("(")) {
    pattern = ParseTuplePattern(state);
  } else if (state->Is("[")) {
    pattern = ParseListPattern(state);
  } else if (state->IsKind(TokenKind::kTypeName)) {
    pattern = ParseConstructorPattern(state);
  } else if (state->IsKind(TokenKind::kName)) {
    pattern = MakeBind(state, state->TakeName("a name"));
  } else {
    pattern = ParseLiteralPattern(state);
  }
  state->Leave();
  pattern->span = state->SpanFrom(begin);
  return pattern;
}

// a | b. All alternatives bind the same names (inference checks it), and each name is one Local.
PatternPtr ParseAlternatives(ParseState* state) {
  PatternPtr first = ParsePattern(state);
  if (!state->Is("|")) return first;
  PatternPtr pattern = MakePattern(PatternKind::kOr, first->span);
  // (a | b) | c is one flat list, so that the decision tree has one level to split.
  const auto add = [&](PatternPtr one) {
    if (one->kind != PatternKind::kOr) return pattern->args.push_back(std::move(one));
    for (PatternPtr& each : one->args) pattern->args.push_back(std::move(each));
  };
  add(std::move(first));
  while (state->Accept("|")) add(ParsePattern(state));
  for (const PatternPtr& arg : pattern->args) ShareLocals(*pattern->args[0], arg.get());
  pattern->span = state->SpanFrom(pattern->span);
  return pattern;
}

// --- declarations

// The names in the brackets of a declaration. Which are types and which dimensions, their uses tell
// (Inference::SortGenerics).
std::vector<Name> ParseGenerics(ParseState* state) {
  std::vector<Name> generics;
  ParseList(state, "]", [&] {
    Name name = state->TakeName("the name of a type or dimension");
    if (!name.text.empty()) generics.push_back(std::move(name));
  });
  return generics;
}

Param ParseParam(ParseState* state, bool with_first) {
  Param param;
  param.pattern = MakeBind(state, state->TakeName("the name of a parameter"));
  if (state->Accept(":")) param.type = ParseType(state);
  if (with_first && state->Expect("=", "and the first value")) param.first = ParseExpr(state);
  // A loop variable always has a first value, be it a kError.
  if (with_first && param.first == nullptr)
    param.first = MakeExpr(ExprKind::kError, state->Peek().span);
  return param;
}

std::unique_ptr<Function> ParseFunction(ParseState* state) {
  auto function = std::make_unique<Function>();
  const Span begin = state->Take().span;  // fn
  function->name = state->TakeName("the name of the function");
  if (state->Accept("[")) {
    function->has_generics = true;
    function->generics = ParseGenerics(state);
  }
  if (state->Expect("("))
    ParseList(state, ")", [&] { function->params.push_back(ParseParam(state, false)); });
  if (state->Accept("->")) function->result = ParseType(state);
  // A body that is missing is reported by ParseBlock, which gives a kError then; so `body` is never
  // null here.
  function->body = ParseBlock(state);
  function->span = state->SpanFrom(begin);
  return function;
}

namespace {

// Type, or name: Type. Either all fields of a constructor have names or none.
void ParseField(ParseState* state, ConstructorDecl* constructor) {
  if (state->IsKind(TokenKind::kName) && state->Peek(1).Is(":")) {
    if (constructor->field_names.size() != constructor->fields.size())
      state->Fail("a type: the fields before it have no names");
    constructor->field_names.push_back(state->TakeName("a field"));
    state->Take();
  } else if (!constructor->field_names.empty()) {
    state->Fail("a name and a type, as in x: int, because the fields before it have names");
  }
  constructor->fields.push_back(ParseType(state));
}

// Each mention of a field takes its value apart, which costs as much as it has fields: without a
// limit the time that a text takes would grow with its square.
constexpr size_t kMaxFields = 256;

void CheckFieldCount(ParseState* state, ConstructorDecl* constructor) {
  const size_t count = constructor->fields.size();
  if (count <= kMaxFields) return;
  state->diagnostics()
      ->Error("E1017", StrCat("constructor ", constructor->name.text, " has ", count,
                              " fields, at most ", kMaxFields, " are possible"))
      .At(constructor->name.span)
      .Help(
          "put fields that belong together into a type of their own, or values of one type into "
          "a list");
  // What would be said of the values that this makes helps nobody, and would take that time.
  constructor->fields.clear();
  constructor->field_names.clear();
  state->SkipToEnd();
}

std::unique_ptr<DataDecl> ParseData(ParseState* state) {
  auto data = std::make_unique<DataDecl>();
  const Span begin = state->Take().span;  // type
  data->name = state->TakeTypeName("the name of the type");
  if (state->Accept("[")) data->generics = ParseGenerics(state);
  if (state->Expect("{", "and the constructors")) {
    ParseList(state, "}", [&] {
      ConstructorDecl constructor;
      const Span first = state->Peek().span;
      constructor.name = state->TakeTypeName("a constructor");
      if (state->Accept("(")) {
        constructor.has_parentheses = true;
        ParseList(state, ")", [&] { ParseField(state, &constructor); });
        CheckFieldCount(state, &constructor);
      }
      constructor.span = state->SpanFrom(first);
      // A constructor without a name could not be called, and would be declared as "".
      if (!constructor.name.text.empty()) data->constructors.push_back(std::move(constructor));
    });
  }
  data->span = state->SpanFrom(begin);
  return data;
}

// Buffers may have capital letters, as matrices do in formulas; so both kinds of name are allowed.
Param ParseKernelParam(ParseState* state) {
  Param param;
  if (state->IsKind(TokenKind::kTypeName)) {
    const Token& token = state->Take();
    param.pattern = MakeBind(state, {std::string(token.text), token.span});
  } else {
    param.pattern = MakeBind(state, state->TakeName("the name of a buffer"));
  }
  if (state->Expect(":", "and the type of the buffer")) param.type = ParseType(state);
  return param;
}

// (C: f32[n], D: f32[m]). Results have names, because the body of a kernel says how each is
// computed.
void ParseKernelResults(ParseState* state, KernelDecl* kernel) {
  const Span begin = state->Peek().span;
  // `(name :` tells named results from a type.
  const bool named = state->Is("(") && state->Peek(2).Is(":");
  if (!named) {
    text::Diagnostic* diagnostic = state->Fail("the results by name, as in (y: f32[n])");
    if (diagnostic != nullptr)
      diagnostic->Help("what is computed has a name in the body: compute y[i] = …");
    // Reads the type away, so that the '{' behind it is found.
    if (!state->Is("{")) ParseType(state);
    return;
  }
  TypeExprPtr type = MakeType(TypeExprKind::kTuple, begin);
  state->Take();
  ParseList(state, ")", [&] {
    Param result = ParseKernelParam(state);
    if (result.type == nullptr) return;
    kernel->results.push_back(result.pattern->name);
    type->args.push_back(std::move(result.type));
  });
  type->span = state->SpanFrom(begin);
  // As for functions, (T) is T.
  if (type->args.size() == 1) type = std::move(type->args[0]);
  kernel->function->result = std::move(type);
}

std::unique_ptr<KernelDecl> ParseKernel(ParseState* state) {
  auto kernel = std::make_unique<KernelDecl>();
  kernel->function = std::make_unique<Function>();
  Function& function = *kernel->function;
  function.kernel = kernel.get();
  const Span begin = state->Take().span;  // kernel
  function.name = state->TakeName("the name of the operator");
  if (state->Expect("("))
    ParseList(state, ")", [&] { function.params.push_back(ParseKernelParam(state)); });
  if (state->Expect("->", "and the results by name")) ParseKernelResults(state, kernel.get());
  if (function.result == nullptr) function.result = MakeType(TypeExprKind::kError, begin);
  // `relaxed` is no keyword: only here does it mean anything, so it may name values elsewhere.
  if (state->IsKind(TokenKind::kName) && state->Peek().text == "relaxed") {
    state->Take();
    kernel->relaxed = true;
  }
  if (state->Is("{"))
    kernel->body = state->TakeBraced(&kernel->words);
  else
    state->Expect("{", "and the loop program");
  kernel->span = state->SpanFrom(begin);
  function.span = kernel->span;
  return kernel;
}

// let name: type = value; as a function without parameters.
std::unique_ptr<Function> ParseConstant(ParseState* state) {
  auto constant = std::make_unique<Function>();
  constant->is_constant = true;
  const Span begin = state->Take().span;  // let
  constant->name = state->TakeName("the name of the constant");
  if (state->Accept(":")) constant->result = ParseType(state);
  if (state->Expect("=", "and a value")) constant->body = ParseExpr(state);
  if (constant->body == nullptr) constant->body = MakeExpr(ExprKind::kError, state->Peek().span);
  state->Expect(";", "after let");
  constant->span = state->SpanFrom(begin);
  return constant;
}

void ParseItem(ParseState* state) {
  Item item;
  if (state->Is("fn")) {
    item.function = ParseFunction(state);
  } else if (state->Is("let")) {
    item.function = ParseConstant(state);
  } else if (state->Is("type")) {
    item.data = ParseData(state);
  } else if (state->Is("kernel")) {
    item.kernel = ParseKernel(state);
  } else {
    text::Diagnostic* diagnostic = state->Fail("'fn', 'let', 'type' or 'kernel'");
    const std::string_view help = HelpForItem(*state);
    if (diagnostic != nullptr && !help.empty()) diagnostic->Help(help);
    state->Take();
    return state->SkipItem();
  }
  state->file()->items.push_back(std::move(item));
}

}  // namespace

std::unique_ptr<File> ParseFile(int32_t file, text::Diagnostics* diagnostics) {
  auto result = std::make_unique<File>();
  result->file = file;
  TokenList tokens = Tokenize(file, diagnostics);
  result->comments = std::move(tokens.comments);
  ParseState state(std::move(tokens), result.get(), diagnostics);
  while (!state.AtEnd()) ParseItem(&state);
  return result;
}

}  // namespace tern::lang
