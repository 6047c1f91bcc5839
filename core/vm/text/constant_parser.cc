// SPDX-License-Identifier: Apache-2.0
// Constants from text. The cursor keeps the first error, so parsers read on and ask once before
// they make something.
#include "core/vm/text/constant_parser.h"

#include <utility>
#include <vector>

#include "core/base/strings.h"
#include "core/object/strings/string.h"

namespace tern::vm {
namespace {

// The constant, or the error at the last token read.
std::optional<Constant> Taken(LineCursor& in, Result<Constant> constant) {
  if (constant.ok()) return std::move(constant).value();
  in.FailAtLast(constant.status().message());
  return std::nullopt;
}

std::optional<Constant> Made(LineCursor& in, const Any& value) {
  if (!in.ok()) return std::nullopt;
  return Taken(in, Constant::From(value));
}

// Bits keep a NaN's payload, which decimal text cannot.
std::optional<Constant> ParseFloatConstant(LineCursor& in) {
  if (!in.AcceptWord("bits")) return Made(in, Any(in.FloatNumber()));
  const uint64_t bits = in.HexNumber();
  double value;
  __builtin_memcpy(&value, &bits, sizeof(value));
  return Made(in, Any(value));
}

// Constants are read-only wherever they come from.
std::optional<Constant> TensorConstant(LineCursor& in, Result<TensorPtr> tensor) {
  if (!tensor.ok()) {
    in.FailAtLast(tensor.status().message());
    return std::nullopt;
  }
  (*tensor)->set_read_only();
  return Made(in, Any(std::move(tensor).value()));
}

// Strings are written in quotes; all other elements as numbers or hex.
std::optional<Constant> ParseStrings(LineCursor& in, const std::vector<int64_t>& dims,
                                     int64_t count) {
  std::vector<std::string> texts;
  in.Expect('[');
  while (in.ok() && !in.Accept(']')) {
    if (!texts.empty()) in.Expect(',');
    texts.push_back(in.Quoted());
  }
  if (in.ok() && static_cast<int64_t>(texts.size()) != count) {
    in.FailAtLast(StrCat("the shape needs ", count, " strings, got ", texts.size()));
  }
  if (!in.ok()) return std::nullopt;
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  return TensorConstant(in, Tensor::FromStrings(views, dims));
}

// The element count of the shape must agree with the data, or FromBytes would be asked for
// nonsense.
std::optional<Constant> ParseTensor(LineCursor& in, DType dtype) {
  const std::vector<int64_t> dims = in.Dims();
  const std::optional<int64_t> count = ElementCount(dims);
  if (in.ok() && !count.has_value()) in.FailAtLast("a shape that no tensor can have");
  if (!in.ok()) return std::nullopt;
  if (dtype.is_string()) return ParseStrings(in, dims, *count);
  const std::string bytes = in.AcceptWord("hex") ? in.HexBytes() : in.Elements(dtype);
  if (!in.ok()) return std::nullopt;
  if (dtype.bytes_for(*count) != static_cast<int64_t>(bytes.size())) {
    in.FailAtLast(
        StrCat("the shape needs ", *count, " elements, the data has ", bytes.size(), " bytes"));
    return std::nullopt;
  }
  return TensorConstant(in, Tensor::FromBytes(dtype, dims, AsBytes(bytes)));
}

// One element for the whole tensor; Constant::Splat checks it.
std::optional<Constant> ParseSplat(LineCursor& in) {
  const DType dtype = in.DTypeWord();
  const std::vector<int64_t> dims = in.Dims();
  const std::string bytes = in.AcceptWord("hex") ? in.HexBytes() : in.Element(dtype);
  if (!in.ok()) return std::nullopt;
  Result<TensorPtr> element = Tensor::FromBytes(dtype, Dims(), AsBytes(bytes));
  if (!element.ok()) return TensorConstant(in, std::move(element));
  return Taken(in, Constant::Splat(std::move(element).value(), dims));
}

// References are checked at once, as the place is known here.
std::optional<Constant> ParseTuple(LineCursor& in, int64_t constant_count) {
  Constant constant;
  constant.kind = ConstantKind::kTuple;
  in.Expect('(');
  while (in.ok() && !in.Accept(')')) {
    if (!constant.elements.empty()) in.Expect(',');
    const int64_t index = ParseConstantReference(&in);
    if (in.ok() && index >= constant_count)
      in.FailAtLast("a tuple can only hold constants before it");
    constant.elements.push_back(static_cast<uint32_t>(index));
  }
  if (!in.ok()) return std::nullopt;
  return constant;
}

}  // namespace

int64_t ParseConstantReference(LineCursor* in) {
  in->ExpectWord("c");
  in->Expect('[');
  const int64_t index = in->Number(UINT32_MAX);
  in->Expect(']');
  return index;
}

std::optional<Constant> ParseConstant(LineCursor* cursor, int64_t constant_count) {
  LineCursor& in = *cursor;
  const std::string_view word = in.Word();
  if (!in.ok()) return std::nullopt;
  // A data type and a bracket begin a tensor; a data type alone is no constant.
  if (const Result<DType> dtype = DType::Parse(word); dtype.ok() && in.Peek() == '[')
    return ParseTensor(in, *dtype);
  if (word == "none") return Made(in, Any());
  if (word == "int") return Made(in, Any(in.SignedNumber()));
  if (word == "float") return ParseFloatConstant(in);
  if (word == "bool") return Made(in, Any(in.Boolean()));
  if (word == "string") return Made(in, Any(String(std::string_view(in.Quoted()))));
  if (word == "dtype") return Made(in, Any(in.DTypeWord()));
  if (word == "shape") return Made(in, Any(Shape::Make(in.Dims())));
  if (word == "splat") return ParseSplat(in);
  if (word == "tuple") return ParseTuple(in, constant_count);
  in.FailAtLast(
      "expected a constant: none, int, float, bool, string, dtype, shape, splat, tuple or a "
      "tensor such as f32[2] [1, 2]");
  return std::nullopt;
}

// For single constants (ExecBuilder): the whole text must be one.
Result<Constant> ParseConstantText(std::string_view text, int64_t constant_count) {
  LineCursor in(text, 0, text.size());
  std::optional<Constant> constant = ParseConstant(&in, constant_count);
  if (in.ok() && !in.AtEnd()) in.Fail("expected the end of the constant");
  if (in.ok() && constant.has_value()) return *std::move(constant);
  // Only the begin of a long text is shown.
  Status status =
      InvalidArgument("constant '", text.substr(0, 60), text.size() > 60 ? "…" : "",
                      "', character ", in.mistake().begin + 1, ": ", in.mistake().message);
  return std::move(status.SetErrorCode("E0110"));
}

}  // namespace tern::vm
