// SPDX-License-Identifier: Apache-2.0
// What the fused operators of graph optimizers share.
#ifndef TERN_CORE_ONNX_CONVERT_FUSED_H_
#define TERN_CORE_ONNX_CONVERT_FUSED_H_

#include "core/onnx/node_context.h"

namespace tern::onnx {

// x after the function that the attributes activation, activation_params and activation_… name;
// x itself without one.
Value FusedActivation(NodeContext& node, const Value& x);

// Layer normalization of the last axis; rms: without a mean. bias may be null.
Value NormalizeLast(NodeContext& node, const Value& x, const Value& scale, const Value& bias,
                    bool rms);

// 1 / sqrt(mean of squares + epsilon) of the axes from `axis` on, which stay with an extent of 1;
// f32, or f64 of f64.
Value InverseRms(NodeContext& node, const Value& x, int64_t axis, float epsilon);

// f32 of the product of two 8-bit matrices, of which each may have a zero point, times `scale`.
Value ScaledIntegerProduct(NodeContext& node, const Value& a, const Value& b, const Value& a_zero,
                           const Value& b_zero, const Value& scale);

// [.., n] bytes → [.., n * 8 / bits] numbers of 2, 4 or 8 bits, the lowest of a byte first.
Value UnpackBits(NodeContext& node, const Value& bytes, int64_t bits);

}  // namespace tern::onnx

#endif  // TERN_CORE_ONNX_CONVERT_FUSED_H_
