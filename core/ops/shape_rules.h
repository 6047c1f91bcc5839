// SPDX-License-Identifier: Apache-2.0
// Shape rules of the families shape, index and make. Integer tensors that say a shape (reshape's
// target, slice's starts, …) are passed as values of the dimension type, so that a shape computed
// from symbolic shapes stays symbolic.
#ifndef TERN_CORE_OPS_SHAPE_RULES_H_
#define TERN_CORE_OPS_SHAPE_RULES_H_

#include "core/ops/dims.h"
#include "core/ops/math_rules.h"
#include "core/ops/shape_attrs.h"

namespace tern::ops {

// perm as given or, where empty, the reversal; checked to be a permutation.
Status ResolvePerm(std::span<const int64_t> perm, int rank, int* resolved);

template <class D>
Status TransposeShape(const TransposeAttrs& attrs, const Dims<D>& x, Dims<D>* out) {
  int perm[kMaxDims];
  TERN_TRY(ResolvePerm(attrs.perm, x.rank(), perm));
  out->clear();
  for (int i = 0; i < x.rank(); ++i) out->push_back(x[perm[i]]);
  return OkStatus();
}

// 0 keeps the extent of x (unless allow_zero), one -1 takes what is left.
template <class D>
Status ReshapeShape(const Dims<D>& x, std::span<const D> target, bool allow_zero, Dims<D>* out) {
  TERN_TRY(CheckRank("the target shape", static_cast<int>(target.size()), 0, kMaxDims));
  int inferred = -1;
  D known(1);
  out->clear();
  for (int i = 0; i < static_cast<int>(target.size()); ++i) {
    D extent = target[static_cast<size_t>(i)];
    if (DimIs(extent, 0) && !allow_zero) {
      if (i >= x.rank())
        return InvalidArgument("0 at ", i, " of the target keeps an axis that x ", ShapeText(x),
                               " lacks");
      extent = x[i];
    } else if (DimIs(extent, -1)) {
      if (inferred >= 0) return InvalidArgument("the target has more than one -1");
      inferred = i;
    } else if (DimIsNegative(extent)) {
      return InvalidArgument("extent ", DimText(extent), " at ", i, " of the target is negative");
    }
    out->push_back(extent);
    if (inferred != i) known = MulDim(known, extent);
  }
  const D total = ProductOf(x, 0, x.rank());
  if (inferred >= 0 && !DimIs(known, 0)) (*out)[inferred] = FloorDiv(total, known);
  if (inferred >= 0 && DimIs(known, 0)) (*out)[inferred] = D(0);
  if (Differ(total, ProductOf(*out, 0, out->rank()))) {
    return InvalidArgument("x ", ShapeText(x), " has ", DimText(total),
                           " elements, which do not fit the target ", ShapeText(Dims<D>(target)));
  }
  return OkStatus();
}

template <class D>
Status SqueezeShape(const AxesAttrs& attrs, const Dims<D>& x, Dims<D>* out) {
  uint32_t mask = 0;
  TERN_TRY(ResolveAxes(attrs.axes, x.rank(), &mask));
  for (int i = 0; i < x.rank(); ++i) {
    if (attrs.axes.empty() && DimIs(x[i], 1)) mask |= 1u << i;
    if ((mask >> i & 1) != 0) TERN_TRY(CheckDim("x", x, i, D(1)));
  }
  *out = ReducedShape(x, mask, false);
  return OkStatus();
}

template <class D>
Status UnsqueezeShape(const AxesAttrs& attrs, const Dims<D>& x, Dims<D>* out) {
  const int rank = x.rank() + static_cast<int>(attrs.axes.size());
  TERN_TRY(CheckRank("the result", rank, 0, kMaxDims));
  uint32_t mask = 0;
  TERN_TRY(ResolveAxes(attrs.axes, rank, &mask));
  out->clear();
  for (int i = 0, next = 0; i < rank; ++i) out->push_back((mask >> i & 1) != 0 ? D(1) : x[next++]);
  return OkStatus();
}

template <class D>
Status FlattenShape(const FlattenAttrs& attrs, const Dims<D>& x, Dims<D>* out) {
  int axis = x.rank();
  if (attrs.axis != x.rank()) TERN_TRY(ResolveAxis(attrs.axis, x.rank(), &axis));
  *out = Dims<D>{ProductOf(x, 0, axis), ProductOf(x, axis, x.rank())};
  return OkStatus();
}

// Also for expand: both ways, as ONNX has it.
template <class D>
Status ExpandShape(const Dims<D>& x, std::span<const D> target, Dims<D>* out) {
  TERN_TRY(CheckRank("the target shape", static_cast<int>(target.size()), 0, kMaxDims));
  for (const D& extent : target) {
    if (DimIsNegative(extent))
      return InvalidArgument("extent ", DimText(extent), " of the target is negative");
  }
  return BroadcastShape(x, Dims<D>(target), out);
}

template <class D>
Status ConcatShape(const AxisAttrs& attrs, std::span<const Dims<D>> inputs, Dims<D>* out) {
  if (inputs.empty()) return InvalidArgument("concat of nothing");
  int axis = 0;
  TERN_TRY(ResolveAxis(attrs.axis, inputs[0].rank(), &axis));
  Dims<D> result = inputs[0];
  for (size_t i = 1; i < inputs.size(); ++i) {
    const Dims<D>& input = inputs[i];
    bool fits = input.rank() == result.rank();
    for (int j = 0; fits && j < result.rank(); ++j)
      fits = j == axis || !Differ(result[j], input[j]);
    if (!fits) {
      return InvalidArgument("argument ", i, " ", ShapeText(input), " does not fit ",
                             ShapeText(inputs[0]), " but for axis ", axis);
    }
    result[axis] = AddDim(result[axis], input[axis]);
  }
  *out = result;
  return OkStatus();
}

// The extent of part `index` along the split axis.
template <class D>
D SplitExtent(const SplitAttrs& attrs, const D& extent, int index) {
  if (!attrs.sizes.empty()) return D(attrs.sizes[static_cast<size_t>(index)]);
  const D even = FloorDiv(extent, D(attrs.parts));
  if (CompareDims(MulDim(even, D(attrs.parts)), extent) == DimRelation::kEqual) return even;
  const D chunk = CeilDiv(extent, D(attrs.parts));
  return MaxDim(MinDim(chunk, SubDim(extent, MulDim(chunk, D(index)))), D(0));
}

// parts: attrs.count() shapes are appended.
template <class D>
Status SplitShapes(const SplitAttrs& attrs, const Dims<D>& x, std::vector<Dims<D>>* parts) {
  int axis = 0;
  TERN_TRY(ResolveAxis(attrs.axis, x.rank(), &axis));
  int64_t total = 0;
  for (int64_t size : attrs.sizes) total = AddDim(total, size);
  if (!attrs.sizes.empty() && Differ(D(total), x[axis])) {
    return InvalidArgument("sizes add up to ", total, ", but axis ", axis, " of x ", ShapeText(x),
                           " is ", DimText(x[axis]));
  }
  for (int i = 0; i < attrs.count(); ++i) {
    Dims<D> part = x;
    part[axis] = SplitExtent(attrs, x[axis], i);
    parts->push_back(part);
  }
  return OkStatus();
}

// What slice takes along one axis: from `start`, `count` elements, `step` apart.
template <class D>
struct SliceRange {
  D start{}, count{};
  int64_t step = 1;
};

template <class D>
SliceRange<D> RangeOfSlice(const D& extent, D start, D end, int64_t step) {
  if (DimIsNegative(start)) start = AddDim(start, extent);
  if (DimIsNegative(end)) end = AddDim(end, extent);
  SliceRange<D> range;
  range.step = step;
  if (step > 0) {
    range.start = MinDim(MaxDim(start, D(0)), extent);
    D stop = MinDim(MaxDim(end, D(0)), extent);
    range.count = MaxDim(CeilDiv(SubDim(stop, range.start), D(step)), D(0));
  } else {
    const D last = SubDim(extent, D(1));
    range.start = MinDim(MaxDim(start, D(0)), last);
    D stop = MinDim(MaxDim(end, D(-1)), last);
    range.count = MaxDim(CeilDiv(SubDim(range.start, stop), D(SubDim(0, step))), D(0));
  }
  return range;
}

// ranges: one per axis of x, whole axes included. axes and steps may be empty.
template <class D>
Status SliceRanges(const Dims<D>& x, std::span<const D> starts, std::span<const D> ends,
                   std::span<const int64_t> axes, std::span<const int64_t> steps,
                   SliceRange<D>* ranges) {
  if (starts.size() != ends.size() || (!axes.empty() && axes.size() != starts.size()) ||
      (!steps.empty() && steps.size() != starts.size())) {
    return InvalidArgument("slice has ", starts.size(), " starts, ", ends.size(), " ends, ",
                           axes.size(), " axes and ", steps.size(), " steps");
  }
  for (int i = 0; i < x.rank(); ++i) ranges[i] = SliceRange<D>{D(0), x[i], 1};
  for (size_t i = 0; i < starts.size(); ++i) {
    int axis = 0;
    TERN_TRY(ResolveAxis(axes.empty() ? static_cast<int64_t>(i) : axes[i], x.rank(), &axis));
    const int64_t step = steps.empty() ? 1 : steps[i];
    if (step == 0) return InvalidArgument("the step of axis ", axis, " is 0");
    ranges[axis] = RangeOfSlice(x[axis], starts[i], ends[i], step);
  }
  return OkStatus();
}

template <class D>
Status SliceShape(const Dims<D>& x, std::span<const D> starts, std::span<const D> ends,
                  std::span<const int64_t> axes, std::span<const int64_t> steps, Dims<D>* out) {
  SliceRange<D> ranges[kMaxDims];
  TERN_TRY(SliceRanges(x, starts, ends, axes, steps, ranges));
  out->clear();
  for (int i = 0; i < x.rank(); ++i) out->push_back(ranges[i].count);
  return OkStatus();
}

// begins and ends per axis of x, from pads (all begins, then all ends) that belong to `axes` or to
// every axis.
template <class D>
Status PadAmounts(std::span<const D> pads, std::span<const int64_t> axes, int rank, Dims<D>* begins,
                  Dims<D>* ends) {
  const size_t count = axes.empty() ? static_cast<size_t>(rank) : axes.size();
  if (pads.size() != 2 * count)
    return InvalidArgument("pads has ", pads.size(), " values, expected ", 2 * count);
  begins->clear();
  ends->clear();
  for (int i = 0; i < rank; ++i) {
    begins->push_back(D(0));
    ends->push_back(D(0));
  }
  for (size_t i = 0; i < count; ++i) {
    int axis = static_cast<int>(i);
    if (!axes.empty()) TERN_TRY(ResolveAxis(axes[i], rank, &axis));
    (*begins)[axis] = pads[i];
    (*ends)[axis] = pads[count + i];
  }
  return OkStatus();
}

template <class D>
Status PadShape(const Dims<D>& x, std::span<const D> pads, std::span<const int64_t> axes,
                Dims<D>* out) {
  Dims<D> begins, ends;
  TERN_TRY(PadAmounts(pads, axes, x.rank(), &begins, &ends));
  Dims<D> result;
  for (int i = 0; i < x.rank(); ++i) {
    D extent = AddDim(AddDim(x[i], begins[i]), ends[i]);
    if (DimIsNegative(extent))
      return InvalidArgument("pads take more from axis ", i, " of x ", ShapeText(x),
                             " than it has");
    result.push_back(extent);
  }
  *out = result;
  return OkStatus();
}

template <class D>
Status TileShape(const Dims<D>& x, std::span<const D> repeats, Dims<D>* out) {
  if (repeats.size() != static_cast<size_t>(x.rank())) {
    return InvalidArgument("tile has ", repeats.size(), " repeats for x ", ShapeText(x));
  }
  Dims<D> result;
  for (int i = 0; i < x.rank(); ++i) {
    const D& repeat = repeats[static_cast<size_t>(i)];
    if (DimIsNegative(repeat))
      return InvalidArgument("repeat ", DimText(repeat), " of axis ", i, " is negative");
    result.push_back(MulDim(x[i], repeat));
  }
  *out = result;
  return OkStatus();
}

// x with axis replaced by the axes of indices.
template <class D>
Status GatherShape(const AxisAttrs& attrs, const Dims<D>& x, const Dims<D>& indices, Dims<D>* out) {
  int axis = 0;
  TERN_TRY(ResolveAxis(attrs.axis, x.rank(), &axis));
  TERN_TRY(CheckRank("the result", x.rank() - 1 + indices.rank(), 0, kMaxDims));
  Dims<D> result;
  for (int i = 0; i < axis; ++i) result.push_back(x[i]);
  for (const D& extent : indices) result.push_back(extent);
  for (int i = axis + 1; i < x.rank(); ++i) result.push_back(x[i]);
  *out = result;
  return OkStatus();
}

template <class D>
Status GatherElementsShape(const AxisAttrs& attrs, const Dims<D>& x, const Dims<D>& indices,
                           Dims<D>* out) {
  int axis = 0;
  TERN_TRY(ResolveAxis(attrs.axis, x.rank(), &axis));
  TERN_TRY(CheckRank("indices", indices.rank(), x.rank(), x.rank()));
  *out = indices;
  return OkStatus();
}

// indices [batch…, places…, depth]: depth is known at compile time in every model worth the name.
template <class D>
Status GatherNdShape(const GatherNdAttrs& attrs, const Dims<D>& x, const Dims<D>& indices,
                     Dims<D>* out) {
  TERN_TRY(CheckRank("indices", indices.rank(), 1, kMaxDims));
  int64_t depth = 0;
  if (!DimIsConstant(indices[indices.rank() - 1], &depth)) {
    return Unsupported("the last extent of indices ", ShapeText(indices), " must be known");
  }
  const int64_t batch = attrs.batch_dims;
  if (batch >= indices.rank() || depth < 1 || batch + depth > x.rank()) {
    return InvalidArgument("indices ", ShapeText(indices), " with batch_dims=", batch,
                           " reach too deep into x ", ShapeText(x));
  }
  Dims<D> result;
  const int rest = x.rank() - static_cast<int>(batch + depth);
  TERN_TRY(CheckRank("the result", indices.rank() - 1 + rest, 0, kMaxDims));
  for (int i = 0; i + 1 < indices.rank(); ++i) result.push_back(indices[i]);
  for (int i = x.rank() - rest; i < x.rank(); ++i) result.push_back(x[i]);
  *out = result;
  return OkStatus();
}

template <class D>
Status OneHotShape(const OneHotAttrs& attrs, const Dims<D>& indices, const D& depth, Dims<D>* out) {
  TERN_TRY(CheckRank("the result", indices.rank() + 1, 1, kMaxDims));
  int axis = 0;
  TERN_TRY(ResolveAxis(attrs.axis, indices.rank() + 1, &axis));
  if (DimIsNegative(depth)) return InvalidArgument("depth ", DimText(depth), " is negative");
  Dims<D> result;
  for (int i = 0, next = 0; i <= indices.rank(); ++i)
    result.push_back(i == axis ? depth : indices[next++]);
  *out = result;
  return OkStatus();
}

// The axes [begin, end) that shape_of gives.
inline void ShapeOfRange(const ShapeOfAttrs& attrs, int rank, int* begin, int* end) {
  auto clamp = [rank](int64_t axis) {
    if (axis < 0) axis = AddDim(axis, rank);
    return static_cast<int>(MinDim(MaxDim(axis, 0), rank));
  };
  *begin = clamp(attrs.start);
  *end = static_cast<int>(MaxDim(clamp(attrs.end), *begin));
}

// ceil((limit - start) / delta), at least 0.
template <class D>
Status RangeCount(const D& start, const D& limit, const D& delta, D* count) {
  if (DimIs(delta, 0)) return InvalidArgument("the step of range is 0");
  *count = MaxDim(CeilDiv(SubDim(limit, start), delta), D(0));
  return OkStatus();
}

template <class D>
Status ShapeFromValues(std::span<const D> values, Dims<D>* out) {
  TERN_TRY(CheckRank("the shape", static_cast<int>(values.size()), 0, kMaxDims));
  for (const D& extent : values) {
    if (DimIsNegative(extent)) return InvalidArgument("extent ", DimText(extent), " is negative");
  }
  *out = Dims<D>(values);
  return OkStatus();
}

}  // namespace tern::ops

#endif  // TERN_CORE_OPS_SHAPE_RULES_H_
