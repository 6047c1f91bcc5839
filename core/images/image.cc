// SPDX-License-Identifier: Apache-2.0
#include "core/images/image.h"

#include <algorithm>
#include <string_view>

#include "core/images/format.h"

namespace tern::images {
namespace {

// Products of two extents and of a pixel's bytes stay far from the end of 64 bits.
constexpr int64_t kMostExtent = int64_t{1} << 24;  // along one axis

// `?` in a pattern is any byte.
struct Kind {
  std::string_view name, pattern;
  Result<Extent> (*read_extent)(Bytes);
  Status (*decode)(Bytes, Memory*, uint8_t*);
};

// The first that fits; those without functions are known and refused.
constexpr Kind kKinds[] = {
    {"PNG", "\x89PNG\r\n\x1a\n", ReadPngExtent, DecodePng},
    {"JPEG", "\xff\xd8\xff", ReadJpegExtent, DecodeJpeg},
    {"BMP", "BM", ReadBmpExtent, DecodeBmp},
    {"TIFF", {"II*\0", 4}, ReadTiffExtent, DecodeTiff},
    {"TIFF", {"MM\0*", 4}, ReadTiffExtent, DecodeTiff},
    {"WebP", "RIFF????WEBP", nullptr, nullptr},
    {"JPEG 2000", {"\0\0\0\x0cjP  ", 8}, nullptr, nullptr},
    {"JPEG 2000", "\xff\x4f\xff\x51", nullptr, nullptr},
    {"GIF", "GIF8", nullptr, nullptr},
    {"AVIF or HEIF", "????ftyp", nullptr, nullptr},
    {"PNM", "P?", ReadPnmExtent, DecodePnm},
};

bool Fits(std::string_view pattern, Bytes bytes) {
  // Readers behind it may count on the bytes of the pattern.
  if (bytes.size() < pattern.size()) return false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '?' && static_cast<uint8_t>(pattern[i]) != bytes[i]) return false;
  }
  return true;
}

Result<const Kind*> KindOf(Bytes bytes) {
  for (const Kind& kind : kKinds) {
    if (!Fits(kind.pattern, bytes)) continue;
    // The error for the others can name their kind.
    if (kind.decode != nullptr) return &kind;
    return Unsupported("an image of the kind ", kind.name,
                       "; BMP, JPEG, PNG, PNM and TIFF are decoded");
  }
  return InvalidArgument("its ", bytes.size(),
                         " bytes begin like no image of BMP, JPEG, PNG, PNM or TIFF");
}

}  // namespace

Result<Extent> ReadExtent(Bytes bytes) {
  TERN_TRY_ASSIGN(const Kind* kind, KindOf(bytes));
  TERN_TRY_ASSIGN(const Extent extent, kind->read_extent(bytes));
  TERN_TRY(CheckExtent(extent));
  return extent;
}

Status Decode(Bytes bytes, Memory* memory, uint8_t* rgb) {
  TERN_TRY_ASSIGN(const Kind* kind, KindOf(bytes));
  return kind->decode(bytes, memory, rgb);
}

Status CheckExtent(const Extent& extent) {
  if (std::min(extent.height, extent.width) >= 1 &&
      std::max(extent.height, extent.width) <= kMostExtent)
    return OkStatus();
  return InvalidArgument("its image has ", extent.height, " x ", extent.width,
                         " pixels, expected 1 to ", kMostExtent, " along each axis");
}

Status CheckBytes(Bytes bytes, int64_t needed) {
  if (static_cast<int64_t>(bytes.size()) >= needed) return OkStatus();
  return InvalidArgument("its image ends after ", bytes.size(), " bytes, expected ", needed,
                         " for its extents");
}

}  // namespace tern::images
