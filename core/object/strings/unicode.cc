// SPDX-License-Identifier: Apache-2.0
// Unicode: case by runs in a sorted table, white space by ranges, and checks of text from outside.
#include "core/object/strings/unicode.h"

#include <algorithm>
#include <iterator>

#include "core/base/strings.h"
#include "core/base/utf8.h"

namespace tern {
namespace {

// A run of case mappings: every stride-th of `count` code points from `first` on maps to itself
// plus `delta`. Alphabets alternate (stride 2) or lie in blocks (stride 1), so some hundred runs
// hold all of Unicode's mappings.
struct CaseRun {
  uint32_t first;
  uint16_t count;
  uint16_t stride;
  int32_t delta;
};

constexpr CaseRun kUpper[] = {
#define TERN_UNICODE_UPPER(first, count, stride, delta) {first, count, stride, delta},
#include "core/object/strings/unicode_case.def"
#undef TERN_UNICODE_UPPER
};
constexpr CaseRun kLower[] = {
#define TERN_UNICODE_LOWER(first, count, stride, delta) {first, count, stride, delta},
#include "core/object/strings/unicode_case.def"
#undef TERN_UNICODE_LOWER
};

char32_t MapCase(char32_t c, const CaseRun* begin, const CaseRun* end) {
  // The last run that begins at c or before: runs are sorted and do not overlap.
  const CaseRun* after = std::upper_bound(
      begin, end, c, [](char32_t code, const CaseRun& run) { return code < run.first; });
  if (after == begin) return c;
  const CaseRun& run = after[-1];
  const uint32_t distance = static_cast<uint32_t>(c) - run.first;
  // c lies between the run's members, or behind its end.
  if (distance % run.stride != 0 || distance / run.stride >= run.count) return c;
  return static_cast<char32_t>(static_cast<int32_t>(c) + run.delta);
}

// "U+00E9", at least four digits.
std::string CodePointName(char32_t c) {
  std::string out = "U+";
  const int digits = c > 0xFFFFF ? (c > 0xFFFFFF ? 8 : 6) : c > 0xFFFF ? 5 : 4;
  for (int i = digits - 1; i >= 0; --i) out += "0123456789ABCDEF"[c >> (4 * i) & 0xF];
  return out;
}

}  // namespace

bool IsUnicodeSpace(char32_t c) {
  // 0x1C … 0x1F are separators, which Python's isspace takes too.
  if (c < 0x80) return c == ' ' || (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

char32_t ToUpperCase(char32_t c) {
  // ASCII needs no table, and is nearly all that is asked for.
  if (c < 0x80) return c >= 'a' && c <= 'z' ? c - 32 : c;
  return MapCase(c, std::begin(kUpper), std::end(kUpper));
}

char32_t ToLowerCase(char32_t c) {
  if (c < 0x80) return c >= 'A' && c <= 'Z' ? c + 32 : c;
  return MapCase(c, std::begin(kLower), std::end(kLower));
}

size_t EncodeUtf8(char32_t c, char* out) {
  // The lead byte's marker by size; each byte behind it holds six bits.
  constexpr uint32_t kLead[] = {0, 0, 0xC0, 0xE0, 0xF0};
  const size_t size = Utf8Size(c);
  // From the last byte to the second: the shift leaves the lead byte's bits in c.
  for (size_t i = size - 1; i > 0; --i, c >>= 6) out[i] = static_cast<char>(0x80u | (c & 0x3Fu));
  out[0] = static_cast<char>(kLead[size] | c);
  return size;
}

Status CheckUtf8(std::string_view text) {
  const size_t offset = FindInvalidUtf8(text);
  return offset == std::string_view::npos ? OkStatus() : InvalidUtf8(text, offset);
}

Status InvalidUtf8(std::string_view text, size_t offset) {
  return InvalidArgument("invalid UTF-8: byte ", FormatHex(static_cast<uint8_t>(text[offset])),
                         " at offset ", offset, " of ", text.size());
}

Status CheckCodePoints(std::u32string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (IsCodePoint(text[i])) continue;
    // Not a code point and at most U+DFFF can only be a surrogate.
    const bool surrogate = text[i] <= 0xDFFF;
    return InvalidArgument("not a code point: ", surrogate ? "the surrogate " : "",
                           CodePointName(text[i]), " at index ", i, " of ", text.size());
  }
  return OkStatus();
}

}  // namespace tern
