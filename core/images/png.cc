// SPDX-License-Identifier: Apache-2.0
// PNG of every colour type and depth, interlaced or not. Of 16 bits the upper 8 are kept.
#include <algorithm>
#include <cstdlib>

#include "core/images/format.h"

namespace tern::images {
namespace {

enum Colour : uint8_t { kGrey = 0, kRgb = 2, kPalette = 3, kGreyAlpha = 4, kRgbAlpha = 6 };

struct Png {
  Extent extent;
  int depth = 0, colour = 0, channels = 0;
  bool interlaced = false;
  Bytes palette = {};
  int64_t packed = 0;  // bytes of all IDAT chunks

  // Bytes of a row of so many pixels, without the filter's.
  int64_t RowBytes(int64_t width) const { return (width * channels * depth + 7) / 8; }
};

// One of the seven images that an interlaced one is; a plain one has one.
struct Pass {
  int64_t y, x, dy, dx;
};
constexpr Pass kPasses[] = {{0, 0, 8, 8}, {0, 4, 8, 8}, {4, 0, 8, 4}, {0, 2, 4, 4},
                            {2, 0, 4, 2}, {0, 1, 2, 2}, {1, 0, 2, 1}};
constexpr Pass kWhole[] = {{0, 0, 1, 1}};

std::span<const Pass> PassesOf(const Png& png) {
  return png.interlaced ? std::span<const Pass>(kPasses) : std::span<const Pass>(kWhole);
}
Extent PassExtent(const Png& png, const Pass& pass) {
  return {(png.extent.height - pass.y + pass.dy - 1) / pass.dy,
          (png.extent.width - pass.x + pass.dx - 1) / pass.dx};
}
int64_t RawBytes(const Png& png) {
  int64_t total = 0;
  for (const Pass& pass : PassesOf(png)) {
    const Extent extent = PassExtent(png, pass);
    if (extent.width > 0) total += extent.height * (png.RowBytes(extent.width) + 1);
  }
  return total;
}

Status ReadPngHead(Bytes bytes, Png* png) {
  if (bytes.size() < 33 || BigAt(bytes, 12, 4) != 0x49484452)
    return InvalidArgument("its PNG image has no header");
  png->extent = {BigAt(bytes, 20, 4), BigAt(bytes, 16, 4)};
  TERN_TRY(CheckExtent(png->extent));
  png->depth = bytes[24];
  png->colour = bytes[25];
  png->interlaced = bytes[28] == 1;
  constexpr int kChannels[] = {1, 0, 3, 1, 2, 0, 4};
  png->channels = png->colour < 7 ? kChannels[png->colour] : 0;
  // A bit for each depth that a colour may have.
  const int depths = png->colour == kGrey      ? 1 << 1 | 1 << 2 | 1 << 4 | 1 << 8 | 1 << 16
                     : png->colour == kPalette ? 1 << 1 | 1 << 2 | 1 << 4 | 1 << 8
                                               : 1 << 8 | 1 << 16;
  if (png->channels == 0 || png->depth > 16 || (depths >> png->depth & 1) == 0 || bytes[26] != 0 ||
      bytes[27] != 0 || bytes[28] > 1)
    return InvalidArgument("its PNG image has colour type ", png->colour, " of ", png->depth,
                           " bits, which the format does not have");
  return OkStatus();
}

// Calls `take` with the type and the content of each chunk.
template <class F>
Status ForEachChunk(Bytes bytes, const F& take) {
  size_t at = 8;
  while (bytes.size() - at >= 12) {
    const uint32_t size = BigAt(bytes, at, 4), type = BigAt(bytes, at + 4, 4);
    if (size > bytes.size() - at - 12)
      return InvalidArgument("a chunk of its PNG image is longer than the file");
    if (type == 0x49454e44) return OkStatus();  // IEND
    take(type, bytes.subspan(at + 8, size));
    at += 12 + size_t{size};
  }
  return OkStatus();
}

int Predicted(int a, int b, int c) {
  const int pa = std::abs(b - c), pb = std::abs(a - c), pc = std::abs(a + b - 2 * c);
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

// row: without the filter's byte. above: null for the first.
Status Unfilter(int filter, uint8_t* row, const uint8_t* above, int64_t size, int64_t step) {
  if (filter > 4) return InvalidArgument("a row of its PNG image has the filter ", filter);
  for (int64_t i = 0; i < size; ++i) {
    const int a = i >= step ? row[i - step] : 0, b = above != nullptr ? above[i] : 0;
    const int c = i >= step && above != nullptr ? above[i - step] : 0;
    const int add = filter == 1   ? a
                    : filter == 2 ? b
                    : filter == 3 ? (a + b) / 2
                    : filter == 4 ? Predicted(a, b, c)
                                  : 0;
    row[i] = static_cast<uint8_t>(row[i] + add);
  }
  return OkStatus();
}

// The value of a channel; those of 16 bits by their upper 8.
int Sample(const Png& png, const uint8_t* row, int64_t index) {
  // The bytes of a value lie with the upper one first.
  if (png.depth >= 8) return row[index * png.depth / 8];
  const int64_t bit = index * png.depth;
  return row[bit / 8] >> (8 - png.depth - bit % 8) & ((1 << png.depth) - 1);
}

Status PutPixel(const Png& png, const uint8_t* row, int64_t x, uint8_t* rgb) {
  const int value = Sample(png, row, x * png.channels);
  if (png.colour == kPalette) {
    const auto at = static_cast<size_t>(value) * 3;
    // A palette may be shorter than the pixels' bits allow.
    if (at + 3 > png.palette.size())
      return InvalidArgument("a pixel of its PNG image has colour ", value, " of ",
                             png.palette.size() / 3);
    std::copy_n(png.palette.begin() + static_cast<std::ptrdiff_t>(at), 3, rgb);
    return OkStatus();
  }
  if (png.channels >= 3) {
    for (int c = 0; c < 3; ++c)
      rgb[c] = static_cast<uint8_t>(Sample(png, row, x * png.channels + c));
    return OkStatus();
  }
  // Greys of few bits are spread over 0 to 255.
  const int scale = png.depth < 8 ? 255 / ((1 << png.depth) - 1) : 1;
  std::fill_n(rgb, 3, static_cast<uint8_t>(value * scale));
  return OkStatus();
}

// raw: the rows of a pass, each behind its filter. *used: how many bytes they were.
Status PutPass(const Png& png, const Pass& pass, uint8_t* raw, uint8_t* rgb, int64_t* used) {
  const Extent extent = PassExtent(png, pass);
  *used = 0;
  if (extent.width <= 0) return OkStatus();
  const int64_t size = png.RowBytes(extent.width);
  const int64_t step = std::max<int64_t>(1, png.channels * png.depth / 8);
  for (int64_t y = 0; y < extent.height; ++y) {
    uint8_t* row = raw + y * (size + 1) + 1;
    TERN_TRY(Unfilter(row[-1], row, y > 0 ? row - size - 1 : nullptr, size, step));
    for (int64_t x = 0; x < extent.width; ++x) {
      const int64_t to = (pass.y + y * pass.dy) * png.extent.width + pass.x + x * pass.dx;
      TERN_TRY(PutPixel(png, row, x, rgb + to * 3));
    }
  }
  *used = std::max<int64_t>(0, extent.height) * (size + 1);
  return OkStatus();
}

Status ReadPng(Bytes bytes, Png* png) {
  TERN_TRY(ReadPngHead(bytes, png));
  TERN_TRY(ForEachChunk(bytes, [&](uint32_t type, Bytes content) {
    if (type == 0x504c5445) png->palette = content;                               // PLTE
    if (type == 0x49444154) png->packed += static_cast<int64_t>(content.size());  // IDAT
  }));
  if (MostInflated(static_cast<size_t>(png->packed)) >= RawBytes(*png)) return OkStatus();
  return InvalidArgument("its PNG image has ", png->packed, " packed bytes, too few for ",
                         png->extent.height, " x ", png->extent.width, " pixels");
}

}  // namespace

Result<Extent> ReadPngExtent(Bytes bytes) {
  Png png;
  TERN_TRY(ReadPng(bytes, &png));
  return png.extent;
}

Status DecodePng(Bytes bytes, Memory* memory, uint8_t* rgb) {
  Png png;
  TERN_TRY(ReadPng(bytes, &png));
  const int64_t size = RawBytes(png);
  TERN_TRY_ASSIGN(uint8_t * packed, memory->New(png.packed));
  TERN_TRY_ASSIGN(uint8_t * raw, memory->New(size));
  // The data may be cut into any number of chunks, which are one stream.
  uint8_t* end = packed;
  TERN_TRY(ForEachChunk(bytes, [&](uint32_t type, Bytes content) {
    if (type == 0x49444154) end = std::copy(content.begin(), content.end(), end);
  }));
  TERN_TRY(Inflate({packed, static_cast<size_t>(png.packed)}, {raw, static_cast<size_t>(size)}));
  for (const Pass& pass : PassesOf(png)) {
    int64_t used = 0;
    TERN_TRY(PutPass(png, pass, raw, rgb, &used));
    raw += used;
  }
  return OkStatus();
}

}  // namespace tern::images
