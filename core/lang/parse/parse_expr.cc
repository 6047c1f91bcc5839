// SPDX-License-Identifier: Apache-2.0
// Expressions, blocks and statements: plain recursive descent with at most two tokens of lookahead,
// but for binary operators.
#include <algorithm>
#include <array>

#include "core/base/strings.h"
#include "core/lang/parse/foreign_words.h"
#include "core/lang/parse/parse_state.h"
#include "core/text/precedence.h"

namespace tern::lang {
namespace {

// A table and one loop instead of a function per level, so that a new operator is one entry.
// Ternary or right-associative operators do not exist. format.cc has the same levels.
struct BinaryOperator {
  std::string_view text;
  int level;  // higher binds tighter
};
constexpr BinaryOperator kBinaryOperators[] = {
    {"||", 1}, {"&&", 2}, {"==", 3}, {"!=", 3}, {"<", 3}, {"<=", 3}, {">", 3}, {">=", 3},
    {"..", 4}, {"+", 5},  {"-", 5},  {"*", 6},  {"/", 6}, {"%", 6},  {"@", 6}};
constexpr int kComparison = 3;
constexpr int kRange = 4;

// 0 for a token that is no binary operator.
int LevelOf(std::string_view text) {
  for (const BinaryOperator& op : kBinaryOperators) {
    if (op.text == text) return op.level;
  }
  return 0;
}
int LevelOf(const Token& token) {
  return token.kind == TokenKind::kPunctuation ? LevelOf(token.text) : 0;
}

// Expressions that end with '}'. Nothing has to separate them from the next statement or case.
bool IsBlockLike(ExprKind kind) {
  return kind == ExprKind::kIf || kind == ExprKind::kMatch || kind == ExprKind::kBlock ||
         kind == ExprKind::kLoop || kind == ExprKind::kFor;
}

ExprPtr Literal(ParseState* state, ExprKind kind) {
  const Token& token = state->Take();
  ExprPtr expr = MakeExpr(kind, token.span);
  expr->text = token.text;
  return expr;
}

// (a), (a, b) or (): only the comma makes a tuple. (a,) is an error of its own, because Python and
// Rust read it as a tuple.
ExprPtr ParseParenthesized(ParseState* state) {
  ExprPtr expr = MakeExpr(ExprKind::kTuple, state->Take().span);
  bool comma = false;
  ParseList(state, ")", [&] {
    expr->children.push_back(ParseExpr(state));
    comma = comma || state->Is(",");
  });
  if (expr->children.size() == 1) {
    if (comma) {
      state->diagnostics()
          ->Error("E1002", "a tuple of one element does not exist")
          .At(state->SpanFrom(expr->span), "expected (a, b) or (a)");
    }
    return std::move(expr->children[0]);
  }
  return expr;
}

// Tells { key: value, … } from a block: a literal or a name and then ':', or ':' alone. A statement
// never has a ':' there, so two tokens of lookahead are enough.
bool AtMap(const ParseState& state) {
  const Token& first = state.Peek(1);
  if (first.Is(":")) return true;
  const bool key = first.kind == TokenKind::kString || first.kind == TokenKind::kInt ||
                   first.kind == TokenKind::kName || first.Is("true") || first.Is("false");
  return key && state.Peek(2).Is(":");
}

ExprPtr ParseMap(ParseState* state) {
  // Keys are not checked to be literals here: a mistake in a key is easier to explain once it has a
  // type.
  ExprPtr expr = MakeExpr(ExprKind::kMap, state->Take().span);
  if (state->Accept(":")) {
    state->Expect("}", "of the empty map {:}");
    return expr;
  }
  ParseList(state, "}", [&] {
    expr->children.push_back(ParseExpr(state));
    ExprPtr value;
    if (state->Expect(":", "and the value of this key")) value = ParseExpr(state);
    // The tree always has pairs, so that what walks it need not look for an odd last key.
    if (value == nullptr) value = MakeExpr(ExprKind::kError, state->Peek().span);
    expr->children.push_back(std::move(value));
  });
  return expr;
}

ExprPtr ParseIf(ParseState* state) {
  ExprPtr expr = MakeExpr(ExprKind::kIf, state->Take().span);
  expr->children.push_back(ParseExpr(state));
  expr->children.push_back(ParseBlock(state));
  if (!state->Accept("else")) {
    expr->children.push_back(nullptr);
    // `else if` recurses without a block in between, so it has to count its own depth.
  } else if (state->Is("if") && state->Enter()) {
    expr->children.push_back(ParseIf(state));
    state->Leave();
  } else if (state->Is("if")) {
    state->Leave();
    expr->children.push_back(MakeExpr(ExprKind::kError, state->Peek().span));
  } else {
    expr->children.push_back(ParseBlock(state));
  }
  expr->span = state->SpanFrom(expr->span);
  return expr;
}

Arm ParseArm(ParseState* state) {
  Arm arm;
  const Span begin = state->Peek().span;
  arm.pattern = ParseAlternatives(state);
  if (state->Accept("if")) arm.guard = ParseExpr(state);
  if (state->Expect("=>", "and the value of this case")) arm.body = ParseExpr(state);
  // Missing parts become kError nodes, so that later stages find every field that the kind has.
  if (arm.body == nullptr) arm.body = MakeExpr(ExprKind::kError, state->Peek().span);
  arm.span = state->SpanFrom(begin);
  return arm;
}

// A comma may be left out after a case that ends with '}'.
ExprPtr ParseMatch(ParseState* state) {
  ExprPtr expr = MakeExpr(ExprKind::kMatch, state->Take().span);
  expr->children.push_back(ParseExpr(state));
  if (!state->Expect("{", "and the cases")) return expr;
  while (!state->Is("}") && !state->AtEnd()) {
    const size_t before = state->position();
    expr->arms.push_back(ParseArm(state));
    if (state->Accept(",")) continue;
    if (state->Is("}")) break;
    // A case that takes nothing must not count as one, otherwise this would never end.
    if (IsBlockLike(expr->arms.back().body->kind) && state->position() > before) continue;
    state->Fail("',' or '}' after this case");
    state->SkipInList("}");
    if (!state->Accept(",")) break;
  }
  expr->mark = state->Peek().span;
  state->Expect("}");
  return expr;
}

// |x, y| body, or || body: the tokenizer makes one token of an empty parameter list. A body after a
// written result type is a block, because an expression there would read as part of the type.
ExprPtr ParseLambda(ParseState* state) {
  ExprPtr expr = MakeExpr(ExprKind::kLambda, state->Peek().span);
  if (!state->Accept("||")) {
    state->Take();
    while (!state->Is("|") && !state->AtEnd()) {
      Param param;
      // ParsePattern and not ParseAlternatives: a '|' ends the parameters.
      param.pattern = ParsePattern(state);
      if (state->Accept(":")) param.type = ParseType(state);
      expr->params.push_back(std::move(param));
      if (!state->Accept(",")) break;
    }
    state->Expect("|", "after the parameters");
  }
  if (state->Accept("->")) expr->type_expr = ParseType(state);
  expr->children.push_back(expr->type_expr != nullptr ? ParseBlock(state) : ParseExpr(state));
  return expr;
}

// loop (name = first, …) while condition { next }
ExprPtr ParseLoop(ParseState* state) {
  ExprPtr expr = MakeExpr(ExprKind::kLoop, state->Take().span);
  if (state->Expect("(", "and the loop's variables"))
    ParseList(state, ")", [&] { expr->params.push_back(ParseParam(state, true)); });
  const bool condition = state->Expect("while", "and how long to go on");
  expr->children.push_back(condition ? ParseExpr(state)
                                     : MakeExpr(ExprKind::kError, state->Peek().span));
  expr->children.push_back(ParseBlock(state));
  return expr;
}

// for pattern in list with (name = first, …) { next }; `with` may be left out.
ExprPtr ParseFor(ParseState* state) {
  ExprPtr expr = MakeExpr(ExprKind::kFor, state->Take().span);
  expr->pattern = ParseAlternatives(state);
  const bool in = state->Expect("in", "and a list or a range");
  expr->children.push_back(in ? ParseExpr(state) : MakeExpr(ExprKind::kError, state->Peek().span));
  if (state->Accept("with") && state->Expect("(", "and the loop's variables"))
    ParseList(state, ")", [&] { expr->params.push_back(ParseParam(state, true)); });
  expr->children.push_back(ParseBlock(state));
  return expr;
}

ExprPtr ParseListLiteral(ParseState* state) {
  ExprPtr expr = MakeExpr(ExprKind::kList, state->Take().span);
  ParseList(state, "]", [&] { expr->children.push_back(ParseExpr(state)); });
  return expr;
}

// Takes at least part of what was meant where that is easy to see, because the caller goes on
// behind it.
ExprPtr FailExpr(ParseState* state) {
  ExprPtr expr = MakeExpr(ExprKind::kError, state->Peek().span);
  text::Diagnostic* diagnostic = state->Fail("an expression");
  if (diagnostic == nullptr) return expr;
  const std::string_view help = HelpForExpression(*state);
  if (!help.empty()) diagnostic->Help(help);
  // Somebody wrote a function where a value is expected: skip it whole, or each of its statements
  // would be a mistake.
  if (state->Accept("fn")) {  // a whole one was meant
    state->SkipBalanced("(", ")");
    state->SkipBalanced("{", "}");
  } else {
    state->Accept("+");  // no operand begins with it
  }
  return expr;
}

ExprPtr ParseKeyword(ParseState* state) {
  // The first word decides which of the compound expressions follows.
  if (state->Is("if")) return ParseIf(state);
  if (state->Is("match")) return ParseMatch(state);
  if (state->Is("loop")) return ParseLoop(state);
  if (state->Is("for")) return ParseFor(state);
  if (state->Is("true") || state->Is("false")) return Literal(state, ExprKind::kBool);
  return FailExpr(state);
}

ExprPtr ParsePunctuation(ParseState* state) {
  if (state->Is("(")) return ParseParenthesized(state);
  if (state->Is("[")) return ParseListLiteral(state);
  if (state->Is("{")) return AtMap(*state) ? ParseMap(state) : ParseBlock(state);
  if (state->Is("|") || state->Is("||")) return ParseLambda(state);
  if (state->Is("?")) return Literal(state, ExprKind::kAnyDim);
  return FailExpr(state);
}

ExprPtr ParsePrimary(ParseState* state) {
  const Span begin = state->Peek().span;
  ExprPtr expr;
  switch (state->Peek().kind) {
    case TokenKind::kInt: return Literal(state, ExprKind::kInt);
    case TokenKind::kFloat: return Literal(state, ExprKind::kFloat);
    case TokenKind::kString: return Literal(state, ExprKind::kString);
    case TokenKind::kName:
    case TokenKind::kTypeName: return Literal(state, ExprKind::kName);
    case TokenKind::kKeyword: expr = ParseKeyword(state); break;
    case TokenKind::kPunctuation: expr = ParsePunctuation(state); break;
    case TokenKind::kEnd: return FailExpr(state);
  }
  // A kError keeps the place of the token at fault; a wider span would underline what is right.
  if (expr->kind != ExprKind::kError) expr->span = state->SpanFrom(begin);
  return expr;
}

// f(x, axis = 1), Point(..p, x = 1)
void ParseArguments(ParseState* state, Expr* call) {
  ParseList(state, ")", [&] {
    // `name =` is always an attribute, because expressions have no assignment.
    const bool colon = FailNamedByColon(state);
    if (colon || AtNamed(*state) || state->Is("..")) {
      Attribute attribute;
      const Token& name = state->Take();
      attribute.name = {std::string(name.text), name.span};
      if (name.kind == TokenKind::kName) state->Take();
      attribute.value = ParseExpr(state);
      call->attributes.push_back(std::move(attribute));
      return;
    }
    if (!call->attributes.empty() && !state->Is(")"))
      state->Fail("an attribute such as axis = 1: arguments stand before attributes");
    call->children.push_back(ParseExpr(state));
  });
}

// Whether the `..` that is next has no end behind it, as in x[1..] and x[2.., 0].
bool AtOpenEnd(const ParseState& state) {
  return state.Is("..") && (state.Peek(1).Is("]") || state.Peek(1).Is(","));
}

// i, i..j, i.., ..j or .. between the brackets of an index.
ExprPtr ParseIndexItem(ParseState* state) {
  const Span begin = state->Peek().span;
  ExprPtr first;
  if (!state->Is("..")) first = ParseExpr(state);
  if (!state->Is("..")) return first;
  const bool open = AtOpenEnd(*state);
  state->Take();
  ExprPtr part = MakeExpr(ExprKind::kPart, begin);
  part->children.push_back(std::move(first));
  part->children.push_back(open ? nullptr : ParseExpr(state));
  part->span = state->SpanFrom(begin);
  return part;
}

ExprPtr ParsePostfixOf(ParseState* state, ExprPtr expr) {
  const Span begin = expr->span;
  // Postfixes do not nest for this loop, but the tree they make is as deep as they are many, and
  // what walks it recurses. So they have the same limit.
  for (int count = 0; count < kMaxNesting; ++count) {
    ExprPtr outer;
    if (state->Is("(")) {
      outer = MakeExpr(ExprKind::kCall, begin);
      outer->mark = state->Take().span;
      outer->children.push_back(std::move(expr));
      ParseArguments(state, outer.get());
    } else if (state->Is("[")) {
      outer = MakeExpr(ExprKind::kIndex, begin);
      outer->mark = state->Take().span;
      outer->children.push_back(std::move(expr));
      do outer->children.push_back(ParseIndexItem(state));
      while (state->Accept(","));
      state->Expect("]");
    } else if (state->Accept(".")) {
      outer = MakeExpr(ExprKind::kField, begin);
      outer->mark = state->Peek().span;
      outer->children.push_back(std::move(expr));
      if (state->IsKind(TokenKind::kInt) || state->IsKind(TokenKind::kName))
        outer->text = state->Take().text;
      else
        state->Fail("the number or the name of a field, as in t.0 or p.x");
    } else {
      return expr;
    }
    outer->span = state->SpanFrom(begin);
    expr = std::move(outer);
  }
  state->diagnostics()
      ->Error("E1017", StrCat("more than ", kMaxNesting, " calls of calls"))
      .At(state->Peek().span, "give a part of it a name with let");
  return expr;
}

ExprPtr ParseUnary(ParseState* state) {
  if (!state->Is("-") && !state->Is("!")) return ParsePostfixOf(state, ParsePrimary(state));
  ExprPtr expr = MakeExpr(ExprKind::kUnary, state->Peek().span);
  // -(-(-x)) recurses here without ParseExpr, so it counts its own depth.
  if (!state->Enter()) {
    state->Leave();
    expr->kind = ExprKind::kError;
    return expr;
  }
  expr->mark = state->Peek().span;
  expr->text = state->Take().text;
  expr->children.push_back(ParseUnary(state));
  expr->span = state->SpanFrom(expr->span);
  state->Leave();
  return expr;
}

// The grammar of text::ParseOperators. Each operator makes the tree one deeper, so each counts as
// nesting until its chain ends.
struct Operators {
  struct Chain {
    ParseState* state = nullptr;
    int entered = 0;
    Span mark = {};
    std::string_view text;
    ~Chain() {
      for (; entered > 0; --entered) state->Leave();
    }
  };
  ParseState* state;

  ExprPtr ParseOperand() { return ParseUnary(state); }
  int PeekPrecedence() { return AtOpenEnd(*state) ? 0 : LevelOf(state->Peek()); }
  bool TakeOperator(Chain* chain) {
    chain->state = state;
    ++chain->entered;
    if (!state->Enter()) return false;
    chain->mark = state->Peek().span;
    chain->text = state->Take().text;
    return true;
  }
  ExprPtr Join(Chain* chain, ExprPtr left, ExprPtr right) {
    ExprPtr expr = MakeExpr(ExprKind::kBinary, left->span);
    expr->mark = chain->mark;
    expr->text = chain->text;
    expr->children.push_back(std::move(left));
    expr->children.push_back(std::move(right));
    expr->span = state->SpanFrom(expr->span);
    // Comparisons and ranges do not associate: a < b < c would compare a bool with c.
    const int level = LevelOf(chain->text), next = LevelOf(state->Peek());
    if (next == level && (level == kComparison || level == kRange))
      state->Fail("comparisons one at a time: a < b && b < c");
    return expr;
  }
};

}  // namespace

std::unique_ptr<Expr> MakeExpr(ExprKind kind, Span span) {
  auto expr = std::make_unique<Expr>();
  expr->kind = kind;
  expr->span = span;
  return expr;
}

ExprPtr ParseExpr(ParseState* state) {
  Operators operators{state};
  ExprPtr expr;
  if (state->Enter())
    expr = text::ParseOperators(operators);
  else
    expr = MakeExpr(ExprKind::kError, state->Peek().span);
  state->Leave();
  return expr;
}

// --- blocks

namespace {

// let pattern [: type] = value;
void ParseLet(ParseState* state, Statement* statement) {
  state->Take();
  FailMutable(state);
  statement->kind = StatementKind::kLet;
  statement->pattern = ParseAlternatives(state);
  if (state->Accept(":")) statement->type = ParseType(state);
  if (state->Expect("=", "and a value")) statement->value = ParseExpr(state);
  if (statement->value == nullptr)
    statement->value = MakeExpr(ExprKind::kError, state->Peek().span);
  // Recovery: without ';' the next line is taken as the next statement, so that one missing ';'
  // hides no other mistake.
  if (!state->Expect(";", "after let") && !state->AtNewLine()) state->SkipStatement();
}

// False if the expression is the block's result, which has no ';' behind it.
bool ParseExprStatement(ParseState* state, Statement* statement) {
  const size_t before = state->position();
  statement->value = ParseExpr(state);
  if (state->Accept(";")) return true;
  // Anything else than ';' or '}' is a mistake, except after an expression that ends with '}'.
  if (state->Is("}")) return false;
  statement->has_semicolon = false;
  if (IsBlockLike(statement->value->kind) && state->position() > before) return true;
  // Here the '}' is missing, not a ';'; ParseBlock reports that, with the place of its '{'.
  if (state->AtOuterItem() || state->AtEnd() || state->Is("else")) return false;
  if (!FailForeignStatement(state, *statement->value))
    state->Expect(";", "or '}' after this expression");
  // A token that fits nowhere is taken, so that the block goes on behind it.
  if (state->AtNewLine() && state->position() > before) return true;
  state->SkipStatement();
  if (state->position() == before) state->Take();
  return true;
}

// A statement that begins with if, match, … ends with its '}': what follows is another statement.
// Otherwise `if a { } -1` would be a subtraction.
bool AtBlockLike(const ParseState& state) {
  return state.Is("if") || state.Is("match") || state.Is("loop") || state.Is("for") ||
         (state.Is("{") && !AtMap(state));
}

// Reads one statement into the block, or its result. False if the block ends here.
bool ParseStatement(ParseState* state, Expr* block) {
  Statement statement;
  const Span begin = state->Peek().span;
  bool goes_on = true;
  if (state->Is("let")) {
    ParseLet(state, &statement);
  } else if (state->Is("fn")) {
    statement.kind = StatementKind::kFunction;
    statement.function = ParseFunction(state);
    // The name needs a Local like any other binding, so that inner functions can be called and
    // captured. File::locals is a deque, so the pointer stays valid.
    state->file()->locals.push_back({.name = statement.function->name});
    statement.function->local = &state->file()->locals.back();
    statement.function->local->function = statement.function.get();
  } else if (AtBlockLike(*state) && state->Enter()) {
    statement.value = ParsePrimary(state);
    state->Leave();
    // The message has been given; go on behind the broken statement.
    if (state->HasFailedHere()) state->SkipStatement();
    statement.has_semicolon = state->Accept(";");
    goes_on = statement.has_semicolon || !state->Is("}");
  } else {
    goes_on = ParseExprStatement(state, &statement);
  }
  statement.span = state->SpanFrom(begin);
  if (goes_on)
    block->statements.push_back(std::move(statement));
  else
    block->children[0] = std::move(statement.value);
  return goes_on;
}

}  // namespace

ExprPtr ParseBlock(ParseState* state) {
  ExprPtr block = MakeExpr(ExprKind::kBlock, state->Peek().span);
  block->children.push_back(nullptr);
  if (!state->Enter()) {
    state->Leave();
    block->kind = ExprKind::kError;
    return block;
  }
  if (state->Expect("{")) {
    while (!state->Is("}") && !state->AtEnd()) {
      const size_t before = state->position();
      if (!ParseStatement(state, block.get())) break;
      // Every turn makes progress, also after a mistake that takes nothing.
      if (state->position() == before) state->Take();
    }
    block->mark = state->Peek().span;
    if (!state->Accept("}")) {
      // The place where '}' is missed may be far from its '{', so the message shows both.
      text::Diagnostic* diagnostic = state->Fail("'}'");
      if (diagnostic != nullptr) diagnostic->Mark(block->span, "the block that begins here");
    }
  } else {
    block->kind = ExprKind::kError;
  }
  state->Leave();
  block->span = state->SpanFrom(block->span);
  return block;
}

}  // namespace tern::lang
