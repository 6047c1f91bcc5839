// SPDX-License-Identifier: Apache-2.0
// Operators whose axes, sizes or offsets are computed while the model runs. core/ops wants them as
// attributes, so here they are put together from simpler operators; what must be known is only how
// many there are.
#ifndef TERN_CORE_ONNX_CONVERT_COMPUTED_H_
#define TERN_CORE_ONNX_CONVERT_COMPUTED_H_

#include <string_view>

#include "core/onnx/node_context.h"
#include "core/ops/math_attrs.h"

namespace tern::onnx {

// axes: integers of rank 1 (or 0).
Value SqueezeComputed(NodeContext& node, const Value& x, const Value& axes);
Value UnsqueezeComputed(NodeContext& node, const Value& x, const Value& axes);
// sizes: one per output.
std::vector<Value> SplitComputed(NodeContext& node, const Value& x, const Value& sizes,
                                 int64_t axis, int count);
// axis: a scalar or one element.
// op: cumsum or cumprod.
Value CumulateComputed(NodeContext& node, std::string_view op, const Value& x, const Value& axis,
                       ops::CumulateAttrs attrs);
Value TriluComputed(NodeContext& node, const Value& x, const Value& k, bool upper);

}  // namespace tern::onnx

#endif  // TERN_CORE_ONNX_CONVERT_COMPUTED_H_
