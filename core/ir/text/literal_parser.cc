// SPDX-License-Identifier: Apache-2.0
#include "core/ir/text/literal_parser.h"

#include <optional>

#include "core/base/hash.h"
#include "core/base/json_reader.h"
#include "core/base/strings.h"
#include "core/ir/splat.h"

namespace tern::ir {

namespace {

constexpr std::string_view kCode = "E0503";
// Elements of a constant in text. It bounds what a line can make the parser allocate.
constexpr int64_t kMostElements = int64_t{1} << 26;

// Names of models have dots and slashes.
bool IsWord(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         c == '.' || c == '/';
}

// Writes a number as element i of a new tensor.
void SetElement(const Tensor& tensor, int64_t i, const Number& number) {
  const double value = number.value;
  const DType dtype = tensor.dtype();
  void* data = tensor.data();
  if (dtype == kF32)
    static_cast<float*>(data)[i] = static_cast<float>(value);
  else if (dtype == kF64)
    static_cast<double*>(data)[i] = value;
  else if (dtype == kI64)
    static_cast<int64_t*>(data)[i] = number.integer;
  else if (dtype == kI32)
    static_cast<int32_t*>(data)[i] = static_cast<int32_t>(number.integer);
  else if (dtype == kI8)
    static_cast<int8_t*>(data)[i] = static_cast<int8_t>(number.integer);
  else if (dtype == kU8)
    static_cast<uint8_t*>(data)[i] = static_cast<uint8_t>(number.integer);
  else
    static_cast<bool*>(data)[i] = value != 0;
}

// Element types that constants in text can have.
bool HasElements(DType dtype) {
  return dtype == kF32 || dtype == kF64 || dtype == kI64 || dtype == kI32 || dtype == kI8 ||
         dtype == kU8 || dtype == kBool;
}

}  // namespace

LiteralParser::LiteralParser(std::string_view file_name, std::string_view text)
    : sources_(std::make_shared<text::SourceMap>()),
      file_(sources_->AddFile(file_name, text)),
      text_(text),
      diagnostics_(sources_) {}

// --- characters

// Both kinds of comments, so that listings with notes can be read again.
void LiteralParser::Skip() {
  while (at_ < text_.size()) {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("//") || rest.starts_with(";;")) {
      const size_t end = rest.find('\n');
      at_ = end == std::string_view::npos ? text_.size() : at_ + end;
    } else if (rest[0] == ' ' || rest[0] == '\n' || rest[0] == '\t' || rest[0] == '\r') {
      ++at_;
    } else {
      break;
    }
  }
}

// After an error nothing is accepted any more.
bool LiteralParser::Accept(std::string_view token) {
  Skip();
  if (!ok_ || !text_.substr(at_).starts_with(token)) return false;
  at_ += token.size();
  return true;
}

// The word at the position, which does not move; empty if there is none.
std::string_view LiteralParser::PeekWord() {
  Skip();
  size_t end = at_;
  while (end < text_.size() && IsWord(text_[end])) ++end;
  return text_.substr(at_, end - at_);
}

bool LiteralParser::AcceptWord(std::string_view word) {
  if (!ok_ || PeekWord() != word) return false;
  at_ += word.size();
  return true;
}

// The word at the position, which moves behind it; an error if there is none.
std::string_view LiteralParser::Word(std::string_view expected) {
  const std::string_view word = PeekWord();
  if (word.empty()) Fail(expected);
  at_ += ok_ ? word.size() : 0;
  return ok_ ? word : std::string_view();
}

void LiteralParser::Expect(std::string_view token) {
  if (!Accept(token)) Fail(StrCat("'", token, "'"));
}

// Texts are JSON's, and its parser decodes the escapes.
std::string LiteralParser::Quoted() {
  if (Peek() != '"') return Fail("a text in quotes"), std::string();
  size_t end = at_ + 1;
  while (end < text_.size() && text_[end] != '"' && text_[end] != '\n')
    end += text_[end] == '\\' ? 2 : 1;
  if (end >= text_.size() || text_[end] != '"') return Fail("a text that ends with '\"'"), "";
  const size_t begin = at_;
  at_ = end + 1;
  Result<JsonValue> value = ParseJson(text_.substr(begin, at_ - begin));
  if (value.ok()) return std::move(value->text);
  Complain(begin, value.status().message());
  return "";
}

// The place from `begin` to the position, at least one character.
text::Span LiteralParser::Here(size_t begin) const {
  return {file_, static_cast<uint32_t>(begin),
          static_cast<uint32_t>(at_ > begin ? at_ : begin + 1)};
}

// Only the first error of syntax is told. The position moves to the end, so that every loop ends.
void LiteralParser::Fail(std::string_view expected) {
  if (!ok_) return;
  ok_ = false;
  const std::string_view word = PeekWord();
  const std::string got = at_ >= text_.size()
                              ? "the end"
                              : StrCat("'", word.empty() ? text_.substr(at_, 1) : word, "'");
  if (!quiet_) {
    diagnostics_.Error(kCode, StrCat("expected ", expected, ", got ", got))
        .At({file_, static_cast<uint32_t>(at_),
             static_cast<uint32_t>(at_ + (word.empty() ? 1 : word.size()))});
  }
  at_ = text_.size();
}

void LiteralParser::Complain(size_t begin, std::string_view message) {
  if (ok_ && !quiet_) diagnostics_.Error(kCode, message).At(Here(begin));
}

// --- literals

// A type has no own tokens here: it ends where brackets are balanced and a separator follows, and
// types::Type::Parse reads it.
types::Type LiteralParser::ParseType() {
  Skip();
  const size_t begin = at_;
  int depth = 0;
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '(' || c == '[')
      ++depth;
    else if ((c == ')' || c == ']') && depth-- == 0)
      break;
    else if (c == '\n' || (depth == 0 && (c == ',' || c == '{' || c == '}' || c == '=')))
      break;
    else if (text_.substr(at_).starts_with("//"))
      break;
  }
  Result<types::Type> type = types::Type::Parse(StrTrim(text_.substr(begin, at_ - begin)));
  if (type.ok()) return *std::move(type);
  Complain(begin, type.status().message());
  return types::Type();
}

// The longest text that can be a number; ParseDouble decides whether it is one.
std::string_view LiteralParser::NumberText() {
  Skip();
  size_t end = at_;
  if (end < text_.size() && text_[end] == '-') ++end;
  // A sign belongs to a number at its beginning and behind an exponent's e.
  while (end < text_.size() && (IsWord(text_[end]) || ((text_[end] == '-' || text_[end] == '+') &&
                                                       text_[end - 1] == 'e'))) {
    ++end;
  }
  return text_.substr(at_, end - at_);
}

Number LiteralParser::ParseNumber() {
  const std::string_view text = NumberText();
  const std::optional<double> value = ParseDouble(text);
  if (!value.has_value() && text != "true" && text != "false") return Fail("a number"), Number();
  at_ += text.size();
  if (text == "true") return {1, 1};
  if (text == "false") return {0, 0};
  const std::optional<int64_t> integer = ParseInt64(text);
  const double number = *value;
  const bool fits = number > -9e18 && number < 9e18;
  // Larger integers than a double can hold exactly are read as integers.
  return {number, integer.value_or(fits ? static_cast<int64_t>(number) : 0)};
}

// "[1, 2]", also without elements.
std::vector<Number> LiteralParser::Numbers() {
  std::vector<Number> numbers;
  Expect("[");
  if (Accept("]")) return numbers;
  do {
    numbers.push_back(ParseNumber());
  } while (Accept(","));
  Expect("]");
  return numbers;
}

bool LiteralParser::AtLiteral() {
  const char c = Peek();
  if (c == '"' || c == '-' || (c >= '0' && c <= '9')) return true;
  const std::string_view word = PeekWord();
  if (word == "none" || word == "true" || word == "false" || word == "float") return true;
  Result<DType> dtype = DType::Parse(word);
  return dtype.ok() && HasElements(*dtype);
}

Expr LiteralParser::Literal() {
  if (AcceptWord("none")) return MakeNone();
  const char c = Peek();
  if (c == '"') return MakeConstant(Any(Quoted()));
  const std::string_view word = PeekWord();
  if (word == "true" || word == "false") {
    at_ += word.size();
    return MakeConstant(Any(word == "true"));
  }
  if (c == '-' || (c >= '0' && c <= '9') || word == "float") return ScalarLiteral();
  Result<DType> dtype = DType::Parse(word);
  if (!dtype.ok() || !HasElements(*dtype)) {
    Fail("a variable, a constant or a literal such as f32 0.5");
    return MakeNone();
  }
  at_ += word.size();
  return TensorLiteral(*dtype);
}

// 5 is an int; 5.0, 1e9 and "float inf" are floats. "inf" alone would be a name.
Expr LiteralParser::ScalarLiteral() {
  const bool is_float = AcceptWord("float");
  const size_t begin = at_;
  const std::string_view text = NumberText();
  if (!is_float && text.find_first_of(".e") == std::string_view::npos) {
    const std::optional<int64_t> integer = ParseInt64(text);
    at_ += text.size();
    if (!integer.has_value()) Complain(begin, StrCat("'", text, "' is no int of 64 bits"));
    return MakeConstant(Any(integer.value_or(0)));
  }
  return MakeConstant(Any(ParseNumber().value));
}

// "f32 0.5", "i64 [1, 2]".
Expr LiteralParser::TensorLiteral(DType dtype) {
  const bool list = Peek() == '[';
  const std::vector<Number> numbers = list ? Numbers() : std::vector<Number>{ParseNumber()};
  const int64_t count = static_cast<int64_t>(numbers.size());
  TensorPtr tensor = Tensor::New(dtype, list ? tern::Dims(&count, 1) : tern::Dims()).value();
  for (int64_t i = 0; i < count; ++i) SetElement(*tensor, i, numbers[static_cast<size_t>(i)]);
  return MakeConstant(Any(std::move(tensor)));
}

void LiteralParser::ParseConstant() {
  Expect("@");
  const size_t begin = at_;
  const std::string name(Word("a name"));
  Expect(":");
  const types::Type type = ParseType();
  std::vector<int64_t> dims;
  // Of a type that cannot be a constant's, a number stands in, so that names are known afterwards.
  bool fits = type.is_tensor() && type.tensor().IsStatic() && HasElements(type.tensor().dtype);
  int64_t count = 1;
  for (size_t i = 0; fits && i < type.tensor().dims.size(); ++i) {
    dims.push_back(type.tensor().dims[i].constant());
    fits = dims.back() >= 0 && !__builtin_mul_overflow(count, dims.back(), &count) &&
           count <= kMostElements;
  }
  if (!fits) {
    if (type.known())
      Complain(begin,
               StrCat("@", name, " is ", type.ToText(), "; a constant has numbers and a shape"));
    dims.clear();
    count = 1;
  }
  TensorPtr tensor = Tensor::New(fits ? type.tensor().dtype : kF32, dims).value();
  Fill(begin, name, count, &tensor);
  if (!constants_.emplace(name, MakeConstant(Any(std::move(tensor)), name)).second) {
    Complain(begin, StrCat("@", name, " is defined twice"));
  }
}

// Without "= …" elements are made up from the name, so that tests can have large weights in one
// line; the same name gives the same numbers everywhere.
void LiteralParser::Fill(size_t begin, std::string_view name, int64_t count, TensorPtr* tensor) {
  if (!Accept("=")) {
    uint32_t state = static_cast<uint32_t>(HashText(name));
    for (int64_t i = 0; i < count; ++i) {
      state = state * 1664525u + 1013904223u;
      SetElement(**tensor, i,
                 {static_cast<double>(state >> 8) / 8388608.0 - 1.0, (state >> 8) % 3});
    }
    return;
  }
  if (Peek() != '[') {
    const Number number = ParseNumber();
    if (count > 0) SetElement(**tensor, 0, number);
    if (count > 1)
      *tensor = MakeSplat(**tensor, {(*tensor)->dims().data(), (*tensor)->dims().size()}).value();
    return;
  }
  const std::vector<Number> numbers = Numbers();
  if (static_cast<int64_t>(numbers.size()) != count) {
    Complain(begin,
             StrCat("@", name, " has ", count, " elements, ", numbers.size(), " are given"));
    return;
  }
  for (int64_t i = 0; i < count; ++i) SetElement(**tensor, i, numbers[static_cast<size_t>(i)]);
}

Expr LiteralParser::FindConstant(const std::string& name) const {
  const auto found = constants_.find(name);
  return found == constants_.end() ? nullptr : found->second;
}

}  // namespace tern::ir
