// SPDX-License-Identifier: Apache-2.0
// Shape rules of the image family. Window geometry is shared by convolutions and pools, and by the
// kernels' callers, which need the pads that auto_pad and ceil_mode lead to.
#ifndef TERN_CORE_OPS_IMAGE_RULES_H_
#define TERN_CORE_OPS_IMAGE_RULES_H_

#include "core/ops/dims.h"
#include "core/ops/image_attrs.h"

namespace tern::ops {

// One spatial axis of a window: the output extent and the pads in effect.
template <class D>
struct WindowExtent {
  D out{}, pad_begin{}, pad_end{};
};

Status CheckWindow(const WindowAttrs& attrs, int spatial_rank);

// The part of a window that its dilation spreads the taps over. kernel: taps along this axis.
template <class D>
D SpanOfWindow(const WindowAttrs& attrs, int i, const D& kernel) {
  return AddDim(MulDim(SubDim(kernel, D(1)), D(attrs.dilation(i))), D(1));
}

template <class D>
D PadOfWindow(const WindowAttrs& attrs, int side) {
  return attrs.auto_pad == AutoPad::kNone ? D(IntAt(attrs.pads, side, 0)) : D(0);
}

inline bool IsSamePad(AutoPad pad) {
  return pad == AutoPad::kSameUpper || pad == AutoPad::kSameLower;
}

// How many windows there are along an axis, without the pads: those of SAME are long expressions of
// a symbolic extent. Call CheckWindow first.
template <class D>
D CountWindows(const WindowAttrs& attrs, int i, int spatial_rank, const D& in, const D& kernel,
               bool ceil_mode = false) {
  const D stride(attrs.stride(i));
  if (IsSamePad(attrs.auto_pad)) return CeilDiv(in, stride);
  const D begin = PadOfWindow<D>(attrs, i), end = PadOfWindow<D>(attrs, spatial_rank + i);
  const D room = SubDim(AddDim(AddDim(in, begin), end), SpanOfWindow(attrs, i, kernel));
  if (!ceil_mode) return MaxDim(AddDim(FloorDiv(room, stride), D(1)), D(0));
  // The last window must begin inside the image or the pad before it.
  const D most = CeilDiv(AddDim(in, begin), stride);
  return MaxDim(MinDim(AddDim(CeilDiv(room, stride), D(1)), most), D(0));
}

template <class D>
WindowExtent<D> ExtentOfWindow(const WindowAttrs& attrs, int i, int spatial_rank, const D& in,
                               const D& kernel, bool ceil_mode = false) {
  WindowExtent<D> extent{CountWindows(attrs, i, spatial_rank, in, kernel, ceil_mode),
                         PadOfWindow<D>(attrs, i), PadOfWindow<D>(attrs, spatial_rank + i)};
  if (!IsSamePad(attrs.auto_pad)) return extent;
  const D stride(attrs.stride(i)), span = SpanOfWindow(attrs, i, kernel);
  D total = MaxDim(SubDim(AddDim(MulDim(SubDim(extent.out, D(1)), stride), span), in), D(0));
  D half = FloorDiv(total, D(2));
  extent.pad_begin = attrs.auto_pad == AutoPad::kSameUpper ? half : SubDim(total, half);
  extent.pad_end = SubDim(total, extent.pad_begin);
  return extent;
}

// The kernel extents and channel counts of a convolution's weights, packed or not.
template <class D>
struct ConvWeights {
  Dims<D> kernel;  // spatial
  D in_per_group{}, out{};
};

template <class D>
Status ReadConvWeights(const ConvAttrs& attrs, int spatial_rank, const D& in_channels,
                       const Dims<D>& w, ConvWeights<D>* weights) {
  const D groups(attrs.groups);
  if (attrs.packed) {
    for (int64_t extent : attrs.window.kernel) weights->kernel.push_back(D(extent));
    weights->out = D(attrs.channels);
    weights->in_per_group = FloorDiv(in_channels, groups);
    return CheckRank("kernel", weights->kernel.rank(), spatial_rank, spatial_rank);
  }
  TERN_TRY(CheckRank("w", w.rank(), spatial_rank + 2, spatial_rank + 2));
  for (int i = 0; i < spatial_rank; ++i) {
    weights->kernel.push_back(w[2 + i]);
    if (DimIs(w[2 + i], 0)) return InvalidArgument("w ", ShapeText(w), " has no taps");
    if (attrs.window.kernel.empty()) continue;
    TERN_TRY(CheckDim("w", w, 2 + i, D(attrs.window.kernel[static_cast<size_t>(i)])));
  }
  weights->out = w[0];
  weights->in_per_group = w[1];
  return OkStatus();
}

// Output extents in the order of layout.
template <class D>
void AppendImage(Layout layout, const D& batch, const D& channels, const Dims<D>& spatial,
                 Dims<D>* out) {
  out->clear();
  out->push_back(batch);
  if (layout == Layout::kNchw) out->push_back(channels);
  for (const D& extent : spatial) out->push_back(extent);
  if (layout == Layout::kNhwc) out->push_back(channels);
}

template <class D>
Status CheckChannels(const Dims<D>& x, int channel_axis) {
  if (!DimIs(x[channel_axis], 0)) return OkStatus();
  return InvalidArgument("x ", ShapeText(x), " has no channels");
}

Status CheckGroups(int64_t groups, std::string_view what, std::string_view extent, bool divides);

// residual is checked by the caller against the result: it must have the same shape.
template <class D>
Status ConvShape(const ConvAttrs& attrs, const Dims<D>& x, const Dims<D>& w, Dims<D>* out) {
  TERN_TRY(CheckRank("x", x.rank(), 3, kMaxDims));
  const int spatial_rank = x.rank() - 2;
  const Layout layout = attrs.window.layout;
  const int channel_axis = ChannelAxis(layout, x.rank());
  TERN_TRY(CheckWindow(attrs.window, spatial_rank));
  TERN_TRY(CheckChannels(x, channel_axis));
  ConvWeights<D> weights;
  TERN_TRY(ReadConvWeights(attrs, spatial_rank, x[channel_axis], w, &weights));
  TERN_TRY(CheckGroups(attrs.groups, "output channels", DimText(weights.out),
                       MayDivide(weights.out, attrs.groups)));
  if (Differ(x[channel_axis], MulDim(weights.in_per_group, D(attrs.groups)))) {
    return InvalidArgument("axis ", channel_axis, " (channels) of x ", ShapeText(x), " is ",
                           DimText(x[channel_axis]), ", but w ", ShapeText(w),
                           " with groups=", attrs.groups, " takes ",
                           DimText(MulDim(weights.in_per_group, D(attrs.groups))));
  }
  Dims<D> spatial;
  for (int i = 0; i < spatial_rank; ++i) {
    const D& in = x[SpatialAxis(layout, i)];
    spatial.push_back(CountWindows(attrs.window, i, spatial_rank, in, weights.kernel[i]));
  }
  AppendImage(layout, x[0], weights.out, spatial, out);
  return OkStatus();
}

// Output extent and pads along one axis of a transposed convolution.
template <class D>
WindowExtent<D> ExtentOfTransposed(const ConvTransposeAttrs& attrs, int i, int spatial_rank,
                                   const D& in, const D& kernel) {
  const D stride(attrs.window.stride(i));
  const D extra(IntAt(attrs.output_padding, i, 0));
  const D span = AddDim(MulDim(SubDim(kernel, D(1)), D(attrs.window.dilation(i))), D(1));
  const D full = AddDim(AddDim(MulDim(stride, SubDim(in, D(1))), extra), span);
  WindowExtent<D> extent{full, D(0), D(0)};
  const bool same = IsSamePad(attrs.window.auto_pad);
  if (!attrs.output_shape.empty() || same) {
    const bool given = !attrs.output_shape.empty();
    const D wanted = given ? D(IntAt(attrs.output_shape, i, 0)) : MulDim(in, stride);
    D total = MaxDim(SubDim(full, wanted), D(0));
    // Pads of SAME only cut: where kernels are shorter than the stride, the image stays as short.
    extent.out = given ? wanted : SubDim(full, total);
    D half = FloorDiv(total, D(2));
    bool more_at_end = attrs.window.auto_pad == AutoPad::kSameUpper;
    extent.pad_begin = more_at_end ? half : SubDim(total, half);
    extent.pad_end = SubDim(total, extent.pad_begin);
    return extent;
  }
  if (attrs.window.auto_pad == AutoPad::kNone) {
    extent.pad_begin = D(IntAt(attrs.window.pads, i, 0));
    extent.pad_end = D(IntAt(attrs.window.pads, spatial_rank + i, 0));
  }
  extent.out = MaxDim(SubDim(SubDim(full, extent.pad_begin), extent.pad_end), D(0));
  return extent;
}

Status CheckTransposed(const ConvTransposeAttrs& attrs, int spatial_rank);

// w: [in, out / groups, taps…], or packed [in, taps…, out / groups].
template <class D>
Status ConvTransposeShape(const ConvTransposeAttrs& attrs, const Dims<D>& x, const Dims<D>& w,
                          Dims<D>* out) {
  TERN_TRY(CheckRank("x", x.rank(), 3, kMaxDims));
  TERN_TRY(CheckRank("w", w.rank(), x.rank(), x.rank()));
  const int spatial_rank = x.rank() - 2;
  const Layout layout = attrs.window.layout;
  const int channel_axis = ChannelAxis(layout, x.rank());
  TERN_TRY(CheckTransposed(attrs, spatial_rank));
  TERN_TRY(CheckChannels(x, channel_axis));
  TERN_TRY(CheckDim("w", w, 0, x[channel_axis]));
  TERN_TRY(
      CheckGroups(attrs.groups, "input channels", DimText(w[0]), MayDivide(w[0], attrs.groups)));
  Dims<D> spatial;
  for (int i = 0; i < spatial_rank; ++i) {
    const D& taps = w[attrs.packed ? 1 + i : 2 + i];
    spatial.push_back(
        ExtentOfTransposed(attrs, i, spatial_rank, x[SpatialAxis(layout, i)], taps).out);
  }
  const D channels = MulDim(w[attrs.packed ? w.rank() - 1 : 1], D(attrs.groups));
  AppendImage(layout, x[0], channels, spatial, out);
  return OkStatus();
}

// Both results of max_pool_indices have this shape.
template <class D>
Status PoolShape(const PoolAttrs& attrs, const Dims<D>& x, Dims<D>* out) {
  TERN_TRY(CheckRank("x", x.rank(), 3, kMaxDims));
  const int spatial_rank = x.rank() - 2;
  const Layout layout = attrs.window.layout;
  TERN_TRY(CheckWindow(attrs.window, spatial_rank));
  Dims<D> spatial;
  for (int i = 0; i < spatial_rank; ++i) {
    const D kernel(IntAt(attrs.window.kernel, i, 1));
    const D& in = x[SpatialAxis(layout, i)];
    spatial.push_back(CountWindows(attrs.window, i, spatial_rank, in, kernel, attrs.ceil_mode));
  }
  AppendImage(layout, x[0], x[ChannelAxis(layout, x.rank())], spatial, out);
  return OkStatus();
}

// Without a target shape: the smallest input that pools to x.
template <class D>
Status MaxUnpoolShape(const PoolAttrs& attrs, const Dims<D>& x, Dims<D>* out) {
  TERN_TRY(CheckRank("x", x.rank(), 3, kMaxDims));
  const int spatial_rank = x.rank() - 2;
  TERN_TRY(CheckWindow(attrs.window, spatial_rank));
  Dims<D> spatial;
  for (int i = 0; i < spatial_rank; ++i) {
    const int64_t pads =
        IntAt(attrs.window.pads, i, 0) + IntAt(attrs.window.pads, spatial_rank + i, 0);
    D extent = MulDim(SubDim(x[2 + i], D(1)), D(attrs.window.stride(i)));
    spatial.push_back(AddDim(extent, D(IntAt(attrs.window.kernel, i, 1) - pads)));
  }
  AppendImage(Layout::kNchw, x[0], x[1], spatial, out);
  return OkStatus();
}

template <class D>
Status GlobalPoolShape(const GlobalPoolAttrs& attrs, const Dims<D>& x, Dims<D>* out) {
  TERN_TRY(CheckRank("x", x.rank(), 2, kMaxDims));
  Dims<D> spatial;
  for (int i = 2; i < x.rank(); ++i) spatial.push_back(D(1));
  AppendImage(attrs.layout, x[0], x[ChannelAxis(attrs.layout, x.rank())], spatial, out);
  return OkStatus();
}

// block * block channels become block x block pixels.
template <class D>
Status DepthToSpaceShape(const BlockAttrs& attrs, const Dims<D>& x, Dims<D>* out) {
  TERN_TRY(CheckRank("x", x.rank(), 4, 4));
  const D block(attrs.block);
  const D& channels = x[ChannelAxis(attrs.layout, 4)];
  if (!MayDivide(channels, attrs.block * attrs.block)) {
    return InvalidArgument("x ", ShapeText(x), " has ", DimText(channels),
                           " channels, not a multiple of ", attrs.block * attrs.block,
                           " (block=", attrs.block, ")");
  }
  Dims<D> spatial{MulDim(x[SpatialAxis(attrs.layout, 0)], block),
                  MulDim(x[SpatialAxis(attrs.layout, 1)], block)};
  AppendImage(attrs.layout, x[0], FloorDiv(channels, MulDim(block, block)), spatial, out);
  return OkStatus();
}

template <class D>
Status SpaceToDepthShape(const BlockAttrs& attrs, const Dims<D>& x, Dims<D>* out) {
  TERN_TRY(CheckRank("x", x.rank(), 4, 4));
  const D block(attrs.block);
  Dims<D> spatial;
  for (int i = 0; i < 2; ++i) {
    const D& extent = x[SpatialAxis(attrs.layout, i)];
    if (!MayDivide(extent, attrs.block)) {
      return InvalidArgument("axis ", SpatialAxis(attrs.layout, i), " of x ", ShapeText(x),
                             " is not a multiple of block=", attrs.block);
    }
    spatial.push_back(FloorDiv(extent, block));
  }
  AppendImage(attrs.layout, x[0], MulDim(x[ChannelAxis(attrs.layout, 4)], MulDim(block, block)),
              spatial, out);
  return OkStatus();
}

// Sizes by scales; entries belong to attrs.axes, or to every axis. aspect has been turned into
// sizes by the caller.
template <class D>
Status ResizeByScales(const ResizeAttrs& attrs, const Dims<D>& x, std::span<const float> scales,
                      Dims<D>* out) {
  *out = x;
  const size_t count = attrs.axes.empty() ? static_cast<size_t>(x.rank()) : attrs.axes.size();
  if (scales.size() != count)
    return InvalidArgument("resize has ", scales.size(), " scales for ", count, " axes");
  for (size_t i = 0; i < count; ++i) {
    int axis = static_cast<int>(i);
    if (!attrs.axes.empty()) TERN_TRY(ResolveAxis(attrs.axes[i], x.rank(), &axis));
    if (!ScaleDim(x[axis], scales[i], &(*out)[axis])) {
      return Unsupported("the extent of axis ", axis, " times ", scales[i],
                         " is not a whole number of symbols");
    }
  }
  return OkStatus();
}

template <class D>
Status ResizeBySizes(const ResizeAttrs& attrs, const Dims<D>& x, std::span<const D> sizes,
                     Dims<D>* out) {
  *out = x;
  const size_t count = attrs.axes.empty() ? static_cast<size_t>(x.rank()) : attrs.axes.size();
  if (sizes.size() != count)
    return InvalidArgument("resize has ", sizes.size(), " sizes for ", count, " axes");
  for (size_t i = 0; i < count; ++i) {
    int axis = static_cast<int>(i);
    if (!attrs.axes.empty()) TERN_TRY(ResolveAxis(attrs.axes[i], x.rank(), &axis));
    if (DimIsNegative(sizes[i]))
      return InvalidArgument("size ", DimText(sizes[i]), " of axis ", axis, " is negative");
    (*out)[axis] = sizes[i];
  }
  return OkStatus();
}

// x [n, c, …spatial], grid [n, …out, spatial rank].
template <class D>
Status GridSampleShape(const Dims<D>& x, const Dims<D>& grid, Dims<D>* out) {
  TERN_TRY(CheckRank("x", x.rank(), 3, kMaxDims));
  TERN_TRY(CheckRank("grid", grid.rank(), x.rank(), x.rank()));
  TERN_TRY(CheckDim("grid", grid, 0, x[0]));
  TERN_TRY(CheckDim("grid", grid, grid.rank() - 1, D(x.rank() - 2)));
  *out = x;
  for (int i = 2; i < x.rank(); ++i) (*out)[i] = grid[i - 1];
  return OkStatus();
}

// rois [count, 4].
template <class D>
Status RoiAlignShape(const RoiAlignAttrs& attrs, const Dims<D>& x, const Dims<D>& rois,
                     Dims<D>* out) {
  TERN_TRY(CheckRank("x", x.rank(), 4, 4));
  TERN_TRY(CheckRank("rois", rois.rank(), 2, 2));
  TERN_TRY(CheckDim("rois", rois, 1, D(4)));
  *out = Dims<D>{rois[0], x[1], D(attrs.height), D(attrs.width)};
  return OkStatus();
}

// x [n, c * product(block), columns].
template <class D>
Status Col2ImShape(const Dims<D>& x, std::span<const D> image, std::span<const D> block,
                   Dims<D>* out) {
  TERN_TRY(CheckRank("x", x.rank(), 3, 3));
  if (image.size() != block.size() || image.size() + 2 > kMaxDims) {
    return InvalidArgument("image_shape has ", image.size(), " entries, block_shape ",
                           block.size());
  }
  D taps(1);
  for (const D& extent : block) taps = MulDim(taps, extent);
  if (DimIs(taps, 0)) return InvalidArgument("block_shape has an extent of 0");
  *out = Dims<D>{x[0], FloorDiv(x[1], taps)};
  for (const D& extent : image) out->push_back(extent);
  return OkStatus();
}

}  // namespace tern::ops

#endif  // TERN_CORE_OPS_IMAGE_RULES_H_
