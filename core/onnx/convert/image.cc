// SPDX-License-Identifier: Apache-2.0
// Convolutions, pools, blocks of pixels, samples.
#include "core/onnx/convert/converters.h"
#include "core/onnx/convert/window.h"

namespace tern::onnx {
namespace {

ops::ConvAttrs ReadConv(NodeContext& node, int spatial_rank) {
  ops::ConvAttrs attrs;
  attrs.window = ReadWindow(node, spatial_rank);
  attrs.groups = node.IntAtLeast("group", 1, 1);
  return attrs;
}

ops::PoolAttrs ReadPool(NodeContext& node, int spatial_rank) {
  ops::PoolAttrs attrs;
  attrs.window = ReadWindow(node, spatial_rank);
  attrs.ceil_mode = node.Bool("ceil_mode", false);
  if (node.ok() && attrs.window.kernel.empty()) node.Fail("attribute 'kernel_shape' is missing");
  return attrs;
}

}  // namespace

void ConvertConv(NodeContext& node) {
  const int spatial = SpatialRank(node, node.Input(0));
  if (!WeightsFit(node)) return;
  const ops::ConvAttrs attrs = ReadConv(node, spatial);
  const Value x = WidenImage(node, node.Input(0), spatial),
              w = WidenImage(node, node.Input(1), spatial);
  const Value y =
      node.Call(spatial == 3 ? "conv3d" : "conv2d", {x, w, node.Input(2)}, attrs.ToAttrs());
  node.SetOutput(0, NarrowImage(node, y, spatial));
}

void ConvertConvInteger(NodeContext& node) {
  const int spatial = SpatialRank(node, node.Input(0));
  if (!WeightsFit(node)) return;
  const ops::ConvAttrs attrs = ReadConv(node, spatial);
  const Value x = WidenImage(node, node.Input(0), spatial),
              w = WidenImage(node, node.Input(1), spatial);
  const Value y = node.Call("conv_integer", {x, w, node.Input(2), node.Input(3)}, attrs.ToAttrs());
  node.SetOutput(0, NarrowImage(node, y, spatial));
}

void ConvertConvTranspose(NodeContext& node) {
  const int spatial = SpatialRank(node, node.Input(0));
  if (!WeightsFit(node)) return;
  ops::ConvTransposeAttrs attrs;
  attrs.window = ReadWindow(node, spatial);
  attrs.groups = node.IntAtLeast("group", 1, 1);
  attrs.output_padding = node.IntList("output_padding");
  attrs.output_shape = node.IntList("output_shape");
  // Some exporters give all axes, batch and channels too.
  if (attrs.output_shape.size() == static_cast<size_t>(spatial) + 2) {
    attrs.output_shape.erase(attrs.output_shape.begin(), attrs.output_shape.begin() + 2);
  }
  for (const Ints* list : {&attrs.output_padding, &attrs.output_shape}) {
    if (list->empty() || list->size() == static_cast<size_t>(spatial)) continue;
    return node.Fail("output_padding or output_shape has ", list->size(), " values, expected ",
                     spatial);
  }
  if (spatial == 1) {
    WidenList(&attrs.output_padding, 0);
    WidenList(&attrs.output_shape, 1);
  }
  const Value x = WidenImage(node, node.Input(0), spatial),
              w = WidenImage(node, node.Input(1), spatial);
  const std::string_view op = spatial == 3 ? "conv_transpose3d" : "conv_transpose2d";
  node.SetOutput(0,
                 NarrowImage(node, node.Call(op, {x, w, node.Input(2)}, attrs.ToAttrs()), spatial));
}

// AveragePool and LpPool.
void ConvertPool(NodeContext& node) {
  const int spatial = SpatialRank(node, node.Input(0));
  ops::PoolAttrs attrs = ReadPool(node, spatial);
  if (node.detail() == "average_pool")
    attrs.count_include_pad = node.Bool("count_include_pad", false);
  if (node.detail() == "lp_pool") attrs.p = node.IntAtLeast("p", 2, 1);
  const Value x = WidenImage(node, node.Input(0), spatial);
  node.SetOutput(0, NarrowImage(node, node.Call(node.detail(), {x}, attrs.ToAttrs()), spatial));
}

void ConvertMaxPool(NodeContext& node) {
  const int spatial = SpatialRank(node, node.Input(0));
  ops::PoolAttrs attrs = ReadPool(node, spatial);
  const bool column_major = node.Bool("storage_order", false);
  const Value x = WidenImage(node, node.Input(0), spatial);
  if (!node.WantsOutput(1)) {
    return node.SetOutput(0,
                          NarrowImage(node, node.Call("max_pool", {x}, attrs.ToAttrs()), spatial));
  }
  attrs.column_major = column_major;
  const std::vector<Value> parts = node.CallMany("max_pool_indices", {x}, attrs.ToAttrs(), 2);
  node.SetOutput(0, NarrowImage(node, parts[0], spatial));
  node.SetOutput(1, NarrowImage(node, parts[1], spatial));
}

void ConvertGlobalPool(NodeContext& node) {
  const int spatial = SpatialRank(node, node.Input(0));
  ops::GlobalPoolAttrs attrs;
  if (node.detail() == "global_lp_pool") attrs.p = node.IntAtLeast("p", 2, 1);
  const Value x = WidenImage(node, node.Input(0), spatial);
  node.SetOutput(0, NarrowImage(node, node.Call(node.detail(), {x}, attrs.ToAttrs()), spatial));
}

void ConvertMaxUnpool(NodeContext& node) {
  const int spatial = SpatialRank(node, node.Input(0));
  if (node.ok() && spatial != 2)
    return node.Unsupported("an input with ", spatial, " spatial axes; 2 are possible");
  ops::PoolAttrs attrs = ReadPool(node, spatial);
  node.SetOutput(0,
                 node.Call("max_unpool", {node.Input(0), node.Input(1), node.ToI64(node.Input(2))},
                           attrs.ToAttrs()));
}

void ConvertDepthToSpace(NodeContext& node) {
  ops::BlockAttrs attrs;
  attrs.block = node.IntAtLeast("blocksize", 0, 1);
  attrs.order = static_cast<ops::BlockOrder>(node.Choice("mode", {"DCR", "CRD"}, 0));
  node.SetOutput(0, node.Call("depth_to_space", {node.Input(0)}, attrs.ToAttrs()));
}

void ConvertSpaceToDepth(NodeContext& node) {
  ops::BlockAttrs attrs;
  attrs.block = node.IntAtLeast("blocksize", 0, 1);
  node.SetOutput(0, node.Call("space_to_depth", {node.Input(0)}, attrs.ToAttrs()));
}

// The modes were renamed in opset 20.
void ConvertGridSample(NodeContext& node) {
  const int mode =
      node.Choice("mode", {"linear", "nearest", "cubic", "bilinear", "nearest", "bicubic"}, 0);
  ops::GridSampleAttrs attrs;
  attrs.mode = static_cast<ops::SampleMode>(mode % 3);
  attrs.padding = static_cast<ops::SamplePadding>(
      node.Choice("padding_mode", {"zeros", "border", "reflection"}, 0));
  attrs.align_corners = node.Bool("align_corners", false);
  node.SetOutput(0, node.Call("grid_sample", node.inputs(), attrs.ToAttrs()));
}

void ConvertRoiAlign(NodeContext& node) {
  ops::RoiAlignAttrs attrs;
  attrs.mode = static_cast<ops::RoiMode>(node.Choice("mode", {"avg", "max"}, 0));
  attrs.height = node.IntAtLeast("output_height", 1, 1);
  attrs.width = node.IntAtLeast("output_width", 1, 1);
  attrs.sampling_ratio = node.IntAtLeast("sampling_ratio", 0, 0);
  attrs.spatial_scale = node.Float("spatial_scale", 1);
  // Before opset 16 there was no choice.
  const int before = node.opset() < 16 ? 1 : 0;
  attrs.half_pixel = node.Choice("coordinate_transformation_mode",
                                 {"half_pixel", "output_half_pixel"}, before) == 0;
  node.SetOutput(0, node.Call("roi_align", node.inputs(), attrs.ToAttrs()));
}

void ConvertCol2Im(NodeContext& node) {
  ops::Col2ImAttrs attrs;
  attrs.strides = node.IntList("strides");
  attrs.pads = node.IntList("pads");
  attrs.dilations = node.IntList("dilations");
  node.SetOutput(0, node.Call("col2im", node.inputs(), attrs.ToAttrs()));
}

}  // namespace tern::onnx
