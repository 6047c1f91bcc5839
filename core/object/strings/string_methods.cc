// SPDX-License-Identifier: Apache-2.0
// The methods of String and UCS4String, written once and instantiated for both. Semantics follow
// Python's str, which users of text pre-processing know.
#include "core/object/strings/string_methods.h"

#include <algorithm>
#include <functional>

#include "core/base/hash.h"
#include "core/base/utf8.h"
#include "core/object/strings/string.h"
#include "core/object/strings/ucs4_string.h"
#include "core/object/strings/unicode.h"

namespace tern {
namespace {

template <typename Char>
// No set means white space, as for Python's strip().
bool IsIn(char32_t c, const std::basic_string_view<Char>* set) {
  if (set == nullptr) return IsUnicodeSpace(c);
  for (size_t offset = 0; offset < set->size();) {
    if (NextCodePoint(*set, &offset) == c) return true;
  }
  return false;
}

// Whether the code point at `begin` is well-formed, so that it may be written anew. Invalid bytes
// are copied as they are: mapping case must not change them to U+FFFD.
bool IsWellFormed(std::string_view text, size_t begin) {
  return DecodeUtf8(text, &begin) != kInvalidCodePoint;
}
bool IsWellFormed(std::u32string_view, size_t) { return true; }

int64_t ClampPosition(int64_t position, int64_t size) {
  if (position < 0) position += size;
  return std::clamp<int64_t>(position, 0, size);
}

}  // namespace

char32_t NextCodePoint(std::string_view units, size_t* offset) {
  const char32_t c = DecodeUtf8(units, offset);
  return c == kInvalidCodePoint ? kReplacementCharacter : c;
}

char32_t NextCodePoint(std::u32string_view units, size_t* offset) { return units[(*offset)++]; }

// Walks back at most four bytes (RFC 3629, section 3) for a start from which one code point ends
// exactly here; a byte that belongs to none counts as one invalid unit.
char32_t PreviousCodePoint(std::string_view units, size_t* offset) {
  constexpr size_t kLongest = 4;
  const size_t lowest = *offset - std::min(*offset, kLongest);
  for (size_t begin = *offset; begin-- > lowest;) {
    size_t end = begin;
    const char32_t c = DecodeUtf8(units.substr(0, *offset), &end);
    if (c != kInvalidCodePoint && end == *offset) {
      *offset = begin;
      return c;
    }
  }
  --*offset;
  return kReplacementCharacter;
}

char32_t PreviousCodePoint(std::u32string_view units, size_t* offset) { return units[--*offset]; }

template <typename Derived, typename Char>
size_t StringMethods<Derived, Char>::CountCodePoints() const {
  if constexpr (sizeof(Char) == 1)
    return Utf8Length(view());
  else
    return size();
}

template <typename Derived, typename Char>
uint64_t StringMethods<Derived, Char>::hash() const {
  // By bytes alone, so that small, medium and large forms of a text hash alike.
  return HashBytes({reinterpret_cast<const uint8_t*>(data()), size() * sizeof(Char)});
}

template <typename Derived, typename Char>
void StringMethods<Derived, Char>::Resize(size_t size, Char fill) {
  const size_t old_size = this->size();
  if (size <= old_size) return core_.Shrink(old_size - size);
  std::fill_n(core_.ExpandNoInit(size - old_size), size - old_size, fill);
}

template <typename Derived, typename Char>
Derived& StringMethods<Derived, Char>::Append(View text) {
  auto& self = static_cast<Derived&>(*this);
  if (text.empty()) return self;
  // Growth may move the buffer. Text from this very string is therefore remembered by its offset.
  const Char* begin = data();
  // std::less orders pointers into different arrays, where < has no defined result.
  if (!std::less<const Char*>()(text.data(), begin) &&
      !std::less<const Char*>()(begin + size(), text.data())) {  // a part of this very text
    const size_t offset = static_cast<size_t>(text.data() - begin);
    Char* out = core_.ExpandNoInit(text.size(), true);
    std::copy_n(data() + offset, text.size(), out);
  } else {
    std::copy_n(text.data(), text.size(), core_.ExpandNoInit(text.size(), true));
  }
  return self;
}

template <typename Derived, typename Char>
size_t StringMethods<Derived, Char>::Count(View text) const {
  // Python's rule: the empty text is found before each code point and at the end.
  if (text.empty()) return CountCodePoints() + 1;
  size_t count = 0;
  for (size_t at = Find(text); at != kNoPosition; at = Find(text, at + text.size())) ++count;
  return count;
}

template <typename Derived, typename Char>
Derived StringMethods<Derived, Char>::Slice(int64_t begin, int64_t end) const {
  const auto units = static_cast<int64_t>(size());
  const int64_t first = ClampPosition(begin, units), last = ClampPosition(end, units);
  if (first >= last) return Derived();
  return Derived(view().substr(static_cast<size_t>(first), static_cast<size_t>(last - first)));
}

template <typename Derived, typename Char>
Derived StringMethods<Derived, Char>::Stripped(const View* set, bool left, bool right) const {
  const View text = view();
  size_t begin = 0, end = text.size();
  // From both ends by whole code points; `begin` and `end` only move over such as are in the set.
  for (size_t next = 0; left && begin < end; begin = next) {
    if (!IsIn(NextCodePoint(text, &next), set)) break;
  }
  for (size_t next = end; right && begin < end; end = next) {
    if (!IsIn(PreviousCodePoint(text, &next), set)) break;
  }
  return Derived(text.substr(begin, end - begin));
}

template <typename Derived, typename Char>
void StringMethods<Derived, Char>::AppendCodePoint(char32_t c) {
  if constexpr (sizeof(Char) == 1) {
    char units[4];
    Append({units, EncodeUtf8(c, units)});
  } else {
    core_.PushBack(c);
  }
}

namespace {
// Maps each code point that has another case; everything else is copied as it stands.
template <typename Derived, typename View, typename Append>
Derived Mapped(View text, char32_t (*map)(char32_t), Append append) {
  Derived out;
  // A guess: a mapped code point may need more bytes, then the text grows.
  out.Reserve(text.size());
  for (size_t offset = 0; offset < text.size();) {
    const size_t begin = offset;
    const char32_t c = NextCodePoint(text, &offset);
    const char32_t mapped = map(c);
    if (mapped != c && IsWellFormed(text, begin))
      append(&out, mapped);
    else
      out.Append(text.substr(begin, offset - begin));
  }
  return out;
}
}  // namespace

template <typename Derived, typename Char>
Derived StringMethods<Derived, Char>::Upper() const {
  return Mapped<Derived>(view(), ToUpperCase,
                         [](Derived* out, char32_t c) { out->AppendCodePoint(c); });
}

template <typename Derived, typename Char>
Derived StringMethods<Derived, Char>::Lower() const {
  return Mapped<Derived>(view(), ToLowerCase,
                         [](Derived* out, char32_t c) { out->AppendCodePoint(c); });
}

template <typename Derived, typename Char>
Derived StringMethods<Derived, Char>::Replace(View from, View to, size_t limit) const {
  const View text = view();
  Derived out;
  size_t done = 0;  // units of text that are in out
  for (size_t at = 0; limit > 0; --limit) {
    at = from.empty() ? at : text.find(from, at);
    if (at == View::npos || at > text.size()) break;
    out.Append(text.substr(done, at - done)).Append(to);
    done = at + from.size();
    at = done;
    // An empty `from` must move on by one code point, or it would be found at one place for ever.
    if (!from.empty()) continue;
    if (at == text.size()) break;
    NextCodePoint(text, &at);
  }
  return std::move(out.Append(text.substr(done)));
}

template <typename Derived, typename Char>
std::vector<Derived> StringMethods<Derived, Char>::Split() const {
  std::vector<Derived> parts;
  const View text = view();
  size_t begin = 0;
  for (size_t offset = 0; offset < text.size();) {
    const size_t at = offset;
    if (!IsUnicodeSpace(NextCodePoint(text, &offset))) continue;
    // A run of white space gives one cut: parts between its characters are empty and left out.
    if (at > begin) parts.emplace_back(text.substr(begin, at - begin));
    begin = offset;
  }
  if (begin < text.size()) parts.emplace_back(text.substr(begin));
  return parts;
}

template <typename Derived, typename Char>
std::vector<Derived> StringMethods<Derived, Char>::Split(View separator, size_t limit) const {
  std::vector<Derived> parts;
  const View text = view();
  size_t begin = 0;
  for (; limit > 0; --limit) {
    size_t end = begin, next = begin;
    if (!separator.empty()) {
      end = text.find(separator, begin);
      if (end == View::npos) break;
      next = end + separator.size();
    } else {
      if (begin == text.size()) break;
      NextCodePoint(text, &next);
      // The last code point is the rest, which is added behind the loop.
      if (next == text.size()) break;
      end = next;
    }
    parts.emplace_back(text.substr(begin, end - begin));
    begin = next;
  }
  // Empty separator and empty text give no parts; else there is always a rest, perhaps an empty
  // one.
  if (!separator.empty() || begin < text.size()) parts.emplace_back(text.substr(begin));
  return parts;
}

template <typename Derived, typename Char>
Derived StringMethods<Derived, Char>::Join(std::span<const Derived> parts) const {
  Derived out;
  // One allocation for the whole text.
  size_t units = parts.empty() ? 0 : size() * (parts.size() - 1);
  for (const Derived& part : parts) units += part.size();
  out.Reserve(units);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out.Append(view());
    out.Append(parts[i].view());
  }
  return out;
}

template class StringMethods<String, char>;
template class StringMethods<UCS4String, char32_t>;

}  // namespace tern
