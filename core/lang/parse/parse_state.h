// SPDX-License-Identifier: Apache-2.0
// What the parts of the parser share: the place in the tokens, and the recovery after mistakes. One
// object reads one file, on one thread; it borrows the file and the diagnostics. Inside core/lang
// only.
#ifndef TERN_CORE_LANG_PARSE_PARSE_STATE_H_
#define TERN_CORE_LANG_PARSE_PARSE_STATE_H_

#include <memory>
#include <string>
#include <string_view>

#include "core/lang/parse/ast.h"
#include "core/lang/parse/parser.h"

namespace tern::lang {

class ParseState {
 public:
  ParseState(TokenList tokens, File* file, text::Diagnostics* diagnostics)
      : tokens_(std::move(tokens.tokens)), file_(file), diagnostics_(diagnostics) {}

  const Token& Peek(size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  bool AtEnd() const { return Peek().kind == TokenKind::kEnd; }
  bool Is(std::string_view what) const { return Peek().Is(what); }
  bool IsKind(TokenKind kind) const { return Peek().kind == kind; }
  // Gives the next token and moves past it, but never past kEnd. Fail may report again then.
  const Token& Take();
  bool Accept(std::string_view what);
  // Reports an error if `what` is not next; skips nothing.
  bool Expect(std::string_view what, std::string_view why = {});
  // A name with a small letter. Where there is none it reports an error and gives an empty name.
  Name TakeName(std::string_view what);
  Name TakeTypeName(std::string_view what);

  // The next token is on a later line than the last one.
  bool AtNewLine() const;
  // Reports an error at the next token. Null if that token has one already, so that one mistake
  // gives one message.
  text::Diagnostic* Fail(std::string_view expected);
  // The same with a message of the caller's.
  text::Diagnostic* FailAs(std::string_view message, std::string_view label);
  // Whether the next token has an error already.
  bool HasFailedHere() const { return failed_at_ == at_; }
  text::Diagnostics* diagnostics() { return diagnostics_; }
  File* file() { return file_; }
  size_t position() const { return at_; }

  // From the beginning of a node to the last token taken.
  Span SpanFrom(const Span& begin) const;
  Span last() const { return at_ == 0 ? Peek().span : tokens_[at_ - 1].span; }

  // A declaration begins here, at the beginning of a line.
  bool AtOuterItem() const;
  // Skips to the next ';' (taken), '}' or declaration at this depth of braces.
  void SkipStatement();
  // Skips a balanced pair of these, if one begins here.
  void SkipBalanced(std::string_view open, std::string_view close);
  // Skips to the next declaration.
  void SkipItem();
  // Ends the reading, without another message: every loop of the parser ends at the file's end.
  void SkipToEnd();
  // Skips a balanced pair of braces that begins here; gives what is between and collects the names
  // in it.
  Span TakeBraced(std::vector<Name>* names);
  // Skips to a separator or an end of the list that ends with `close`.
  void SkipInList(std::string_view close);

  // Counts nested nodes. False, with one error, where there are too many. Every call needs its
  // Leave, also one that gave false.
  bool Enter();
  void Leave() { --depth_; }

 private:
  bool IsItemStart() const;

  std::vector<Token> tokens_;
  File* file_;
  text::Diagnostics* diagnostics_;
  size_t at_ = 0;
  size_t failed_at_ = SIZE_MAX;
  int depth_ = 0;
};

// Items separated by commas up to `close`, which is taken; a comma may stand before it.
template <class F>
void ParseList(ParseState* state, std::string_view close, F item) {
  while (!state->Is(close) && !state->AtEnd()) {
    const size_t before = state->position();
    item();
    if (state->Accept(",")) continue;
    if (state->Is(close)) break;
    state->Fail(close == ")" ? "',' or ')'" : close == "]" ? "',' or ']'" : "',' or '}'");
    state->SkipInList(close);
    if (!state->Accept(",") || state->position() == before) break;
  }
  state->Expect(close);
}

TypeExprPtr ParseType(ParseState* state);
PatternPtr ParsePattern(ParseState* state);
PatternPtr ParseAlternatives(ParseState* state);  // a | b
ExprPtr ParseExpr(ParseState* state);
ExprPtr ParseBlock(ParseState* state);
// name [: type] [= first]
Param ParseParam(ParseState* state, bool with_first);
std::unique_ptr<Function> ParseFunction(ParseState* state);
std::vector<Name> ParseGenerics(ParseState* state);

// `name =`, which begins an argument or a field that is given by its name.
inline bool AtNamed(const ParseState& state) {
  return state.IsKind(TokenKind::kName) && state.Peek(1).Is("=");
}

std::unique_ptr<Expr> MakeExpr(ExprKind kind, Span span);
PatternPtr MakePattern(PatternKind kind, Span span);
PatternPtr MakeBind(ParseState* state, Name name);

}  // namespace tern::lang

#endif  // TERN_CORE_LANG_PARSE_PARSE_STATE_H_
