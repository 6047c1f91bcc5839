// SPDX-License-Identifier: Apache-2.0
// Window attributes: every list has one value per spatial axis, pads two.
#include "core/onnx/convert/window.h"

#include <algorithm>

#include "core/onnx/convert/compose.h"
#include "core/ops/shape_attrs.h"

namespace tern::onnx {
namespace {

// Empty where the model says nothing, and after a mistake, which is told.
Ints ReadList(NodeContext& node, std::string_view name, size_t expected, int64_t least) {
  Ints list = node.IntList(name);
  if (!list.empty() && list.size() != expected) {
    node.Fail("attribute '", name, "' has ", list.size(), " values, expected ", expected);
    return {};
  }
  for (const int64_t value : list) {
    if (value < least)
      node.Fail("attribute '", name, "' is ", FormatDims(list), "; values must be at least ",
                least);
  }
  return list;
}

// A list that says what its absence says, too.
void DropIfAll(int64_t value, Ints* list) {
  const bool all =
      std::all_of(list->begin(), list->end(), [value](int64_t x) { return x == value; });
  if (all) list->clear();
}

Value MoveAxis(NodeContext& node, const Value& x, int from, int to) {
  if (node.ok() && node.RankOf(x) < 3)
    node.Fail("its input has rank ", node.RankOf(x), ", expected 3 or more");
  if (!node.ok()) return nullptr;
  Ints perm;
  for (int i = 0; i < node.RankOf(x); ++i) {
    if (i != from) perm.push_back(i);
  }
  perm.insert(perm.begin() + to, from);
  return Compose(node).Transpose(x, perm);
}

// Behind batch and channels.
Value OneAxis(NodeContext& node, std::string_view op, const Value& image) {
  ops::AxesAttrs attrs;
  attrs.axes = {2};
  return node.Call(op, {image}, attrs.ToAttrs());
}

}  // namespace

// An image of one axis is run as one of two, with a height of 1. Pads have the begins in the first
// half and the ends in the second; each half gets a value in front.
void WidenList(Ints* list, int64_t filler, size_t halves) {
  if (list->size() < halves) return;  // what is missing is said later
  Ints wide;
  const size_t half = list->size() / halves;
  for (size_t i = 0; i < list->size(); ++i) {
    if (i % half == 0) wide.push_back(filler);
    wide.push_back((*list)[i]);
  }
  *list = std::move(wide);
}

int SpatialRank(NodeContext& node, const Value& image) {
  const int rank = node.RankOf(image);
  if (rank < 3) {
    node.Fail("its input has rank ", rank,
              ", expected batch, channels and at least one spatial axis");
  } else if (rank > 5) {
    node.Unsupported("an input with ", rank - 2, " spatial axes; at most 3 are possible");
  }
  return node.ok() ? rank - 2 : 1;
}

ops::WindowAttrs ReadWindow(NodeContext& node, int spatial_rank) {
  const auto count = static_cast<size_t>(spatial_rank);
  ops::WindowAttrs window;
  const int auto_pad = node.Choice("auto_pad", {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"}, 0);
  window.auto_pad = static_cast<ops::AutoPad>(auto_pad);
  window.kernel = ReadList(node, "kernel_shape", count, 1);
  window.strides = ReadList(node, "strides", count, 1);
  window.dilations = ReadList(node, "dilations", count, 1);
  window.pads = ReadList(node, "pads", 2 * count, 0);
  // auto_pad wins where a model has both.
  if (window.auto_pad != ops::AutoPad::kNone) window.pads.clear();
  DropIfAll(1, &window.strides);
  DropIfAll(1, &window.dilations);
  DropIfAll(0, &window.pads);
  if (spatial_rank != 1) return window;
  WidenList(&window.kernel, 1);
  WidenList(&window.strides, 1);
  WidenList(&window.dilations, 1);
  WidenList(&window.pads, 0, 2);
  return window;
}

bool WeightsFit(NodeContext& node, int index) {
  const int image = node.RankOf(node.Input(0)), weights = node.RankOf(node.Input(index));
  if (node.ok() && image != weights) {
    node.Fail("its weights have rank ", weights, ", but the input has rank ", image);
  }
  return node.ok();
}

Value WidenImage(NodeContext& node, const Value& image, int spatial_rank) {
  return spatial_rank == 1 ? OneAxis(node, "unsqueeze", image) : image;
}

Value NarrowImage(NodeContext& node, const Value& image, int spatial_rank) {
  return spatial_rank == 1 ? OneAxis(node, "squeeze", image) : image;
}

Value ChannelsFirst(NodeContext& node, const Value& x, bool is_last) {
  return is_last ? MoveAxis(node, x, node.RankOf(x) - 1, 1) : x;
}

Value ChannelsLast(NodeContext& node, const Value& x, bool is_last) {
  return is_last ? MoveAxis(node, x, 1, node.RankOf(x) - 1) : x;
}

}  // namespace tern::onnx
