// SPDX-License-Identifier: Apache-2.0
#include "core/ops/winograd_weights.h"

#include <algorithm>

#include "core/kernels/winograd.h"

namespace tern::ops {

namespace {

constexpr int64_t kWinogradPanel = 16;  // of kernels/kernel.h: a fact of the file format
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

// The 36 points of a window of 3x3 weights, `step` elements apart.
void TransformWindow(const float* window, float* to, int64_t step) {
  for (int64_t i = 0; i < kSide; ++i) {
    double row[3] = {};
    for (int64_t x = 0; x < 3; ++x) {
      for (int64_t y = 0; y < 3; ++y)
        row[x] += kTransform[i][y] * static_cast<double>(window[y * 3 + x]);
    }
    for (int64_t j = 0; j < kSide; ++j) {
      const double* factors = kTransform[j];
      to[(i * kSide + j) * step] =
          static_cast<float>(factors[0] * row[0] + factors[1] * row[1] + factors[2] * row[2]);
    }
  }
}

}  // namespace

Dims<int64_t> WinogradExtents(int64_t out, int64_t in) {
  return {kPoints, CeilDiv(out, kWinogradPanel), in, kWinogradPanel};
}

void PackWinograd(int64_t out, int64_t in, const float* from, float* to) {
  const Dims<int64_t> extents = WinogradExtents(out, in);
  const int64_t step = extents[1] * in * kWinogradPanel;
  std::fill_n(to, kPoints * step, 0.0f);
  for (int64_t o = 0; o < out; ++o) {
    for (int64_t i = 0; i < in; ++i, from += 9) {
      TransformWindow(
          from, to + (o / kWinogradPanel * in + i) * kWinogradPanel + o % kWinogradPanel, step);
    }
  }
}

}  // namespace tern::ops
