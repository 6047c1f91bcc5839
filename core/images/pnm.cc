// SPDX-License-Identifier: Apache-2.0
// PBM, PGM and PPM, as text (P1 to P3) and as bytes (P4 to P6).
#include <algorithm>

#include "core/images/format.h"

namespace tern::images {
namespace {

struct Pnm {
  Extent extent;
  int kind = 0;  // 1 to 6
  int64_t most = 1;
  size_t pixels = 0;  // where they begin

  bool is_text() const { return kind <= 3; }
  bool is_bits() const { return kind % 3 == 1; }
  int channels() const { return kind % 3 == 0 ? 3 : 1; }
};

bool IsSpace(uint8_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// -1: none. one_digit: numbers of one digit need no space between them.
int64_t ReadPnmNumber(Bytes bytes, size_t* at, bool one_digit = false) {
  while (*at < bytes.size() && (IsSpace(bytes[*at]) || bytes[*at] == '#')) {
    if (bytes[(*at)++] != '#') continue;
    while (*at < bytes.size() && bytes[*at] != '\n' && bytes[*at] != '\r') ++*at;
  }
  int64_t value = -1;
  while (*at < bytes.size() && bytes[*at] >= '0' && bytes[*at] <= '9' &&
         value < (int64_t{1} << 32)) {
    // The bound above keeps this within 64 bits.
    value = std::max<int64_t>(value, 0) * 10 + bytes[(*at)++] - '0';
    if (one_digit) break;
  }
  return value;
}

Result<Pnm> ReadPnm(Bytes bytes) {
  Pnm pnm;
  pnm.kind = bytes[1] - '0';
  if (pnm.kind < 1 || pnm.kind > 6)
    return InvalidArgument("its ", bytes.size(),
                           " bytes begin with 'P' as a PNM image does, but with no kind of 1 to 6");
  size_t at = 2;
  pnm.extent.width = ReadPnmNumber(bytes, &at);
  pnm.extent.height = ReadPnmNumber(bytes, &at);
  TERN_TRY(CheckExtent(pnm.extent));
  if (!pnm.is_bits()) pnm.most = ReadPnmNumber(bytes, &at);
  if (pnm.most < 1 || pnm.most > 65535)
    return InvalidArgument("its PNM image has ", pnm.most,
                           " as greatest value, expected 1 to 65535");
  // One character parts the head from the pixels.
  pnm.pixels = at + 1;
  const int64_t values = pnm.extent.width * pnm.channels();
  // Of text at least one digit for each value; the reader finds out about the rest.
  const int64_t row = pnm.is_text()   ? values
                      : pnm.is_bits() ? (values + 7) / 8
                                      : values * (pnm.most > 255 ? 2 : 1);
  TERN_TRY(CheckBytes(bytes, static_cast<int64_t>(pnm.pixels) + row * pnm.extent.height));
  return pnm;
}

// The next value of a row; -1: none.
int64_t ReadValue(const Pnm& pnm, Bytes bytes, int64_t x, size_t* at) {
  if (pnm.is_text()) return ReadPnmNumber(bytes, at, pnm.is_bits());
  if (pnm.is_bits()) {
    const int64_t bit = bytes[*at] >> (7 - x % 8) & 1;
    // Each row of bits begins with a new byte.
    if (x % 8 == 7 || x == pnm.extent.width - 1) ++*at;
    return bit;
  }
  const size_t size = pnm.most > 255 ? 2 : 1;
  *at += size;
  return BigAt(bytes, *at - size, size);
}

}  // namespace

Result<Extent> ReadPnmExtent(Bytes bytes) {
  TERN_TRY_ASSIGN(const Pnm pnm, ReadPnm(bytes));
  return pnm.extent;
}

Status DecodePnm(Bytes bytes, Memory* /*memory*/, uint8_t* rgb) {
  TERN_TRY_ASSIGN(const Pnm pnm, ReadPnm(bytes));
  size_t at = pnm.pixels;
  for (int64_t y = 0; y < pnm.extent.height; ++y) {
    for (int64_t x = 0; x < pnm.extent.width; ++x, rgb += 3) {
      for (int c = 0; c < 3; ++c) {
        if (c >= pnm.channels()) {
          rgb[c] = rgb[0];
          continue;
        }
        const int64_t value = ReadValue(pnm, bytes, x, &at);
        if (value < 0 || value > pnm.most)
          return InvalidArgument("a value of its PNM image is ", value, ", expected 0 to ",
                                 pnm.most);
        const int64_t scaled = (value * 255 + pnm.most / 2) / pnm.most;
        rgb[c] = static_cast<uint8_t>(pnm.is_bits() ? 255 - scaled : scaled);  // 1 is black
      }
    }
  }
  return OkStatus();
}

}  // namespace tern::images
