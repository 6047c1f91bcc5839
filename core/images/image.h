// SPDX-License-Identifier: Apache-2.0
// Images of files as pixels: PNG, JPEG, BMP, PNM and TIFF.
//
// Whatever the bytes are, decoding ends with pixels or an error. The extents are read first;
// nothing is allocated for extents that so few bytes cannot fill.
#ifndef TERN_CORE_IMAGES_IMAGE_H_
#define TERN_CORE_IMAGES_IMAGE_H_

#include <cstdint>
#include <span>

#include "core/base/result.h"
#include "core/base/status.h"

namespace tern::images {

using Bytes = std::span<const uint8_t>;

struct Extent {
  int64_t height = 0, width = 0;
};

// Where a decoder puts what lies between bytes and pixels.
class Memory {
 public:
  // So many bytes, all 0, which stay until the decoder has returned.
  virtual Result<uint8_t*> New(int64_t size) = 0;

 protected:
  ~Memory() = default;
};

// Both fail in the same way for bytes of an unknown kind.
Result<Extent> ReadExtent(Bytes bytes);
// rgb: height x width x 3 bytes. Transparency is left out.
Status Decode(Bytes bytes, Memory* memory, uint8_t* rgb);

}  // namespace tern::images

#endif  // TERN_CORE_IMAGES_IMAGE_H_
