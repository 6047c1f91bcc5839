// SPDX-License-Identifier: Apache-2.0
#include "core/loop/text/lexer.h"

#include <utility>

namespace tern::loop {
namespace {

constexpr std::string_view kOperators[] = {"<=", ">=", "==", "!=", "<<", ">>", "+=", "->"};
constexpr text::TextForm kLoopForm{.spaces = text::kFileSpaces,
                                   .comments = text::kFileComments,
                                   .word_marks = ".",
                                   .operators = kOperators,
                                   .marks = "()[]{}<>,:;=+-*/%&|^!"};

}  // namespace

Lexer::Lexer(int32_t file, std::string_view text, size_t begin)
    : file_(file), in_(text, kLoopForm, begin) {
  token_ = Read();
}

Token Lexer::Next() { return std::exchange(token_, Read()); }

Token Lexer::Make(TokenKind kind, std::string_view text) {
  const auto begin = static_cast<uint32_t>(in_.at());
  in_.MoveTo(in_.at() + text.size());
  return {kind, text, {file_, begin, static_cast<uint32_t>(in_.at())}};
}

// A number is told by its first digit, and whether it is one by who reads it: "1.2.3" is one token.
Token Lexer::Read() {
  if (in_.AtEnd()) return Make(TokenKind::kEnd, {});
  if (IsNameStart(in_.Here())) return Make(TokenKind::kName, in_.PeekWord());
  if (IsDigit(in_.Here())) return Make(TokenKind::kNumber, in_.PeekNumber());
  const std::string_view op = in_.PeekOperator();
  if (!op.empty()) return Make(TokenKind::kPunctuation, op);
  return Make(TokenKind::kBad, in_.PeekCharacter());
}

}  // namespace tern::loop
