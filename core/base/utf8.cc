// SPDX-License-Identifier: Apache-2.0
// UTF-8 by the table of well-formed sequences (Unicode, table 3-7): the lead byte gives the length,
// and the decoded value tells overlong forms, surrogates and what lies past 10FFFF.
#include "core/base/utf8.h"

namespace tern {
namespace {

bool IsContinuation(char c) { return (static_cast<uint8_t>(c) & 0xC0u) == 0x80; }

// The length of a sequence by its lead byte; 0 for bytes that cannot lead. C0 and C1 would only
// begin overlong forms, F5 and above code points past 10FFFF.
size_t SequenceLength(uint8_t lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  if (lead >= 0xF0 && lead < 0xF5) return 4;
  return 0;
}

bool IsCodePoint(char32_t c, size_t length) {
  if (length == 3) return c >= 0x800 && (c < 0xD800 || c > 0xDFFF);
  return length != 4 || (c >= 0x10000 && c <= 0x10FFFF);
}

}  // namespace

char32_t DecodeUtf8(std::string_view text, size_t* offset) {
  const std::string_view rest = text.substr(*offset);
  const uint8_t lead = static_cast<uint8_t>(rest[0]);
  const size_t length = SequenceLength(lead);
  // One byte is used up in any case, so that a caller's loop ends on invalid text.
  ++*offset;
  if (length == 1) return lead;
  if (length == 0 || length > rest.size()) return kInvalidCodePoint;
  char32_t c = lead & (0x7Fu >> length);
  for (size_t i = 1; i < length; ++i) {
    if (!IsContinuation(rest[i])) return kInvalidCodePoint;
    c = c << 6 | (static_cast<uint8_t>(rest[i]) & 0x3Fu);
  }
  if (!IsCodePoint(c, length)) return kInvalidCodePoint;
  *offset += length - 1;
  return c;
}

// The lead byte holds the length, each byte behind it six bits, highest first.
void AppendUtf8(std::string* out, char32_t c) {
  const auto put = [out](uint32_t byte) { out->push_back(static_cast<char>(byte)); };
  if (c < 0x80) return put(c);
  if (c < 0x800) {
    put(0xC0u | c >> 6);
  } else if (c < 0x10000) {
    put(0xE0u | c >> 12);
    put(0x80u | (c >> 6 & 0x3Fu));
  } else {
    put(0xF0u | c >> 18);
    put(0x80u | (c >> 12 & 0x3Fu));
    put(0x80u | (c >> 6 & 0x3Fu));
  }
  put(0x80u | (c & 0x3Fu));
}

size_t FindInvalidUtf8(std::string_view text) {
  for (size_t offset = 0; offset < text.size();) {
    const size_t begin = offset;
    if (DecodeUtf8(text, &offset) == kInvalidCodePoint) return begin;
  }
  return std::string_view::npos;
}

size_t Utf8Length(std::string_view text) {
  size_t count = 0;
  for (size_t offset = 0; offset < text.size(); ++count) DecodeUtf8(text, &offset);
  return count;
}

}  // namespace tern
