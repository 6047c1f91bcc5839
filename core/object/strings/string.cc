// SPDX-License-Identifier: Apache-2.0
// String: UTF-8, and the ways into and out of an Any.
#include "core/object/strings/string.h"

#include "core/object/strings/ucs4_string.h"
#include "core/object/strings/unicode.h"

namespace tern {

Result<String> String::FromUtf8(std::string_view text) {
  // The only place where a String is checked; its other constructors take bytes as they are.
  TERN_TRY(CheckUtf8(text));
  return String(text);
}

Result<UCS4String> String::ToUCS4() const { return UCS4String::FromUtf8(view()); }

String String::SliceCodePoints(int64_t begin, int64_t end) const {
  // Python's rule: negative positions count from the end, and what lies outside is clamped.
  const auto count = static_cast<int64_t>(CountCodePoints());
  const auto clamp = [count](int64_t position) {
    if (position < 0) position += count;
    return position < 0 ? 0 : position > count ? count : position;
  };
  const int64_t first = clamp(begin), last = clamp(end);
  // Two walks over UTF-8: it has no index of code points. Invalid bytes count as one each.
  size_t offset = 0;
  for (int64_t i = 0; i < first; ++i) NextCodePoint(view(), &offset);
  const size_t from = offset;
  for (int64_t i = first; i < last; ++i) NextCodePoint(view(), &offset);
  return String(view().substr(from, offset - from));
}

std::optional<String> AnyTraits<String>::TryCast(const TernAny& any) {
  // The object's buffer is shared, not copied; writing to the String copies it then.
  if (any.type_code == TERN_TYPE_STRING) {
    return String(
        StringCore<char>(ObjectPtr<LongString>(static_cast<LongString*>(internal::ObjectOf(any)))));
  }
  // Text in place and borrowed text is copied.
  const std::optional<std::string_view> text = internal::AnyToText(any);
  if (!text.has_value()) return std::nullopt;
  return String(*text);
}

}  // namespace tern
