// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/convert/compose.h"

#include <utility>

#include "core/ops/math_attrs.h"
#include "core/ops/shape_attrs.h"

namespace tern::onnx {

// Each of these is one operator with the attributes that a converter wants to say, and the defaults
// of core/ops for the rest.
Value Compose::Call(std::string_view op, std::vector<Value> args) {
  return node_.Call(op, std::move(args));
}

Value Compose::Unary(std::string_view op, const Value& x) { return node_.Call(op, {x}); }

Value Compose::Binary(std::string_view op, const Value& a, const Value& b) {
  return node_.Call(op, {a, b});
}

Value Compose::Where(const Value& condition, const Value& a, const Value& b) {
  return node_.Call("where", {condition, a, b});
}

Value Compose::Like(const Value& x, double value) { return node_.Scalar(node_.DTypeOf(x), value); }

Value Compose::Int(int64_t value) { return node_.Scalar(kI64, static_cast<double>(value)); }

Value Compose::Scaled(const Value& x, double factor) { return Mul(x, Like(x, factor)); }

Value Compose::Range(const Value& limit) { return node_.Call("range", {Int(0), limit, Int(1)}); }

Value Compose::MatMul(const Value& a, const Value& b, bool trans_b) {
  ops::MatMulAttrs attrs;
  attrs.trans_b = trans_b;
  return node_.Call("matmul", {a, b}, attrs.ToAttrs());
}

Value Compose::Activation(std::string_view op, const Value& x, float alpha, float beta) {
  ops::UnaryAttrs attrs;
  attrs.alpha = alpha;
  attrs.beta = beta;
  return node_.Call(op, {x}, attrs.ToAttrs());
}

// Arguments that a model leaves out are null and stay so.
Value Compose::Cast(const Value& x, DType to) {
  if (x == nullptr || node_.DTypeOf(x) == to) return x;
  ops::CastAttrs attrs;
  attrs.to = to;
  return node_.Call("cast", {x}, attrs.ToAttrs());
}

Value Compose::InBytes(const Value& x) {
  const DType type = node_.DTypeOf(x);
  if (!node_.ok() || type.bits >= 8 || type.is_bool() || type.is_string()) return x;
  return Cast(x, !type.is_int() ? kF32 : type.is_signed_int() ? kI8 : kU8);
}

Value Compose::Floats(const std::vector<float>& values) {
  const int64_t dims[] = {static_cast<int64_t>(values.size())};
  return node_.Constant(tern::Tensor::FromValues(std::span<const float>(values), dims).value());
}

Value Compose::Texts(const std::vector<std::string_view>& texts) {
  const int64_t dims[] = {static_cast<int64_t>(texts.size())};
  return node_.Constant(tern::Tensor::FromStrings(texts, dims).value());
}

Value Compose::Reshape(const Value& x, const Ints& shape) {
  ops::ReshapeAttrs attrs;
  attrs.shape = shape;
  // An empty list of extents would mean that the shape is an argument.
  attrs.scalar = shape.empty();
  return node_.Call("reshape", {x}, attrs.ToAttrs());
}

// Extents that only a run can tell: they are joined to one list of integers.
Value Compose::ReshapeTo(const Value& x, const std::vector<Value>& extents) {
  std::vector<Value> lists;
  for (const Value& extent : extents)
    lists.push_back(node_.RankOf(extent) == 0 ? Reshape(extent, {1}) : extent);
  return ReshapeBy(x, Concat(lists, 0));
}

// What a run computes is an extent, also where that is 0: it never stands for one of x.
Value Compose::ReshapeBy(const Value& x, const Value& shape) {
  ops::ReshapeAttrs attrs;
  attrs.allow_zero = true;
  return node_.Call("reshape", {x, shape}, attrs.ToAttrs());
}

Value Compose::Transpose(const Value& x, const Ints& perm) {
  ops::TransposeAttrs attrs;
  attrs.perm = perm;
  return node_.Call("transpose", {x}, attrs.ToAttrs());
}

Value Compose::Unsqueeze(const Value& x, const Ints& axes) {
  ops::AxesAttrs attrs;
  attrs.axes = axes;
  return node_.Call("unsqueeze", {x}, attrs.ToAttrs());
}

// One part is itself.
Value Compose::Concat(const std::vector<Value>& parts, int64_t axis) {
  if (parts.size() == 1) return parts[0];
  ops::AxisAttrs attrs;
  attrs.axis = axis;
  return node_.Call("concat", parts, attrs.ToAttrs());
}

Value Compose::Slice(const Value& x, int64_t axis, int64_t begin, int64_t end, int64_t step) {
  ops::SliceAttrs attrs;
  attrs.starts = {begin};
  attrs.ends = {end};
  attrs.axes = {axis};
  // Left out where it says nothing, so that equal slices have equal texts and are computed once.
  if (step != 1) attrs.steps = {step};
  return node_.Call("slice", {x}, attrs.ToAttrs());
}

Value Compose::SliceTo(const Value& x, int64_t axis, const Value& begin, const Value& end) {
  ops::SliceAttrs attrs;
  attrs.axes = {axis};
  return node_.Call("slice", {x, Reshape(begin, {1}), Reshape(end, {1})}, attrs.ToAttrs());
}

Value Compose::Gather(const Value& x, const Value& index, int64_t axis) {
  ops::AxisAttrs attrs;
  attrs.axis = axis;
  return node_.Call("gather", {x, node_.ToI64(index)}, attrs.ToAttrs());
}

std::vector<Value> Compose::Split(const Value& x, int64_t axis, const Ints& sizes) {
  ops::SplitAttrs attrs;
  attrs.axis = axis;
  attrs.sizes = sizes;
  return node_.CallMany("split", {x}, attrs.ToAttrs(), static_cast<int>(sizes.size()));
}

Value Compose::Softmax(const Value& x, int64_t axis) {
  ops::SoftmaxAttrs attrs;
  attrs.axis = axis;
  return node_.Call("softmax", {x}, attrs.ToAttrs());
}

Value Compose::RunningSum(const Value& x, int64_t axis, bool exclusive) {
  ops::CumulateAttrs attrs;
  attrs.axis = axis;
  attrs.exclusive = exclusive;
  return node_.Call("cumsum", {x}, attrs.ToAttrs());
}

Value Compose::Reduce(std::string_view op, const Value& x, const Ints& axes, bool keep_dims) {
  ops::ReduceAttrs attrs;
  attrs.axes = axes;
  attrs.keep_dims = keep_dims;
  return node_.Call(op, {x}, attrs.ToAttrs());
}

// The end behind the last axis is "to the end": -1 + 1 would be the begin.
Value Compose::DimOf(const Value& x, int64_t axis) {
  return Reshape(ShapeOf(x, axis, axis == -1 ? INT64_MAX : axis + 1), {});
}

Value Compose::ShapeOf(const Value& x, int64_t start, int64_t end) {
  ops::ShapeOfAttrs attrs;
  attrs.start = start;
  attrs.end = end;
  return node_.Call("shape_of", {x}, attrs.ToAttrs());
}

}  // namespace tern::onnx
