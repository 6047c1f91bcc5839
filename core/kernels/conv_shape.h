// SPDX-License-Identifier: Apache-2.0
// What the shape of a convolution allows, of floats and of 8-bit elements alike.

#ifndef TERN_CORE_KERNELS_CONV_SHAPE_H_
#define TERN_CORE_KERNELS_CONV_SHAPE_H_

#include "core/kernels/kernel.h"
#include "core/kernels/simd.h"

namespace tern::kernels::TERN_TARGET_NAME {

// A window of one pixel at every pixel: the input is the left operand as it lies. Args:
// TernConv2dArgs or TernQuantizedConvArgs.
template <class Args>
bool IsMatrixProduct(const Args& args) {
  return args.kernel_h == 1 && args.kernel_w == 1 && args.stride_h == 1 && args.stride_w == 1 &&
         args.pad_top == 0 && args.pad_left == 0 && args.out_h == args.in_h &&
         args.out_w == args.in_w;
}

// Whether windows along an axis, of which the first begins `pad` in front of the image, read
// nothing but the image.
HWY_NOINLINE inline bool IsWithin(int64_t windows, int64_t stride, int64_t pad, int64_t reach,
                                  int64_t size) {
  return pad <= 0 && (windows - 1) * stride - pad + reach <= size;
}

}  // namespace tern::kernels::TERN_TARGET_NAME

#endif  // TERN_CORE_KERNELS_CONV_SHAPE_H_
