// SPDX-License-Identifier: Apache-2.0
// Panels, in which files keep packed matrices: 16 columns side by side, row by row.
#ifndef TERN_CORE_OPS_PANELS_H_
#define TERN_CORE_OPS_PANELS_H_

#include <bit>
#include <cstdint>

namespace tern::ops {

inline constexpr int64_t kPanel = 16;  // TERN_PANEL_WIDTH of kernels/kernel.h

constexpr int64_t PanelCount(int64_t columns) { return (columns + kPanel - 1) / kPanel; }

// A weight as it is packed: zero of its sign in place of a subnormal number, by each of which some
// processors multiply for a hundred cycles and more. Networks that were trained with weight decay
// have thousands. A sum of k products changes by less than k * max |x| * 2^-126.
inline float NormalOrZero(float weight) {
  constexpr uint32_t kSign = 0x80000000, kExponent = 0x7f800000;
  const uint32_t bits = std::bit_cast<uint32_t>(weight);
  return std::bit_cast<float>((bits & kExponent) == 0 ? bits & kSign : bits);
}

}  // namespace tern::ops

#endif  // TERN_CORE_OPS_PANELS_H_
