// SPDX-License-Identifier: Apache-2.0
// String: immutable text. Up to 7 bytes lie in the value, longer text in a shared counted object.
#ifndef TERN_CORE_OBJECT_STRING_H_
#define TERN_CORE_OBJECT_STRING_H_

#include <compare>
#include <string_view>

#include "core/object/any.h"

namespace tern {

// The heap form; users hold a String. The text is followed by a zero.
class LongString : public Object {
 public:
  static constexpr TernTypeCode kTypeCode = TERN_TYPE_STRING;
  static ObjectPtr<LongString> Make(std::string_view text);

  std::string_view view() const { return {text(), static_cast<size_t>(size_)}; }

 private:
  template <typename T, typename... A>
  friend auto MakeObjectWithExtra(size_t extra, A&&... args);

  explicit LongString(std::string_view text);
  ~LongString() = default;
  char* text() { return reinterpret_cast<char*>(this + 1); }
  const char* text() const { return reinterpret_cast<const char*>(this + 1); }

  uint64_t size_;
};
static_assert(sizeof(LongString) == sizeof(TernString));

class String;
template <>
struct AnyTraits<String>;

class String {
 public:
  static constexpr size_t kInlineCapacity = 7;

  String() : String(std::string_view()) {}
  String(std::string_view text) : any_(text) {}  // NOLINT: implicit by design
  String(const char* text) : any_(text) {}       // NOLINT
  explicit String(const std::string& text) : any_(std::string_view(text)) {}

  // Points into this String where it is short.
  std::string_view view() const { return *internal::AnyToText(any_.c_any()); }
  const char* c_str() const { return view().data(); }
  size_t size() const { return view().size(); }
  bool empty() const { return size() == 0; }
  bool is_inline() const { return !any_.is_object(); }
  const Any& any() const { return any_; }

  friend bool operator==(const String& a, const String& b) { return a.view() == b.view(); }
  friend auto operator<=>(const String& a, const String& b) { return a.view() <=> b.view(); }

 private:
  friend struct AnyTraits<String>;
  String(Any text, int) : any_(std::move(text)) {}  // holds text

  Any any_;
};
static_assert(sizeof(String) == 16);

template <>
struct AnyTraits<String> {
  static std::string_view Name() { return "string"; }
  static TernAny View(const String& text) { return text.any().c_any(); }
  static TernAny Own(const String& text) { return Any(text.any()).Release(); }
  static std::optional<String> TryCast(const TernAny& any);
};

}  // namespace tern

#endif  // TERN_CORE_OBJECT_STRING_H_
