// SPDX-License-Identifier: Apache-2.0
// The numbers of conv2d_winograd. F(4x4, 3x3) evaluates polynomials at 0, +-kNear, +-kFar and
// infinity. These points and the squares that are made of them are exact in f32, and errors are a
// quarter of those that the usual points (1 and 2) lead to.

#ifndef TERN_CORE_KERNELS_WINOGRAD_H_
#define TERN_CORE_KERNELS_WINOGRAD_H_

#include <stdint.h>

namespace tern::kernels::winograd {

inline constexpr int64_t kIn = 6, kOut = 4, kPoints = kIn * kIn;
inline constexpr float kNear = 0.625f, kFar = 1.5f;

}  // namespace tern::kernels::winograd

#endif  // TERN_CORE_KERNELS_WINOGRAD_H_
