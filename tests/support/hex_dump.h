// SPDX-License-Identifier: Apache-2.0
// HexDump: bytes the way hexdump -C shows them, for golden tests and docs/format.md.
#ifndef TERN_TESTS_SUPPORT_HEX_DUMP_H_
#define TERN_TESTS_SUPPORT_HEX_DUMP_H_

#include <string>

#include "core/base/bytes.h"

namespace tern::support {

// "00000040  01 00 00 00 … 00  |................|" per 16 bytes; rows equal to the one before are
// "*".
inline std::string HexDump(ByteSpan bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out, last;
  for (size_t row = 0; row < bytes.size(); row += 16) {
    const ByteSpan part = bytes.subspan(row, row + 16 <= bytes.size() ? 16 : bytes.size() - row);
    std::string hex, text;
    for (size_t i = 0; i < 16; ++i) {
      if (i == 8) hex += ' ';
      if (i >= part.size()) {
        hex += "   ";
        continue;
      }
      hex += {' ', kDigits[part[i] >> 4], kDigits[part[i] & 15]};
      text += part[i] >= 32 && part[i] < 127 ? static_cast<char>(part[i]) : '.';
    }
    std::string line = " " + hex + "  |" + text + "|\n";
    const bool same = line == last;
    if (same && out.ends_with("*\n")) continue;
    last = line;
    if (same) {
      out += "*\n";
      continue;
    }
    for (int shift = 28; shift >= 0; shift -= 4) out += kDigits[row >> shift & 15];
    out += line;
  }
  return out;
}

}  // namespace tern::support

#endif  // TERN_TESTS_SUPPORT_HEX_DUMP_H_
