// SPDX-License-Identifier: Apache-2.0
// resize: nearest and linear over one axis or two neighbouring ones run in the kernel (both image
// layouts are of that form); everything else goes axis by axis.

#include <cmath>
#include <utility>

#include "core/kernels/bind/bindings.h"
#include "core/kernels/bind/elementwise.h"
#include "core/kernels/bind/move.h"
#include "core/kernels/bind/resize_axis.h"
#include "core/kernels/bind/types.h"
#include "core/ops/image_rules.h"

namespace tern::kernels::bind {
namespace {

struct ResizeProblem {
  Extents in, out;
  AxisScale axes[ops::kMaxDims];
};

// The axis that entry i of scales, sizes or the region belongs to.
Status AxisOfEntry(const ops::ResizeAttrs& attrs, const Extents& in, size_t i, int* axis) {
  *axis = static_cast<int>(i);
  return attrs.axes.empty() ? OkStatus() : ops::ResolveAxis(attrs.axes[i], in.rank(), axis);
}

// Sizes follow from scales, rounded down; coordinates use the scales as given.
Status PlanByScales(const ops::ResizeAttrs& attrs, std::span<const float> scales,
                    ResizeProblem* p) {
  for (float scale : scales) {
    if (!(scale > 0) || !std::isfinite(scale))
      return InvalidArgument("scale ", scale, " is not a positive number");
  }
  TERN_TRY(ops::ResizeByScales(attrs, p->in, scales, &p->out));
  for (size_t i = 0; i < scales.size(); ++i) {
    int axis = 0;
    TERN_TRY(AxisOfEntry(attrs, p->in, i, &axis));
    p->axes[axis].scale = static_cast<double>(scales[i]);
  }
  return OkStatus();
}

// One scale for all axes that are listed, so that none (or every one) reaches beyond its size. It
// is also the scale of coordinates, although the sizes are rounded.
Status KeepAspect(const ops::ResizeAttrs& attrs, Ints* sizes, ResizeProblem* p) {
  const Extents& in = p->in;
  double scale = attrs.aspect == ops::AspectPolicy::kNotLarger ? HUGE_VAL : 0;
  for (size_t i = 0; i < sizes->size(); ++i) {
    int axis = 0;
    TERN_TRY(AxisOfEntry(attrs, in, i, &axis));
    if (in[axis] == 0) return InvalidArgument("axis ", axis, " of x has no elements");
    // The scale that this axis alone would have.
    const double own = static_cast<double>((*sizes)[i]) / static_cast<double>(in[axis]);
    scale = attrs.aspect == ops::AspectPolicy::kNotLarger ? std::fmin(scale, own)
                                                          : std::fmax(scale, own);
  }
  for (size_t i = 0; i < sizes->size(); ++i) {
    int axis = 0;
    TERN_TRY(AxisOfEntry(attrs, in, i, &axis));
    (*sizes)[i] = ConvertNumber<int64_t>(std::floor(scale * static_cast<double>(in[axis]) + 0.5));
    p->axes[axis].scale = scale;
  }
  return OkStatus();
}

Status PlanBySizes(const ops::ResizeAttrs& attrs, Ints sizes, ResizeProblem* p) {
  // Sizes are checked before KeepAspect changes them, for an error that says what was given.
  Extents checked;
  TERN_TRY(ops::ResizeBySizes<int64_t>(attrs, p->in, sizes, &checked));
  const bool stretches = attrs.aspect == ops::AspectPolicy::kStretch;
  if (!stretches) TERN_TRY(KeepAspect(attrs, &sizes, p));
  TERN_TRY(ops::ResizeBySizes<int64_t>(attrs, p->in, sizes, &p->out));
  if (!stretches) return OkStatus();
  for (int i = 0; i < p->in.rank(); ++i) {
    if (p->in[i] > 0)
      p->axes[i].scale = static_cast<double>(p->out[i]) / static_cast<double>(p->in[i]);
  }
  return OkStatus();
}

// tf_crop_and_resize: begin and end of the region on each axis, as shares of its extent.
Status ReadRegion(const ops::ResizeAttrs& attrs, Call& call, ResizeProblem* p) {
  if (attrs.coordinate != ops::CoordinateMode::kTfCropAndResize) return OkStatus();
  const Tensor* region = call.F32(1);
  TERN_TRY(call.TakeStatus());
  const size_t count = attrs.axes.empty() ? static_cast<size_t>(p->in.rank()) : attrs.axes.size();
  if (region->element_count() != static_cast<int64_t>(2 * count)) {
    return WrongTensor(call, 1, *region, StrCat(2 * count, " elements"));
  }
  for (size_t i = 0; i < count; ++i) {
    int axis = 0;
    TERN_TRY(AxisOfEntry(attrs, p->in, i, &axis));
    p->axes[axis].roi_start = static_cast<double>(region->data_as<float>()[i]);
    p->axes[axis].roi_end = static_cast<double>(region->data_as<float>()[count + i]);
  }
  return OkStatus();
}

Status PlanResize(const ops::ResizeAttrs& attrs, Call& call, const Tensor& x, ResizeProblem* p) {
  p->in = ExtentsOf(x);
  // A list among the arguments takes the place of the attribute; sizes take the place of scales.
  Ints sizes = attrs.sizes;
  std::span<const float> scales = attrs.scales;
  if (call.Has(3)) call.ReadInts(3, &sizes);
  if (const Tensor* given = call.OptionalF32(2); given != nullptr && sizes.empty()) {
    scales = given->values<float>();
  }
  TERN_TRY(call.TakeStatus());
  if (sizes.empty() && scales.empty()) return InvalidArgument("has neither scales nor sizes");
  TERN_TRY(sizes.empty() ? PlanByScales(attrs, scales, p) : PlanBySizes(attrs, sizes, p));
  for (int i = 0; i < p->in.rank(); ++i) {
    p->axes[i].in = p->in[i];
    p->axes[i].out = p->out[i];
    if (p->in[i] == 0 && p->out[i] > 0) return InvalidArgument("axis ", i, " of x has no elements");
  }
  return ReadRegion(attrs, call, p);
}

// ---- the kernel

// The only axes that change, if the kernel can do them: [first, first + 1] or [first, first].
bool FitsKernel(const ops::ResizeAttrs& attrs, const ResizeProblem& p, int* first, int* last) {
  if (attrs.mode == ops::ResizeMode::kCubic || attrs.antialias || attrs.exclude_outside)
    return false;
  if (attrs.coordinate == ops::CoordinateMode::kTfCropAndResize) return false;
  *first = p.in.rank();
  *last = -1;
  for (int i = 0; i < p.in.rank(); ++i) {
    if (p.axes[i].IsIdentity(attrs)) continue;
    *first = i < *first ? i : *first;
    *last = i;
  }
  return *last >= 0 && *last - *first <= 1;
}

// A source position for each of the result's, and a second one with its weight where linear.
struct KernelAxis {
  TensorPtr near, far, weight;
};

Result<KernelAxis> MakeKernelAxis(const ops::ResizeAttrs& attrs, Call& call,
                                  const AxisScale& axis) {
  KernelAxis result;
  TERN_TRY_ASSIGN(result.near, call.NewTable(axis.out));
  int64_t* near = result.near->data_as<int64_t>();
  if (attrs.mode != ops::ResizeMode::kLinear) {
    for (int64_t i = 0; i < axis.out; ++i)
      near[i] = NearestPosition(attrs.nearest, SourceCoordinate(attrs, axis, i), axis.in);
    return result;
  }
  TERN_TRY_ASSIGN(result.far, call.NewTable(axis.out));
  TERN_TRY_ASSIGN(result.weight, call.NewF32(Extents{axis.out}));
  TERN_TRY_ASSIGN(const AxisTaps taps, MakeAxisTaps(attrs, call, axis));  // two taps
  for (int64_t i = 0; i < axis.out; ++i) {
    near[i] = taps.positions()[2 * i];
    result.far->data_as<int64_t>()[i] = taps.positions()[2 * i + 1];
    result.weight->data_as<float>()[i] = taps.weights()[2 * i + 1];
  }
  return result;
}

const int64_t* IndicesOf(const TensorPtr& table) {
  return table != nullptr ? table->data_as<int64_t>() : nullptr;
}

Status RunKernel(const ops::ResizeAttrs& attrs, Call& call, const ResizeProblem& p, int first,
                 int last, const Tensor& x, const Tensor& y) {
  // A single axis is the width of images of one row.
  // As it stands it maps one row to one row.
  const AxisScale row{};
  const AxisScale& height = first == last ? row : p.axes[first];
  const AxisScale& width = p.axes[last];
  TERN_TRY_ASSIGN(const KernelAxis ys, MakeKernelAxis(attrs, call, height));
  TERN_TRY_ASSIGN(const KernelAxis xs, MakeKernelAxis(attrs, call, width));
  TernResize2dArgs args{};
  args.mode = attrs.mode == ops::ResizeMode::kLinear ? TERN_RESIZE_LINEAR : TERN_RESIZE_NEAREST;
  args.batch = ops::ProductOf(p.in, 0, first);
  args.in_h = height.in;
  args.in_w = width.in;
  args.out_h = height.out;
  args.out_w = width.out;
  args.channels = ops::ProductOf(p.in, last + 1, p.in.rank());
  args.y0 = IndicesOf(ys.near);
  args.y1 = IndicesOf(ys.far);
  args.y_weight = FloatsOf(ys.weight.get());
  args.x0 = IndicesOf(xs.near);
  args.x1 = IndicesOf(xs.far);
  args.x_weight = FloatsOf(xs.weight.get());
  args.input = x.data_as<float>();
  args.output = y.data_as<float>();
  return Call::Check(call.kernels().resize2d(&args, call.kernel_context()));
}

// ---- axis by axis

// One output row (inner elements) as a weighted sum of input rows.
void BlendRow(const AxisTaps& taps, int64_t position, const float* x, int64_t inner, float* y) {
  for (int64_t i = 0; i < inner; ++i) y[i] = 0;
  for (int64_t k = position * taps.taps; k < (position + 1) * taps.taps; ++k) {
    const float weight = taps.weights()[k];
    const float* row = x + taps.positions()[k] * inner;
    // Taps beyond the border have no weight, and an infinity there must not become NaN.
    if (weight == 0) continue;
    for (int64_t i = 0; i < inner; ++i) y[i] += weight * row[i];
  }
}

Status ResizeAxis(const ops::ResizeAttrs& attrs, Call& call, const AxisView& view,
                  const AxisScale& axis, const Tensor& x, const Tensor& y) {
  if (attrs.mode == ops::ResizeMode::kNearest) {
    TERN_TRY_ASSIGN(const KernelAxis nearest, MakeKernelAxis(attrs, call, axis));
    return GatherAxis(call, view, x.dtype().size(), nearest.near->values<int64_t>(), x.data(),
                      y.data());
  }
  TERN_TRY_ASSIGN(const AxisTaps taps, MakeAxisTaps(attrs, call, axis));
  TERN_TRY(call.Charge(ops::MulDim(y.element_count(), taps.taps)));
  for (int64_t o = 0; o < view.outer && !call.IsStopped(); ++o) {
    for (int64_t i = 0; i < axis.out; ++i) {
      BlendRow(taps, i, x.data_as<float>() + o * axis.in * view.inner, view.inner,
               y.data_as<float>() + (o * axis.out + i) * view.inner);
    }
  }
  return OkStatus();
}

// tf_crop_and_resize: what lies outside of x is the extrapolation value.
void Extrapolate(const ops::ResizeAttrs& attrs, const AxisView& view, const AxisScale& axis,
                 float* y) {
  for (int64_t i = 0; i < axis.out; ++i) {
    const double x = SourceCoordinate(attrs, axis, i);
    if (x >= 0 && x <= static_cast<double>(axis.in - 1)) continue;
    for (int64_t o = 0; o < view.outer; ++o) {
      float* row = y + (o * axis.out + i) * view.inner;
      for (int64_t k = 0; k < view.inner; ++k) row[k] = attrs.extrapolation;
    }
  }
}

// One axis at a time: interpolation is separable, and a pass over rows is simple to check.
Result<TensorPtr> ResizeByAxes(const ops::ResizeAttrs& attrs, Call& call, const ResizeProblem& p,
                               const Tensor& x) {
  TensorPtr current;
  Extents shape = p.in;
  for (int i = 0; i < p.in.rank(); ++i) {
    if (p.axes[i].IsIdentity(attrs)) continue;
    const AxisView view = ViewAround(shape, i);
    shape[i] = p.out[i];
    TERN_TRY_ASSIGN(TensorPtr next, call.New(x.dtype(), shape));
    TERN_TRY(ResizeAxis(attrs, call, view, p.axes[i], current != nullptr ? *current : x, *next));
    current = std::move(next);
  }
  // Nothing changes: the elements are shared.
  if (current == nullptr) return x.Reshape(p.out.span());
  const bool crops = attrs.coordinate == ops::CoordinateMode::kTfCropAndResize && x.dtype() == kF32;
  for (int i = 0; crops && i < p.in.rank(); ++i) {
    Extrapolate(attrs, ViewAround(p.out, i), p.axes[i], current->data_as<float>());
  }
  return current;
}

Result<TensorPtr> ResizeF32(const ops::ResizeAttrs& attrs, Call& call, const ResizeProblem& p,
                            const Tensor& x) {
  int first = 0, last = 0;
  if (!FitsKernel(attrs, p, &first, &last)) return ResizeByAxes(attrs, call, p, x);
  TERN_TRY_ASSIGN(TensorPtr y, call.NewF32(p.out));
  if (y->element_count() > 0) TERN_TRY(RunKernel(attrs, call, p, first, last, x, *y));
  return y;
}

}  // namespace

Result<Any> Resize(const ops::ResizeAttrs& attrs, Call& call) {
  const Tensor* x = call.Input(0);
  TERN_TRY(call.TakeStatus());
  TERN_TRY(CheckMovable(call, 0, *x));
  ResizeProblem p;
  TERN_TRY(PlanResize(attrs, call, *x, &p));
  if (x->dtype() == kF32) {
    TERN_TRY_ASSIGN(TensorPtr y, ResizeF32(attrs, call, p, *x));
    return Any(std::move(y));
  }
  // Nearest copies elements of any type; everything else computes in f32.
  const bool crops = attrs.coordinate == ops::CoordinateMode::kTfCropAndResize;
  if (attrs.mode == ops::ResizeMode::kNearest && !crops) {
    TERN_TRY_ASSIGN(TensorPtr y, ResizeByAxes(attrs, call, p, *x));
    return Any(std::move(y));
  }
  TERN_TRY_ASSIGN(TensorPtr wide, CastTo(call, *x, kF32));
  TERN_TRY_ASSIGN(TensorPtr resized, ResizeF32(attrs, call, p, *wide));
  TERN_TRY_ASSIGN(TensorPtr y, CastTo(call, *resized, x->dtype()));
  return Any(std::move(y));
}

}  // namespace tern::kernels::bind
