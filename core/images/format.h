// SPDX-License-Identifier: Apache-2.0
// What the decoders of core/images share: reading numbers of bytes, and what a decoder is.
#ifndef TERN_CORE_IMAGES_FORMAT_H_
#define TERN_CORE_IMAGES_FORMAT_H_

#include <cstddef>
#include <cstdint>

#include "core/images/image.h"

namespace tern::images {

// A decoder of one kind of file: the two functions of image.h.
Result<Extent> ReadPngExtent(Bytes bytes);
Status DecodePng(Bytes bytes, Memory* memory, uint8_t* rgb);
Result<Extent> ReadJpegExtent(Bytes bytes);
Status DecodeJpeg(Bytes bytes, Memory* memory, uint8_t* rgb);
Result<Extent> ReadBmpExtent(Bytes bytes);
Status DecodeBmp(Bytes bytes, Memory* memory, uint8_t* rgb);
Result<Extent> ReadPnmExtent(Bytes bytes);
Status DecodePnm(Bytes bytes, Memory* memory, uint8_t* rgb);
Result<Extent> ReadTiffExtent(Bytes bytes);
Status DecodeTiff(Bytes bytes, Memory* memory, uint8_t* rgb);

// A number of `count` bytes, of which the first counts most (or least). 0 where bytes are missing:
// what must be there is checked before.
inline uint32_t BigAt(Bytes bytes, size_t at, size_t count) {
  uint32_t value = 0;
  for (size_t i = 0; i < count; ++i)
    value = value << 8 | (at + i < bytes.size() ? bytes[at + i] : 0u);
  return value;
}
inline uint32_t LittleAt(Bytes bytes, size_t at, size_t count) {
  uint32_t value = 0;
  for (size_t i = count; i-- > 0;)
    value = value << 8 | (at + i < bytes.size() ? bytes[at + i] : 0u);
  return value;
}

// Fails unless both extents are 1 to 2^24, so that products of a few fit 64 bits.
Status CheckExtent(const Extent& extent);
// Fails where so many bytes of a file are needed and are not there.
Status CheckBytes(Bytes bytes, int64_t needed);

// What `bytes` (RFC 1950: zlib) are packed from, out.size() bytes; fewer or more are an error.
Status Inflate(Bytes bytes, std::span<uint8_t> out);
// The most bytes that so many packed ones can become.
inline int64_t MostInflated(size_t packed) { return static_cast<int64_t>(packed) * 1032 + 1032; }

}  // namespace tern::images

#endif  // TERN_CORE_IMAGES_FORMAT_H_
