// SPDX-License-Identifier: Apache-2.0
// The first image of a TIFF file: strips of 1, 8 or 16 bits a value, of grey, RGB or a palette,
// plain or packed as zlib or PackBits do.
#include <algorithm>

#include "core/images/format.h"

namespace tern::images {
namespace {

struct Tiff {
  Bytes bytes;
  bool is_big = false;  // the first byte of a number counts most
  Extent extent;
  int64_t bits = 1, compression = 1, meaning = 0, channels = 1, rows = 0, planes = 1, predictor = 1;
  // Where lists begin, of so many numbers of so many bytes.
  struct List {
    uint64_t at = 0, count = 0, size = 0;
  };
  List offsets, sizes, palette;

  // Places come from the file: beyond its end there is zero.
  uint32_t At(uint64_t place, size_t count) const {
    if (place > bytes.size()) return 0;
    const auto at = static_cast<size_t>(place);
    return is_big ? BigAt(bytes, at, count) : LittleAt(bytes, at, count);
  }
  int64_t Item(const List& list, uint64_t index) const {
    return At(list.at + index * list.size, static_cast<size_t>(list.size));
  }
  int64_t RowBytes() const { return (extent.width * channels * bits + 7) / 8; }
};

// Entries of other types than bytes, short and long numbers have no meaning here.
void ReadEntry(uint64_t at, Tiff* tiff) {
  const uint32_t tag = tiff->At(at, 2), type = tiff->At(at + 2, 2);
  Tiff::List list;
  list.count = tiff->At(at + 4, 4);
  list.size = type == 1 ? 1 : type == 3 ? 2 : 4;
  // What fits into four bytes stands in the entry itself.
  list.at = list.count * list.size <= 4 ? at + 8 : tiff->At(at + 8, 4);
  if (list.count == 0) return;
  const int64_t first = tiff->Item(list, 0);
  switch (tag) {
    // Names by TIFF 6.0: ImageWidth, ImageLength, BitsPerSample, Compression,
    // PhotometricInterpretation, StripOffsets, SamplesPerPixel, RowsPerStrip, StripByteCounts,
    // PlanarConfiguration, Predictor, ColorMap.
    case 256: tiff->extent.width = first; break;
    case 257: tiff->extent.height = first; break;
    case 258: tiff->bits = first; break;
    case 259: tiff->compression = first; break;
    case 262: tiff->meaning = first; break;
    case 273: tiff->offsets = list; break;
    case 277: tiff->channels = first; break;
    case 278: tiff->rows = first; break;
    case 279: tiff->sizes = list; break;
    case 284: tiff->planes = first; break;
    case 317: tiff->predictor = first; break;
    case 320: tiff->palette = list; break;
    default: break;
  }
}

Status CheckSupported(const Tiff& tiff) {
  const bool is_packed = tiff.compression == 8 || tiff.compression == 32946;
  if (tiff.compression != 1 && tiff.compression != 32773 && !is_packed)
    return Unsupported("a TIFF image with compression ", tiff.compression,
                       "; those without, with zlib's and with PackBits are decoded");
  if (tiff.offsets.count == 0 || tiff.planes != 1)
    return Unsupported("a TIFF image in tiles or separate planes");
  const bool has_bits = tiff.bits == 8 || tiff.bits == 16 || (tiff.bits == 1 && tiff.meaning < 2);
  // Further channels, such as opacity, are passed over.
  const int64_t needed = tiff.meaning == 2 ? 3 : 1;
  if (tiff.meaning > 3 || !has_bits || tiff.channels < needed || tiff.channels > 8)
    return Unsupported("a TIFF image of ", tiff.channels, " values of ", tiff.bits,
                       " bits a pixel with the meaning ", tiff.meaning);
  if (tiff.predictor != 1 && (tiff.predictor != 2 || tiff.bits != 8))
    return Unsupported("a TIFF image with the predictor ", tiff.predictor);
  return OkStatus();
}

Result<Tiff> ReadTiff(Bytes bytes) {
  Tiff tiff;
  tiff.bytes = bytes;
  tiff.is_big = bytes[0] == 'M';
  const uint64_t directory = tiff.At(4, 4), entries = tiff.At(directory, 2);
  TERN_TRY(CheckBytes(bytes, static_cast<int64_t>(directory + 2 + entries * 12)));
  for (uint64_t i = 0; i < entries; ++i) ReadEntry(directory + 2 + i * 12, &tiff);
  TERN_TRY(CheckExtent(tiff.extent));
  TERN_TRY(CheckSupported(tiff));
  if (tiff.rows < 1 || tiff.rows > tiff.extent.height) tiff.rows = tiff.extent.height;
  const auto strips = static_cast<uint64_t>((tiff.extent.height + tiff.rows - 1) / tiff.rows);
  if (tiff.offsets.count < strips || tiff.sizes.count < strips)
    return InvalidArgument("its TIFF image has ", tiff.offsets.count, " strips, expected ", strips);
  int64_t packed = 0;
  for (uint64_t i = 0; i < strips; ++i) {
    const int64_t size = tiff.Item(tiff.sizes, i);
    TERN_TRY(CheckBytes(bytes, tiff.Item(tiff.offsets, i) + size));
    packed += size;
  }
  if (tiff.meaning == 3) {
    TERN_TRY(CheckBytes(bytes, static_cast<int64_t>(tiff.palette.at + tiff.palette.count * 2)));
    if (tiff.palette.count < 768 || tiff.bits != 8)
      return InvalidArgument("its TIFF image has a palette of ", tiff.palette.count, " numbers");
  }
  // Before memory is asked for: extents are a claim.
  if (MostInflated(static_cast<size_t>(packed)) < tiff.RowBytes() * tiff.extent.height)
    return InvalidArgument("its TIFF image has ", packed, " bytes, too few for its extents");
  return tiff;
}

// A byte says how many follow as they are, or how often the next one comes.
Status UnpackBits(Bytes from, std::span<uint8_t> out) {
  size_t at = 0, made = 0;
  while (made < out.size()) {
    if (at + 1 >= from.size()) return InvalidArgument("a strip of its TIFF image ends too early");
    const uint8_t head = from[at++];
    if (head == 128) continue;
    const size_t count = head < 128 ? size_t{head} + 1 : size_t{257} - head;
    if (count > out.size() - made || (head < 128 && count > from.size() - at))
      return InvalidArgument("a strip of its TIFF image is longer than its rows");
    for (size_t i = 0; i < count; ++i) out[made++] = from[head < 128 ? at++ : at];
    if (head > 128) ++at;
  }
  return OkStatus();
}

Status Unpack(const Tiff& tiff, Bytes strip, std::span<uint8_t> out) {
  if (tiff.compression == 32773) return UnpackBits(strip, out);
  if (tiff.compression != 1) return Inflate(strip, out);
  if (strip.size() < out.size()) return InvalidArgument("a strip of its TIFF image is too short");
  std::copy_n(strip.begin(), out.size(), out.begin());
  return OkStatus();
}

void PutRow(const Tiff& tiff, uint8_t* row, uint8_t* rgb) {
  const int64_t size = tiff.bits / 8, step = tiff.channels;
  // Each value was sent as the difference to its neighbour on the left.
  if (tiff.predictor == 2) {
    for (int64_t i = step; i < tiff.RowBytes(); ++i)
      row[i] = static_cast<uint8_t>(row[i] + row[i - step]);
  }
  // Of a value of 16 bits, the byte that counts more.
  const int64_t first = size == 2 && !tiff.is_big ? 1 : 0;
  for (int64_t x = 0; x < tiff.extent.width; ++x, rgb += 3) {
    const int64_t bit = x * step;
    const uint8_t value = size > 0
                              ? row[x * step * size + first]
                              : static_cast<uint8_t>((row[bit / 8] >> (7 - bit % 8) & 1) * 255);
    for (int64_t c = 0; c < 3; ++c) {
      if (tiff.meaning == 2) rgb[c] = row[(x * step + c) * size + first];
      if (tiff.meaning < 2) rgb[c] = tiff.meaning == 0 ? static_cast<uint8_t>(255 - value) : value;
      if (tiff.meaning == 3) {
        const auto at = static_cast<size_t>(c * 256 + value);
        rgb[c] = static_cast<uint8_t>(tiff.At(tiff.palette.at + at * 2, 2) >> 8);
      }
    }
  }
}

}  // namespace

Result<Extent> ReadTiffExtent(Bytes bytes) {
  TERN_TRY_ASSIGN(const Tiff tiff, ReadTiff(bytes));
  return tiff.extent;
}

Status DecodeTiff(Bytes bytes, Memory* memory, uint8_t* rgb) {
  TERN_TRY_ASSIGN(const Tiff tiff, ReadTiff(bytes));
  const int64_t row_bytes = tiff.RowBytes();
  TERN_TRY_ASSIGN(uint8_t * strip, memory->New(row_bytes * tiff.rows));
  for (int64_t y = 0; y < tiff.extent.height; y += tiff.rows) {
    const int64_t rows = std::min(tiff.rows, tiff.extent.height - y);
    const auto index = static_cast<size_t>(y / tiff.rows);
    const Bytes from = bytes.subspan(static_cast<size_t>(tiff.Item(tiff.offsets, index)),
                                     static_cast<size_t>(tiff.Item(tiff.sizes, index)));
    TERN_TRY(Unpack(tiff, from, {strip, static_cast<size_t>(rows * row_bytes)}));
    for (int64_t i = 0; i < rows; ++i)
      PutRow(tiff, strip + i * row_bytes, rgb + (y + i) * tiff.extent.width * 3);
  }
  return OkStatus();
}

}  // namespace tern::images
