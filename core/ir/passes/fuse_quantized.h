// SPDX-License-Identifier: Apache-2.0
// Convolutions of quantized images made one conv2d_quantized each: what QLinearConv is imported as
// (conv_integer, bias, cast, ratio of the scales, quantize_linear; QLinearMatMul alike, as images
// of one pixel), and what tools write around a convolution of floats (dequantize_linear of image,
// weights and bias, conv2d, perhaps relu, quantize_linear). The first gives the same bits. The
// second sums integers where the original sums rounded floats, so that a result next to a half may
// become its neighbour; runtimes that know quantized models do the same. Weights, scales and zero
// points must be constants; what is used elsewhere stays.
#ifndef TERN_CORE_IR_PASSES_FUSE_QUANTIZED_H_
#define TERN_CORE_IR_PASSES_FUSE_QUANTIZED_H_

#include "core/ir/passes/pass.h"

namespace tern::ir {

Module FuseQuantized(const Module& module, const PassContext& context);

}  // namespace tern::ir

#endif  // TERN_CORE_IR_PASSES_FUSE_QUANTIZED_H_
