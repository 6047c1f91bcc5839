// SPDX-License-Identifier: Apache-2.0
#include "core/ops/image_attrs.h"

#include "core/base/strings.h"

namespace tern::ops {

namespace {

// Names in the order of their enumerations, which TERN_OPS_DEFINE_ATTRS reads and writes.
constexpr std::string_view kLayouts[] = {"nchw", "nhwc"};
constexpr std::string_view kAutoPads[] = {"none", "same_upper", "same_lower", "valid"};
constexpr std::string_view kActivations[] = {
    "none", "relu", "clamp",     "leaky_relu",   "sigmoid",    "silu",
    "tanh", "gelu", "gelu_tanh", "hard_sigmoid", "hard_swish", "elu"};
constexpr std::string_view kResizeModes[] = {"nearest", "linear", "cubic"};
constexpr std::string_view kCoordinateModes[] = {
    "half_pixel", "half_pixel_symmetric", "pytorch_half_pixel",  "align_corners",
    "asymmetric", "tf_crop_and_resize",   "tf_half_pixel_for_nn"};
constexpr std::string_view kNearestModes[] = {"round_prefer_floor", "round_prefer_ceil", "floor",
                                              "ceil"};
constexpr std::string_view kAspectPolicies[] = {"stretch", "not_larger", "not_smaller"};
constexpr std::string_view kBlockOrders[] = {"dcr", "crd"};
constexpr std::string_view kSampleModes[] = {"linear", "nearest", "cubic"};
constexpr std::string_view kSamplePaddings[] = {"zeros", "border", "reflection"};
constexpr std::string_view kRoiModes[] = {"avg", "max"};

void CheckAttrs(AttrIn& in, const WindowAttrs& attrs) {
  in.CheckExtent("kernel", attrs.kernel, 1);
  in.CheckExtent("strides", attrs.strides, 1);
  in.CheckExtent("dilations", attrs.dilations, 1);
  // Negative pads crop, as in ONNX.
  in.CheckExtent("pads", attrs.pads, -kMostExtent);
  if (attrs.pads.size() % 2 != 0) in.Fail("pads", "needs as many ends as begins");
}

// Checks a group's count and, of packed weights, what their shape no longer tells.
namespace {
bool IsWinograd(const ConvAttrs& attrs) {
  const WindowAttrs& window = attrs.window;
  return attrs.packed && attrs.groups == 1 && window.kernel == Ints{3, 3} &&
         window.stride(0) == 1 && window.stride(1) == 1 && window.dilation(0) == 1 &&
         window.dilation(1) == 1;
}
}  // namespace

void CheckAttrs(AttrIn& in, const ConvAttrs& attrs) {
  CheckAttrs(in, attrs.window);
  in.CheckExtent("groups", attrs.groups, 1);
  // Packed weights have lost their shape, so that the attributes must say it.
  if (attrs.packed && attrs.window.kernel.empty()) in.Fail("kernel", "is required where packed=1");
  if (attrs.packed) in.CheckExtent("channels", attrs.channels, 1);
  if (attrs.winograd && !IsWinograd(attrs))
    in.Fail("winograd", "is for packed=1 kernel=3,3 without strides, dilations and groups");
}

void CheckAttrs(AttrIn& in, const QuantizedConvAttrs& attrs) {
  CheckAttrs(in, attrs.Geometry());
  in.CheckQuantized(attrs.to, attrs.zero);
  if (attrs.x_zero < -128 || attrs.x_zero > 255)
    in.Fail("x_zero", StrCat("is ", attrs.x_zero, ", expected a value of u8 or i8"));
}

void CheckAttrs(AttrIn& in, const ConvTransposeAttrs& attrs) {
  CheckAttrs(in, attrs.window);
  in.CheckExtent("groups", attrs.groups, 1);
  in.CheckExtent("output_padding", attrs.output_padding, 0);
  in.CheckExtent("output_shape", attrs.output_shape, 0);
}

void CheckAttrs(AttrIn& in, const PoolAttrs& attrs) {
  CheckAttrs(in, attrs.window);
  if (attrs.window.kernel.empty()) in.Fail("kernel", "is required");
  in.CheckAtLeast("p", attrs.p, 1);
}

void CheckAttrs(AttrIn& in, const GlobalPoolAttrs& attrs) { in.CheckAtLeast("p", attrs.p, 1); }

// Nothing resizes by NaN: the comparison is false for it, too.
void CheckAttrs(AttrIn& in, const ResizeAttrs& attrs) {
  for (float scale : attrs.scales) {
    if (!(scale > 0)) in.Fail("scales", "must be positive");
  }
  in.CheckAtLeast("sizes", attrs.sizes, 0);
}

void CheckAttrs(AttrIn& in, const BlockAttrs& attrs) { in.CheckExtent("block", attrs.block, 1); }
void CheckAttrs(AttrIn&, const GridSampleAttrs&) {}

void CheckAttrs(AttrIn& in, const RoiAlignAttrs& attrs) {
  in.CheckExtent("height", attrs.height, 1);
  in.CheckExtent("width", attrs.width, 1);
  in.CheckExtent("sampling_ratio", attrs.sampling_ratio, 0);
}

void CheckAttrs(AttrIn& in, const Col2ImAttrs& attrs) {
  in.CheckExtent("strides", attrs.strides, 1);
  in.CheckExtent("dilations", attrs.dilations, 1);
  in.CheckExtent("pads", attrs.pads, -kMostExtent);
}

}  // namespace

std::span<const std::string_view> EnumNames(Layout) { return kLayouts; }
std::span<const std::string_view> EnumNames(AutoPad) { return kAutoPads; }
std::span<const std::string_view> EnumNames(Activation) { return kActivations; }
std::span<const std::string_view> EnumNames(ResizeMode) { return kResizeModes; }
std::span<const std::string_view> EnumNames(CoordinateMode) { return kCoordinateModes; }
std::span<const std::string_view> EnumNames(NearestMode) { return kNearestModes; }
std::span<const std::string_view> EnumNames(AspectPolicy) { return kAspectPolicies; }
std::span<const std::string_view> EnumNames(BlockOrder) { return kBlockOrders; }
std::span<const std::string_view> EnumNames(SampleMode) { return kSampleModes; }
std::span<const std::string_view> EnumNames(SamplePadding) { return kSamplePaddings; }
std::span<const std::string_view> EnumNames(RoiMode) { return kRoiModes; }

// Fusing asks by the name of the operator that is fused; names and attributes are the same words.
Activation ActivationOf(std::string_view op) {
  for (size_t i = 1; i < std::size(kActivations); ++i) {
    if (kActivations[i] == op) return static_cast<Activation>(i);
  }
  return Activation::kNone;
}

ConvAttrs QuantizedConvAttrs::Geometry() const {
  ConvAttrs conv;
  conv.window = window;
  conv.groups = groups;
  conv.packed = packed;
  conv.channels = channels;
  return conv;
}

TERN_OPS_DEFINE_ATTRS(ConvAttrs)
TERN_OPS_DEFINE_ATTRS(QuantizedConvAttrs)
TERN_OPS_DEFINE_ATTRS(ConvTransposeAttrs)
TERN_OPS_DEFINE_ATTRS(PoolAttrs)
TERN_OPS_DEFINE_ATTRS(GlobalPoolAttrs)
TERN_OPS_DEFINE_ATTRS(ResizeAttrs)
TERN_OPS_DEFINE_ATTRS(BlockAttrs)
TERN_OPS_DEFINE_ATTRS(GridSampleAttrs)
TERN_OPS_DEFINE_ATTRS(RoiAlignAttrs)
TERN_OPS_DEFINE_ATTRS(Col2ImAttrs)

}  // namespace tern::ops
