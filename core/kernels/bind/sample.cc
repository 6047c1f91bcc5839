// SPDX-License-Identifier: Apache-2.0
// Samples of images at places that another tensor gives: grid_sample and roi_align.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "core/kernels/bind/bindings.h"
#include "core/kernels/bind/types.h"
#include "core/kernels/bind/window.h"
#include "core/ops/image_rules.h"

namespace tern::kernels::bind {
namespace {

// --- grid_sample: at each place a product of taps per axis, one (nearest), two (linear) or four

constexpr int kMostTaps = 4;
// Places further out than any image has pixels are all alike; what is no number is there, too.
constexpr double kFarAway = 1e12;

struct Taps {
  int count = 0;
  int64_t pixel[kMostTaps];  // -1: outside, where there is zero
  float weight[kMostTaps];
};

// Back and forth between low and high.
double Reflected(double x, double low, double high) {
  const double range = high - low;
  // An axis of one pixel has nowhere to turn.
  if (!(range > 0)) return low;
  const double distance = x < low ? low - x : x - high;
  if (distance <= 0) return x;
  const double turns = std::floor(distance / range), rest = distance - turns * range;
  const bool even = std::fmod(turns, 2) == 0;
  return (x < low) == even ? low + rest : high - rest;
}

class AxisSampler {
 public:
  AxisSampler(const ops::GridSampleAttrs& attrs, int64_t extent)
      : attrs_(attrs),
        extent_(extent),
        low_(attrs.align_corners ? 0 : -0.5),
        high_(attrs.align_corners ? static_cast<double>(extent - 1)
                                  : static_cast<double>(extent) - 0.5) {}

  // place: -1 … 1 for the whole axis.
  Taps At(float place) const {
    double x = std::isnan(place) ? -kFarAway : static_cast<double>(place);
    const auto extent = static_cast<double>(extent_);
    // -1 and 1 are the middles of the outer pixels, or their outer edges.
    x = attrs_.align_corners ? (x + 1) / 2 * (extent - 1) : ((x + 1) * extent - 1) / 2;
    x = std::clamp(x, -kFarAway, kFarAway);
    if (attrs_.mode == ops::SampleMode::kNearest) x = std::nearbyint(x);
    // The border is that of each tap: a cubic outside of the image still reaches into it.
    const bool outside = x < low_ || x > high_;
    if (outside && attrs_.padding == ops::SamplePadding::kReflection) x = Reflected(x, low_, high_);
    return TapsAround(x);
  }

 private:
  Taps TapsAround(double x) const {
    Taps taps;
    const double base = std::floor(x);
    const auto t = static_cast<float>(x - base);
    switch (attrs_.mode) {
      case ops::SampleMode::kNearest: Add(std::nearbyint(x), 1, &taps); break;
      case ops::SampleMode::kLinear:
        Add(base, 1 - t, &taps);
        Add(base + 1, t, &taps);
        break;
      case ops::SampleMode::kCubic:
        for (int i = -1; i <= 2; ++i) Add(base + i, CubicWeight(std::fabs(t - float(i))), &taps);
        break;
    }
    return taps;
  }

  // Keys' weight for a distance below 2, with a of -0.75.
  static float CubicWeight(float d) {
    constexpr float a = -0.75f;
    if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
    return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
  }

  void Add(double pixel, float weight, Taps* taps) const {
    const double last = static_cast<double>(extent_ - 1);
    if (attrs_.padding == ops::SamplePadding::kBorder) pixel = std::clamp(pixel, 0.0, last);
    if (attrs_.padding == ops::SamplePadding::kReflection)
      pixel = std::clamp(Reflected(pixel, low_, high_), 0.0, last);
    const bool inside = pixel >= 0 && pixel <= last;
    taps->pixel[taps->count] = inside ? static_cast<int64_t>(pixel) : -1;
    taps->weight[taps->count++] = weight;
  }

  const ops::GridSampleAttrs& attrs_;
  int64_t extent_;
  double low_, high_;
};

// The sum over all combinations of taps, one per axis.
float SumOfTaps(const float* image, const Taps* taps, const int64_t* extents, int axes) {
  if (axes == 0) return *image;
  int64_t inner = 1;
  for (int i = 1; i < axes; ++i) inner *= extents[i];
  float sum = 0;
  for (int i = 0; i < taps->count; ++i) {
    // A weight of zero skips the pixel: infinity there would give NaN.
    if (taps->pixel[i] < 0 || taps->weight[i] == 0) continue;
    sum += taps->weight[i] *
           SumOfTaps(image + taps->pixel[i] * inner, taps + 1, extents + 1, axes - 1);
  }
  return sum;
}

}  // namespace

// The grid gives the last axis' place first.
Result<Any> GridSample(const ops::GridSampleAttrs& attrs, Call& call) {
  const Tensor *x = call.F32(0), *grid = call.F32(1);
  TERN_TRY(call.TakeStatus());
  Extents out;
  TERN_TRY(ops::GridSampleShape(ExtentsOf(*x), ExtentsOf(*grid), &out));
  const int axes = x->rank() - 2;
  // What a cubic reads, which is the most of all modes.
  int64_t work = CountOf(out);
  for (int i = 0; i < axes; ++i) work = ops::MulDim(work, kMostTaps);
  TERN_TRY(call.Charge(work));
  TERN_TRY_ASSIGN(TensorPtr y, call.NewF32(out));
  const int64_t* extents = x->dims().data() + 2;
  const int64_t pixels_in = ops::ProductOf(ExtentsOf(*x), 2, x->rank());
  const int64_t pixels_out = ops::ProductOf(out, 2, out.rank());
  if (pixels_in == 0) std::fill_n(y->data_as<float>(), y->element_count(), 0.0f);
  for (int64_t at = 0; pixels_in > 0 && at < out[0] * pixels_out; ++at) {
    if (at % 256 == 255 && call.IsStopped()) break;
    Taps taps[kMaxSpatial];
    // The taps of a place are the same in every channel.
    for (int i = 0; i < axes; ++i) {
      const float place = grid->data_as<float>()[at * axes + axes - 1 - i];
      taps[i] = AxisSampler(attrs, extents[i]).At(place);
    }
    const int64_t n = at / pixels_out, pixel = at % pixels_out;
    for (int64_t c = 0; c < out[1]; ++c) {
      const int64_t plane = n * out[1] + c;
      y->data_as<float>()[plane * pixels_out + pixel] =
          SumOfTaps(x->data_as<float>() + plane * pixels_in, taps, extents, axes);
    }
  }
  return Any(std::move(y));
}

// --- roi_align

namespace {

// A linear sample's two pixels of one axis; outside of the image by more than one pixel: none.
struct RoiTaps {
  bool inside = false;
  int64_t low = 0, high = 0;
  float weight_low = 0, weight_high = 0;
};

RoiTaps RoiTapsAt(float place, int64_t extent) {
  RoiTaps taps;
  if (!(place >= -1.0f && place <= static_cast<float>(extent))) return taps;
  taps.inside = true;
  place = std::max(place, 0.0f);
  taps.low = std::min(static_cast<int64_t>(place), extent - 1);
  taps.high = std::min(taps.low + 1, extent - 1);
  const float rest = taps.low == extent - 1 ? 0 : place - static_cast<float>(taps.low);
  taps.weight_low = 1 - rest;
  taps.weight_high = rest;
  return taps;
}

struct Region {
  float top, left, bin_height, bin_width;
  int64_t rows, columns;  // samples in each bin
};

Region RegionOf(const ops::RoiAlignAttrs& attrs, const float* roi) {
  const float offset = attrs.half_pixel ? 0.5f : 0.0f, scale = attrs.spatial_scale;
  Region region;
  region.left = roi[0] * scale - offset;
  region.top = roi[1] * scale - offset;
  float width = roi[2] * scale - offset - region.left;
  float height = roi[3] * scale - offset - region.top;
  // The older form has no region of less than a pixel.
  if (!attrs.half_pixel) {
    width = std::max(width, 1.0f);
    height = std::max(height, 1.0f);
  }
  region.bin_width = width / static_cast<float>(attrs.width);
  region.bin_height = height / static_cast<float>(attrs.height);
  const auto samples = [&](float bin) {
    // Not given: as many samples as the bin has pixels.
    if (attrs.sampling_ratio > 0) return attrs.sampling_ratio;
    return ConvertNumber<int64_t>(std::ceil(static_cast<double>(bin)));
  };
  region.rows = samples(region.bin_height);
  region.columns = samples(region.bin_width);
  return region;
}

// The mean of the samples of one bin, or the largest share that a pixel has in one of them, which
// is how the standard's own implementation takes a maximum.
float PoolBin(const Region& region, bool maximum, const float* image, int64_t height, int64_t width,
              int64_t bin_row, int64_t bin_column) {
  float sum = 0, largest = 0;
  bool first = true;
  for (int64_t i = 0; i < region.rows; ++i) {
    const float y =
        region.top + static_cast<float>(bin_row) * region.bin_height +
        (static_cast<float>(i) + 0.5f) * region.bin_height / static_cast<float>(region.rows);
    const RoiTaps v = RoiTapsAt(y, height);
    for (int64_t j = 0; j < region.columns; ++j) {
      const float x =
          region.left + static_cast<float>(bin_column) * region.bin_width +
          (static_cast<float>(j) + 0.5f) * region.bin_width / static_cast<float>(region.columns);
      const RoiTaps h = RoiTapsAt(x, width);
      const bool inside = v.inside && h.inside;
      const float *top = image + v.low * width, *bottom = image + v.high * width;
      const float parts[] = {inside ? v.weight_low * h.weight_low * top[h.low] : 0,
                             inside ? v.weight_low * h.weight_high * top[h.high] : 0,
                             inside ? v.weight_high * h.weight_low * bottom[h.low] : 0,
                             inside ? v.weight_high * h.weight_high * bottom[h.high] : 0};
      sum += parts[0] + parts[1] + parts[2] + parts[3];
      const float most = *std::max_element(parts, parts + 4);
      largest = first ? most : std::max(largest, most);
      first = false;
    }
  }
  if (maximum) return largest;
  return sum / static_cast<float>(std::max<int64_t>(region.rows * region.columns, 1));
}

}  // namespace

Result<Any> RoiAlign(const ops::RoiAlignAttrs& attrs, Call& call) {
  const Tensor *x = call.F32(0), *rois = call.F32(1), *images = call.Input(2, kI64);
  TERN_TRY(call.TakeStatus());
  Extents out;
  TERN_TRY(ops::RoiAlignShape(attrs, ExtentsOf(*x), ExtentsOf(*rois), &out));
  if (images->element_count() != out[0])
    return WrongTensor(call, 2, *images, StrCat(out[0], " elements, one for each region"));
  TERN_TRY_ASSIGN(TensorPtr y, call.NewF32(out));
  const int64_t height = x->dim(2), width = x->dim(3);
  for (int64_t r = 0; r < out[0]; ++r) {
    const int64_t image = images->data_as<int64_t>()[r];
    if (image < 0 || image >= x->dim(0))
      return OutOfRange("region ", r, " is of image ", image, ", but there are ", x->dim(0));
    const Region region = RegionOf(attrs, rois->data_as<float>() + r * 4);
    const int64_t bins = ops::MulDim(out[1], ops::MulDim(out[2], out[3]));
    TERN_TRY(call.Charge(ops::MulDim(bins, ops::MulDim(region.rows, region.columns))));
    for (int64_t bin = 0; bin < bins && !call.IsStopped(); ++bin) {
      const int64_t c = bin / (out[2] * out[3]), at = bin % (out[2] * out[3]);
      const float* plane = x->data_as<float>() + (image * out[1] + c) * height * width;
      y->data_as<float>()[r * bins + bin] =
          height * width == 0 ? 0
                              : PoolBin(region, attrs.mode == ops::RoiMode::kMax, plane, height,
                                        width, at / out[3], at % out[3]);
    }
  }
  return Any(std::move(y));
}

}  // namespace tern::kernels::bind
