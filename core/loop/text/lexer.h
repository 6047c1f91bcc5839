// SPDX-License-Identifier: Apache-2.0
// Tokens of .tloop text: names, numbers, punctuation. `//` and `;;` begin comments.
#ifndef TERN_CORE_LOOP_TEXT_LEXER_H_
#define TERN_CORE_LOOP_TEXT_LEXER_H_

#include <cstdint>
#include <string_view>

#include "core/text/scanner.h"
#include "core/text/source.h"

namespace tern::loop {

enum class TokenKind : int8_t { kName, kNumber, kPunctuation, kEnd, kBad };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;
  text::Span span;
  bool Is(std::string_view t) const { return text == t && kind != TokenKind::kEnd; }
};

class Lexer {
 public:
  // begin: how many bytes of the text stand before what is read.
  Lexer(int32_t file, std::string_view text, size_t begin = 0);
  const Token& peek() const { return token_; }
  Token Next();

 private:
  Token Read();
  Token Make(TokenKind kind, std::string_view text);

  int32_t file_;
  text::Scanner in_;
  Token token_;
};

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_TEXT_LEXER_H_
