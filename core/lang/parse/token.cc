// SPDX-License-Identifier: Apache-2.0
#include "core/lang/parse/token.h"

#include <algorithm>
#include <array>

#include "core/base/names.h"
#include "core/base/strings.h"
#include "core/base/utf8.h"
#include "core/text/scanner.h"

namespace tern::lang {
namespace {

constexpr auto kKeywords =
    std::to_array<std::string_view>({"else", "false", "fn", "for", "if", "in", "kernel", "let",
                                     "loop", "match", "true", "type", "while", "with"});

constexpr auto kOperators =
    std::to_array<std::string_view>({"=>", "->", "==", "!=", "<=", ">=", "&&", "||", ".."});
// Comments are tokens here, because the formatter keeps them.
constexpr text::TextForm kForm{
    .spaces = text::kFileSpaces, .operators = kOperators, .marks = "+-*/%@<>=!()[]{},;:.|?"};

bool IsDigitPart(char c) { return IsDigit(c) || c == '_'; }
bool IsHexDigitPart(char c) { return HexDigitValue(c) >= 0 || c == '_'; }

// \u{1f600}: the code point, or an invalid one; *offset is moved past the brace.
char32_t ReadCodePoint(std::string_view text, size_t* offset) {
  size_t at = *offset;
  if (at >= text.size() || text[at] != '{') return kInvalidCodePoint;
  char32_t value = 0;
  int digits = 0;
  for (++at; at < text.size() && HexDigitValue(text[at]) >= 0 && digits < 7; ++at, ++digits)
    value = value * 16 + static_cast<char32_t>(HexDigitValue(text[at]));
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
      : file_(file), in_(diagnostics->sources().text(file), kForm), diagnostics_(diagnostics) {}

  TokenList Run() {
    while (!in_.AtEnd()) Step();
    Push(TokenKind::kEnd, in_.at());
    return std::move(list_);
  }

 private:
  text::Span SpanFrom(size_t begin) const {
    return {file_, static_cast<uint32_t>(begin), static_cast<uint32_t>(in_.at())};
  }
  void Push(TokenKind kind, size_t begin) {
    list_.tokens.push_back({kind, SpanFrom(begin), in_.Since(begin)});
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
    if (in_.IsHere("//") || (in_.IsHere(";;") && AtLineStart()))
      TakeComment();
    else if (IsNameStart(in_.Here()))
      TakeName();
    else if (IsDigit(in_.Here()))
      TakeNumber();
    else if (in_.Here() == '"')
      TakeString();
    else
      TakePunctuation();
  }

  // ;; begins a comment as in assembly and IR text, where nothing stands before it.
  bool AtLineStart() const {
    const size_t before = in_.text().substr(0, in_.at()).find_last_not_of(" \t");
    return before == std::string_view::npos || in_.text()[before] == '\n';
  }

  void TakeComment() {
    const size_t begin = in_.at();
    std::string_view text = in_.TakeWhile([](char c) { return c != '\n'; });
    while (text.back() == ' ' || text.back() == '\r' || text.back() == '\t') text.remove_suffix(1);
    list_.comments.push_back({SpanFrom(begin), text});
    CheckUtf8(begin);
  }

  // Of what may hold any character: a text or a comment that ends here.
  void CheckUtf8(size_t begin) {
    const size_t bad = FindInvalidUtf8(in_.Since(begin));
    if (bad == std::string_view::npos) return;
    const auto place = static_cast<uint32_t>(begin + bad);
    diagnostics()
        ->Error("E1001",
                StrCat("the byte ", FormatHex(static_cast<unsigned char>(in_.text()[place])),
                       " is no UTF-8"))
        .At({file_, place, place + 1}, "expected a character in UTF-8")
        .Help("save the file as UTF-8");
  }

  void TakeName() {
    const size_t begin = in_.at();
    const std::string_view word = in_.TakeWord();
    const bool capital = word[0] >= 'A' && word[0] <= 'Z';
    Push(IsKeyword(word) ? TokenKind::kKeyword
         : capital       ? TokenKind::kTypeName
                         : TokenKind::kName,
         begin);
  }

  // After a '.', digits are the number of a tuple's field: t.0.1.
  void TakeNumber() {
    const size_t begin = in_.at();
    const bool field = !list_.tokens.empty() && list_.tokens.back().text == ".";
    if (!field && (in_.IsHere("0x") || in_.IsHere("0X"))) {
      in_.MoveTo(begin + 2);
      in_.TakeWhile(IsHexDigitPart);
      return FinishNumber(TokenKind::kInt, begin);
    }
    in_.TakeWhile(IsDigitPart);
    TokenKind kind = TokenKind::kInt;
    if (!field && IsDigit(in_.Here(1)) && in_.AcceptHere('.')) {
      kind = TokenKind::kFloat;
      in_.TakeWhile(IsDigitPart);
    }
    const bool sign = in_.Here(1) == '-' || in_.Here(1) == '+';
    if (!field && IsDigit(in_.Here(sign ? 2 : 1)) && (in_.AcceptHere('e') || in_.AcceptHere('E'))) {
      kind = TokenKind::kFloat;
      in_.MoveTo(in_.at() + 1);
      in_.TakeWhile(IsDigitPart);
    }
    FinishNumber(kind, begin);
  }

  // Letters that follow at once belong to the mistake: 12px, 0x.
  void FinishNumber(TokenKind kind, size_t begin) {
    const bool ends = in_.TakeWhile(IsNameChar).empty();
    const std::string_view word = in_.Since(begin);
    if (ends && word != "0x" && word != "0X") return Push(kind, begin);
    diagnostics()
        ->Error("E1001", StrCat("'", word, "' is not a number"))
        .At(SpanFrom(begin), "expected digits such as 12, 0xff, 1.5 or 2e-3");
    Push(TokenKind::kInt, begin);
  }

  void TakeString() {
    const size_t begin = in_.at();
    const auto is_plain = [](char c) { return c != '"' && c != '\n' && c != '\\'; };
    in_.AcceptHere('"');
    for (in_.TakeWhile(is_plain); in_.AcceptHere('\\'); in_.TakeWhile(is_plain)) TakeEscape();
    CheckUtf8(begin);
    if (!in_.AcceptHere('"')) {
      diagnostics()
          ->Error("E1001", "a text has no end")
          .At(SpanFrom(begin), "expected '\"' before the end of the line");
    }
    Push(TokenKind::kString, begin);
  }

  // Behind a backslash, which belongs to the mistake.
  void TakeEscape() {
    const size_t begin = in_.at() - 1;
    const char letter = in_.Here();
    size_t end = std::min(in_.at() + (letter == '\n' ? 0 : 1), in_.text().size());
    const bool known = FindEscape(letter) != nullptr ||
                       (letter == 'u' && ReadCodePoint(in_.text(), &end) != kInvalidCodePoint);
    in_.MoveTo(end);
    if (known) return;
    diagnostics()
        ->Error("E1001", "unknown escape in a text")
        .At(SpanFrom(begin), "expected \\n, \\t, \\r, \\0, \\\", \\\\ or \\u{1f600}");
  }

  void TakePunctuation() {
    const size_t begin = in_.at();
    const bool known = !in_.Take(in_.PeekOperator()).empty();
    if (!known) in_.Take(in_.PeekCharacter());
    if (known || kernel_depth_ > 0) return Push(TokenKind::kPunctuation, begin);
    const std::string_view bad = in_.Since(begin);
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
  text::Scanner in_;
  text::Diagnostics* diagnostics_;
  text::Diagnostics ignored_;
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
