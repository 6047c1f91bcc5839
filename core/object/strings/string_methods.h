// SPDX-License-Identifier: Apache-2.0
// StringMethods: what String and UCS4String can do, written once over StringCore.
//
// Positions and sizes are in units: bytes of a String, code points of a UCS4String. Methods that
// give new text leave this one alone. Sets of characters, white space and case go by code point in
// both. Errors and ownership: nothing here fails; positions are clamped as Python clamps slices.
#ifndef TERN_CORE_OBJECT_STRINGS_STRING_METHODS_H_
#define TERN_CORE_OBJECT_STRINGS_STRING_METHODS_H_

#include <compare>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "core/object/strings/string_core.h"

namespace tern {

inline constexpr size_t kNoPosition = static_cast<size_t>(-1);
inline constexpr size_t kNoLimit = static_cast<size_t>(-1);
inline constexpr int64_t kToTheEnd = std::numeric_limits<int64_t>::max();

// The code point at units[*offset], with *offset moved past it; an invalid byte gives U+FFFD.
char32_t NextCodePoint(std::string_view units, size_t* offset);
char32_t NextCodePoint(std::u32string_view units, size_t* offset);
// The code point that ends at *offset > 0, with *offset moved before it.
char32_t PreviousCodePoint(std::string_view units, size_t* offset);
char32_t PreviousCodePoint(std::u32string_view units, size_t* offset);

// for (char32_t c : text.code_points())
template <typename Char>
class CodePoints {
 public:
  using View = std::basic_string_view<Char>;
  class Iterator {
   public:
    using value_type = char32_t;
    using difference_type = std::ptrdiff_t;
    Iterator(View units, size_t offset) : units_(units), offset_(offset), next_(offset) { Read(); }
    char32_t operator*() const { return value_; }
    Iterator& operator++() {
      offset_ = next_;
      Read();
      return *this;
    }
    // Of the code point's first unit.
    size_t offset() const { return offset_; }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.offset_ == b.offset_; }

   private:
    void Read() {
      if (next_ < units_.size()) value_ = NextCodePoint(units_, &next_);
    }
    View units_;
    size_t offset_, next_;
    char32_t value_ = 0;
  };
  explicit CodePoints(View units) : units_(units) {}
  Iterator begin() const { return Iterator(units_, 0); }
  Iterator end() const { return Iterator(units_, units_.size()); }

 private:
  View units_;
};

template <typename Derived, typename Char>
class StringMethods {
 public:
  using View = std::basic_string_view<Char>;
  using value_type = Char;

  View view() const { return core_.view(); }
  const Char* data() const { return core_.data(); }
  const Char* c_str() const { return core_.data(); }  // a zero follows the text
  size_t size() const { return core_.size(); }
  bool empty() const { return core_.size() == 0; }
  size_t capacity() const { return core_.capacity(); }
  // The text lies in this value: up to 16 bytes.
  bool is_inline() const { return core_.category() == StringCore<Char>::kSmall; }
  CodePoints<Char> code_points() const& { return CodePoints<Char>(view()); }
  void code_points() && = delete;  // would outlive the text
  size_t CountCodePoints() const;
  // Equal texts hash equal in whatever form they are held.
  uint64_t hash() const;

  // Writing. All of it keeps the text of other strings and values that share the buffer as it was.
  Char* mutable_data() { return core_.MutableData(); }
  void Reserve(size_t capacity) { core_.Reserve(capacity); }
  void Clear() { core_.Reset(); }
  void Resize(size_t size, Char fill = Char());
  void PushBack(Char unit) { core_.PushBack(unit); }
  void PopBack() { core_.Shrink(1); }  // not empty
  Derived& Append(View text);
  Derived& operator+=(View text) { return Append(text); }

  // Of the first, or last, occurrence; kNoPosition where there is none. Rfind takes occurrences
  // that begin at `from` or before.
  size_t Find(View text, size_t from = 0) const { return view().find(text, from); }
  size_t Rfind(View text, size_t from = kNoPosition) const { return view().rfind(text, from); }
  bool Contains(View text) const { return view().find(text) != View::npos; }
  bool StartsWith(View text) const { return view().starts_with(text); }
  bool EndsWith(View text) const { return view().ends_with(text); }
  // Occurrences that do not overlap; of "", one more than code points.
  size_t Count(View text) const;

  // Units [begin, end); negative positions count from the end.
  Derived Slice(int64_t begin, int64_t end = kToTheEnd) const;
  // Without the white space, or the code points of `set`, at both ends, or at one.
  Derived Strip() const { return Stripped(nullptr, true, true); }
  Derived Strip(View set) const { return Stripped(&set, true, true); }
  Derived StripLeft() const { return Stripped(nullptr, true, false); }
  Derived StripLeft(View set) const { return Stripped(&set, true, false); }
  Derived StripRight() const { return Stripped(nullptr, false, true); }
  Derived StripRight(View set) const { return Stripped(&set, false, true); }
  // Where one code point has another as its upper or lower case; ß stays ß.
  Derived Upper() const;
  Derived Lower() const;
  // An empty `from` is found before every code point and at the end.
  Derived Replace(View from, View to, size_t limit = kNoLimit) const;
  // At runs of white space, without empty parts.
  std::vector<Derived> Split() const;
  // At every `separator`, at most `limit` times, empty parts included. An empty separator splits
  // into code points.
  std::vector<Derived> Split(View separator, size_t limit = kNoLimit) const;
  // The parts with this text between them.
  Derived Join(std::span<const Derived> parts) const;

  // By units: for UTF-8 that is the order of code points as well.
  int Compare(View other) const { return view().compare(other); }

  const StringCore<Char>& core() const { return core_; }
  // For those who take the text apart: the string is empty afterwards.
  StringCore<Char> TakeCore() { return std::move(core_); }

 protected:
  StringMethods() = default;
  explicit StringMethods(View text) : core_(text.data(), text.size()) {}
  explicit StringMethods(StringCore<Char> core) : core_(std::move(core)) {}

 private:
  Derived Stripped(const View* set, bool left, bool right) const;
  void AppendCodePoint(char32_t code_point);

  StringCore<Char> core_;
};

}  // namespace tern

#endif  // TERN_CORE_OBJECT_STRINGS_STRING_METHODS_H_
