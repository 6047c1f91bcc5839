// SPDX-License-Identifier: Apache-2.0
// Attributes of the image family: convolutions, pools, resize, depth_to_space and what they share:
// layout, window (kernel, strides, pads, dilations), and the epilogue, which matmul has too.
//
// Lists are per spatial axis (h, w); an empty list means 1 (0 for pads) everywhere. pads: all
// begins, then all ends. Packed weights (packed=1): panels [groups, ceil(oc / 16), kh * kw * ic,
// 16] in row order (kh, kw, ic) with oc = channels / groups and ic = in / groups; where
// ConvAttrs::IsDepthwise, [kh * kw, channels]; `kernel` and `channels` are then required.
// With winograd=1, by which 3x3 windows without stride, dilation or groups are convolved by
// Winograd's algorithm (kernels/kernel.h), [36, ceil(oc / 16), ic, 16]. conv_transpose2d packed:
// [in, kh, kw, out / groups].
#ifndef TERN_CORE_OPS_IMAGE_ATTRS_H_
#define TERN_CORE_OPS_IMAGE_ATTRS_H_

#include "core/ops/attr_fields.h"

namespace tern::ops {

enum class Layout { kNchw, kNhwc };
std::span<const std::string_view> EnumNames(Layout);
inline int SpatialAxis(Layout layout, int i) { return layout == Layout::kNchw ? 2 + i : 1 + i; }
inline int ChannelAxis(Layout layout, int rank) { return layout == Layout::kNchw ? 1 : rank - 1; }

enum class AutoPad { kNone, kSameUpper, kSameLower, kValid };
std::span<const std::string_view> EnumNames(AutoPad);

// Numbers as in TernActivation (kernels/kernel.h).
enum class Activation {
  kNone,
  kRelu,
  kClamp,
  kLeakyRelu,
  kSigmoid,
  kSilu,
  kTanh,
  kGelu,
  kGeluTanh,
  kHardSigmoid,
  kHardSwish,
  kElu
};
std::span<const std::string_view> EnumNames(Activation);
// The activation that an unary operator of this name is, kNone if none.
Activation ActivationOf(std::string_view op);

// y = activation(acc + bias + residual), or activation(acc + bias) + residual where residual_after.
struct Epilogue {
  Activation activation = Activation::kNone;
  float act_alpha = 0, act_beta = 0;
  bool residual_after = false;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Enum("activation", s.activation, Activation::kNone);
    v.Float("act_alpha", s.act_alpha, 0);
    v.Float("act_beta", s.act_beta, 0);
    v.Bool("residual_after", s.residual_after, false);
  }
};

struct WindowAttrs {
  Layout layout = Layout::kNchw;
  Ints kernel, strides, pads, dilations;
  AutoPad auto_pad = AutoPad::kNone;

  int64_t stride(int i) const { return IntAt(strides, i, 1); }
  int64_t dilation(int i) const { return IntAt(dilations, i, 1); }

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Enum("layout", s.layout, Layout::kNchw);
    v.IntList("kernel", s.kernel);
    v.IntList("strides", s.strides);
    v.IntList("pads", s.pads);
    v.IntList("dilations", s.dilations);
    v.Enum("auto_pad", s.auto_pad, AutoPad::kNone);
  }
};

struct ConvAttrs {
  WindowAttrs window;
  int64_t groups = 1;
  bool packed = false;
  int64_t channels = 0;  // output channels; required where packed
  bool winograd = false;
  Epilogue epilogue;

  // One filter per channel; in_channels is the extent of x. (groups 1 with one channel is an
  // ordinary convolution.)
  bool IsDepthwise(int64_t in_channels, int64_t out_channels) const {
    return groups > 1 && groups == in_channels && groups == out_channels;
  }

  template <class V, class S>
  static void Fields(V& v, S& s) {
    WindowAttrs::Fields(v, s.window);
    v.Int("groups", s.groups, 1);
    v.Bool("packed", s.packed, false);
    v.Int("channels", s.channels, 0);
    v.Bool("winograd", s.winograd, false);
    Epilogue::Fields(v, s.epilogue);
  }
  TERN_OPS_ATTRS(ConvAttrs)
};
using Conv2dAttrs = ConvAttrs;

// conv2d_quantized: y = saturate(round((bias + sum of (x - x_zero) * w) * scale) + zero), halves to
// even, sums in 32 bits that wrap around; no less than zero where relu. x is u8 or i8, w i8, bias
// i32 and scale f32 per output channel, y of type `to`. packed=1: w is quads, per group [ceil(oc /
// 16), kh * kw * ceil(ic / 4), 16, 4], or [kh * kw, channels] where IsDepthwise; bias is [2,
// channels], whose second row has the sum of each filter.
struct QuantizedConvAttrs {
  WindowAttrs window;
  int64_t groups = 1;
  bool packed = false;
  int64_t channels = 0;
  int64_t x_zero = 0, zero = 0;
  DType to = kU8;
  bool relu = false;

  // What the rules of all convolutions ask.
  ConvAttrs Geometry() const;
  // Sums of more taps would not be exact in f32: they run as groups of one channel.
  bool IsDepthwise(int64_t in_channels, int64_t out_channels, int64_t taps) const {
    return taps <= 512 && Geometry().IsDepthwise(in_channels, out_channels);
  }

  template <class V, class S>
  static void Fields(V& v, S& s) {
    WindowAttrs::Fields(v, s.window);
    v.Int("groups", s.groups, 1);
    v.Bool("packed", s.packed, false);
    v.Int("channels", s.channels, 0);
    v.Int("x_zero", s.x_zero, 0);
    v.Int("zero", s.zero, 0);
    v.Type("to", s.to, kU8);
    v.Bool("relu", s.relu, false);
  }
  TERN_OPS_ATTRS(QuantizedConvAttrs)
};

struct ConvTransposeAttrs {
  WindowAttrs window;
  int64_t groups = 1;
  Ints output_padding, output_shape;  // output_shape: spatial extents; then pads are derived
  bool packed = false;
  Epilogue epilogue;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    WindowAttrs::Fields(v, s.window);
    v.Int("groups", s.groups, 1);
    v.IntList("output_padding", s.output_padding);
    v.IntList("output_shape", s.output_shape);
    v.Bool("packed", s.packed, false);
    Epilogue::Fields(v, s.epilogue);
  }
  TERN_OPS_ATTRS(ConvTransposeAttrs)
};

// max_pool, max_pool_indices, average_pool, lp_pool, max_unpool.
struct PoolAttrs {
  WindowAttrs window;  // kernel is required
  bool ceil_mode = false;
  bool count_include_pad = false;  // average_pool
  bool column_major = false;       // max_pool_indices: ONNX storage_order
  int64_t p = 2;                   // lp_pool

  template <class V, class S>
  static void Fields(V& v, S& s) {
    WindowAttrs::Fields(v, s.window);
    v.Bool("ceil_mode", s.ceil_mode, false);
    v.Bool("count_include_pad", s.count_include_pad, false);
    v.Bool("column_major", s.column_major, false);
    v.Int("p", s.p, 2);
  }
  TERN_OPS_ATTRS(PoolAttrs)
};

struct GlobalPoolAttrs {
  Layout layout = Layout::kNchw;
  int64_t p = 2;  // global_lp_pool

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Enum("layout", s.layout, Layout::kNchw);
    v.Int("p", s.p, 2);
  }
  TERN_OPS_ATTRS(GlobalPoolAttrs)
};

enum class ResizeMode { kNearest, kLinear, kCubic };
std::span<const std::string_view> EnumNames(ResizeMode);
enum class CoordinateMode {
  kHalfPixel,
  kHalfPixelSymmetric,
  kPytorchHalfPixel,
  kAlignCorners,
  kAsymmetric,
  kTfCropAndResize,
  kTfHalfPixelForNn
};
std::span<const std::string_view> EnumNames(CoordinateMode);
enum class NearestMode { kRoundPreferFloor, kRoundPreferCeil, kFloor, kCeil };
std::span<const std::string_view> EnumNames(NearestMode);
enum class AspectPolicy { kStretch, kNotLarger, kNotSmaller };
std::span<const std::string_view> EnumNames(AspectPolicy);

// scales and sizes are per axis of x (or per entry of axes, where that is given); one of the two.
struct ResizeAttrs {
  ResizeMode mode = ResizeMode::kNearest;
  CoordinateMode coordinate = CoordinateMode::kHalfPixel;
  NearestMode nearest = NearestMode::kRoundPreferFloor;
  AspectPolicy aspect = AspectPolicy::kStretch;
  float cubic_a = -0.75f;
  bool exclude_outside = false, antialias = false;
  float extrapolation = 0;
  Ints axes;
  Floats scales;
  Ints sizes;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Enum("mode", s.mode, ResizeMode::kNearest);
    v.Enum("coordinate", s.coordinate, CoordinateMode::kHalfPixel);
    v.Enum("nearest", s.nearest, NearestMode::kRoundPreferFloor);
    v.Enum("aspect", s.aspect, AspectPolicy::kStretch);
    v.Float("cubic_a", s.cubic_a, -0.75f);
    v.Bool("exclude_outside", s.exclude_outside, false);
    v.Bool("antialias", s.antialias, false);
    v.Float("extrapolation", s.extrapolation, 0);
    v.IntList("axes", s.axes);
    v.FloatList("scales", s.scales);
    v.IntList("sizes", s.sizes);
  }
  TERN_OPS_ATTRS(ResizeAttrs)
};

// depth_to_space, space_to_depth.
enum class BlockOrder { kDcr, kCrd };  // which of depth and block varies fastest in the channels
std::span<const std::string_view> EnumNames(BlockOrder);
struct BlockAttrs {
  Layout layout = Layout::kNchw;
  int64_t block = 1;
  BlockOrder order = BlockOrder::kDcr;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Enum("layout", s.layout, Layout::kNchw);
    v.Int("block", s.block, 1);
    v.Enum("order", s.order, BlockOrder::kDcr);
  }
  TERN_OPS_ATTRS(BlockAttrs)
};

enum class SampleMode { kLinear, kNearest, kCubic };
std::span<const std::string_view> EnumNames(SampleMode);
enum class SamplePadding { kZeros, kBorder, kReflection };
std::span<const std::string_view> EnumNames(SamplePadding);
struct GridSampleAttrs {
  SampleMode mode = SampleMode::kLinear;
  SamplePadding padding = SamplePadding::kZeros;
  bool align_corners = false;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Enum("mode", s.mode, SampleMode::kLinear);
    v.Enum("padding", s.padding, SamplePadding::kZeros);
    v.Bool("align_corners", s.align_corners, false);
  }
  TERN_OPS_ATTRS(GridSampleAttrs)
};

enum class RoiMode { kAverage, kMax };
std::span<const std::string_view> EnumNames(RoiMode);
struct RoiAlignAttrs {
  RoiMode mode = RoiMode::kAverage;
  int64_t height = 1, width = 1, sampling_ratio = 0;
  float spatial_scale = 1;
  bool half_pixel = true;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.Enum("mode", s.mode, RoiMode::kAverage);
    v.Int("height", s.height, 1);
    v.Int("width", s.width, 1);
    v.Int("sampling_ratio", s.sampling_ratio, 0);
    v.Float("spatial_scale", s.spatial_scale, 1);
    v.Bool("half_pixel", s.half_pixel, true);
  }
  TERN_OPS_ATTRS(RoiAlignAttrs)
};

// col2im.
struct Col2ImAttrs {
  Ints strides, pads, dilations;

  template <class V, class S>
  static void Fields(V& v, S& s) {
    v.IntList("strides", s.strides);
    v.IntList("pads", s.pads);
    v.IntList("dilations", s.dilations);
  }
  TERN_OPS_ATTRS(Col2ImAttrs)
};

}  // namespace tern::ops

#endif  // TERN_CORE_OPS_IMAGE_ATTRS_H_
