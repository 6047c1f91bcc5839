// SPDX-License-Identifier: Apache-2.0
#include "core/ir/text/literal_parser.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/base/hash.h"
#include "core/base/json_reader.h"
#include "core/base/strings.h"
#include "core/ir/splat.h"
#include "core/object/small_numbers.h"

namespace tern::ir {

namespace {

// Elements of a constant in text. It bounds what a line can make the parser allocate.
constexpr int64_t kMostElements = int64_t{1} << 26;

// Element types that constants in text can have: all but complex numbers and vectors.
bool HasElements(DType dtype) {
  return dtype.lanes == 1 && (dtype.is_float() || dtype.is_int() || dtype.is_bool() ||
                              dtype.is_string() || IsSmallNumber(dtype));
}

// The bits behind the last number of less than a byte are 0.
TensorPtr NewTensor(DType dtype, tern::Dims dims) {
  TensorPtr tensor = Tensor::New(dtype, dims).value();
  if (dtype.bits < 8 && tensor->element_count() > 0)
    std::memset(tensor->data(), 0, tensor->byte_size());
  return tensor;
}

TensorPtr TensorOfTexts(const std::vector<std::string>& texts, tern::Dims dims) {
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  return Tensor::FromStrings(views, dims).value();
}

// Whether an element of the type can be the number that is written. Floats round.
bool Fits(DType dtype, const Number& number) {
  if (dtype.is_bool()) return number.element.value == 0 || number.element.value == 1;
  if (!dtype.is_int()) return true;
  if (!number.is_integer) return false;
  const int64_t integer = number.element.integer;
  const int bits = dtype.is_signed_int() ? dtype.bits - 1 : dtype.bits;
  if (number.is_unsigned) return bits == 64;
  if (integer < 0) return dtype.is_signed_int() && (bits == 63 || integer >= -(int64_t{1} << bits));
  return bits >= 63 || integer < int64_t{1} << bits;
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
  if (!value.has_value()) return {{text == "true" ? 1.0 : 0.0, text == "true"}, text, true};
  if (const std::optional<int64_t> integer = ParseInt64(text))
    return {{*value, *integer}, text, true};
  if (const std::optional<uint64_t> integer = ParseUint64(text))
    return {{*value, static_cast<int64_t>(*integer)}, text, true, true};
  return {{*value, 0}, text};
}

// "[1, 2]", also without elements.
std::vector<Number> LiteralParser::Numbers() {
  std::vector<Number> numbers;
  in_.ExpectList("[", "]", [&] { numbers.push_back(ParseNumber()); });
  return numbers;
}

// A text, or a list of them in brackets.
std::vector<std::string> LiteralParser::Texts() {
  if (in_.Peek() != '[') return {Quoted()};
  std::vector<std::string> texts;
  in_.ExpectList("[", "]", [&] { texts.push_back(Quoted()); });
  return texts;
}

std::vector<Number> LiteralParser::Elements(DType dtype) {
  const bool is_list = in_.Peek() == '[';
  std::vector<Number> numbers = is_list ? Numbers() : std::vector<Number>{ParseNumber()};
  for (const Number& number : numbers) {
    if (!in_.ok() || Fits(dtype, number)) continue;
    const auto begin = static_cast<size_t>(number.text.data() - in_.text().data());
    Tell({StrCat("'", number.text, "' is no ", dtype.ToString()), begin,
          begin + number.text.size()});
    break;
  }
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
  return MakeConstant(Any(ParseNumber().element.value));
}

// "f32 0.5", "i64 [1, 2]", "string ["a"]".
Expr LiteralParser::TensorLiteral(DType dtype) {
  const bool is_list = in_.Peek() == '[';
  const auto dims = [&](size_t count) {
    return is_list ? std::vector<int64_t>{static_cast<int64_t>(count)} : std::vector<int64_t>();
  };
  if (dtype.is_string()) {
    const std::vector<std::string> texts = Texts();
    return MakeConstant(Any(TensorOfTexts(texts, dims(texts.size()))));
  }
  const std::vector<Number> numbers = Elements(dtype);
  TensorPtr tensor = NewTensor(dtype, dims(numbers.size()));
  for (size_t i = 0; i < numbers.size(); ++i)
    SetElement(*tensor, static_cast<int64_t>(i), numbers[i].element);
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
  const DType dtype = fits ? type.tensor().dtype : kF32;
  TensorPtr tensor = dtype.is_string() ? TextConstant(begin, name, dims, count)
                     : in_.Accept('=') ? NumberConstant(begin, name, dtype, dims, count)
                                       : MadeUp(name, dtype, dims);
  if (!constants_.emplace(name, MakeConstant(Any(std::move(tensor)), name)).second) {
    Complain(begin, StrCat("@", name, " is defined twice"));
  }
}

// Without "= …" elements are made up from the name, so that tests can have large weights in one
// line; the same name gives the same numbers everywhere.
TensorPtr LiteralParser::MadeUp(std::string_view name, DType dtype, tern::Dims dims) {
  TensorPtr tensor = NewTensor(dtype, dims);
  uint32_t state = static_cast<uint32_t>(HashText(name));
  for (int64_t i = 0; i < tensor->element_count(); ++i) {
    state = state * 1664525u + 1013904223u;
    SetElement(*tensor, i, {static_cast<double>(state >> 8) / 8388608.0 - 1.0, (state >> 8) % 3});
  }
  return tensor;
}

TensorPtr LiteralParser::NumberConstant(size_t begin, std::string_view name, DType dtype,
                                        tern::Dims dims, int64_t count) {
  const bool is_list = in_.Peek() == '[';
  const std::vector<Number> numbers = Elements(dtype);
  // Numbers of less than a byte have no strides, so that each has its place.
  if (!is_list && count > 1 && dtype.bits >= 8) {
    TensorPtr element = Tensor::New(dtype, tern::Dims()).value();
    SetElement(*element, 0, numbers[0].element);
    return MakeSplat(*element, dims).value();
  }
  TensorPtr tensor = NewTensor(dtype, dims);
  if (is_list && static_cast<int64_t>(numbers.size()) != count) {
    Complain(begin, StrCat("@", name, " has ", count, " elements, ", numbers.size(), " are given"));
    return tensor;
  }
  for (int64_t i = 0; i < count; ++i)
    SetElement(*tensor, i, numbers[is_list ? static_cast<size_t>(i) : 0].element);
  return tensor;
}

TensorPtr LiteralParser::TextConstant(size_t begin, std::string_view name, tern::Dims dims,
                                      int64_t count) {
  in_.Expect("=");
  const std::vector<std::string> texts = Texts();
  if (static_cast<int64_t>(texts.size()) == count) return TensorOfTexts(texts, dims);
  Complain(begin, StrCat("@", name, " has ", count, " elements, ", texts.size(), " are given"));
  return Tensor::New(kF32, tern::Dims()).value();
}

Expr LiteralParser::FindConstant(const std::string& name) const {
  const auto found = constants_.find(name);
  return found == constants_.end() ? nullptr : found->second;
}

}  // namespace tern::ir
