// SPDX-License-Identifier: Apache-2.0
#include "core/lang/parse/parse_state.h"

#include <algorithm>

#include "core/base/strings.h"

// The parser recovers in panic mode: Fail reports once per token, the Skip functions move to where
// a new statement, item of a list or declaration may begin.
namespace tern::lang {
namespace {

// How messages name a token. Strings are not quoted back, because they may be long.
std::string Describe(const Token& token) {
  switch (token.kind) {
    case TokenKind::kEnd: return "the end of the file";
    case TokenKind::kKeyword: return StrCat("the keyword '", token.text, "'");
    case TokenKind::kString: return "a text";
    case TokenKind::kName:
    case TokenKind::kTypeName:
    case TokenKind::kInt:
    case TokenKind::kFloat:
    case TokenKind::kPunctuation: break;
  }
  return StrCat("'", token.text, "'");
}

}  // namespace

const Token& ParseState::Take() {
  const Token& token = tokens_[at_];
  // kEnd stays, so that no loop of the parser can run off the tokens.
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

bool ParseState::Accept(std::string_view what) {
  if (!Is(what)) return false;
  Take();
  return true;
}

bool ParseState::Expect(std::string_view what, std::string_view why) {
  if (Accept(what)) return true;
  text::Diagnostic* diagnostic = Fail(StrCat("'", what, "'", why.empty() ? "" : " ", why));
  // A missing ';' belongs behind the last token, not before the next one, which is often on another
  // line. The fix and the label say so.
  if (diagnostic != nullptr && what == ";") {
    const Span before = last();
    const Span place = {before.file, before.end, before.end};
    diagnostic->fixes.push_back({"add ';'", {{place, ";"}}});
    if (AtNewLine()) diagnostic->At(before, "expected ';' behind this");
  }
  return false;
}

bool ParseState::AtNewLine() const {
  const Span gap = {file_->file, last().end, Peek().span.begin};
  return diagnostics_->sources().text(gap).find('\n') != std::string_view::npos;
}

Name ParseState::TakeName(std::string_view what) {
  if (IsKind(TokenKind::kName)) {
    const Token& token = Take();
    return {std::string(token.text), token.span};
  }
  text::Diagnostic* diagnostic = Fail(what);
  if (diagnostic != nullptr && IsKind(TokenKind::kTypeName))
    diagnostic->Note("names of values and functions begin with a small letter");
  if (diagnostic != nullptr && IsKind(TokenKind::kKeyword))
    diagnostic->Note(StrCat("'", Peek().text, "' is a word of the language"));
  // Takes a name with the wrong first letter, because it was meant as the name; a keyword stays,
  // because it more often begins what comes next.
  if (IsKind(TokenKind::kTypeName)) return {"", Take().span};
  return {"", Peek().span};
}

Name ParseState::TakeTypeName(std::string_view what) {
  if (IsKind(TokenKind::kTypeName)) {
    const Token& token = Take();
    return {std::string(token.text), token.span};
  }
  text::Diagnostic* diagnostic = Fail(what);
  if (!IsKind(TokenKind::kName)) return {"", Peek().span};
  if (diagnostic != nullptr)
    diagnostic->Note("names of types and constructors begin with a capital letter");
  return {"", Take().span};
}

text::Diagnostic* ParseState::Fail(std::string_view expected) {
  return FailAs(StrCat("expected ", expected, ", found ", Describe(Peek())),
                StrCat("expected ", expected));
}

text::Diagnostic* ParseState::FailAs(std::string_view message, std::string_view label) {
  // A token has at most one error: what follows from the first mistake says nothing new.
  if (failed_at_ == at_) return nullptr;
  failed_at_ = at_;
  return &diagnostics_->Error("E1002", message).At(Peek().span, label);
}

// The end of the last token taken, so that trailing blanks and comments do not count. If nothing
// was taken the span stays that of `begin`.
Span ParseState::SpanFrom(const Span& begin) const {
  const Span end = last();
  return {begin.file, begin.begin, std::max(begin.end, end.end)};
}

// `fn` without a name is a type or a mistake, no declaration.
bool ParseState::IsItemStart() const {
  return Is("type") || Is("kernel") || (Is("fn") && Peek(1).kind == TokenKind::kName);
}

// A declaration that begins a line is taken as one of the file, even inside braces: mostly a '}' is
// missing above it. Local functions are indented.
bool ParseState::AtOuterItem() const {
  const Span line = {file_->file, 0, Peek().span.begin};
  const std::string_view before = diagnostics_->sources().text(line);
  return IsItemStart() && (before.empty() || before.back() == '\n');
}

void ParseState::SkipBalanced(std::string_view open, std::string_view close) {
  if (!Is(open)) return;
  int depth = 0;
  while (!AtEnd()) {
    if (Is(open)) ++depth;
    if (Is(close)) --depth;
    Take();
    if (depth == 0) return;
  }
}

void ParseState::SkipStatement() {
  int depth = 0;
  // Braces are counted, so that a ';' inside an inner block does not end the statement around it.
  while (!AtEnd()) {
    if (depth == 0 && (Is("}") || Is("let") || IsItemStart())) return;
    if (Is("{")) ++depth;
    if (Is("}")) --depth;
    const bool ends = depth == 0 && Is(";");
    Take();
    if (ends) return;
  }
}

void ParseState::SkipItem() {
  while (!AtEnd() && !IsItemStart()) Take();
}

Span ParseState::TakeBraced(std::vector<Name>* names) {
  const uint32_t begin = Peek().span.end;
  // The tokens are not parsed: kernel.h gives the text to the reader of loop programs. Only the
  // names are kept, for the editor.
  int depth = 0;
  while (!AtEnd()) {
    if (Is("{")) ++depth;
    if (Is("}") && --depth == 0) break;
    const Token& token = Take();
    if (token.kind == TokenKind::kName || token.kind == TokenKind::kTypeName)
      names->push_back({std::string(token.text), token.span});
  }
  const Span inside = {file_->file, begin, Peek().span.begin};
  Expect("}");
  return inside;
}

void ParseState::SkipInList(std::string_view close) {
  int depth = 0;
  // Stops before braces and ';' too: the list was never closed, and what follows belongs to
  // somebody else.
  while (!AtEnd() && !(depth == 0 && (Is(",") || Is(close) || Is(";") || Is("{") || Is("}")))) {
    if (Is("(") || Is("[")) ++depth;
    if (Is(")") || Is("]")) --depth;
    if (depth < 0) return;
    Take();
  }
}

bool ParseState::Enter() {
  if (++depth_ <= kMaxNesting) return true;
  // Only the first level that is too deep reports, so there is one message.
  if (depth_ == kMaxNesting + 1) {
    diagnostics_->Error("E1017", StrCat("nested more than ", kMaxNesting, " deep"))
        .At(Peek().span, "deeper than this is not read")
        .Help("give parts of it names with let, or functions of their own");
  }
  // The parser returns from 200 levels at once instead of reading on in the middle of something.
  SkipToEnd();
  return false;
}

void ParseState::SkipToEnd() {
  at_ = tokens_.size() - 1;
  failed_at_ = at_;
}

}  // namespace tern::lang
