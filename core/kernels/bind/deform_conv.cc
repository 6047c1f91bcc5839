// SPDX-License-Identifier: Apache-2.0
// deform_conv and max_roi_pool: windows whose places are data, by plain loops.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/kernels/bind/bindings.h"
#include "core/ops/special_rules.h"

namespace tern::kernels::bind {
namespace {

struct Plane {
  const float* pixels;
  int64_t height, width;

  float At(int64_t y, int64_t x) const {
    return y < 0 || x < 0 || y >= height || x >= width ? 0.0f : pixels[y * width + x];
  }
  // Between four pixels; those outside of the image are 0.
  float Sample(float y, float x) const {
    if (!(y > -1 && x > -1 && y < static_cast<float>(height) && x < static_cast<float>(width)))
      return 0;
    const float top = std::floor(y), left = std::floor(x), down = y - top, right = x - left;
    const auto row = static_cast<int64_t>(top), column = static_cast<int64_t>(left);
    return (1 - down) * ((1 - right) * At(row, column) + right * At(row, column + 1)) +
           down * ((1 - right) * At(row + 1, column) + right * At(row + 1, column + 1));
  }
};

// What every pixel needs, gathered once; all of it was checked by the shape rule.
struct Deformed {
  const ops::DeformConvAttrs& attrs;
  const Tensor &x, &w, &offset;
  const Tensor* mask;
  ops::WindowExtent<int64_t> rows, columns;

  int64_t taps() const { return w.dim(2) * w.dim(3); }

  // What one input channel adds to one pixel of the output: the taps of one filter.
  float Add(int64_t image, int64_t channel, const float* filter, int64_t at_y, int64_t at_x) const {
    // Channels of a group move together. For each tap there are an offset of rows and one of
    // columns, each a whole image of the output's size.
    const int64_t group = channel / (x.dim(1) / attrs.offset_groups), count = taps();
    const int64_t pixels = rows.out * columns.out, pixel = at_y * columns.out + at_x;
    const float* const moved =
        offset.data_as<float>() + (image * attrs.offset_groups + group) * 2 * count * pixels;
    const float* const factors =
        mask == nullptr
            ? nullptr
            : mask->data_as<float>() + (image * attrs.offset_groups + group) * count * pixels;
    const Plane plane{x.data_as<float>() + (image * x.dim(1) + channel) * x.dim(2) * x.dim(3),
                      x.dim(2), x.dim(3)};
    float sum = 0;
    for (int64_t tap = 0; tap < count; ++tap) {
      const int64_t y = at_y * attrs.window.stride(0) - rows.pad_begin +
                        tap / w.dim(3) * attrs.window.dilation(0);
      const int64_t x_at = at_x * attrs.window.stride(1) - columns.pad_begin +
                           tap % w.dim(3) * attrs.window.dilation(1);
      const float value =
          plane.Sample(static_cast<float>(y) + moved[2 * tap * pixels + pixel],
                       static_cast<float>(x_at) + moved[(2 * tap + 1) * pixels + pixel]);
      sum += value * filter[tap] * (factors == nullptr ? 1.0f : factors[tap * pixels + pixel]);
    }
    return sum;
  }
};

void ConvolveDeformed(Call& call, const Deformed& in, const float* bias, const Tensor& y) {
  const int64_t per_group = in.w.dim(1), filters = in.w.dim(0) / in.attrs.groups;
  float* to = y.data_as<float>();
  for (int64_t plane = 0; plane < y.dim(0) * y.dim(1) && !call.IsStopped(); ++plane) {
    const int64_t image = plane / y.dim(1), filter = plane % y.dim(1);
    for (int64_t row = 0; row < y.dim(2); ++row) {
      for (int64_t column = 0; column < y.dim(3); ++column) {
        float sum = bias == nullptr ? 0.0f : bias[filter];
        for (int64_t c = 0; c < per_group; ++c) {
          const float* const weights = in.w.data_as<float>() + (filter * per_group + c) * in.taps();
          sum += in.Add(image, filter / filters * per_group + c, weights, row, column);
        }
        *to++ = sum;
      }
    }
  }
}

}  // namespace

Result<Any> DeformConv(const ops::DeformConvAttrs& attrs, Call& call) {
  const Tensor *x = call.F32(0), *w = call.F32(1), *offset = call.F32(2);
  const Tensor *bias = call.OptionalF32(3), *mask = call.OptionalF32(4);
  TERN_TRY(call.TakeStatus());
  Extents out, mask_extents;
  if (mask != nullptr) mask_extents = ExtentsOf(*mask);
  TERN_TRY(ops::DeformConvShape(attrs, ExtentsOf(*x), ExtentsOf(*w), ExtentsOf(*offset),
                                mask == nullptr ? nullptr : &mask_extents, &out));
  if (bias != nullptr && (bias->rank() != 1 || bias->dim(0) != w->dim(0)))
    return WrongTensor(call, 3, *bias, StrCat("shape [", w->dim(0), "]"));
  // Taps of all channels of a group, for every element of the result.
  const int64_t work = ops::MulDim(ops::MulDim(w->dim(1), w->dim(2)), w->dim(3));
  TERN_TRY(call.Charge(ops::MulDim(CountOf(out), work)));
  TERN_TRY_ASSIGN(TensorPtr y, call.NewF32(out));
  if (y->element_count() == 0) return Any(std::move(y));
  const auto extent = [&](int i) {
    return ops::ExtentOfWindow<int64_t>(attrs.window, i, 2, x->dim(2 + i), w->dim(2 + i));
  };
  const Deformed in{attrs, *x, *w, *offset, mask, extent(0), extent(1)};
  ConvolveDeformed(call, in, FloatsOf(bias), *y);
  return Any(std::move(y));
}

namespace {

// A region of one image in pixels, its borders included.
struct Region {
  int64_t image, left, top, width, height;
};

// Where coordinates leave what an image can have, they are that far away at most.
int64_t Scaled(float value, float scale) {
  // Up to there f32 has every integer.
  const float limit = 1 << 24;
  const float scaled = std::round(value * scale);
  return static_cast<int64_t>(scaled >= -limit && scaled <= limit ? scaled
                              : scaled > 0                        ? limit
                                                                  : -limit);
}

Result<Region> ReadRegion(const float* roi, float scale, int64_t images) {
  // The number of the image is a float and data: what is no number fails here, too.
  if (!(roi[0] >= 0 && roi[0] < static_cast<float>(images)))
    return OutOfRange("a region is of image ", roi[0], ", but there are ", images);
  const int64_t left = Scaled(roi[1], scale), top = Scaled(roi[2], scale);
  const int64_t width = Scaled(roi[3], scale) - left + 1, height = Scaled(roi[4], scale) - top + 1;
  return Region{static_cast<int64_t>(roi[0]), left, top, std::max<int64_t>(width, 1),
                std::max<int64_t>(height, 1)};
}

// The pixels of part `i` of `parts` along one axis.
void PartOf(int64_t start, int64_t size, int64_t i, int64_t parts, int64_t extent, int64_t* first,
            int64_t* end) {
  *first = std::clamp<int64_t>(start + i * size / parts, 0, extent);
  *end = std::clamp<int64_t>(start + ((i + 1) * size + parts - 1) / parts, 0, extent);
}

}  // namespace

// A part without pixels is 0.
Result<Any> MaxRoiPool(const ops::MaxRoiPoolAttrs& attrs, Call& call) {
  const Tensor *x = call.F32(0), *rois = call.F32(1);
  TERN_TRY(call.TakeStatus());
  Extents out;
  TERN_TRY(ops::MaxRoiPoolShape(attrs, ExtentsOf(*x), ExtentsOf(*rois), &out));
  TERN_TRY_ASSIGN(TensorPtr y, call.NewF32(out));
  const int64_t height = x->dim(2), width = x->dim(3);
  TERN_TRY(call.Charge(ops::MulDim(y->element_count(), ops::MulDim(height, width))));
  float* to = y->data_as<float>();
  for (int64_t r = 0; r < out[0] && !call.IsStopped(); ++r) {
    TERN_TRY_ASSIGN(const Region region,
                    ReadRegion(rois->data_as<float>() + 5 * r, attrs.spatial_scale, x->dim(0)));
    for (int64_t part = 0; part < out[1] * out[2] * out[3]; ++part) {
      int64_t rows[2], columns[2];
      PartOf(region.top, region.height, part / out[3] % out[2], out[2], height, &rows[0], &rows[1]);
      PartOf(region.left, region.width, part % out[3], out[3], width, &columns[0], &columns[1]);
      const int64_t channel = part / (out[2] * out[3]);
      const float* const plane =
          x->data_as<float>() + (region.image * x->dim(1) + channel) * height * width;
      const bool empty = rows[0] >= rows[1] || columns[0] >= columns[1];
      float best = empty ? 0 : -std::numeric_limits<float>::infinity();
      for (int64_t i = rows[0]; i < rows[1]; ++i) {
        for (int64_t j = columns[0]; j < columns[1]; ++j)
          best = std::max(best, plane[i * width + j]);
      }
      *to++ = best;
    }
  }
  return Any(std::move(y));
}

}  // namespace tern::kernels::bind
