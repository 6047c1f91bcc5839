// SPDX-License-Identifier: Apache-2.0
#include "core/ops/winograd_weights.h"

#include <algorithm>
#include <type_traits>

#include "core/kernels/winograd.h"
#include "core/ops/panels.h"

namespace tern::ops {

namespace {

constexpr int64_t kPoints = kernels::winograd::kPoints, kSide = kernels::winograd::kIn;
constexpr double kNear = kernels::winograd::kNear, kFar = kernels::winograd::kFar;
constexpr double kNear2 = kNear * kNear, kFar2 = kFar * kFar;

// The factor of a point: the inverse of the product of its distances to the others.
constexpr double kNearFactor = 1 / (2 * kNear2 * (kNear2 - kFar2));
constexpr double kFarFactor = 1 / (2 * kFar2 * (kFar2 - kNear2));

// Row i: what makes point i of three weights.
constexpr double kTransform[kSide][3] = {{1 / (kNear2 * kFar2), 0, 0},
                                         {kNearFactor, kNearFactor* kNear, kNearFactor* kNear2},
                                         {kNearFactor, -kNearFactor* kNear, kNearFactor* kNear2},
                                         {kFarFactor, kFarFactor* kFar, kFarFactor* kFar2},
                                         {kFarFactor, -kFarFactor* kFar, kFarFactor* kFar2},
                                         {0, 0, 1}};

// One number of each filter of a panel, so that the compiler makes vectors of the arithmetic.
using Lanes = double[kPanel];

// A number as it is between both transforms, or as kernels read it.
template <typename T>
T PointOf(double number) {
  if constexpr (std::is_same_v<T, double>) return number;
  return NormalOrZero(static_cast<float>(number));
}

// The points of three weights, to(0) … to(5). Points that lie opposite each other share products.
template <typename T, class To>
void TransformRow(const Lanes& w0, const Lanes& w1, const Lanes& w2, const To& to) {
  // No point between both transforms is -0; of the results some are. To add -0 changes nothing.
  constexpr double kStart = std::is_same_v<T, double> ? 0.0 : -0.0;
  for (int64_t i = 0; i < kSide; i += kSide - 1) {
    const double* factors = kTransform[i];
    T* const point = to(i);
    for (int64_t lane = 0; lane < kPanel; ++lane)
      point[lane] = PointOf<T>(kStart + factors[0] * w0[lane] + factors[1] * w1[lane] +
                               factors[2] * w2[lane]);
  }
  for (int64_t i = 1; i < kSide - 1; i += 2) {
    const double* factors = kTransform[i];
    T* const point = to(i);
    T* const opposite = to(i + 1);
    for (int64_t lane = 0; lane < kPanel; ++lane) {
      const double first = kStart + factors[0] * w0[lane], second = factors[1] * w1[lane];
      const double third = factors[2] * w2[lane];
      point[lane] = PointOf<T>(first + second + third);
      opposite[lane] = PointOf<T>(first - second + third);
    }
  }
}

// The 36 points of windows of 3x3 weights; the panels of points are `step` elements apart.
void TransformWindows(const Lanes (&windows)[9], float* to, int64_t step) {
  Lanes rows[kSide][3];
  for (int64_t x = 0; x < 3; ++x)
    TransformRow<double>(windows[x], windows[3 + x], windows[6 + x],
                         [&](int64_t i) { return rows[i][x]; });
  for (int64_t i = 0; i < kSide; ++i)
    TransformRow<float>(rows[i][0], rows[i][1], rows[i][2],
                        [&](int64_t j) { return to + (i * kSide + j) * step; });
}

// `filters` of a panel, [filters, in, 3, 3]. The lanes behind them are zeros, never -0.
void PackPanel(int64_t filters, int64_t in, Unaligned<float> from, const FilterSteps& steps,
               float* to, int64_t step) {
  Lanes windows[9] = {};
  for (int64_t i = 0; i < in; ++i, to += kPanel) {
    if (i > 0 && steps.in == 0) {
      // The same windows again.
      for (int64_t point = 0; point < kPoints; ++point)
        std::copy_n(to + point * step - kPanel, kPanel, to + point * step);
      continue;
    }
    for (int64_t lane = 0; lane < filters; ++lane) {
      const Unaligned<float> window = from + lane * steps.out + i * steps.in;
      for (int64_t tap = 0; tap < 9; ++tap)
        windows[tap][lane] = static_cast<double>(window[tap * steps.tap]);
    }
    TransformWindows(windows, to, step);
    for (int64_t point = 0; filters < kPanel && point < kPoints; ++point)
      std::fill(to + point * step + filters, to + point * step + kPanel, 0.0f);
  }
}

}  // namespace

Dims<int64_t> WinogradExtents(int64_t out, int64_t in) {
  return {kPoints, CeilDiv(out, kPanel), in, kPanel};
}

void PackWinograd(int64_t out, int64_t in, Unaligned<float> from, const FilterSteps& steps,
                  float* to) {
  const int64_t step = WinogradExtents(out, in)[1] * in * kPanel;
  for (int64_t o = 0; o < out; o += kPanel) {
    PackPanel(std::min(out - o, kPanel), in, from + o * steps.out, steps, to + o * in, step);
  }
}

}  // namespace tern::ops
