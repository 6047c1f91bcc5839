// SPDX-License-Identifier: Apache-2.0
// Resize and its forerunner Upsample. Known scales and sizes become attributes.
#include "core/onnx/convert/converters.h"
#include "core/ops/image_attrs.h"

namespace tern::onnx {
namespace {

std::optional<Floats> KnownFloats(NodeContext& node, const Value& value) {
  const tern::Tensor* tensor = node.Known(value);
  if (tensor == nullptr || tensor->dtype() != kF32 || tensor->rank() != 1) return std::nullopt;
  const std::span<const float> values = tensor->values<const float>();
  return Floats(values.begin(), values.end());
}

// An input of no elements stands for one left out.
Value NonEmptyInput(NodeContext& node, int index) {
  const Value input = node.Input(index);
  return input == nullptr || node.DimOf(input, 0) == 0 ? nullptr : input;
}

// Takes scales out of the arguments if they are known; fails if they are not positive.
void TakeScales(NodeContext& node, Value* scales, ops::ResizeAttrs* attrs) {
  const std::optional<Floats> known =
      *scales == nullptr ? std::nullopt : KnownFloats(node, *scales);
  if (!known) return;
  for (const float scale : *known) {
    if (!(scale > 0)) node.Fail("its scales have the value ", scale, "; scales are positive");
  }
  attrs->scales = *known;
  *scales = nullptr;
}

void TakeSizes(NodeContext& node, Value* sizes, ops::ResizeAttrs* attrs) {
  if (*sizes == nullptr) return;
  const std::optional<Ints> known = node.KnownInts(*sizes);
  if (!known) {
    *sizes = node.ToI64(*sizes);
    return;
  }
  for (const int64_t size : *known) {
    if (size < 0) node.Fail("its sizes are ", FormatDims(*known), "; sizes are not negative");
  }
  attrs->sizes = *known;
  *sizes = nullptr;
}

// Upsample and Resize of opset 10: pixel (x) is source pixel floor(x / scale).
ops::ResizeAttrs UpsampleAttrs(NodeContext& node) {
  ops::ResizeAttrs attrs;
  const int mode = node.Choice("mode", {"nearest", "linear", "bilinear"}, 0);
  attrs.mode = mode == 0 ? ops::ResizeMode::kNearest : ops::ResizeMode::kLinear;
  attrs.coordinate = ops::CoordinateMode::kAsymmetric;
  // The newer Resize rounds and aligns otherwise by default: these two say what Upsample always
  // did.
  attrs.nearest = ops::NearestMode::kFloor;
  return attrs;
}

ops::ResizeAttrs ReadResize(NodeContext& node) {
  ops::ResizeAttrs attrs;
  attrs.mode = static_cast<ops::ResizeMode>(node.Choice("mode", {"nearest", "linear", "cubic"}, 0));
  // In the order of ops::CoordinateMode.
  attrs.coordinate = static_cast<ops::CoordinateMode>(
      node.Choice("coordinate_transformation_mode",
                  {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
                   "asymmetric", "tf_crop_and_resize", "tf_half_pixel_for_nn"},
                  0));
  attrs.nearest = static_cast<ops::NearestMode>(
      node.Choice("nearest_mode", {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}, 0));
  attrs.cubic_a = node.Float("cubic_coeff_a", -0.75f);
  attrs.exclude_outside = node.Bool("exclude_outside", false);
  attrs.extrapolation = node.Float("extrapolation_value", 0);
  attrs.antialias = node.Bool("antialias", false);
  attrs.axes = node.IntList("axes");
  attrs.aspect = static_cast<ops::AspectPolicy>(
      node.Choice("keep_aspect_ratio_policy", {"stretch", "not_larger", "not_smaller"}, 0));
  return attrs;
}

}  // namespace

void ConvertUpsampleByAttribute(NodeContext& node) {
  ops::ResizeAttrs attrs = UpsampleAttrs(node);
  attrs.scales = node.FloatList("scales");
  if (attrs.scales.empty()) node.Fail("attribute 'scales' is missing");
  for (const float scale : attrs.scales) {
    if (!(scale > 0)) node.Fail("its scales have the value ", scale, "; scales are positive");
  }
  node.SetOutput(0, node.Call("resize", {node.Input(0)}, attrs.ToAttrs()));
}

void ConvertUpsample(NodeContext& node) {
  ops::ResizeAttrs attrs = UpsampleAttrs(node);
  Value scales = node.Input(1);
  TakeScales(node, &scales, &attrs);
  node.SetOutput(0, node.Call("resize", {node.Input(0), nullptr, scales}, attrs.ToAttrs()));
}

void ConvertResize(NodeContext& node) {
  ops::ResizeAttrs attrs = ReadResize(node);
  Value scales = NonEmptyInput(node, 2), sizes = NonEmptyInput(node, 3);
  // The standard asks for exactly one of the two. Files of opset 11 have an empty tensor for
  // scales, which could not be left out there.
  if ((scales == nullptr) == (sizes == nullptr)) {
    return node.Fail(scales == nullptr ? "it has neither scales nor sizes"
                                       : "it has both scales and sizes");
  }
  const bool crops = attrs.coordinate == ops::CoordinateMode::kTfCropAndResize;
  // Other modes have a region too in files of opset 11, where the input was not optional; it means
  // nothing there.
  const Value region = crops ? NonEmptyInput(node, 1) : nullptr;
  if (crops && region == nullptr) return node.Fail("tf_crop_and_resize without a region (input 1)");
  TakeScales(node, &scales, &attrs);
  TakeSizes(node, &sizes, &attrs);
  node.SetOutput(0, node.Call("resize", {node.Input(0), region, scales, sizes}, attrs.ToAttrs()));
}

}  // namespace tern::onnx
