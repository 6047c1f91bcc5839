// SPDX-License-Identifier: Apache-2.0
#include "core/text/scanner.h"

#include <algorithm>

#include "core/base/strings.h"
#include "core/base/utf8.h"

namespace tern::text {
namespace {

// The first of the tokens that the text begins with, or "".
std::string_view FirstThatFits(std::string_view text, std::span<const std::string_view> tokens) {
  // Forms list longer tokens before their beginnings, so the first that fits is the longest.
  if (text.empty()) return {};
  for (const std::string_view token : tokens) {
    if (text[0] == token[0] && text.starts_with(token)) return token;
  }
  return {};
}

}  // namespace

bool Contains(std::string_view few, char c) {
  for (const char each : few)
    if (each == c) return true;
  return false;
}

// A zero byte of the text is a character like others, so the end is asked for by itself.
bool Scanner::AcceptHere(char c) {
  if (Here() != c || at_ >= text_.size()) return false;
  ++at_;
  return true;
}

bool Scanner::IsWordChar(char c) const {
  return IsNameChar(c) || Contains(form_->word_marks, c);
}

bool Scanner::AtComment() const {
  return !FirstThatFits(text_.substr(at_), form_->comments).empty();
}

// A comment ends before its line break, which is a space where the form has lines.
void Scanner::Skip() {
  // Several looks at one place skip once.
  if (at_ == skipped_to_) return;
  while (at_ < text_.size()) {
    if (IsSpace(text_[at_])) {
      ++at_;
    } else if (AtComment()) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else {
      break;
    }
  }
  skipped_to_ = at_;
}

bool Scanner::Accept(char c) { return Skip(), AcceptHere(c); }

bool Scanner::Accept(std::string_view token) {
  Skip();
  if (!IsHere(token)) return false;
  at_ += token.size();
  return true;
}

std::string_view Scanner::PeekOperator() {
  Skip();
  const std::string_view longer = FirstThatFits(text_.substr(at_), form_->operators);
  if (!longer.empty()) return longer;
  const bool fits = at_ < text_.size() && Contains(form_->marks, text_[at_]);
  return text_.substr(at_, fits ? 1 : 0);
}

std::string_view Scanner::PeekCharacter() {
  if (AtEnd()) return {};
  size_t end = at_;
  DecodeUtf8(text_, &end);
  return text_.substr(at_, end - at_);
}

std::string_view Scanner::PeekWord() {
  Skip();
  size_t end = at_;
  while (end < text_.size() && IsWordChar(text_[end])) ++end;
  return text_.substr(at_, end - at_);
}

// Lower case is one bit, so 'e' and 'E' are told by one comparison. Letters other than digits are
// taken too: whether the whole is a number is for who parses it to say.
std::string_view Scanner::PeekNumber(std::string_view signs) {
  Skip();
  size_t end = at_;
  for (; end < text_.size(); ++end) {
    const char c = text_[end];
    if (IsWordChar(c)) continue;
    const bool first = end == at_ && Contains(signs, c);
    const bool of_exponent = (c == '+' || c == '-') && end > at_ && (text_[end - 1] | 0x20) == 'e';
    if (!first && !of_exponent) break;
  }
  return text_.substr(at_, end - at_);
}

std::string_view Scanner::PeekQuoted() {
  if (Peek() != '"') return {};
  for (size_t end = at_ + 1; end < text_.size() && text_[end] != '\n'; ++end) {
    if (text_[end] == '"') return text_.substr(at_, end + 1 - at_);
    // What is escaped is no end; what it means the parser says.
    if (text_[end] == '\\') ++end;
  }
  return {};
}

// Spaces at the end are not part of what was read.
void Scanner::FailSince(size_t begin, std::string_view message) {
  if (!ok()) return;
  size_t end = at_;
  while (end > begin && IsSpace(text_[end - 1])) --end;
  // Only the first: what follows from it would be told as mistakes of the user's.
  mistake_ = {std::string(message), begin, std::max(end, begin + 1)};
  Stop();
}

void Scanner::FailHere(std::string_view message) {
  if (!ok()) return;
  const std::string_view word = PeekWord();
  const std::string_view got = word.empty() ? PeekCharacter() : word;
  const size_t begin = at_;
  Take(got);
  FailSince(begin, got.empty() ? StrCat(message, ", got ", form_->end)
                               : StrCat(message, ", got '", got, "'"));
}

void Scanner::Fail(std::string_view expected) { FailHere(StrCat("expected ", expected)); }

void Scanner::Expect(std::string_view token) {
  if (!Accept(token)) Fail(StrCat("'", token, "'"));
}

void Scanner::GoOn(const Scanner& other) {
  if (!ok_) return;
  at_ = other.at_;
  ok_ = other.ok_;
  mistake_ = other.mistake_;
}

}  // namespace tern::text
