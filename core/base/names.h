// SPDX-License-Identifier: Apache-2.0
// Which letters names of text forms are made of: ASCII letters, digits and '_', no digit
// first. Some forms let a name go on with more (core/text/scanner.h).
#ifndef TERN_CORE_BASE_NAMES_H_
#define TERN_CORE_BASE_NAMES_H_

#include "core/base/strings.h"

namespace tern {

constexpr bool IsNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool IsNameChar(char c) { return IsNameStart(c) || IsDigit(c); }

// 0 to 15, or -1 where it is no hexadecimal digit.
constexpr int HexDigitValue(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace tern

#endif  // TERN_CORE_BASE_NAMES_H_
