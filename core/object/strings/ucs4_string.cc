// SPDX-License-Identifier: Apache-2.0
// UCS4String: conversion from and to UTF-8 (RFC 3629), and the ways into and out of an Any.
#include "core/object/strings/ucs4_string.h"

#include "core/base/utf8.h"
#include "core/object/strings/string.h"
#include "core/object/strings/unicode.h"

namespace tern {

Result<UCS4String> UCS4String::FromUtf8(std::string_view text) {
  StringCore<char32_t> core;
  // Exact for valid text, so no growth; invalid text fails before it matters.
  core.Reserve(Utf8Length(text));
  for (size_t offset = 0; offset < text.size();) {
    const size_t begin = offset;
    const char32_t c = DecodeUtf8(text, &offset);
    if (c == kInvalidCodePoint) return InvalidUtf8(text, begin);
    core.PushBack(c);
  }
  return UCS4String(std::move(core));
}

Result<UCS4String> UCS4String::FromCodePoints(std::u32string_view code_points) {
  TERN_TRY(CheckCodePoints(code_points));
  return UCS4String(code_points);
}

Result<String> UCS4String::ToUtf8() const {
  // Text made from literals is unchecked until here.
  TERN_TRY(CheckCodePoints(view()));
  // A first walk counts, so that the second never moves the buffer.
  size_t bytes = 0;
  for (const char32_t c : view()) bytes += Utf8Size(c);
  StringCore<char> core;
  core.Reserve(bytes);
  for (const char32_t c : view()) EncodeUtf8(c, core.ExpandNoInit(Utf8Size(c)));
  return String(std::move(core));
}

namespace internal {

std::optional<std::u32string_view> AnyToUCS4(const TernAny& any) {
  const TernAny& value = Resolve(any);
  if (value.type_code == TERN_TYPE_SMALL_UCS4) {
    return std::u32string_view(reinterpret_cast<const char32_t*>(value.v.char32),
                               static_cast<size_t>(value.small_len));
  }
  // As AnyToText: in place, as an object, or behind a handle.
  const bool handle = value.type_code == TERN_TYPE_OBJECT_HANDLE;
  const auto* object = handle                ? static_cast<const Object*>(value.v.p)
                       : HoldsObject(value) ? ObjectOf(value)
                                             : nullptr;
  if (object == nullptr || object->type_code() != TERN_TYPE_UCS4_STRING) return std::nullopt;
  return static_cast<const LongUCS4String*>(object)->view();
}

TernAny MakeSmallUCS4(std::u32string_view text) {
  TERN_DCHECK(text.size() <= UCS4String::kAnyCapacity);
  // The unused code point stays zero, since items and table keys are compared as words.
  TernAny any = MakeAny(TERN_TYPE_SMALL_UCS4);
  any.small_len = static_cast<int32_t>(text.size());
  for (size_t i = 0; i < text.size(); ++i) any.v.char32[i] = text[i];
  return any;
}

}  // namespace internal

TernAny AnyTraits<UCS4String>::Own(UCS4String text) {
  // One or two code points lie in the value; more take the buffer along without a copy where there
  // is one.
  if (text.size() <= UCS4String::kAnyCapacity) return internal::MakeSmallUCS4(text.view());
  return internal::ViewObject(text.TakeCore().TakeBuffer().Release());
}

std::optional<UCS4String> AnyTraits<UCS4String>::TryCast(const TernAny& any) {
  if (any.type_code == TERN_TYPE_UCS4_STRING) {
    return UCS4String(StringCore<char32_t>(
        ObjectPtr<LongUCS4String>(static_cast<LongUCS4String*>(internal::ObjectOf(any)))));
  }
  const std::optional<std::u32string_view> text = internal::AnyToUCS4(any);
  if (!text.has_value()) return std::nullopt;
  return UCS4String(*text);
}

}  // namespace tern
