// SPDX-License-Identifier: Apache-2.0
// From coefficients to pixels, in the integers that libjpeg and libjpeg-turbo have by default, so
// that models see the images that they were trained and tested with: the inverse transform of
// Loeffler, Ligtenberg and Moschytz with 13 bits, chroma interpolated by 3/4 and 1/4, colours by
// 16 bits.
#include <algorithm>

#include "core/images/jpeg.h"

namespace tern::images {
namespace {

constexpr int kJpegBits = 13, kJpegFirstBits = 2;

// Eight numbers, `step` apart, transformed in place; `shift` bits are rounded away.
void Transform(int64_t* x, int step, int shift) {
  // Factors are cosines times 2^13. In 64 bits, where no coefficient of a file overflows.
  const auto at = [&](int i) -> int64_t& { return x[i * step]; };
  const int64_t turned = (at(2) + at(6)) * 4433;
  const int64_t low = turned - at(6) * 15137, high = turned + at(2) * 6270;
  const int64_t sum = (at(0) + at(4)) * (1 << kJpegBits),
                difference = (at(0) - at(4)) * (1 << kJpegBits);
  const int64_t even[4] = {sum + high, difference + low, difference - low, sum - high};
  const int64_t all = (at(7) + at(3) + at(5) + at(1)) * 9633;
  const int64_t a = (at(7) + at(1)) * -7373, b = (at(5) + at(3)) * -20995;
  const int64_t c = (at(7) + at(3)) * -16069 + all, d = (at(5) + at(1)) * -3196 + all;
  const int64_t odd[4] = {at(1) * 12299 + a + d, at(3) * 25172 + b + c, at(5) * 16819 + b + d,
                          at(7) * 2446 + a + c};
  const int64_t half = int64_t{1} << (shift - 1);
  for (int i = 0; i < 4; ++i) {
    at(i) = (even[i] + odd[i] + half) >> shift;
    at(7 - i) = (even[i] - odd[i] + half) >> shift;
  }
}

uint8_t Clamped(int64_t value) { return static_cast<uint8_t>(std::clamp<int64_t>(value, 0, 255)); }

// A plane of one component at the resolution of the image.
class JpegRow {
 public:
  JpegRow(const JpegImage& image, const JpegComponent& component, uint8_t* out)
      : image_(image),
        component_(component),
        out_(out),
        across_(image.most_h / component.h),
        down_(image.most_v / component.v) {}

  // Row y of the image.
  const uint8_t* Make(int64_t y) {
    // Narrower planes libjpeg repeats instead of interpolating.
    const bool smooth = component_.extent.width > 2;
    if (across_ == 1 && down_ == 1) return Samples(y);
    if (across_ == 2 && down_ == 1 && smooth) return Across(Samples(y));
    if (across_ == 2 && down_ == 2 && smooth) return Both(Samples(y / 2), Samples(Other(y)));
    if (across_ == 1 && down_ == 2)
      return Down(Samples(y / 2), Samples(Other(y)), y % 2 == 0 ? 1 : 2);
    const uint8_t* from = Samples(y / down_);
    for (int64_t x = 0; x < image_.extent.width; ++x) out_[x] = from[x / across_];
    return out_;
  }

 private:
  // Beyond the edges the row at the edge.
  const uint8_t* Samples(int64_t y) const {
    y = std::clamp<int64_t>(y, 0, component_.extent.height - 1);
    return component_.samples + y * component_.blocks_across * 8;
  }
  static int64_t Other(int64_t y) { return y % 2 == 0 ? y / 2 - 1 : y / 2 + 1; }

  const uint8_t* Across(const uint8_t* x) {
    const int64_t last = component_.extent.width - 1;
    for (int64_t i = 0; i <= last; ++i) {
      const int near = 3 * x[i];
      out_[2 * i] = i == 0 ? x[0] : static_cast<uint8_t>((near + x[i - 1] + 1) >> 2);
      out_[2 * i + 1] = i == last ? x[i] : static_cast<uint8_t>((near + x[i + 1] + 2) >> 2);
    }
    return out_;
  }

  const uint8_t* Down(const uint8_t* near, const uint8_t* far, int half) {
    for (int64_t i = 0; i < component_.extent.width; ++i)
      out_[i] = static_cast<uint8_t>((3 * near[i] + far[i] + half) >> 2);
    return out_;
  }

  const uint8_t* Both(const uint8_t* near, const uint8_t* far) {
    const int64_t last = component_.extent.width - 1;
    const auto sum = [&](int64_t i) { return 3 * near[i] + far[i]; };
    for (int64_t i = 0; i <= last; ++i) {
      const int before = i == 0 ? sum(i) : sum(i - 1), after = i == last ? sum(i) : sum(i + 1);
      out_[2 * i] = static_cast<uint8_t>((3 * sum(i) + before + 8) >> 4);
      out_[2 * i + 1] = static_cast<uint8_t>((3 * sum(i) + after + 7) >> 4);
    }
    return out_;
  }

  const JpegImage& image_;
  const JpegComponent& component_;
  uint8_t* out_;
  int across_, down_;
};

void PutColour(int y, int blue, int red, uint8_t* rgb) {
  const int cb = blue - 128, cr = red - 128;
  constexpr int kHalf = 1 << 15;
  rgb[0] = Clamped(y + ((91881 * cr + kHalf) >> 16));
  rgb[1] = Clamped(y + ((-22554 * cb - 46802 * cr + kHalf) >> 16));
  rgb[2] = Clamped(y + ((116130 * cb + kHalf) >> 16));
}

}  // namespace

void MakeSamples(const JpegImage& image, JpegComponent* component) {
  const auto& table = image.tables[static_cast<size_t>(component->table)];
  const int64_t stride = component->blocks_across * 8;
  const int16_t* from = component->coefficients;
  for (int64_t block = 0; block < component->blocks_down * component->blocks_across; ++block) {
    int64_t values[64];
    for (size_t i = 0; i < 64; ++i) values[i] = int64_t{*from++} * table[i];
    // Columns first, keeping two bits for the rows.
    for (int i = 0; i < 8; ++i) Transform(values + i, 8, kJpegBits - kJpegFirstBits);
    for (int i = 0; i < 8; ++i) Transform(values + i * 8, 1, kJpegBits + kJpegFirstBits + 3);
    uint8_t* out = component->samples + block / component->blocks_across * 8 * stride +
                   block % component->blocks_across * 8;
    for (int i = 0; i < 64; ++i) out[i / 8 * stride + i % 8] = Clamped(values[i] + 128);
  }
}

Status MakePixels(const JpegImage& image, Memory* memory, uint8_t* rgb) {
  // A row of each component, with room for one sample more than the image is wide.
  const int64_t width = image.extent.width + 8;
  TERN_TRY_ASSIGN(uint8_t * rows, memory->New(3 * width));
  for (int64_t y = 0; y < image.extent.height; ++y) {
    const uint8_t* planes[3] = {};
    for (int c = 0; c < image.count; ++c) {
      const JpegComponent& component = image.components[static_cast<size_t>(c)];
      planes[c] = JpegRow(image, component, rows + c * width).Make(y);
    }
    for (int64_t x = 0; x < image.extent.width; ++x, rgb += 3) {
      if (image.count == 1) {
        std::fill_n(rgb, 3, planes[0][x]);
      } else if (image.is_rgb) {
        for (int c = 0; c < 3; ++c) rgb[c] = planes[c][x];
      } else {
        PutColour(planes[0][x], planes[1][x], planes[2][x], rgb);
      }
    }
  }
  return OkStatus();
}

}  // namespace tern::images
