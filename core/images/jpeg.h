// SPDX-License-Identifier: Apache-2.0
// The parts of a JPEG image: what the headers say, coefficients, planes, pixels.
#ifndef TERN_CORE_IMAGES_JPEG_H_
#define TERN_CORE_IMAGES_JPEG_H_

#include <array>
#include <cstdint>

#include "core/images/format.h"

namespace tern::images {

struct JpegComponent {
  int id = 0, h = 1, v = 1, table = 0;         // sampling factors; of quantization
  int dc = 0, ac = 0;                          // Huffman tables of the scan under way
  Extent extent;                               // samples that count
  int64_t blocks_down = 0, blocks_across = 0;  // that exist, up to whole units
  int16_t* coefficients = nullptr;             // 64 of each block, in natural order
  uint8_t* samples = nullptr;                  // 8 x blocks_down rows of 8 x blocks_across
  int last = 0;                                // DC coefficient of the block before
};

struct JpegImage {
  Extent extent;
  bool progressive = false;
  int count = 0;
  std::array<JpegComponent, 3> components;
  int most_h = 1, most_v = 1;
  int64_t units_down = 0, units_across = 0;
  std::array<std::array<uint16_t, 64>, 4> tables{};  // in natural order
  bool is_rgb = false;                               // the components are colours already
};

// The samples of a plane from its coefficients, as the integers of libjpeg's accurate method.
void MakeSamples(const JpegImage& image, JpegComponent* component);
// Pixels from all planes; planes of lower resolution are interpolated.
Status MakePixels(const JpegImage& image, Memory* memory, uint8_t* rgb);

}  // namespace tern::images

#endif  // TERN_CORE_IMAGES_JPEG_H_
