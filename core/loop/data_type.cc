// SPDX-License-Identifier: Apache-2.0
#include "core/loop/data_type.h"

#include <iterator>

#include "core/base/strings.h"

namespace tern::loop {
namespace {

struct Element {
  DType dtype;
  std::string_view name;
};

// The names of TVM's DataType, without its exotic types.
constexpr Element kElements[] = {
    {kBool, "bool"},     {kI8, "int8"},     {kI16, "int16"},   {kI32, "int32"},  {kI64, "int64"},
    {kU8, "uint8"},      {kU16, "uint16"},  {kU32, "uint32"},  {kU64, "uint64"}, {kF16, "float16"},
    {kBf16, "bfloat16"}, {kF32, "float32"}, {kF64, "float64"},
};

constexpr std::string_view kScalable = "vscalex";

Status BadType(std::string_view text, std::string_view why) {
  return TypeError("'", text, "' is not a type of the loop IR: ", why);
}

}  // namespace

std::string Lanes::ToString() const {
  return scalable ? StrCat("vscale * ", count) : StrCat(count);
}

std::string_view ElementName(DType element) {
  for (const Element& known : kElements) {
    if (known.dtype == element) return known.name;
  }
  return "unsupported";
}

bool DataType::IsSupported(DType element) {
  for (const Element& known : kElements) {
    if (known.dtype == element) return true;
  }
  return false;
}

std::string DataType::ToString() const {
  std::string out(ElementName(element_));
  // Also of one lane: vscale times one is a vector.
  if (lanes_.scalable) return StrCat(out, "x", kScalable, lanes_.count);
  return lanes_.count == 1 ? out : StrCat(out, "x", lanes_.count);
}

Result<DataType> DataType::Parse(std::string_view text) {
  // No element name has an x, so the first one begins the lanes.
  const size_t x = text.find('x');
  const Result<DType> element = DType::Parse(text.substr(0, x));
  if (!element.ok()) return BadType(text, "the element type is unknown");
  if (!IsSupported(*element)) return BadType(text, "loops do not compute with this element type");
  if (x == std::string_view::npos) return DataType(*element);
  std::string_view rest = text.substr(x + 1);
  const bool scalable = rest.starts_with(kScalable);
  if (scalable) rest.remove_prefix(kScalable.size());
  const std::optional<int64_t> count = ParseInt64(rest);
  // A fixed vector of one lane would be a second spelling of the scalar.
  const int64_t least = scalable ? 1 : 2;
  if (!count.has_value() || *count < least || *count > kMaxLanes) {
    return BadType(text, StrCat("expected lanes such as x4 or xvscalex4, at most ", kMaxLanes));
  }
  return DataType(*element, Lanes{static_cast<int32_t>(*count), scalable});
}

}  // namespace tern::loop
