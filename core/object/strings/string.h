// SPDX-License-Identifier: Apache-2.0
// String: bytes of text, UTF-8 by custom, in 24 bytes (string_core.h).
//
// In an Any, text of up to 7 bytes lies in the value and longer text is a counted object. A String
// of 17 bytes or more that is moved into an Any hands over its buffer, and a String made from an
// Any that holds an object shares it: neither copies. A String does not insist on valid UTF-8,
// since much text in the world is not; FromUtf8 and ToUCS4 do. Embedded zeros are kept. Read by
// several threads at once; written by one.
#ifndef TERN_CORE_OBJECT_STRINGS_STRING_H_
#define TERN_CORE_OBJECT_STRINGS_STRING_H_

#include <compare>
#include <string>
#include <string_view>

#include "core/object/any.h"
#include "core/object/strings/string_methods.h"

namespace tern {

class UCS4String;
class String;
template <>
struct AnyTraits<String>;

class String : public StringMethods<String, char> {
 public:
  // Text that an Any holds in place.
  static constexpr size_t kAnyCapacity = 7;

  String() = default;
  String(std::string_view text) : StringMethods(text) {}               // NOLINT: implicit
  String(const char* text) : StringMethods(std::string_view(text)) {}  // NOLINT by design
  explicit String(const std::string& text) : StringMethods(std::string_view(text)) {}
  explicit String(StringCore<char> core) : StringMethods(std::move(core)) {}

  // An error names the first invalid byte and its offset.
  static Result<String> FromUtf8(std::string_view text);
  Result<UCS4String> ToUCS4() const;
  // Code points [begin, end) of the text, as Python slices; positions cost a walk.
  String SliceCodePoints(int64_t begin, int64_t end = kToTheEnd) const;

  char operator[](size_t index) const {
    TERN_DCHECK(index < size());
    return data()[index];
  }

  friend bool operator==(const String& a, const String& b) { return a.core() == b.core(); }
  friend auto operator<=>(const String& a, const String& b) { return a.view() <=> b.view(); }
  friend String operator+(String a, const String& b) { return std::move(a.Append(b.view())); }
};
static_assert(sizeof(String) == 24);

namespace internal {
// Text of >= 1 byte that stays where it is, ended by a zero; for views.
inline TernAny MakeRawString(std::string_view text) {
  TernAny any = MakePointerAny(TERN_TYPE_RAW_STRING, const_cast<char*>(text.data()));
  any.small_len = static_cast<int32_t>(text.size());
  return any;
}
}  // namespace internal

template <>
struct AnyTraits<String> {
  static std::string_view Name() { return "string"; }
  // The object, the text in place, or, between 8 and 16 bytes, a reference to this very String.
  static TernAny View(const String& text) {
    if (text.size() <= String::kAnyCapacity) return internal::MakeSmallString(text.view());
    if (text.is_inline()) return internal::MakeRawString(text.view());
    return internal::ViewObject(text.core().buffer());
  }
  static TernAny Own(String text) {
    if (text.size() <= String::kAnyCapacity) return internal::MakeSmallString(text.view());
    return internal::ViewObject(text.TakeCore().TakeBuffer().Release());
  }
  static std::optional<String> TryCast(const TernAny& any);
};

}  // namespace tern

template <>
struct std::hash<tern::String> {
  size_t operator()(const tern::String& text) const { return static_cast<size_t>(text.hash()); }
};

#endif  // TERN_CORE_OBJECT_STRINGS_STRING_H_
