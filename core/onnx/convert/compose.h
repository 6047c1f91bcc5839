// SPDX-License-Identifier: Apache-2.0
// Compose: short names for the calls that operators are put together from. Every function gives
// null after a failure of the node, and takes null then. What makes lists of arguments is not
// inline: there are hundreds of these calls, and each would repeat it.
#ifndef TERN_CORE_ONNX_CONVERT_COMPOSE_H_
#define TERN_CORE_ONNX_CONVERT_COMPOSE_H_

#include <string_view>
#include <vector>

#include "core/onnx/node_context.h"

namespace tern::onnx {

class Compose {
 public:
  explicit Compose(NodeContext& node) : node_(node) {}

  Value Call(std::string_view op, std::vector<Value> args);
  Value Unary(std::string_view op, const Value& x);
  Value Binary(std::string_view op, const Value& a, const Value& b);
  Value Add(const Value& a, const Value& b) { return Binary("add", a, b); }
  Value Sub(const Value& a, const Value& b) { return Binary("sub", a, b); }
  Value Mul(const Value& a, const Value& b) { return Binary("mul", a, b); }
  Value Div(const Value& a, const Value& b) { return Binary("div", a, b); }
  Value MatMul(const Value& a, const Value& b, bool trans_b = false);
  Value Where(const Value& condition, const Value& a, const Value& b);
  Value Activation(std::string_view op, const Value& x, float alpha, float beta = 0);

  // A scalar of the type of x.
  Value Like(const Value& x, double value);
  Value Int(int64_t value);
  Value Scaled(const Value& x, double factor);
  Value Cast(const Value& x, DType to);
  // Elements below 8 bits in a type of whole bytes, which operators that move elements want; others
  // as they are. Cast leads back, and loses nothing.
  Value InBytes(const Value& x);
  Value Floats(const std::vector<float>& values);
  Value Texts(const std::vector<std::string_view>& texts);

  // 0 keeps an extent, -1 is what is left.
  Value Reshape(const Value& x, const Ints& shape);
  // The shape as i64 values, each a scalar or a list.
  Value ReshapeTo(const Value& x, const std::vector<Value>& extents);
  // The whole shape as one list.
  Value ReshapeBy(const Value& x, const Value& shape);
  Value Transpose(const Value& x, const Ints& perm);
  Value Unsqueeze(const Value& x, const Ints& axes);
  Value Concat(const std::vector<Value>& parts, int64_t axis);
  Value Expand(const Value& x, const Value& shape) { return Binary("expand", x, shape); }
  // [begin, end) of one axis; INT64_MAX: to the end.
  Value Slice(const Value& x, int64_t axis, int64_t begin, int64_t end, int64_t step = 1);
  // The same with an end, or a begin, that is computed.
  Value SliceTo(const Value& x, int64_t axis, const Value& begin, const Value& end);
  Value Gather(const Value& x, const Value& index, int64_t axis = 0);
  std::vector<Value> Split(const Value& x, int64_t axis, const Ints& sizes);
  Value Softmax(const Value& x, int64_t axis = -1);
  // Of each element and all before it; of those before it alone, where it is exclusive.
  Value RunningSum(const Value& x, int64_t axis, bool exclusive = false);
  Value Reduce(std::string_view op, const Value& x, const Ints& axes, bool keep_dims);

  // The extent of one axis as an i64 scalar.
  Value DimOf(const Value& x, int64_t axis);
  Value ShapeOf(const Value& x, int64_t start = 0, int64_t end = INT64_MAX);
  // 0, 1, … before limit, an i64 scalar.
  Value Range(const Value& limit);

 private:
  NodeContext& node_;
};

}  // namespace tern::onnx

#endif  // TERN_CORE_ONNX_CONVERT_COMPOSE_H_
