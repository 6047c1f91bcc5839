// SPDX-License-Identifier: Apache-2.0
// Text made and taken apart without iostream, printf or locale: StrCat, numbers, splitting,
// suggestions.
//
// Floats print as the shortest text that reads back to the same value (and parse correctly rounded)
// by big integer arithmetic of our own, since floating to_chars/from_chars are missing on some of
// our compilers.
#ifndef TERN_CORE_BASE_STRINGS_H_
#define TERN_CORE_BASE_STRINGS_H_

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tern {

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Shortest text that parses back to the same double: "0.1", "1e+30" style exponents below 1e-5 and
// from 1e17, "nan", "inf", "-inf", "-0". Whole numbers print without a point: "3".
std::string FormatDouble(double value);
// The same for a float: FormatFloat(0.1f) is "0.1".
std::string FormatFloat(float value);
// Like FormatDouble with at most `digits` (1..17) significant digits, correctly rounded.
std::string FormatDoubleDigits(double value, int digits);
std::string FormatHex(uint64_t value);     // "0x2a"
std::string FormatGrouped(int64_t value);  // "10 000 000"
std::string FormatBytes(uint64_t bytes);   // "512 B", "1.5 MiB"

// Correctly rounded; the whole text must be a number. Accepts decimal with exponent, inf, infinity,
// nan in any case, a leading sign. No surrounding spaces, no hexadecimal.
std::optional<double> ParseDouble(std::string_view text);
std::optional<float> ParseFloat(std::string_view text);
// Decimal with optional '-'; the whole text must be a number in range.
std::optional<int64_t> ParseInt64(std::string_view text);
std::optional<uint64_t> ParseUint64(std::string_view text);

// One argument of StrCat: borrows text, or prints a number into its own buffer. Lives only in the
// call.
class StrPiece {
 public:
  StrPiece(std::string_view text) : text_(text) {}           // NOLINT: implicit by design
  StrPiece(const std::string& text) : text_(text) {}         // NOLINT
  StrPiece(const char* text) : text_(text) {}                // NOLINT
  StrPiece(char c) : text_(buffer_, 1) { buffer_[0] = c; }   // NOLINT
  StrPiece(bool value) : text_(value ? "true" : "false") {}  // NOLINT
  StrPiece(float value);                                     // NOLINT
  StrPiece(double value);                                    // NOLINT
  template <std::integral T>
  StrPiece(T value) {  // NOLINT
    if constexpr (std::is_signed_v<T>)
      SetSigned(value);
    else
      SetUnsigned(value);
  }
  StrPiece(const StrPiece&) = delete;
  StrPiece& operator=(const StrPiece&) = delete;

  std::string_view text() const { return text_; }

 private:
  void SetSigned(int64_t value);
  void SetUnsigned(uint64_t value);

  std::string_view text_;
  char buffer_[32];
};

namespace internal {
void AppendPieces(std::string* out, std::span<const StrPiece* const> pieces);
template <typename... P>
void AppendAll(std::string* out, const P&... pieces) {
  const StrPiece* const list[] = {&pieces...};
  AppendPieces(out, list);
}
template <typename>
using PieceFor = StrPiece;
}  // namespace internal

// Appends texts and numbers. Enumerations must be named or cast by the caller.
template <typename... T>
void StrAppend(std::string* out, const T&... parts) {
  if constexpr (sizeof...(T) > 0) internal::AppendAll<internal::PieceFor<T>...>(out, parts...);
}
template <typename... T>
[[nodiscard]] std::string StrCat(const T&... parts) {
  std::string out;
  StrAppend(&out, parts...);
  return out;
}

// "a,,b" split at ',' gives {"a", "", "b"}; "" gives {""}. The views point into text.
std::vector<std::string_view> StrSplit(std::string_view text, char separator);
std::string_view StrTrim(std::string_view text);  // ASCII white space off both ends
std::string StrJoin(std::span<const std::string_view> parts, std::string_view separator);
std::string StrJoin(std::span<const std::string> parts, std::string_view separator);
// "[1, 2, 3]".
// Control characters as escapes: "\n" and "\x1b". A terminal must not take orders from a file.
std::string EscapeControls(std::string_view text);
std::string FormatDims(std::span<const int64_t> dims);

// Insertions, deletions, substitutions and swaps of neighbours.
int EditDistance(std::string_view a, std::string_view b);
// The candidate nearest to `name` if near enough to be a likely slip of the keys, else "".
std::string_view DidYouMean(std::string_view name, std::span<const std::string_view> candidates);
std::string_view DidYouMean(std::string_view name, std::span<const std::string> candidates);

}  // namespace tern

#endif  // TERN_CORE_BASE_STRINGS_H_
