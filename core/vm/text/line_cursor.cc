// SPDX-License-Identifier: Apache-2.0
// Tokens of assembly text. A line is never longer than its end_, so every look ahead compares with
// it.
#include "core/vm/text/line_cursor.h"

#include <limits>

#include "core/base/strings.h"
#include "core/base/utf8.h"
#include "core/vm/signature.h"

namespace tern::vm {
namespace {

bool IsWordChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.';
}
int HexValue(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Where the line's comment begins: at a ';' outside of quotes. (Names of primitives that have one
// are quoted.)
size_t CommentStart(std::string_view text, size_t begin, size_t end) {
  bool quoted = false;
  for (size_t i = begin; i < end; ++i) {
    // An escaped quote does not end the text.
    if (quoted && text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      quoted = !quoted;
    else if (!quoted && text[i] == ';')
      return i;
  }
  return end;
}

template <typename T>
std::string BytesOf(T value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof(value));
}

// The bytes of an integer of the type, or none where it does not fit.
std::string IntegerBytes(DType dtype, std::string_view text) {
  const size_t bytes = static_cast<size_t>(dtype.size());
  if (dtype.is_signed_int()) {
    const auto value = ParseInt64(text);
    // Shifting up and down again keeps a value only if its upper bits are copies of the sign.
    const int shift = 64 - dtype.bits;
    if (!value.has_value() ||
        static_cast<int64_t>(static_cast<uint64_t>(*value) << shift) >> shift != *value)
      return {};
    return BytesOf(*value).substr(0, bytes);
  }
  const auto value = ParseUint64(text);
  if (!value.has_value() || (dtype.bits < 64 && *value >> dtype.bits != 0)) return {};
  // The low bytes come first on all our targets.
  return BytesOf(*value).substr(0, bytes);
}

}  // namespace

// The line's end without comment and spaces, so that AtEnd is one comparison. A carriage return
// counts as a space.
LineCursor::LineCursor(std::string_view text, size_t begin, size_t end)
    : text_(text), at_(begin), last_(begin) {
  end_ = CommentStart(text, begin, end);
  while (end_ > at_ && (text[end_ - 1] == ' ' || text[end_ - 1] == '\t' || text[end_ - 1] == '\r'))
    --end_;
  SkipSpace();
}

void LineCursor::SkipSpace() {
  while (at_ < end_ && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
}

bool LineCursor::AtEnd() {
  SkipSpace();
  return at_ == end_;
}

char LineCursor::Peek() {
  SkipSpace();
  return at_ < end_ ? text_[at_] : '\0';
}

// At least one character is marked, also at the end of the line. Moving to the end makes all
// further tokens empty.
void LineCursor::SetError(std::string_view message, size_t begin, size_t end) {
  if (!ok()) return;
  error_ = std::string(message);
  error_begin_ = begin;
  error_end_ = end > begin ? end : begin + 1;
  at_ = end_;
}

// Shows what was found instead: the next word, or the next character.
void LineCursor::Fail(std::string_view message) {
  SkipSpace();
  const size_t end = WordEnd();
  const std::string_view got = text_.substr(at_, (end > at_ ? end : std::min(at_ + 1, end_)) - at_);
  SetError(got.empty() ? StrCat(message, ", got the end of the line")
                       : StrCat(message, ", got '", got, "'"),
           at_, at_ + got.size());
}

// For tokens that were read and turn out wrong: the mark covers them, without spaces behind.
void LineCursor::FailAtLast(std::string_view message) {
  size_t end = at_;
  while (end > last_ && (text_[end - 1] == ' ' || text_[end - 1] == '\t')) --end;
  SetError(message, last_, end);
}

void LineCursor::SuggestFrom(std::string_view name, std::span<const std::string_view> candidates) {
  const std::string_view near = DidYouMean(name, candidates);
  if (!near.empty()) help_ = StrCat("did you mean '", near, "'?");
}

// Also notes where the token began, for FailAtLast.
bool LineCursor::Accept(char c) {
  if (Peek() != c) return false;
  last_ = at_++;
  return true;
}

void LineCursor::Expect(char c) {
  if (ok() && !Accept(c)) Fail(StrCat("expected '", c, "'"));
}

size_t LineCursor::WordEnd() const {
  size_t end = at_;
  while (end < end_ && IsWordChar(text_[end])) ++end;
  return end;
}

std::string_view LineCursor::PeekWord() {
  SkipSpace();
  return text_.substr(at_, WordEnd() - at_);
}

char LineCursor::CharAfterWord() {
  SkipSpace();
  const size_t end = WordEnd();
  return end < end_ ? text_[end] : '\0';
}

// A directive's dot is a word character, so `.func` is one word.
std::string_view LineCursor::Word() {
  const std::string_view word = PeekWord();
  if (word.empty()) {
    Fail("expected a word");
    return {};
  }
  last_ = at_;
  at_ += word.size();
  return word;
}

bool LineCursor::AcceptWord(std::string_view word) {
  if (PeekWord() != word) return false;
  Word();
  return true;
}

void LineCursor::ExpectWord(std::string_view word) {
  if (ok() && !AcceptWord(word)) Fail(StrCat("expected '", word, "'"));
}

// Quotes allow any name; without them it must be an identifier.
std::string LineCursor::Name() {
  if (Peek() == '"') return Quoted();
  const std::string_view word = Word();
  if (ok() && !IsPlainName(word))
    FailAtLast("a name begins with a letter or '_'; anything else is quoted");
  return std::string(word);
}

uint32_t LineCursor::HexDigits(int count) {
  uint32_t value = 0;
  for (int i = 0; i < count; ++i) {
    const int digit = at_ < end_ ? HexValue(text_[at_]) : -1;
    if (digit < 0) return FailAtLast("expected hexadecimal digits"), 0;
    value = value * 16 + static_cast<uint32_t>(digit);
    ++at_;
  }
  return value;
}

// Appends what an escape means; the backslash was read. The escapes are those of JSON (RFC 8259,
// section 7).
void LineCursor::AppendEscape(std::string* out) {
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const char c = at_ < end_ ? text_[at_++] : '\0';
  if (const size_t index = kLetters.find(c); c != '\0' && index != std::string_view::npos) {
    out->push_back(kMeanings[index]);
    return;
  }
  if (c != 'u') return FailAtLast("unknown escape in a quoted text");
  uint32_t code = HexDigits(4);
  // Characters beyond U+FFFF are two escapes, a high and a low surrogate.
  if (code >= 0xd800 && code < 0xdc00 && text_.substr(at_, 2) == "\\u") {
    at_ += 2;
    const uint32_t low = HexDigits(4);
    if (low >= 0xdc00 && low < 0xe000) code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  }
  if (code >= 0xd800 && code < 0xe000) return FailAtLast("half a surrogate pair in a quoted text");
  AppendUtf8(out, code);
}

std::string LineCursor::Quoted() {
  std::string out;
  Expect('"');
  // The whole text is the last token, not its last character.
  const size_t begin = last_;
  while (ok() && at_ < end_ && text_[at_] != '"') {
    if (text_[at_] != '\\') {
      out.push_back(text_[at_++]);
      continue;
    }
    ++at_;
    AppendEscape(&out);
  }
  if (ok() && at_ == end_) Fail("expected '\"'");
  if (ok()) ++at_;
  last_ = begin;
  return out;
}

// Attributes in braces have spaces, so they are taken up to the closing brace.
std::string LineCursor::PrimitiveName() {
  if (Peek() == '"') return Quoted();
  const std::string_view word = Word();
  if (ok() && !IsPlainName(word)) FailAtLast("expected a primitive's name");
  if (!ok() || at_ >= end_ || text_[at_] != '{') return std::string(word);
  const size_t close = text_.find('}', at_);
  if (close >= end_) {
    FailAtLast("expected '}' at the end of the primitive's attributes");
    return {};
  }
  at_ = close + 1;
  return std::string(text_.substr(last_, at_ - last_));
}

std::string_view LineCursor::Rest() {
  SkipSpace();
  last_ = at_;
  const std::string_view rest = text_.substr(at_, end_ - at_);
  at_ = end_;
  return rest;
}

// --- numbers

// A sign may begin a number, or follow the e of an exponent.
size_t LineCursor::NumberEnd() const {
  size_t end = at_;
  for (; end < end_; ++end) {
    const char c = text_[end];
    const bool sign = c == '+' || c == '-';
    const bool exponent_sign =
        sign && end > at_ && (text_[end - 1] == 'e' || text_[end - 1] == 'E');
    if (!IsWordChar(c) && !(sign && end == at_) && !exponent_sign) break;
  }
  return end;
}

// A sign alone, or before a word other than inf and nan, is no number.
bool LineCursor::AtNumber() {
  SkipSpace();
  std::string_view text = text_.substr(at_, NumberEnd() - at_);
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && (IsDigit(text[0]) || text == "inf" || text == "nan");
}

// Anything that is no int64; a number too large for one is read as a float.
bool LineCursor::AtFloat() {
  SkipSpace();
  std::string_view text = text_.substr(at_, NumberEnd() - at_);
  if (text.starts_with('+')) text.remove_prefix(1);
  return !ParseInt64(text).has_value();
}

// A plus sign is allowed and dropped.
std::string_view LineCursor::NumberText() {
  SkipSpace();
  last_ = at_;
  std::string_view text = text_.substr(at_, NumberEnd() - at_);
  if (text.empty()) {
    Fail("expected a number");
    return {};
  }
  at_ += text.size();
  if (text.starts_with('+')) text.remove_prefix(1);
  return text;
}

int64_t LineCursor::SignedNumber() {
  const std::string_view text = NumberText();
  const auto value = ParseInt64(text);
  if (ok() && !value.has_value())
    FailAtLast(StrCat("expected an integer of 64 bits, got '", text, "'"));
  return value.value_or(0);
}

int64_t LineCursor::Number(int64_t limit) {
  const int64_t value = SignedNumber();
  if (ok() && (value < 0 || value > limit)) FailAtLast(StrCat("expected a number of 0 to ", limit));
  return ok() ? value : 0;
}

double LineCursor::FloatNumber() {
  const std::string_view text = NumberText();
  const auto value = ParseDouble(text);
  if (ok() && !value.has_value()) FailAtLast(StrCat("expected a number, got '", text, "'"));
  return value.value_or(0);
}

// At most 16 digits: more would not fit.
uint64_t LineCursor::HexNumber() {
  std::string_view text = NumberText();
  if (!text.starts_with("0x") || text.size() < 3 || text.size() > 18) {
    FailAtLast("expected a hexadecimal number such as 0x2a");
    return 0;
  }
  uint64_t value = 0;
  for (char c : text.substr(2)) {
    if (HexValue(c) < 0) return FailAtLast("expected hexadecimal digits"), 0;
    value = value * 16 + static_cast<uint64_t>(HexValue(c));
  }
  return value;
}

bool LineCursor::Boolean() {
  const std::string_view word = Word();
  if (ok() && word != "true" && word != "false") FailAtLast("expected true or false");
  return word == "true";
}

DType LineCursor::DTypeWord() {
  const std::string_view word = Word();
  Result<DType> dtype = DType::Parse(word);
  if (ok() && !dtype.ok()) FailAtLast(StrCat("unknown data type '", word, "'"));
  return dtype.ok() ? *dtype : kF32;
}

// Any integers: what a shape allows is checked by who makes it.
std::vector<int64_t> LineCursor::Dims() {
  std::vector<int64_t> dims;
  Expect('[');
  while (ok() && !Accept(']')) {
    if (!dims.empty()) Expect(',');
    dims.push_back(SignedNumber());
  }
  return dims;
}

// Pairs of digits until something else comes; half a pair is an error.
std::string LineCursor::HexBytes() {
  SkipSpace();
  last_ = at_;
  std::string out;
  for (; at_ + 1 < end_; at_ += 2) {
    const int high = HexValue(text_[at_]);
    const int low = HexValue(text_[at_ + 1]);
    if (high < 0 || low < 0) break;
    out.push_back(static_cast<char>(high * 16 + low));
  }
  if (at_ < end_ && IsWordChar(text_[at_])) FailAtLast("expected pairs of hexadecimal digits");
  return out;
}

// f32 is parsed as f32: going by way of a double would round twice.
std::string LineCursor::Element(DType dtype) {
  if (dtype.is_bool() && !AtNumber()) return std::string(1, Boolean() ? '\1' : '\0');
  if (dtype == kF32 || dtype == kF64) {
    const std::string_view text = NumberText();
    if (const auto f = ParseFloat(text); dtype == kF32 && f.has_value()) return BytesOf(*f);
    if (const auto d = ParseDouble(text); dtype == kF64 && d.has_value()) return BytesOf(*d);
    FailAtLast(StrCat("expected a number, got '", text, "'"));
    return {};
  }
  // Other types have no decimal form that is exact.
  if ((!dtype.is_int() && !dtype.is_bool()) || dtype.bits < 8 || dtype.lanes != 1) {
    Fail(StrCat("elements of ", dtype.ToString(), " are written as hex"));
    return {};
  }
  const std::string_view text = NumberText();
  const std::string bytes = IntegerBytes(dtype, text);
  if (ok() && bytes.empty()) FailAtLast(StrCat("'", text, "' is no ", dtype.ToString()));
  return bytes;
}

std::string LineCursor::Elements(DType dtype) {
  std::string out;
  Expect('[');
  while (ok() && !Accept(']')) {
    if (!out.empty()) Expect(',');
    out += Element(dtype);
  }
  return out;
}

}  // namespace tern::vm
