// SPDX-License-Identifier: Apache-2.0
// Shapes as i64 vectors: which axes stay is a mask, their places come from non_zero.
#include "core/onnx/convert/computed.h"

#include "core/onnx/convert/compose.h"
#include "core/ops/shape_attrs.h"

namespace tern::onnx {
namespace {

Value Int(NodeContext& node, int64_t value) {
  return node.Scalar(kI64, static_cast<double>(value));
}

Value ReshapeTo(NodeContext& node, const Value& x, const Ints& shape) {
  ops::ReshapeAttrs attrs;
  attrs.shape = shape;
  attrs.scalar = shape.empty();
  return node.Call("reshape", {x}, attrs.ToAttrs());
}

// How many axes are given; fails if that is not known.
int64_t CountOf(NodeContext& node, const Value& list) {
  const int64_t count = node.RankOf(list) == 0 ? 1 : node.DimOf(list, 0);
  if (count < 0)
    node.Unsupported("axes that are computed while the model runs, and of an unknown number");
  return count;
}

// i64 [count], each within [0, rank).
Value NormalAxes(NodeContext& node, const Value& axes, int64_t count, int64_t rank) {
  const Value list = ReshapeTo(node, node.ToI64(axes), {count});
  const Value wrapped = node.Call("add", {list, Int(node, rank)});
  return node.Call("where", {node.Call("less", {list, Int(node, 0)}), wrapped, list});
}

Value Scatter(NodeContext& node, const Value& x, const Value& indices, const Value& updates) {
  return node.Call("scatter_elements", {x, indices, updates});
}

// The places, in order, of the `kept` axes of `rank` that are not among `axes`.
Value OtherAxes(NodeContext& node, const Value& axes, int64_t count, int64_t rank) {
  const auto all = static_cast<size_t>(rank);
  const Value zeros = node.ConstantInts(Ints(static_cast<size_t>(count), 0));
  const Value mask = Scatter(node, node.ConstantInts(Ints(all, 1)), axes, zeros);
  return ReshapeTo(node, node.Call("non_zero", {mask}), {rank - count});
}

Value GatherAt(NodeContext& node, const Value& x, int64_t index) {
  return node.Call("gather", {x, Int(node, index)});
}

Value ToRank1(NodeContext& node, const Value& scalar) { return ReshapeTo(node, scalar, {1}); }

Value RangeTo(NodeContext& node, const Value& limit) {
  return node.Call("range", {Int(node, 0), limit, Int(node, 1)});
}

}  // namespace

Value SqueezeComputed(NodeContext& node, const Value& x, const Value& axes) {
  const int64_t rank = node.RankOf(x), count = CountOf(node, axes);
  if (node.ok() && count > rank)
    node.Fail("it has ", count, " axes to squeeze, but its input has rank ", rank);
  if (!node.ok()) return nullptr;
  if (count == rank) return ReshapeTo(node, x, {});
  const Value others = OtherAxes(node, NormalAxes(node, axes, count, rank), count, rank);
  const Value shape = node.Call("gather", {node.Call("shape_of", {x}), others});
  return Compose(node).ReshapeBy(x, shape);
}

Value UnsqueezeComputed(NodeContext& node, const Value& x, const Value& axes) {
  const int64_t count = CountOf(node, axes);
  // Any number may stand in a file, so that a sum comes after a look.
  if (node.ok() && count > 8 - node.RankOf(x))
    node.Unsupported(count, " axes for an input of rank ", node.RankOf(x));
  if (!node.ok()) return nullptr;
  const int64_t rank = node.RankOf(x) + count;
  const Value others = OtherAxes(node, NormalAxes(node, axes, count, rank), count, rank);
  const Value ones = node.ConstantInts(Ints(static_cast<size_t>(rank), 1));
  return Compose(node).ReshapeBy(x, Scatter(node, ones, others, node.Call("shape_of", {x})));
}

std::vector<Value> SplitComputed(NodeContext& node, const Value& x, const Value& sizes,
                                 int64_t axis, int count) {
  const Value list = ReshapeTo(node, node.ToI64(sizes), {count});
  const Value ends = node.Call("cumsum", {list});
  const Value starts = node.Call("sub", {ends, list});
  ops::SliceAttrs attrs;
  attrs.axes = {axis};
  std::vector<Value> parts;
  for (int i = 0; i < count; ++i) {
    const Value start = ToRank1(node, GatherAt(node, starts, i)),
                end = ToRank1(node, GatherAt(node, ends, i));
    parts.push_back(node.Call("slice", {x, start, end}, attrs.ToAttrs()));
  }
  return parts;
}

// One running sum or product per axis, of which the right one is chosen.
Value CumulateComputed(NodeContext& node, std::string_view op, const Value& x, const Value& axis,
                       ops::CumulateAttrs attrs) {
  const int rank = node.RankOf(x);
  if (node.ok() && rank == 0) node.Fail("its input has rank 0, expected at least one axis");
  if (!node.ok()) return nullptr;
  // Gathering the axis's own number makes a negative one positive and refuses one out of range.
  Ints axes;
  for (int i = 0; i < rank; ++i) axes.push_back(i);
  const Value wanted = node.Call("gather", {node.ConstantInts(axes), node.ToI64(axis)});
  Value result = x;
  for (int i = 0; i < rank; ++i) {
    attrs.axis = i;
    const Value sum = node.Call(op, {x}, attrs.ToAttrs());
    const Value chosen = node.Call("equal", {wanted, Int(node, i)});
    result = node.Call("where", {chosen, sum, result});
  }
  return result;
}

// Element (row, column) stays where column - row >= k, or <= k for the lower triangle.
Value TriluComputed(NodeContext& node, const Value& x, const Value& k, bool upper) {
  const int rank = node.RankOf(x);
  if (node.ok() && rank < 2) node.Fail("its input has rank ", rank, ", expected at least 2");
  if (!node.ok()) return nullptr;
  const Value shape = node.Call("shape_of", {x});
  const Value rows = ReshapeTo(node, RangeTo(node, GatherAt(node, shape, rank - 2)), {-1, 1});
  const Value columns = RangeTo(node, GatherAt(node, shape, rank - 1));
  const Value diagonal = node.Call("sub", {columns, rows});
  const Value offset = ReshapeTo(node, node.ToI64(k), {});
  const Value kept = node.Call(upper ? "greater_equal" : "less_equal", {diagonal, offset});
  return node.Call("where", {kept, x, node.Scalar(node.DTypeOf(x), 0)});
}

}  // namespace tern::onnx
