// SPDX-License-Identifier: Apache-2.0
#include "core/loop/text/lexer.h"

#include <utility>

#include "core/base/strings.h"

namespace tern::loop {
namespace {

bool IsNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsNameChar(char c) { return IsNameStart(c) || IsDigit(c) || c == '.'; }

constexpr std::string_view kTwoChars[] = {"<=", ">=", "==", "!=", "<<", ">>", "+=", "->"};
constexpr std::string_view kOneChar = "()[]{}<>,:;=+-*/%&|^!";

size_t NameLength(std::string_view text) {
  size_t n = 0;
  while (n < text.size() && IsNameChar(text[n])) ++n;
  return n;
}

// Digits, one point, an exponent: whatever looks like part of a number, so that "1.2.3" is one bad
// token.
size_t NumberLength(std::string_view text) {
  size_t n = 0;
  while (n < text.size()) {
    const bool sign =
        (text[n] == '+' || text[n] == '-') && n > 0 && (text[n - 1] == 'e' || text[n - 1] == 'E');
    if (!IsNameChar(text[n]) && !sign) break;
    ++n;
  }
  return n;
}

}  // namespace

Token Lexer::Next() { return std::exchange(token_, Read()); }

Token Lexer::Make(TokenKind kind, size_t length) {
  const Token token{kind,
                    text_.substr(at_, length),
                    {file_, static_cast<uint32_t>(at_), static_cast<uint32_t>(at_ + length)}};
  at_ += length;
  return token;
}

void Lexer::SkipSpace() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++at_;
    } else if (text_.substr(at_).starts_with("//") || text_.substr(at_).starts_with(";;")) {
      const size_t end = text_.find('\n', at_);
      at_ = end == std::string_view::npos ? text_.size() : end;
    } else {
      return;
    }
  }
}

Token Lexer::Read() {
  SkipSpace();
  if (at_ >= text_.size()) return Make(TokenKind::kEnd, 0);
  const std::string_view rest = text_.substr(at_);
  if (IsNameStart(rest[0])) return Make(TokenKind::kName, NameLength(rest));
  if (IsDigit(rest[0])) return Make(TokenKind::kNumber, NumberLength(rest));
  for (std::string_view two : kTwoChars) {
    if (rest.starts_with(two)) return Make(TokenKind::kPunctuation, 2);
  }
  if (kOneChar.find(rest[0]) != std::string_view::npos) return Make(TokenKind::kPunctuation, 1);
  size_t length = 1;  // the whole of a character of several bytes
  while (length < rest.size() && (rest[length] & 0xC0) == 0x80) ++length;
  return Make(TokenKind::kBad, length);
}

}  // namespace tern::loop
