// SPDX-License-Identifier: Apache-2.0
#include "core/lang/parse/token.h"

#include <algorithm>
#include <array>

#include "core/base/strings.h"
#include "core/base/utf8.h"

namespace tern::lang {
namespace {

constexpr auto kKeywords =
    std::to_array<std::string_view>({"else", "false", "fn", "for", "if", "in", "kernel", "let",
                                     "loop", "match", "true", "type", "while", "with"});

// Longer ones first.
constexpr auto kPunctuation = std::to_array<std::string_view>(
    {"=>", "->", "==", "!=", "<=", ">=", "&&", "||", "..", "+", "-", "*", "/", "%", "@", "<",
     ">",  "=",  "!",  "(",  ")",  "[",  "]",  "{",  "}",  ",", ";", ":", ".", "|", "?"});

bool IsHexDigit(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool IsNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsNamePart(char c) { return IsNameStart(c) || IsDigit(c); }

// \u{1f600}: the code point, or an invalid one; *offset is moved past the brace.
char32_t ReadCodePoint(std::string_view text, size_t* offset) {
  size_t at = *offset;
  if (at >= text.size() || text[at] != '{') return kInvalidCodePoint;
  char32_t value = 0;
  int digits = 0;
  for (++at; at < text.size() && IsHexDigit(text[at]) && digits < 7; ++at, ++digits) {
    const char c = static_cast<char>(text[at] | 0x20);
    value = value * 16 + static_cast<char32_t>(IsDigit(text[at]) ? c - '0' : c - 'a' + 10);
  }
  if (at >= text.size() || text[at] != '}' || digits == 0) return kInvalidCodePoint;
  *offset = at + 1;
  return value > 0x10ffff || (value >= 0xd800 && value < 0xe000) ? kInvalidCodePoint : value;
}

struct Escape {
  char letter;
  char meaning;
};
constexpr Escape kEscapes[] = {{'n', '\n'}, {'t', '\t'}, {'r', '\r'},
                               {'0', '\0'}, {'"', '"'},  {'\\', '\\'}};

const Escape* FindEscape(char letter) {
  for (const Escape& escape : kEscapes) {
    if (escape.letter == letter) return &escape;
  }
  return nullptr;
}

class Lexer {
 public:
  Lexer(int32_t file, text::Diagnostics* diagnostics)
      : file_(file), text_(diagnostics->sources().text(file)), diagnostics_(diagnostics) {}

  TokenList Run() {
    while (at_ < text_.size()) Step();
    Push(TokenKind::kEnd, at_);
    return std::move(list_);
  }

 private:
  char Peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  text::Span SpanFrom(size_t begin) const {
    return {file_, static_cast<uint32_t>(begin), static_cast<uint32_t>(at_)};
  }
  void Push(TokenKind kind, size_t begin) {
    list_.tokens.push_back({kind, SpanFrom(begin), text_.substr(begin, at_ - begin)});
    FollowKernel(list_.tokens.back());
  }

  // The text between the braces of a kernel is another language's, whose own lexer says what is no
  // token of it.
  void FollowKernel(const Token& token) {
    if (token.Is("kernel") || token.Is("fn") || token.Is("type")) {
      if (kernel_depth_ == 0) in_kernel_ = token.Is("kernel");
    } else if (in_kernel_ && token.Is("{")) {
      ++kernel_depth_;
    } else if (in_kernel_ && token.Is("}")) {
      in_kernel_ = --kernel_depth_ > 0;
    }
  }

  text::Diagnostics* diagnostics() { return kernel_depth_ > 0 ? &ignored_ : diagnostics_; }

  void Step() {
    const char c = Peek();
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n')
      ++at_;
    else if ((c == '/' && Peek(1) == '/') || (c == ';' && Peek(1) == ';' && AtLineStart()))
      TakeComment();
    else if (IsNameStart(c))
      TakeName();
    else if (IsDigit(c))
      TakeNumber();
    else if (c == '"')
      TakeString();
    else
      TakePunctuation();
  }

  // ;; begins a comment as in assembly and IR text, where nothing stands before it.
  bool AtLineStart() const {
    const size_t before = text_.substr(0, at_).find_last_not_of(" \t");
    return before == std::string_view::npos || text_[before] == '\n';
  }

  void TakeComment() {
    const size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    std::string_view text = text_.substr(begin, at_ - begin);
    while (text.back() == ' ' || text.back() == '\r' || text.back() == '\t') text.remove_suffix(1);
    list_.comments.push_back({SpanFrom(begin), text});
    CheckUtf8(begin);
  }

  // Of what may hold any character: a text or a comment that ends here.
  void CheckUtf8(size_t begin) {
    const size_t bad = FindInvalidUtf8(text_.substr(begin, at_ - begin));
    if (bad == std::string_view::npos) return;
    const auto place = static_cast<uint32_t>(begin + bad);
    diagnostics()
        ->Error("E1001", StrCat("the byte ", FormatHex(static_cast<unsigned char>(text_[place])),
                                " is no UTF-8"))
        .At({file_, place, place + 1}, "expected a character in UTF-8")
        .Help("save the file as UTF-8");
  }

  void TakeName() {
    const size_t begin = at_;
    while (IsNamePart(Peek())) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    const bool capital = word[0] >= 'A' && word[0] <= 'Z';
    Push(IsKeyword(word) ? TokenKind::kKeyword
         : capital       ? TokenKind::kTypeName
                         : TokenKind::kName,
         begin);
  }

  void TakeDigits() {
    while (IsDigit(Peek()) || Peek() == '_') ++at_;
  }

  // After a '.', digits are the number of a tuple's field: t.0.1.
  void TakeNumber() {
    const size_t begin = at_;
    const bool field = !list_.tokens.empty() && list_.tokens.back().text == ".";
    if (Peek() == '0' && (Peek(1) == 'x' || Peek(1) == 'X') && !field) {
      at_ += 2;
      while (IsHexDigit(Peek()) || Peek() == '_') ++at_;
      return FinishNumber(TokenKind::kInt, begin);
    }
    TakeDigits();
    TokenKind kind = TokenKind::kInt;
    if (!field && Peek() == '.' && IsDigit(Peek(1))) {
      kind = TokenKind::kFloat;
      ++at_;
      TakeDigits();
    }
    const bool signed_exponent = (Peek(1) == '-' || Peek(1) == '+') && IsDigit(Peek(2));
    if (!field && (Peek() == 'e' || Peek() == 'E') && (IsDigit(Peek(1)) || signed_exponent)) {
      kind = TokenKind::kFloat;
      at_ += 2;
      TakeDigits();
    }
    FinishNumber(kind, begin);
  }

  // Letters that follow at once belong to the mistake: 12px, 0x.
  void FinishNumber(TokenKind kind, size_t begin) {
    const size_t end = at_;
    while (IsNamePart(Peek())) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (at_ == end && word != "0x" && word != "0X") return Push(kind, begin);
    diagnostics()
        ->Error("E1001", StrCat("'", word, "' is not a number"))
        .At(SpanFrom(begin), "expected digits such as 12, 0xff, 1.5 or 2e-3");
    Push(TokenKind::kInt, begin);
  }

  void TakeString() {
    const size_t begin = at_++;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') {
      if (text_[at_] == '\\') {
        TakeEscape();
      } else {
        ++at_;
      }
    }
    CheckUtf8(begin);
    if (Peek() == '"') {
      ++at_;
      return Push(TokenKind::kString, begin);
    }
    diagnostics()
        ->Error("E1001", "a text has no end")
        .At(SpanFrom(begin), "expected '\"' before the end of the line");
    Push(TokenKind::kString, begin);
  }

  void TakeEscape() {
    const size_t begin = at_++;
    const char letter = Peek();
    if (at_ < text_.size() && letter != '\n') ++at_;
    if (FindEscape(letter) != nullptr && at_ > begin + 1) return;
    if (letter == 'u' && ReadCodePoint(text_, &at_) != kInvalidCodePoint) return;
    diagnostics()
        ->Error("E1001", "unknown escape in a text")
        .At(SpanFrom(begin), "expected \\n, \\t, \\r, \\0, \\\", \\\\ or \\u{1f600}");
  }

  void TakePunctuation() {
    const size_t begin = at_;
    for (std::string_view mark : kPunctuation) {
      if (!text_.substr(at_).starts_with(mark)) continue;
      at_ += mark.size();
      return Push(TokenKind::kPunctuation, begin);
    }
    DecodeUtf8(text_, &at_);
    if (kernel_depth_ > 0) return Push(TokenKind::kPunctuation, begin);
    const std::string_view bad = text_.substr(begin, at_ - begin);
    text::Diagnostic& diagnostic =
        diagnostics()
            ->Error("E1001", StrCat("unexpected character ", JsonText(bad)))
            .At(SpanFrom(begin), "no token begins with this");
    if (bad == "&") diagnostic.Help("and is written &&");
    if (bad == "'") diagnostic.Help("texts stand in double quotes: \"abc\"");
    if (bad == "#") diagnostic.Help("comments begin with //");
  }

  static std::string JsonText(std::string_view bad) {
    const bool plain = IsValidUtf8(bad) && static_cast<unsigned char>(bad[0]) >= 0x20;
    return plain ? StrCat("'", bad, "'") : FormatHex(static_cast<unsigned char>(bad[0]));
  }

  int32_t file_;
  std::string_view text_;
  text::Diagnostics* diagnostics_;
  text::Diagnostics ignored_;
  size_t at_ = 0;
  bool in_kernel_ = false;
  int kernel_depth_ = 0;  // of braces
  TokenList list_;
};

}  // namespace

TokenList Tokenize(int32_t file, text::Diagnostics* diagnostics) {
  return Lexer(file, diagnostics).Run();
}

bool IsKeyword(std::string_view word) {
  return std::find(kKeywords.begin(), kKeywords.end(), word) != kKeywords.end();
}

std::span<const std::string_view> AllKeywords() { return kKeywords; }

std::string Unescape(std::string_view token) {
  std::string out;
  size_t end = token.size();
  if (end > 1 && token[end - 1] == '"') --end;
  for (size_t at = 1; at < end;) {
    if (token[at] != '\\' || at + 1 >= end) {
      out += token[at++];
      continue;
    }
    const char letter = token[at + 1];
    at += 2;
    if (const Escape* escape = FindEscape(letter)) {
      out += escape->meaning;
    } else if (letter == 'u') {
      const char32_t code_point = ReadCodePoint(token.substr(0, end), &at);
      if (code_point != kInvalidCodePoint) AppendUtf8(&out, code_point);
    }
  }
  return out;
}

std::string QuoteText(std::string_view contents) {
  std::string out = "\"";
  for (const char c : contents) {
    const auto is = [c](const Escape& escape) { return escape.meaning == c; };
    const auto* escape = std::find_if(std::begin(kEscapes), std::end(kEscapes), is);
    if (escape != std::end(kEscapes)) {
      out += '\\';
      out += escape->letter;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace tern::lang
