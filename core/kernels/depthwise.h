// SPDX-License-Identifier: Apache-2.0
// Rows of a depthwise convolution, for kernels that make its input as they go.

#ifndef TERN_CORE_KERNELS_DEPTHWISE_H_
#define TERN_CORE_KERNELS_DEPTHWISE_H_

#include "core/kernels/kernel.h"
#include "core/kernels/simd.h"

namespace tern::kernels::TERN_TARGET_NAME {

// Rows [first, last) of the output of conv2d_depthwise, on this thread. Images follow each other:
// row y of image i is i * out_h + y. zeros: [in_c], read beside the image.
void FilterRows(const TernConv2dArgs& args, int64_t first, int64_t last, const float* zeros);

}  // namespace tern::kernels::TERN_TARGET_NAME

#endif  // TERN_CORE_KERNELS_DEPTHWISE_H_
