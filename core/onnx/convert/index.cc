// SPDX-License-Identifier: Apache-2.0
// Elements picked and placed by index.
#include "core/onnx/convert/compose.h"
#include "core/onnx/convert/converters.h"
#include "core/ops/math_attrs.h"
#include "core/ops/shape_attrs.h"

namespace tern::onnx {
namespace {

ops::ScatterReduction ReadReduction(NodeContext& node) {
  return static_cast<ops::ScatterReduction>(
      node.Choice("reduction", {"none", "add", "mul", "max", "min"}, 0));
}

// ONNX has indices of i32 and i64, our operators of i64 alone.
Value CallWithIndices(NodeContext& node, std::string_view op, const Attrs& attrs) {
  std::vector<Value> args = node.inputs();
  args[1] = node.ToI64(args[1]);
  return node.Call(op, std::move(args), attrs);
}

Value BitsAs(NodeContext& node, const Value& x, DType to) {
  ops::BitCastAttrs attrs;
  attrs.to = to;
  return node.Call("bit_cast", {x}, attrs.ToAttrs());
}

}  // namespace

// Gather and GatherElements.
void ConvertAxis(NodeContext& node) {
  ops::AxisAttrs attrs;
  attrs.axis = node.Int("axis", 0);
  node.SetOutput(0, CallWithIndices(node, node.detail(), attrs.ToAttrs()));
}

void ConvertGatherNd(NodeContext& node) {
  ops::GatherNdAttrs attrs;
  attrs.batch_dims = node.IntAtLeast("batch_dims", 0, 0);
  node.SetOutput(0, CallWithIndices(node, "gather_nd", attrs.ToAttrs()));
}

void ConvertScatter(NodeContext& node) {
  ops::ScatterAttrs attrs;
  attrs.axis = node.Int("axis", 0);
  attrs.reduction = ReadReduction(node);
  node.SetOutput(0, CallWithIndices(node, "scatter_elements", attrs.ToAttrs()));
}

void ConvertScatterNd(NodeContext& node) {
  ops::ScatterAttrs attrs;
  attrs.reduction = ReadReduction(node);
  node.SetOutput(0, CallWithIndices(node, "scatter_nd", attrs.ToAttrs()));
}

// Rows of a cache overwritten from the index of each row of the batch on, or from 0.
void ConvertTensorScatter(NodeContext& node) {
  Compose in(node);
  const DType type = node.DTypeOf(node.Input(0));
  // Nothing is computed with floats of 8 bits here, so that they may be moved as bytes.
  const bool is_float8 = type.bits == 8 && !type.is_int() && !type.is_bool();
  const auto movable = [&](const Value& x) {
    return is_float8 ? BitsAs(node, x, kU8) : in.InBytes(x);
  };
  const Value cache = movable(node.Input(0)), update = movable(node.Input(1));
  const int rank = node.RankOf(cache);
  int64_t axis = node.Int("axis", -2);
  if (axis < 0) axis += rank;
  if (node.ok() && (rank < 2 || axis < 1 || axis >= rank))
    return node.Fail("attribute 'axis' is ", node.Int("axis", -2), " of rank ", rank,
                     "; an axis behind the first is expected");
  if (node.ok() && node.RankOf(update) != rank)
    return node.Fail("its update has rank ", node.RankOf(update), ", but the cache rank ", rank);
  if (!node.ok()) return;
  const bool circular = node.Choice("mode", {"linear", "circular"}, 0) == 1;
  Ints along(static_cast<size_t>(rank), 1), over = along;
  // Indices are a row along the axis plus a column over the batch, broadcast to the update.
  along[static_cast<size_t>(axis)] = -1;
  over[0] = -1;
  Value index = in.Reshape(in.Range(in.DimOf(update, axis)), along);
  if (node.HasInput(2)) index = in.Add(index, in.Reshape(node.ToI64(node.Input(2)), over));
  if (circular) index = in.Call("mod", {index, in.DimOf(cache, axis)});
  ops::ScatterAttrs attrs;
  attrs.axis = axis;
  const Value indices = in.Expand(index, in.ShapeOf(update));
  const Value y = node.Call("scatter_elements", {cache, indices, update}, attrs.ToAttrs());
  node.SetOutput(0, is_float8 ? BitsAs(node, y, type) : in.Cast(y, type));
}

// Indices and depth may be of any number type.
void ConvertOneHot(NodeContext& node) {
  ops::OneHotAttrs attrs;
  attrs.axis = node.Int("axis", -1);
  Value depth = node.Input(1);
  if (const std::optional<double> known = node.KnownNumber(depth)) {
    // Written this way it refuses a NaN too, which converting to an integer would not survive.
    if (!(*known >= 0 && *known < 1e18)) return node.Fail("its depth (input 1) is ", *known);
    attrs.depth = static_cast<int64_t>(*known);
    depth = nullptr;
  }
  const std::vector<Value> args = {node.ToI64(node.Input(0)), node.ToI64(depth), node.Input(2)};
  node.SetOutput(0, node.Call("one_hot", args, attrs.ToAttrs()));
}

void ConvertCompress(NodeContext& node) {
  ops::OptionalAxisAttrs attrs;
  attrs.has_axis = node.Has("axis");
  attrs.axis = node.Int("axis", 0);
  node.SetOutput(0, node.Call("compress", node.inputs(), attrs.ToAttrs()));
}

void ConvertUnique(NodeContext& node) {
  ops::OptionalAxisAttrs attrs;
  attrs.has_axis = node.Has("axis");
  attrs.axis = node.Int("axis", 0);
  attrs.sorted = node.Bool("sorted", true);
  const std::vector<Value> parts = node.CallMany("unique", {node.Input(0)}, attrs.ToAttrs(), 4);
  for (int i = 0; i < 4; ++i) node.SetOutput(i, parts[static_cast<size_t>(i)]);
}

// In the order of their first places: what they are, the place among them of each element, counts.
void ConvertContribUnique(NodeContext& node) {
  ops::OptionalAxisAttrs attrs;
  attrs.sorted = false;
  const std::vector<Value> parts = node.CallMany("unique", {node.Input(0)}, attrs.ToAttrs(), 4);
  const size_t order[] = {0, 2, 3};
  for (int i = 0; i < 3; ++i) node.SetOutput(i, parts[order[i]]);
}

void ConvertNonMaxSuppression(NodeContext& node) {
  ops::NonMaxSuppressionAttrs attrs;
  attrs.center_point = node.Bool("center_point_box", false);
  node.SetOutput(0, node.Call("non_max_suppression", node.inputs(), attrs.ToAttrs()));
}

}  // namespace tern::onnx
