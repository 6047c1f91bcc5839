// SPDX-License-Identifier: Apache-2.0
#include "core/vm/text/line_cursor.h"

#include "core/base/json_reader.h"
#include "core/base/strings.h"
#include "core/vm/signature.h"

namespace tern::vm {
namespace {

constexpr std::string_view kComments[] = {";"};
// Directives begin with a dot.
constexpr text::TextForm kLineForm{
    .spaces = " \t\r", .comments = kComments, .word_marks = ".", .end = "the end of the line"};

// Where the last token ends. A ';' in quotes begins no comment; quotes that never end are the whole
// rest of the line.
size_t EndOfTokens(text::Scanner in) {
  const auto is_plain = [](char c) {
    return c != '"' && c != ';' && !text::Contains(kLineForm.spaces, c);
  };
  size_t end = in.at();
  for (; !in.AtEnd(); end = in.at()) {
    if (!in.TakeWhile(is_plain).empty()) continue;
    if (in.Take(in.PeekQuoted()).empty()) in.MoveTo(in.text().size());
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

LineCursor::LineCursor(std::string_view text, size_t begin, size_t end)
    : in_(text.substr(0, end), kLineForm, begin) {
  in_ = text::Scanner(text.substr(0, EndOfTokens(in_)), kLineForm, begin);
  in_.Skip();
  last_ = in_.at();
}

void LineCursor::SuggestFrom(std::string_view name, std::span<const std::string_view> candidates) {
  const std::string_view near = DidYouMean(name, candidates);
  if (!near.empty()) help_ = StrCat("did you mean '", near, "'?");
}

// Also notes where the token began, for FailAtLast.
bool LineCursor::Accept(char c) {
  if (!in_.Accept(c)) return false;
  last_ = in_.at() - 1;
  return true;
}

void LineCursor::Expect(char c) {
  if (!Accept(c)) in_.Fail(StrCat("'", c, "'"));
}

char LineCursor::CharAfterWord() { return in_.Here(PeekWord().size()); }

// A directive's dot is a word character, so `.func` is one word.
std::string_view LineCursor::Word() {
  const std::string_view word = PeekWord();
  if (word.empty()) Fail("expected a word");
  last_ = in_.at();
  return in_.Take(word);
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

std::string LineCursor::Quoted() {
  if (Peek() != '"') return Expect('"'), "";
  last_ = in_.at();
  const std::string_view quoted = in_.Take(in_.PeekQuoted());
  if (quoted.empty()) {
    in_.MoveTo(in_.text().size());
    return in_.Fail("'\"'"), "";
  }
  std::string out;
  for (size_t at = 1; at + 1 < quoted.size();) {
    if (quoted[at] != '\\') {
      out.push_back(quoted[at++]);
      continue;
    }
    const std::string_view expected = ReadJsonEscape(quoted, &++at, &out);
    if (expected.empty()) continue;
    in_.MoveTo(last_ + at);
    return FailAtLast(StrCat("expected ", expected, " in a quoted text")), "";
  }
  return out;
}

// Attributes in braces have spaces, so they are taken up to the closing brace.
std::string LineCursor::PrimitiveName() {
  if (Peek() == '"') return Quoted();
  const std::string_view word = Word();
  if (!IsPlainName(word)) FailAtLast("expected a primitive's name");
  if (in_.Here() != '{') return std::string(word);
  const size_t close = in_.text().find('}', in_.at());
  if (close == std::string_view::npos) {
    FailAtLast("expected '}' at the end of the primitive's attributes");
    return {};
  }
  in_.MoveTo(close + 1);
  return std::string(in_.Since(last_));
}

std::string_view LineCursor::Rest() {
  in_.Skip();
  last_ = in_.at();
  return in_.Take(in_.text().substr(last_));
}

// --- numbers

// A sign alone, or before a word other than inf and nan, is no number.
bool LineCursor::AtNumber() {
  std::string_view text = in_.PeekNumber("+-");
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && (IsDigit(text[0]) || text == "inf" || text == "nan");
}

// Anything that is no int64; a number too large for one is read as a float.
bool LineCursor::AtFloat() {
  std::string_view text = in_.PeekNumber("+-");
  if (text.starts_with('+')) text.remove_prefix(1);
  return !ParseInt64(text).has_value();
}

// A plus sign is allowed and dropped.
std::string_view LineCursor::NumberText() {
  std::string_view text = in_.PeekNumber("+-");
  if (text.empty()) Fail("expected a number");
  last_ = in_.at();
  in_.Take(text);
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
    if (HexDigitValue(c) < 0) return FailAtLast("expected hexadecimal digits"), 0;
    value = value * 16 + static_cast<uint64_t>(HexDigitValue(c));
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

// The same as a word of pairs of digits, which may be empty.
std::string LineCursor::HexBytes() {
  const std::string_view word = PeekWord();
  last_ = in_.at();
  in_.Take(word);
  std::string out;
  for (size_t i = 0; i + 1 < word.size(); i += 2) {
    const int high = HexDigitValue(word[i]), low = HexDigitValue(word[i + 1]);
    if (high < 0 || low < 0) break;
    out.push_back(static_cast<char>(high * 16 + low));
  }
  if (out.size() * 2 != word.size()) FailAtLast("expected pairs of hexadecimal digits");
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
