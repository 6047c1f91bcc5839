// SPDX-License-Identifier: Apache-2.0
// Convolutions, pools, blocks of pixels, samples.
#include "core/onnx/convert/compose.h"
#include "core/onnx/convert/converters.h"
#include "core/onnx/convert/fused.h"
#include "core/onnx/convert/window.h"
#include "core/ops/shape_attrs.h"
#include "core/ops/special_attrs.h"

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

// The convolution of an image with inputs 1 and 2.
Value Convolve(NodeContext& node, const Value& image) {
  const int spatial = SpatialRank(node, image);
  if (!WeightsFit(node)) return nullptr;
  const ops::ConvAttrs attrs = ReadConv(node, spatial);
  const Value x = WidenImage(node, image, spatial), w = WidenImage(node, node.Input(1), spatial);
  const Value y =
      node.Call(spatial == 3 ? "conv3d" : "conv2d", {x, w, node.Input(2)}, attrs.ToAttrs());
  return NarrowImage(node, y, spatial);
}

// The operator moves and adds elements in f32, which holds integers of up to 16 bits and sums of
// many of them. Wider ones go through it in pieces of 16 bits.
void SetThroughFloats(NodeContext& node, std::string_view op, const Attrs& attrs, bool is_exact) {
  Compose in(node);
  std::vector<Value> args = node.inputs();
  const DType dtype = node.DTypeOf(args[0]);
  const bool is_number = !dtype.is_float() && !dtype.is_bool() && !dtype.is_string();
  if (!is_exact || !is_number || dtype.bits < 8)
    return node.SetOutput(0, node.Call(op, std::move(args), attrs));
  const auto through = [&](const Value& x) {
    args[0] = in.Cast(x, kF32);
    return in.Cast(node.Call(op, args, attrs), dtype);
  };
  // `mod` takes the sign of the divisor, so all pieces but the last are 0 to 65535 and f32 holds
  // them exactly.
  Value rest = args[0];
  const Value step = in.Like(rest, 65536);
  std::vector<Value> pieces;  // the lowest first; the last one has the sign
  for (int bits = 16; bits < dtype.bits; bits += 16) {
    const Value low = in.Call("mod", {rest, step});
    pieces.push_back(through(low));
    rest = in.Div(in.Sub(rest, low), step);
  }
  Value y = through(rest);
  for (; !pieces.empty(); pieces.pop_back()) y = in.Add(in.Mul(y, step), pieces.back());
  node.SetOutput(0, y);
}

// GlobalLpPool of another p than 1 and 2, which the operator has.
void SetGlobalPower(NodeContext& node, int spatial, int64_t p) {
  Compose in(node);
  const Value x = node.Input(0);
  const auto power = static_cast<double>(p);
  Ints axes;
  for (int i = 0; i < spatial; ++i) axes.push_back(i + 2);
  // The absolute value first: an odd power of a negative element would take away from the sum.
  const Value powers = in.Call("pow", {in.Unary("abs", x), in.Like(x, power)});
  const Value sum = in.Reduce("reduce_sum", powers, axes, true);
  node.SetOutput(0, in.Call("pow", {sum, in.Like(x, 1 / power)}));
}

}  // namespace

void ConvertConv(NodeContext& node) { node.SetOutput(0, Convolve(node, node.Input(0))); }

// com.microsoft: activation(convolution + input 3).
void ConvertFusedConv(NodeContext& node) {
  Compose in(node);
  Value y = Convolve(node, node.Input(0));
  if (node.HasInput(3)) y = in.Add(y, node.Input(3));
  node.SetOutput(0, FusedActivation(node, y));
}

// com.microsoft: the image has its channels last; the weights are as ever.
void ConvertNhwcConv(NodeContext& node) {
  Compose in(node);
  Value y = Convolve(node, ChannelsFirst(node, node.Input(0), true));
  if (node.HasInput(3)) y = in.Add(y, ChannelsFirst(node, node.Input(3), true));
  node.SetOutput(0, ChannelsLast(node, FusedActivation(node, y), true));
}

void ConvertDeformConv(NodeContext& node) {
  const int spatial = SpatialRank(node, node.Input(0));
  if (!WeightsFit(node)) return;
  // The standard allows any number of spatial axes; its offsets are pairs of a row and a column
  // here.
  if (spatial != 2)
    return node.Unsupported("an input with ", spatial, " spatial axes; 2 are possible");
  ops::DeformConvAttrs attrs;
  attrs.window = ReadWindow(node, spatial);
  attrs.groups = node.IntAtLeast("group", 1, 1);
  attrs.offset_groups = node.IntAtLeast("offset_group", 1, 1);
  node.SetOutput(0, node.Call("deform_conv", node.inputs(), attrs.ToAttrs()));
}

void ConvertMaxRoiPool(NodeContext& node) {
  const Ints shape = node.IntList("pooled_shape");
  if (node.ok() && (shape.size() != 2 || shape[0] < 1 || shape[1] < 1))
    return node.Fail("attribute 'pooled_shape' is ", FormatDims(shape),
                     ", expected a height and a width");
  if (!node.ok()) return;
  ops::MaxRoiPoolAttrs attrs;
  attrs.height = shape[0];
  attrs.width = shape[1];
  attrs.spatial_scale = node.Float("spatial_scale", 1);
  node.SetOutput(0, node.Call("max_roi_pool", node.inputs(), attrs.ToAttrs()));
}

// Each place of the result is a matrix times the place's own coordinates, which go from -1 to 1:
// x along the last axis, y along the one before, z before that.
void ConvertAffineGrid(NodeContext& node) {
  Compose in(node);
  const Value theta = node.Input(0);
  // As many as the matrices have rows, or as the size says behind batch and channels.
  int64_t spatial = node.DimOf(theta, 1);
  const int64_t extents = node.DimOf(node.Input(1), 0);
  if (spatial < 0 && extents > 2) spatial = extents - 2;
  if (node.ok() && node.RankOf(theta) == 3 && spatial < 0)
    return node.Unsupported("matrices whose number of rows only a run tells");
  if (node.ok() && (node.RankOf(theta) != 3 || (spatial != 2 && spatial != 3)))
    return node.Fail("its matrices are ", node.RankOf(theta) == 3 ? spatial : -1, " rows of rank ",
                     node.RankOf(theta), ", expected [n, 2, 3] or [n, 3, 4]");
  if (!node.ok()) return;
  const DType type = node.DTypeOf(theta);
  const bool corners = node.Bool("align_corners", false);
  const Value size = node.ToI64(node.Input(1));
  const auto column = [&](int64_t j) {
    const Value part = in.Slice(theta, 2, j, j + 1);
    return spatial == 2 ? in.Reshape(part, {0, 1, 1, 2}) : in.Reshape(part, {0, 1, 1, 1, 3});
  };
  Value grid = column(spatial);
  for (int64_t j = 0; j < spatial; ++j) {
    // Coordinates are named from the last axis on, the size lists axes from the first on.
    const Value extent = in.Gather(size, in.Int(1 + spatial - j));
    const Value index = in.Cast(in.Range(extent), type);
    // With aligned corners -1 and 1 are the centres of the outer pixels, otherwise their outer
    // borders. An extent of 1 has no gap and is not to be divided by.
    const Value gaps = in.Call("max", {in.Sub(extent, in.Int(1)), in.Int(1)});
    const Value steps = in.Cast(corners ? gaps : extent, type);
    const Value doubled = in.Scaled(index, 2);
    const Value from_zero = in.Div(corners ? doubled : in.Add(doubled, in.Like(doubled, 1)), steps);
    Ints shape(static_cast<size_t>(j) + 2, 1);
    shape[0] = -1;
    const Value place = in.Reshape(in.Sub(from_zero, in.Like(from_zero, 1)), shape);
    grid = in.Add(grid, in.Mul(column(j), place));
  }
  node.SetOutput(0, grid);
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

namespace {

// Pads that are an input: with them the window, where they are known. False after a failure.
bool ReadPadsOf(NodeContext& node, const Value& pads, int spatial, ops::WindowAttrs* window) {
  if (window->auto_pad != ops::AutoPad::kNone) node.Unsupported("auto_pad beside pads");
  const int64_t given = node.DimOf(pads, 0), expected = 2 * spatial;
  if (node.ok() && (node.RankOf(pads) != 1 || (given >= 0 && given != expected)))
    node.Fail("its pads (input 2) are no list of ", expected);
  if (!node.ok()) return false;
  const std::optional<Ints> known = node.KnownInts(pads);
  if (!known) return true;
  for (const int64_t pad : *known) {
    if (pad < 0)
      node.Fail("its pads (input 2) are ", FormatDims(*known), ", which has negative ones");
  }
  window->pads = *known;
  if (spatial == 1) WidenList(&window->pads, 0, 2);
  return node.ok();
}

// y without as many elements at each end of its spatial axes as pads says.
Value WithoutPads(NodeContext& node, const Value& y, const Value& pads, int spatial) {
  Compose in(node);
  ops::SliceAttrs attrs;
  for (int i = 0; i < spatial; ++i) attrs.axes.push_back(2 + i);
  const Value begins = in.Slice(pads, 0, 0, spatial), ends = in.Slice(pads, 0, spatial, INT64_MAX);
  return node.Call("slice", {y, begins, in.Sub(in.ShapeOf(y, 2), ends)}, attrs.ToAttrs());
}

}  // namespace

// ConvTransposeWithDynamicPads of com.microsoft has pads as input 2, before the bias.
void ConvertConvTranspose(NodeContext& node) {
  const int spatial = SpatialRank(node, node.Input(0));
  if (!WeightsFit(node)) return;
  ops::ConvTransposeAttrs attrs;
  attrs.window = ReadWindow(node, spatial);
  const bool is_padded = node.detail() == "pads";
  const Value pads = is_padded ? node.Input(2) : nullptr, bias = node.Input(is_padded ? 3 : 2);
  if (pads != nullptr && !ReadPadsOf(node, pads, spatial, &attrs.window)) return;
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
  Value y = NarrowImage(node, node.Call(op, {x, w, bias}, attrs.ToAttrs()), spatial);
  if (pads != nullptr && !node.KnownInts(pads)) y = WithoutPads(node, y, pads, spatial);
  node.SetOutput(0, y);
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
  const bool is_last = node.detail() == "last";
  const int spatial = SpatialRank(node, node.Input(0));
  ops::PoolAttrs attrs = ReadPool(node, spatial);
  // It orders the indices of output 1 only; values are the same in either order.
  const bool column_major = node.Bool("storage_order", false);
  const Value x = WidenImage(node, ChannelsFirst(node, node.Input(0), is_last), spatial);
  if (!node.WantsOutput(1)) {
    const Value y = NarrowImage(node, node.Call("max_pool", {x}, attrs.ToAttrs()), spatial);
    return node.SetOutput(0, ChannelsLast(node, y, is_last));
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
  if (node.ok() && attrs.p > 2) return SetGlobalPower(node, spatial, attrs.p);
  const Value x = WidenImage(node, node.Input(0), spatial);
  node.SetOutput(0, NarrowImage(node, node.Call(node.detail(), {x}, attrs.ToAttrs()), spatial));
}

// Indices count elements, so a height of 1 leaves them what they are.
void ConvertMaxUnpool(NodeContext& node) {
  Compose in(node);
  const int spatial = SpatialRank(node, node.Input(0));
  const ops::PoolAttrs attrs = ReadPool(node, spatial);
  const Value x = WidenImage(node, node.Input(0), spatial),
              indices = WidenImage(node, node.Input(1), spatial);
  Value shape = node.ToI64(node.Input(2));
  if (shape != nullptr && spatial == 1)
    shape = in.Concat(
        {in.Slice(shape, 0, 0, 2), node.ConstantInts({1}), in.Slice(shape, 0, 2, INT64_MAX)}, 0);
  const Value y = node.Call("max_unpool", {x, indices, shape}, attrs.ToAttrs());
  node.SetOutput(0, NarrowImage(node, y, spatial));
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
  // Three names of each list stand in the order of the enumeration, the old ones behind the new
  // ones.
  attrs.mode = static_cast<ops::SampleMode>(mode % 3);
  attrs.padding = static_cast<ops::SamplePadding>(
      node.Choice("padding_mode", {"zeros", "border", "reflection"}, 0));
  attrs.align_corners = node.Bool("align_corners", false);
  const bool picks = attrs.mode == ops::SampleMode::kNearest;
  SetThroughFloats(node, "grid_sample", attrs.ToAttrs(), picks);
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

namespace {

// The samples of regions along one axis of an image, each of [region, sample].
struct Samples {
  Value is_inside;  // of the image
  Value low, high;  // indices of the neighbours, i64
  Value share;      // of the higher neighbour
};

// begin and end are [region, 1], as parts of the distance `last` between the first and the last
// element. Samples lie from border to border, a single one in the middle.
Samples PlaceSamples(Compose& in, const Value& begin, const Value& end, const Value& last,
                     const Value& count, DType type) {
  const Value index = in.Range(count), gaps = in.Sub(count, in.Int(1));
  const Value first = in.Mul(begin, last), final = in.Mul(end, last);
  const Value steps = in.Cast(in.Binary("max", gaps, in.Int(1)), type);
  const Value step = in.Div(in.Mul(in.Sub(end, begin), last), steps);
  Value at = in.Add(first, in.Mul(in.Cast(index, type), step));
  at = in.Where(in.Binary("equal", index, gaps), final, at);
  const Value middle = in.Mul(in.Scaled(in.Add(begin, end), 0.5), last);
  at = in.Where(in.Binary("equal", gaps, in.Int(0)), middle, at);
  const Value zero = in.Like(at, 0);
  Samples samples;
  samples.is_inside =
      in.Binary("and", in.Binary("greater_equal", at, zero), in.Binary("less_equal", at, last));
  at = in.Where(samples.is_inside, at, zero);
  const Value low = in.Unary("floor", at);
  samples.share = in.Sub(at, low);
  samples.low = in.Cast(low, kI64);
  samples.high = in.Cast(in.Unary("ceil", at), kI64);
  return samples;
}

bool CheckRegions(NodeContext& node) {
  constexpr int kRanks[] = {4, 2, 1, 1};
  for (int i = 0; i < 4 && node.ok(); ++i) {
    const int rank = node.RankOf(node.Input(i));
    if (rank != kRanks[i]) node.Fail("its input ", i, " has rank ", rank, ", expected ", kRanks[i]);
  }
  const int64_t sides = node.DimOf(node.Input(1), 1);
  if (node.ok() && sides >= 0 && sides != 4)
    node.Fail("its regions (input 1) have ", sides, " numbers each, expected 4");
  const int64_t extents = node.DimOf(node.Input(3), 0);
  if (node.ok() && extents >= 0 && extents != 2)
    node.Fail("its crop_size (input 3) has ", extents, " numbers, expected 2");
  return node.ok();
}

}  // namespace

// com.microsoft. Inputs: images, regions [y, x, y, x] as parts of the image, the image of each
// region, how large each result is.
void ConvertCropAndResize(NodeContext& node) {
  Compose in(node);
  const bool picks = node.Choice("mode", {"bilinear", "nearest"}, 0) == 1;
  const auto outside = static_cast<double>(node.Float("extrapolation_value", 0));
  if (!CheckRegions(node)) return;
  const DType dtype = node.DTypeOf(node.Input(0)), type = dtype == kF64 ? kF64 : kF32;
  const Value image = in.Cast(node.Input(0), type), regions = in.Cast(node.Input(1), type);
  const Value size = node.ToI64(node.Input(3));
  const auto samples = [&](int64_t axis) {
    const Value last = in.Cast(in.Sub(in.DimOf(image, axis + 2), in.Int(1)), type);
    const Value begin = in.Slice(regions, 1, axis, axis + 1);
    const Value end = in.Slice(regions, 1, axis + 2, axis + 3);
    return PlaceSamples(in, begin, end, last, in.Gather(size, in.Int(axis)), type);
  };
  const Samples rows = samples(0), columns = samples(1);
  // The number of the image is looked up, so that one that is not there is refused.
  const Value which = in.Gather(in.Range(in.DimOf(image, 0)), node.Input(2));
  const Value base = in.Mul(in.Reshape(which, {-1, 1, 1}), in.DimOf(image, 2));
  const Value pixels = in.ReshapeTo(in.Transpose(image, {0, 2, 3, 1}),
                                    {node.ConstantInts({-1}), in.DimOf(image, 1)});
  // [region, row, column, channel]
  const auto pick = [&](const Value& row, const Value& column) {
    const Value lines = in.Add(base, in.Unsqueeze(row, {2}));
    return in.Gather(pixels, in.Add(in.Mul(lines, in.DimOf(image, 3)), in.Unsqueeze(column, {1})));
  };
  const auto mix = [&](const Value& a, const Value& b, const Value& share) {
    return in.Add(a, in.Mul(in.Sub(b, a), share));
  };
  const auto nearest = [&](const Samples& line) {
    return in.Where(in.Binary("less", line.share, in.Like(line.share, 0.5)), line.low, line.high);
  };
  Value y;
  if (picks) {
    y = pick(nearest(rows), nearest(columns));
  } else {
    const Value share = in.Unsqueeze(columns.share, {1, 3});
    const Value above = mix(pick(rows.low, columns.low), pick(rows.low, columns.high), share);
    const Value below = mix(pick(rows.high, columns.low), pick(rows.high, columns.high), share);
    y = mix(above, below, in.Unsqueeze(rows.share, {2, 3}));
  }
  const Value is_inside = in.Binary("and", in.Unsqueeze(rows.is_inside, {2, 3}),
                                    in.Unsqueeze(columns.is_inside, {1, 3}));
  y = in.Where(is_inside, y, in.Like(y, outside));
  node.SetOutput(0, in.Cast(in.Transpose(y, {0, 3, 1, 2}), dtype));
}

void ConvertCol2Im(NodeContext& node) {
  ops::Col2ImAttrs attrs;
  attrs.strides = node.IntList("strides");
  attrs.pads = node.IntList("pads");
  attrs.dilations = node.IntList("dilations");
  SetThroughFloats(node, "col2im", attrs.ToAttrs(), true);
}

}  // namespace tern::onnx
