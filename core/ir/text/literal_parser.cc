// SPDX-License-Identifier: Apache-2.0
#include "core/ir/text/literal_parser.h"

#include <algorithm>
#include <optional>

#include "core/base/hash.h"
#include "core/base/json_reader.h"
#include "core/base/strings.h"
#include "core/ir/splat.h"

namespace tern::ir {

namespace {

// Elements of a constant in text. It bounds what a line can make the parser allocate.
constexpr int64_t kMostElements = int64_t{1} << 26;

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
      in_(text, kModuleForm),
      diagnostics_(sources_) {}

// --- characters

bool LiteralParser::AcceptWord(std::string_view word) {
  if (in_.PeekWord() != word) return false;
  in_.Take(word);
  return true;
}

std::string_view LiteralParser::Word(std::string_view expected) {
  const std::string_view word = in_.PeekWord();
  if (word.empty()) in_.Fail(expected);
  return in_.Take(word);
}

// Texts are JSON's, and its parser decodes the escapes.
std::string LiteralParser::Quoted() {
  if (in_.Peek() != '"') return in_.Fail("a text in quotes"), "";
  const size_t begin = in_.at();
  const std::string_view quoted = in_.Take(in_.PeekQuoted());
  if (quoted.empty()) return in_.Fail("a text that ends with '\"'"), "";
  Result<JsonValue> value = ParseJson(quoted);
  if (value.ok()) return std::move(value->text);
  Complain(begin, value.status().message());
  return "";
}

void LiteralParser::Complain(size_t begin, std::string_view message) {
  if (in_.ok()) Tell({std::string(message), begin, std::max(in_.at(), begin + 1)});
}

void LiteralParser::Tell(const text::Mistake& mistake) {
  if (quiet_ || mistake.message.empty()) return;
  diagnostics_.Error(kBadModule, mistake.message).At(At(mistake.begin, mistake.end));
}

// --- literals

// After a mistake in a type the rest is still read. A scanner of its own keeps it from ending the
// parse.
types::Type LiteralParser::ParseType() {
  text::Scanner in = in_;
  types::Type type = types::Type::Read(&in);
  // A mistake before this one has been told, and the scanner stays where that was.
  if (in_.ok() && !in.ok()) {
    Tell(in.mistake());
    SkipType();
    return types::Type();
  }
  in_.GoOn(in);
  return type;
}

// To where a type must end: at the line's end, or at a separator outside of brackets.
void LiteralParser::SkipType() {
  int depth = 0;
  for (in_.Skip(); in_.at() < in_.text().size(); in_.MoveTo(in_.at() + 1)) {
    const char c = in_.Here();
    if (c == '(' || c == '[') ++depth;
    if ((c == ')' || c == ']') && depth-- == 0) return;
    if (depth == 0 && std::string_view(",{}=").find(c) != std::string_view::npos) return;
    if (c == '\n' || in_.IsHere("//")) return;
  }
}

Number LiteralParser::ParseNumber() {
  const std::string_view text = in_.PeekNumber("-");
  const std::optional<double> value = ParseDouble(text);
  if (!value.has_value() && text != "true" && text != "false")
    return in_.Fail("a number"), Number();
  in_.Take(text);
  if (text == "true") return {1, 1};
  if (text == "false") return {0, 0};
  const std::optional<int64_t> integer = ParseInt64(text);
  const double number = *value;
  // Outside of this range the conversion of a double is undefined.
  const bool fits = number > -9e18 && number < 9e18;
  // Larger integers than a double can hold exactly are read as integers.
  return {number, integer.value_or(fits ? static_cast<int64_t>(number) : 0)};
}

// "[1, 2]", also without elements.
std::vector<Number> LiteralParser::Numbers() {
  std::vector<Number> numbers;
  in_.Expect("[");
  if (in_.Accept(']')) return numbers;
  do {
    numbers.push_back(ParseNumber());
  } while (in_.Accept(','));
  in_.Expect("]");
  return numbers;
}

bool LiteralParser::AtLiteral() {
  const char c = in_.Peek();
  if (c == '"' || c == '-' || (c >= '0' && c <= '9')) return true;
  const std::string_view word = in_.PeekWord();
  if (word == "none" || word == "true" || word == "false" || word == "float") return true;
  Result<DType> dtype = DType::Parse(word);
  return dtype.ok() && HasElements(*dtype);
}

Expr LiteralParser::Literal() {
  if (AcceptWord("none")) return MakeNone();
  const char c = in_.Peek();
  if (c == '"') return MakeConstant(Any(Quoted()));
  const std::string_view word = in_.PeekWord();
  if (word == "true" || word == "false") return MakeConstant(Any(in_.Take(word) == "true"));
  if (c == '-' || (c >= '0' && c <= '9') || word == "float") return ScalarLiteral();
  Result<DType> dtype = DType::Parse(word);
  if (!dtype.ok() || !HasElements(*dtype)) {
    in_.Fail("a variable, a constant or a literal such as f32 0.5");
    return MakeNone();
  }
  in_.Take(word);
  return TensorLiteral(*dtype);
}

// 5 is an int; 5.0, 1e9 and "float inf" are floats. "inf" alone would be a name.
Expr LiteralParser::ScalarLiteral() {
  const bool is_float = AcceptWord("float");
  const std::string_view text = in_.PeekNumber("-");
  const size_t begin = in_.at();
  if (!is_float && text.find_first_of(".e") == std::string_view::npos) {
    const std::optional<int64_t> integer = ParseInt64(text);
    in_.Take(text);
    if (!integer.has_value()) Complain(begin, StrCat("'", text, "' is no int of 64 bits"));
    return MakeConstant(Any(integer.value_or(0)));
  }
  return MakeConstant(Any(ParseNumber().value));
}

// "f32 0.5", "i64 [1, 2]".
Expr LiteralParser::TensorLiteral(DType dtype) {
  const bool list = in_.Peek() == '[';
  const std::vector<Number> numbers = list ? Numbers() : std::vector<Number>{ParseNumber()};
  const int64_t count = static_cast<int64_t>(numbers.size());
  TensorPtr tensor = Tensor::New(dtype, list ? tern::Dims(&count, 1) : tern::Dims()).value();
  for (int64_t i = 0; i < count; ++i) SetElement(*tensor, i, numbers[static_cast<size_t>(i)]);
  return MakeConstant(Any(std::move(tensor)));
}

void LiteralParser::ParseConstant() {
  in_.Expect("@");
  const size_t begin = in_.at();
  const std::string name(Word("a name"));
  in_.Expect(":");
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
  if (!in_.Accept('=')) {
    uint32_t state = static_cast<uint32_t>(HashText(name));
    for (int64_t i = 0; i < count; ++i) {
      state = state * 1664525u + 1013904223u;
      SetElement(**tensor, i,
                 {static_cast<double>(state >> 8) / 8388608.0 - 1.0, (state >> 8) % 3});
    }
    return;
  }
  if (in_.Peek() != '[') {
    const Number number = ParseNumber();
    if (count > 0) SetElement(**tensor, 0, number);
    if (count > 1)
      *tensor = MakeSplat(**tensor, {(*tensor)->dims().data(), (*tensor)->dims().size()}).value();
    return;
  }
  const std::vector<Number> numbers = Numbers();
  if (static_cast<int64_t>(numbers.size()) != count) {
    Complain(begin, StrCat("@", name, " has ", count, " elements, ", numbers.size(), " are given"));
    return;
  }
  for (int64_t i = 0; i < count; ++i) SetElement(**tensor, i, numbers[static_cast<size_t>(i)]);
}

Expr LiteralParser::FindConstant(const std::string& name) const {
  const auto found = constants_.find(name);
  return found == constants_.end() ? nullptr : found->second;
}

}  // namespace tern::ir
