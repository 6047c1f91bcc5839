// SPDX-License-Identifier: Apache-2.0
// UTF-8: validation and decoding, for every text that comes from outside (sources, JSON, files,
// strings of programs). Overlong forms, surrogates and code points past 10FFFF are invalid.
#ifndef TERN_CORE_BASE_UTF8_H_
#define TERN_CORE_BASE_UTF8_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tern {

inline constexpr char32_t kInvalidCodePoint = 0xFFFFFFFFu;

// Decodes the code point at text[*offset] and moves *offset past it. Invalid bytes give
// kInvalidCodePoint and move *offset by one. *offset must be < text.size().
char32_t DecodeUtf8(std::string_view text, size_t* offset);
// code_point must be valid (not a surrogate, <= 10FFFF).
void AppendUtf8(std::string* out, char32_t code_point);
// The offset of the first invalid byte, or npos where the whole text is valid.
size_t FindInvalidUtf8(std::string_view text);
inline bool IsValidUtf8(std::string_view text) {
  return FindInvalidUtf8(text) == std::string_view::npos;
}
// Code points; an invalid byte counts as one.
size_t Utf8Length(std::string_view text);

}  // namespace tern

#endif  // TERN_CORE_BASE_UTF8_H_
