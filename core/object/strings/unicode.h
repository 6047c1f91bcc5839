// SPDX-License-Identifier: Apache-2.0
// Facts of Unicode that strings need, and checks of text that comes from outside.
//
// Case and white space follow Unicode 14; only mappings of one code point to one are known (no ß to
// SS). unicode_case.def is made by tools/gen/unicode_case.py.
#ifndef TERN_CORE_OBJECT_STRINGS_UNICODE_H_
#define TERN_CORE_OBJECT_STRINGS_UNICODE_H_

#include <cstddef>
#include <string_view>

#include "core/base/status.h"

namespace tern {

inline constexpr char32_t kReplacementCharacter = 0xFFFD;

// Neither a surrogate nor past 10FFFF.
constexpr bool IsCodePoint(char32_t c) { return c < 0xD800 || (c > 0xDFFF && c <= 0x10FFFF); }
// What Python's str.isspace says.
bool IsUnicodeSpace(char32_t c);
// c itself where it has no such form.
char32_t ToUpperCase(char32_t c);
char32_t ToLowerCase(char32_t c);

// Bytes that c takes in UTF-8: 1 … 4.
constexpr size_t Utf8Size(char32_t c) { return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4; }
// Writes them, returns how many; c must be a code point.
size_t EncodeUtf8(char32_t c, char* out);

// "invalid UTF-8: byte 0xff at offset 3 of 10"; ok for valid text.
Status CheckUtf8(std::string_view text);
Status InvalidUtf8(std::string_view text, size_t offset);
// "not a code point: the surrogate U+D800 at index 3"; ok for valid text.
Status CheckCodePoints(std::u32string_view text);

}  // namespace tern

#endif  // TERN_CORE_OBJECT_STRINGS_UNICODE_H_
