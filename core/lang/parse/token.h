// SPDX-License-Identifier: Apache-2.0
// Tokens of the language (docs/language.md). The whole file is cut at once; what is no token is an
// error in the diagnostics and left out, so the parser sees tokens only. Comments are kept beside
// the tokens for the formatter.
#ifndef TERN_CORE_LANG_PARSE_TOKEN_H_
#define TERN_CORE_LANG_PARSE_TOKEN_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/diagnostics.h"

namespace tern::lang {

enum class TokenKind : uint8_t {
  kEnd,
  kName,         // begins with a small letter or '_'
  kTypeName,     // begins with a capital letter: types and constructors
  kKeyword,      // fn let if …
  kInt,          // 10_000, 0xff
  kFloat,        // 1.5, 2e-3
  kString,       // with its quotes and escapes
  kPunctuation,  // the longest that fits: =>, ->, ==, …
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  text::Span span;
  std::string_view text;

  bool Is(std::string_view what) const {
    return text == what && (kind == TokenKind::kKeyword || kind == TokenKind::kPunctuation);
  }
};

struct Comment {
  text::Span span;        // from // to the end of the line, without it
  std::string_view text;  // trailing spaces cut
};

struct TokenList {
  std::vector<Token> tokens;  // the last is kEnd
  std::vector<Comment> comments;
};

// file: of the diagnostics' sources.
TokenList Tokenize(int32_t file, text::Diagnostics* diagnostics);

bool IsKeyword(std::string_view word);
std::span<const std::string_view> AllKeywords();

// The contents of a string token; escapes were checked when it was cut.
std::string Unescape(std::string_view token);
// A literal of these contents: quotes, and escapes where they are needed.
std::string QuoteText(std::string_view contents);

}  // namespace tern::lang

#endif  // TERN_CORE_LANG_PARSE_TOKEN_H_
