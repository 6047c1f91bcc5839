// SPDX-License-Identifier: Apache-2.0
// StrCat, integers, splitting and suggestions. Floats are in float_text.cc. Integers use charconv,
// which knows no locale and allocates nothing.
#include "core/base/strings.h"

#include <algorithm>
#include <charconv>
#include <climits>

namespace tern {
namespace {

template <typename T>
std::string_view PrintInto(char* buffer, size_t size, T value) {
  const char* end = std::to_chars(buffer, buffer + size, value).ptr;
  return {buffer, static_cast<size_t>(end - buffer)};
}

template <typename T>
std::optional<T> ParseInteger(std::string_view text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  // The whole text must be used up; from_chars would stop at the first other character.
  if (error != std::errc() || stop != end || text.empty()) return std::nullopt;
  return value;
}

template <typename S>
std::string Join(std::span<const S> parts, std::string_view separator) {
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i) StrAppend(&out, i > 0 ? separator : "", parts[i]);
  return out;
}

char LowerCase(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// The distance of two names, or `limit` where it is no less. Of the many candidates for a name most
// are out of the question after a few letters.
int DistanceBelow(std::string_view a, std::string_view b, int limit) {
  // Rows of the table for the last two characters of a, and this one.
  std::vector<int> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) previous[j] = static_cast<int>(j);
  int least_before = 0;  // of the previous row
  for (size_t i = 1; i <= a.size(); ++i) {
    current[0] = static_cast<int>(i);
    int least = current[0];
    for (size_t j = 1; j <= b.size(); ++j) {
      const int substitution = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, substitution});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        current[j] = std::min(current[j], before[j - 2] + 1);
      }
      least = std::min(least, current[j]);
    }
    // What follows is reached from this row, or over two letters that changed places from the last.
    if (least >= limit && least_before + 1 >= limit) return limit;
    least_before = least;
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return std::min(previous[b.size()], limit);
}

template <typename S>
std::string_view Nearest(std::string_view name, std::span<const S> candidates) {
  // A name of one letter has nothing left where that letter is wrong, so it is only matched without
  // regard to case.
  const auto same = [name](const S& text) {
    const auto equal = [](char a, char b) { return LowerCase(a) == LowerCase(b); };
    return std::equal(name.begin(), name.end(), std::begin(text), std::end(text), equal);
  };
  for (const S& candidate : candidates) {
    if (same(candidate)) return candidate;
  }
  // Comparing two names takes the product of their lengths, and nobody mistypes a page.
  constexpr size_t kLongest = 100;
  if (name.size() < 2 || name.size() > kLongest) return {};
  // A third of the letters may be wrong, at least one.
  int best = std::max(1, static_cast<int>(name.size() / 3)) + 1;
  std::string_view nearest;
  for (const S& candidate : candidates) {
    const std::string_view text(candidate);
    // The difference of lengths is a lower bound of the distance and spares computing it.
    const auto difference = std::max(text.size(), name.size()) - std::min(text.size(), name.size());
    if (difference >= static_cast<size_t>(best)) continue;
    const int distance = DistanceBelow(name, text, best);
    if (distance < best) {
      best = distance;
      nearest = text;
    }
  }
  return nearest;
}

}  // namespace

StrPiece::StrPiece(float value) {
  // The longest float takes less than the buffer's 32 characters (FormatDouble).
  const std::string text = FormatFloat(value);
  text.copy(buffer_, sizeof buffer_);
  text_ = {buffer_, text.size()};
}

StrPiece::StrPiece(double value) {
  const std::string text = FormatDouble(value);
  text.copy(buffer_, sizeof buffer_);
  text_ = {buffer_, text.size()};
}

void StrPiece::SetSigned(int64_t value) { text_ = PrintInto(buffer_, sizeof buffer_, value); }
void StrPiece::SetUnsigned(uint64_t value) { text_ = PrintInto(buffer_, sizeof buffer_, value); }

void internal::AppendPieces(std::string* out, std::span<const StrPiece* const> pieces) {
  size_t size = out->size();
  for (const StrPiece* piece : pieces) size += piece->text().size();
  // Growing to exactly what is needed would make repeated appends quadratic.
  if (size > out->capacity()) out->reserve(std::max(size, 2 * out->capacity()));
  for (const StrPiece* piece : pieces) out->append(piece->text());
}

std::string FormatHex(uint64_t value) {
  char buffer[16];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, 16).ptr;
  return StrCat("0x", std::string_view(buffer, static_cast<size_t>(end - buffer)));
}

// Spaces are put in from the end, so earlier positions stay.
std::string FormatGrouped(int64_t value) {
  std::string out = StrCat(value);
  const size_t first = value < 0 ? 1 : 0;
  for (size_t i = out.size(); i > first + 3;) {
    i -= 3;
    out.insert(i, " ");
  }
  return out;
}

std::string FormatBytes(uint64_t bytes) {
  if (bytes < 1024) return StrCat(bytes, " B");
  const char* const kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  // 1023.95 would be shown as 1024.0 of the smaller unit.
  for (; value >= 1023.95 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  const auto tenths = static_cast<int64_t>(value * 10 + 0.5);
  if (tenths % 10 == 0) return StrCat(tenths / 10, " ", kUnits[unit]);
  return StrCat(tenths / 10, ".", tenths % 10, " ", kUnits[unit]);
}

std::optional<int64_t> ParseInt64(std::string_view text) { return ParseInteger<int64_t>(text); }
std::optional<uint64_t> ParseUint64(std::string_view text) { return ParseInteger<uint64_t>(text); }

// n separators give n + 1 parts, also empty ones.
std::vector<std::string_view> StrSplit(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0;;) {
    const size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::string_view StrTrim(std::string_view text) {
  const char* const kSpace = " \t\r\n\f\v";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::string StrJoin(std::span<const std::string_view> parts, std::string_view separator) {
  return Join(parts, separator);
}
std::string StrJoin(std::span<const std::string> parts, std::string_view separator) {
  return Join(parts, separator);
}

std::string EscapeControls(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    if (byte >= 0x20 && byte != 0x7F) {
      out.push_back(c);
    } else if (c == '\n') {
      out += "\\n";
    } else {
      out += "\\x";
      out.push_back(kDigits[byte >> 4]);
      out.push_back(kDigits[byte & 15]);
    }
  }
  return out;
}

std::string FormatDims(std::span<const int64_t> dims) {
  std::string out = "[";
  for (size_t i = 0; i < dims.size(); ++i) StrAppend(&out, i > 0 ? ", " : "", dims[i]);
  return out += ']';
}

// Optimal string alignment (Damerau and Levenshtein, neighbours swapped once): three rows of the
// table are enough, as a swap looks back two.
int EditDistance(std::string_view a, std::string_view b) { return DistanceBelow(a, b, INT_MAX); }

std::string_view DidYouMean(std::string_view name, std::span<const std::string_view> candidates) {
  return Nearest(name, candidates);
}
std::string_view DidYouMean(std::string_view name, std::span<const std::string> candidates) {
  return Nearest(name, candidates);
}

}  // namespace tern
