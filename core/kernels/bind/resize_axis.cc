// SPDX-License-Identifier: Apache-2.0
// Coordinates, rounding and filters of resize.

#include "core/kernels/bind/resize_axis.h"

#include <cmath>

namespace tern::kernels::bind {

double SourceCoordinate(const ops::ResizeAttrs& attrs, const AxisScale& axis, int64_t i) {
  const double at = static_cast<double>(i), in = static_cast<double>(axis.in),
               out = static_cast<double>(axis.out);
  switch (attrs.coordinate) {
    case ops::CoordinateMode::kHalfPixel: return (at + 0.5) / axis.scale - 0.5;
    case ops::CoordinateMode::kHalfPixelSymmetric: {
      // An extent that was rounded down is centred on the exact one.
      const double offset = in / 2 * (1 - out / (axis.scale * in));
      return offset + (at + 0.5) / axis.scale - 0.5;
    }
    case ops::CoordinateMode::kPytorchHalfPixel:
      return axis.out > 1 ? (at + 0.5) / axis.scale - 0.5 : 0;
    case ops::CoordinateMode::kAlignCorners: return axis.out > 1 ? at * (in - 1) / (out - 1) : 0;
    case ops::CoordinateMode::kAsymmetric: return at / axis.scale;
    case ops::CoordinateMode::kTfCropAndResize:
      if (axis.out == 1) return (axis.roi_start + axis.roi_end) / 2 * (in - 1);
      return axis.roi_start * (in - 1) +
             at * (axis.roi_end - axis.roi_start) * (in - 1) / (out - 1);
    case ops::CoordinateMode::kTfHalfPixelForNn: return (at + 0.5) / axis.scale;
  }
  return at;
}

namespace {

int64_t ClampPosition(double position, int64_t extent) {
  if (!(position > 0)) return 0;
  return position >= static_cast<double>(extent - 1) ? extent - 1 : static_cast<int64_t>(position);
}

// Distance is in input elements.
double LinearFilter(double distance) {
  const double weight = 1 - std::fabs(distance);
  return weight > 0 ? weight : 0;
}

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

AxisTaps MakeAxisTaps(const ops::ResizeAttrs& attrs, const AxisScale& axis) {
  const double shrink = attrs.antialias && axis.scale < 1 ? axis.scale : 1;
  const double radius = attrs.mode == ops::ResizeMode::kCubic ? 2 : 1;
  const int first = static_cast<int>(std::floor(-radius / shrink)) + 1;
  AxisTaps result;
  result.taps = 2 - 2 * first;
  std::vector<double> weights(static_cast<size_t>(result.taps));
  for (int64_t i = 0; i < axis.out; ++i) {
    const double x = SourceCoordinate(attrs, axis, i), base = std::floor(x);
    double sum = 0;
    for (int k = 0; k < result.taps; ++k) {
      const double position = base + first + k;
      double weight = Filter(attrs, (position - x) * shrink);
      const bool outside = position < 0 || position > static_cast<double>(axis.in - 1);
      if (attrs.exclude_outside && outside) weight = 0;
      weights[static_cast<size_t>(k)] = weight;
      sum += weight;
      result.positions.push_back(ClampPosition(position, axis.in));
    }
    const double scale = sum != 0 && (attrs.exclude_outside || attrs.antialias) ? 1 / sum : 1;
    for (double weight : weights) result.weights.push_back(static_cast<float>(weight * scale));
  }
  return result;
}

}  // namespace tern::kernels::bind
