// SPDX-License-Identifier: Apache-2.0
// BMP without compression: 1, 4, 8, 16, 24 or 32 bits a pixel, with a palette or bit masks.
#include <bit>
#include <cstdlib>

#include "core/images/format.h"

namespace tern::images {
namespace {

struct Bmp {
  Extent extent;
  bool top_down = false;
  int bits = 0;
  int64_t pixels = 0, row_bytes = 0;  // where pixels begin, and how long a row is
  size_t palette = 0, colours = 0, entry = 4;
  uint32_t masks[3] = {};  // of red, green and blue; 0: none
};

Status ReadMasks(Bytes bytes, size_t head, uint32_t compression, Bmp* bmp) {
  if (bmp->bits == 16) {
    // Without masks in the file: five bits of each colour, or eight.
    bmp->masks[0] = 0x7c00;
    bmp->masks[1] = 0x3e0;
    bmp->masks[2] = 0x1f;
  } else if (bmp->bits == 32) {
    for (int c = 0; c < 3; ++c) bmp->masks[c] = 0xff0000u >> (8 * c);
  }
  if (compression != 3 && compression != 6) return OkStatus();
  if (bmp->bits != 16 && bmp->bits != 32)
    return InvalidArgument("its BMP image has bit masks for ", bmp->bits, " bits");
  // Behind the first header, also where they are part of a longer one.
  for (size_t c = 0; c < 3; ++c) bmp->masks[c] = LittleAt(bytes, 14 + 40 + 4 * c, 4);
  if (head == 40) bmp->palette += 12;
  return OkStatus();
}

Result<Bmp> ReadBmp(Bytes bytes) {
  Bmp bmp;
  const uint32_t head = LittleAt(bytes, 14, 4);
  if (bytes.size() < 26 || (head != 12 && head < 40) || head > 256)
    return InvalidArgument("its BMP image has a header of ", head, " bytes");
  const bool is_old = head == 12;
  const size_t number = is_old ? 2 : 4;
  const auto height = static_cast<int32_t>(LittleAt(bytes, 18 + number, number));
  bmp.top_down = height < 0;
  // A negative height says that rows go from top to bottom.
  bmp.extent = {std::abs(int64_t{height}), static_cast<int32_t>(LittleAt(bytes, 18, number))};
  TERN_TRY(CheckExtent(bmp.extent));
  bmp.bits = static_cast<int>(LittleAt(bytes, is_old ? 24 : 28, 2));
  const uint32_t compression = is_old ? 0 : LittleAt(bytes, 30, 4);
  if (compression != 0 && compression != 3 && compression != 6)
    return Unsupported("a BMP image with compression ", compression,
                       "; only those without are decoded");
  if (bmp.bits != 1 && bmp.bits != 4 && bmp.bits != 8 && bmp.bits != 16 && bmp.bits != 24 &&
      bmp.bits != 32)
    return InvalidArgument("its BMP image has ", bmp.bits, " bits a pixel");
  bmp.palette = 14 + size_t{head};
  bmp.entry = is_old ? 3 : 4;
  TERN_TRY(ReadMasks(bytes, head, compression, &bmp));
  const uint32_t given = is_old ? 0 : LittleAt(bytes, 46, 4);
  const auto most = size_t{1} << (bmp.bits & 15);
  bmp.colours = bmp.bits > 8 ? 0 : given == 0 || given > most ? most : given;
  bmp.pixels = LittleAt(bytes, 10, 4);
  // Rows begin at multiples of four bytes.
  bmp.row_bytes = (bmp.extent.width * bmp.bits + 31) / 32 * 4;
  TERN_TRY(CheckBytes(bytes, static_cast<int64_t>(bmp.palette + bmp.colours * bmp.entry)));
  TERN_TRY(CheckBytes(bytes, bmp.pixels + bmp.extent.height * bmp.row_bytes));
  return bmp;
}

// The bits of a mask as a number of 8 bits.
uint8_t Masked(uint32_t pixel, uint32_t mask) {
  if (mask == 0) return 0;
  const int low = std::countr_zero(mask);
  // Scaled, so that all bits of the mask together are 255.
  const uint64_t most = mask >> low, value = (pixel & mask) >> low;
  return static_cast<uint8_t>((value * 255 + most / 2) / most);
}

}  // namespace

Result<Extent> ReadBmpExtent(Bytes bytes) {
  TERN_TRY_ASSIGN(const Bmp bmp, ReadBmp(bytes));
  return bmp.extent;
}

Status DecodeBmp(Bytes bytes, Memory* /*memory*/, uint8_t* rgb) {
  TERN_TRY_ASSIGN(const Bmp bmp, ReadBmp(bytes));
  for (int64_t y = 0; y < bmp.extent.height; ++y) {
    const int64_t from = bmp.top_down ? y : bmp.extent.height - 1 - y;
    const Bytes row = bytes.subspan(static_cast<size_t>(bmp.pixels + from * bmp.row_bytes),
                                    static_cast<size_t>(bmp.row_bytes));
    for (int64_t x = 0; x < bmp.extent.width; ++x, rgb += 3) {
      const auto at = static_cast<size_t>(x * bmp.bits / 8);
      const uint32_t pixel = LittleAt(row, at, static_cast<size_t>(bmp.bits + 7) / 8);
      if (bmp.bits == 24) {
        for (int c = 0; c < 3; ++c) rgb[c] = static_cast<uint8_t>(pixel >> (16 - 8 * c));
      } else if (bmp.bits > 8) {
        for (int c = 0; c < 3; ++c) rgb[c] = Masked(pixel, bmp.masks[c]);
      } else {
        const int shift = 8 - bmp.bits - static_cast<int>(x * bmp.bits % 8);
        const size_t colour = pixel >> shift & ((1u << bmp.bits) - 1);
        if (colour >= bmp.colours)
          return InvalidArgument("a pixel of its BMP image has colour ", colour, " of ",
                                 bmp.colours);
        for (size_t c = 0; c < 3; ++c) rgb[c] = bytes[bmp.palette + colour * bmp.entry + 2 - c];
      }
    }
  }
  return OkStatus();
}

}  // namespace tern::images
