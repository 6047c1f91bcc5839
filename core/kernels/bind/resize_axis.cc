// SPDX-License-Identifier: Apache-2.0
// Coordinates, rounding and filters of resize.

#include "core/kernels/bind/resize_axis.h"

#include <cmath>

namespace tern::kernels::bind {

namespace {

// What the scale makes of the axis; the extent is what is left of it when it is made whole. The
// standard's own examples align corners and regions with this length, not with the extent.
double LengthResized(const AxisScale& axis) {
  const double exact = axis.scale * static_cast<double>(axis.in);
  const double out = static_cast<double>(axis.out);
  return std::fabs(exact - out) > 1e-5 * out ? exact : out;  // scales are of 24 bits
}

}  // namespace

double SourceCoordinate(const ops::ResizeAttrs& attrs, const AxisScale& axis, int64_t i) {
  const double at = static_cast<double>(i), in = static_cast<double>(axis.in),
               out = static_cast<double>(axis.out), length = LengthResized(axis);
  switch (attrs.coordinate) {
    case ops::CoordinateMode::kHalfPixel: return (at + 0.5) / axis.scale - 0.5;
    case ops::CoordinateMode::kHalfPixelSymmetric: {
      // An extent that was rounded down is centred on the exact one.
      const double offset = in / 2 * (1 - out / (axis.scale * in));
      return offset + (at + 0.5) / axis.scale - 0.5;
    }
    case ops::CoordinateMode::kPytorchHalfPixel:
      return axis.out > 1 ? (at + 0.5) / axis.scale - 0.5 : 0;
    case ops::CoordinateMode::kAlignCorners: return axis.out > 1 ? at * (in - 1) / (length - 1) : 0;
    case ops::CoordinateMode::kAsymmetric: return at / axis.scale;
    case ops::CoordinateMode::kTfCropAndResize:
      if (axis.out == 1) return (axis.roi_start + axis.roi_end) / 2 * (in - 1);
      return axis.roi_start * (in - 1) +
             at * (axis.roi_end - axis.roi_start) * (in - 1) / (length - 1);
    case ops::CoordinateMode::kTfHalfPixelForNn: return (at + 0.5) / axis.scale;
  }
  return at;
}

namespace {

// The first comparison is written so that a NaN becomes 0.
int64_t ClampPosition(double position, int64_t extent) {
  if (!(position > 0)) return 0;
  return position >= static_cast<double>(extent - 1) ? extent - 1 : static_cast<int64_t>(position);
}

// Distance is in input elements.
double LinearFilter(double distance) {
  const double weight = 1 - std::fabs(distance);
  return weight > 0 ? weight : 0;
}

// Keys' kernel: `a` is the slope at a distance of 1, -0.75 by default and -0.5 in other libraries.
double CubicFilter(double distance, double a) {
  const double d = std::fabs(distance);
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  if (d < 2) return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
  return 0;
}

double Filter(const ops::ResizeAttrs& attrs, double distance) {
  if (attrs.mode == ops::ResizeMode::kCubic)
    return CubicFilter(distance, static_cast<double>(attrs.cubic_a));
  return LinearFilter(distance);
}

}  // namespace

int64_t NearestPosition(ops::NearestMode mode, double x, int64_t extent) {
  switch (mode) {
    case ops::NearestMode::kRoundPreferFloor: return ClampPosition(std::ceil(x - 0.5), extent);
    case ops::NearestMode::kRoundPreferCeil: return ClampPosition(std::floor(x + 0.5), extent);
    case ops::NearestMode::kFloor: return ClampPosition(std::floor(x), extent);
    case ops::NearestMode::kCeil: return ClampPosition(std::ceil(x), extent);
  }
  return 0;
}

Result<AxisTaps> MakeAxisTaps(const ops::ResizeAttrs& attrs, Call& call, const AxisScale& axis) {
  // An image that is made smaller is filtered over as many more of its elements, so that each of
  // them counts.
  const double shrink = attrs.antialias && axis.scale < 1 ? axis.scale : 1;
  // In elements of the input on either side: two for the cubic filter, one for the linear one.
  const double radius = attrs.mode == ops::ResizeMode::kCubic ? 2 : 1;
  const double reach = std::ceil(radius / shrink);
  if (!(reach <= static_cast<double>(ops::kMostExtent)))
    return OutOfRange("a scale of ", axis.scale, " has too many taps");
  const int64_t first = 1 - static_cast<int64_t>(reach);
  AxisTaps result;
  result.taps = 2 - 2 * first;
  const Extents extents{ops::MulDim(axis.out, result.taps)};
  TERN_TRY_ASSIGN(result.position_table, call.New(kI64, extents));
  TERN_TRY_ASSIGN(result.weight_table, call.NewF32(extents));
  int64_t* positions = result.position_table->data_as<int64_t>();
  float* weights = result.weight_table->data_as<float>();
  for (int64_t i = 0; i < axis.out; ++i, positions += result.taps, weights += result.taps) {
    const double x = SourceCoordinate(attrs, axis, i), base = std::floor(x);
    double sum = 0;
    const auto weight_of = [&](int64_t k) {
      const double position = base + static_cast<double>(first + k);
      const bool outside = position < 0 || position > static_cast<double>(axis.in - 1);
      return attrs.exclude_outside && outside ? 0 : Filter(attrs, (position - x) * shrink);
    };
    for (int64_t k = 0; k < result.taps; ++k) {
      sum += weight_of(k);
      positions[k] = ClampPosition(base + static_cast<double>(first + k), axis.in);
    }
    // Weights add up to one by themselves, unless some were left out or the filter was stretched.
    const double scale = sum != 0 && (attrs.exclude_outside || attrs.antialias) ? 1 / sum : 1;
    for (int64_t k = 0; k < result.taps; ++k) weights[k] = static_cast<float>(weight_of(k) * scale);
  }
  return result;
}

}  // namespace tern::kernels::bind
