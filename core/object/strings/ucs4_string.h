// SPDX-License-Identifier: Apache-2.0
// UCS4String: text as code points of four bytes each, so that the i-th is found at once.
//
// word[i] is a UCS4String of one code point, as Python has it; code_point(i) is the number. In an
// Any up to 2 code points lie in the value, more are a counted object. In this class up to 4 lie in
// place. Made from UTF-8 or checked code points, it holds no surrogates and nothing past 10FFFF.
// Thread-safety as String.
#ifndef TERN_CORE_OBJECT_STRINGS_UCS4_STRING_H_
#define TERN_CORE_OBJECT_STRINGS_UCS4_STRING_H_

#include <compare>
#include <string_view>

#include "core/object/any.h"
#include "core/object/strings/string_methods.h"

namespace tern {

class String;
class UCS4String;
template <>
struct AnyTraits<UCS4String>;

class UCS4String : public StringMethods<UCS4String, char32_t> {
 public:
  // Code points that an Any holds in place.
  static constexpr size_t kAnyCapacity = 2;

  UCS4String() = default;
  // Taken as they are: for literals, and for parts of checked text.
  explicit UCS4String(std::u32string_view text) : StringMethods(text) {}
  explicit UCS4String(char32_t code_point) : UCS4String(std::u32string_view(&code_point, 1)) {}
  explicit UCS4String(StringCore<char32_t> core) : StringMethods(std::move(core)) {}

  // Errors name the first offender and its position.
  static Result<UCS4String> FromUtf8(std::string_view text);
  static Result<UCS4String> FromCodePoints(std::u32string_view code_points);
  Result<String> ToUtf8() const;

  UCS4String operator[](size_t index) const { return UCS4String(code_point(index)); }
  char32_t code_point(size_t index) const {
    TERN_DCHECK(index < size());
    return data()[index];
  }

  friend bool operator==(const UCS4String& a, const UCS4String& b) { return a.core() == b.core(); }
  friend auto operator<=>(const UCS4String& a, const UCS4String& b) {
    return a.view() <=> b.view();
  }
  friend UCS4String operator+(UCS4String a, const UCS4String& b) {
    return std::move(a.Append(b.view()));
  }
};
static_assert(sizeof(UCS4String) == 24);

namespace internal {
// Of SMALL_UCS4 and UCS4_STRING; in the former case the view points into `any`.
std::optional<std::u32string_view> AnyToUCS4(const TernAny& any);
// <= 2 code points.
TernAny MakeSmallUCS4(std::u32string_view text);
}  // namespace internal

// There is no borrowed form: 3 or 4 code points in place have no object to point to.
template <>
struct AnyTraits<UCS4String> {
  static std::string_view Name() { return "ucs4 string"; }
  static TernAny Own(UCS4String text);
  static std::optional<UCS4String> TryCast(const TernAny& any);
};

}  // namespace tern

template <>
struct std::hash<tern::UCS4String> {
  size_t operator()(const tern::UCS4String& text) const { return static_cast<size_t>(text.hash()); }
};

#endif  // TERN_CORE_OBJECT_STRINGS_UCS4_STRING_H_
