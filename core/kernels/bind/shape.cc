// SPDX-License-Identifier: Apache-2.0
// Operators that rearrange elements: views where memory order allows (reshape, squeeze, leading
// slices), strided copies otherwise.

#include <array>
#include <utility>

#include "core/kernels/bind/bindings.h"
#include "core/kernels/bind/move.h"
#include "core/object/containers/adt.h"
#include "core/ops/image_rules.h"
#include "core/ops/shape_rules.h"

namespace tern::kernels::bind {
namespace {

// The argument at `index` where it is given, else the attribute's values.
std::span<const int64_t> IntsOr(Call& call, int index, const Ints& attribute, Ints* storage) {
  if (!call.Has(index)) return attribute;
  call.ReadInts(index, storage);
  return *storage;
}

// Axes [0, axis) all of extent 1: a range of axis is one block of memory.
bool IsLeading(const Extents& extents, int axis) { return ops::ProductOf(extents, 0, axis) == 1; }

// A tensor of its own over a part of x, which it keeps alive.
Result<TensorPtr> ViewOf(const Tensor& x, const Extents& extents, int64_t element_offset) {
  int64_t strides[ops::kMaxDims];
  ContiguousStrides(extents, strides);
  return x.View(extents.span(), {strides, static_cast<size_t>(extents.rank())}, element_offset);
}

}  // namespace

Result<Any> Transpose(const ops::TransposeAttrs& attrs, Call& call) {
  const Tensor* x = call.Input(0);
  TERN_TRY(call.TakeStatus());
  TERN_TRY(CheckMovable(call, 0, *x));
  int perm[ops::kMaxDims];
  TERN_TRY(ops::ResolvePerm(attrs.perm, x->rank(), perm));
  TERN_TRY_ASSIGN(TensorPtr y, Permuted(call, *x, {perm, static_cast<size_t>(x->rank())}));
  return Any(std::move(y));
}

Result<Any> Reshape(const ops::ReshapeAttrs& attrs, Call& call) {
  const Tensor* x = call.InputOfAnyType(0);
  Ints storage;
  const std::span<const int64_t> target = IntsOr(call, 1, attrs.shape, &storage);
  TERN_TRY(call.TakeStatus());
  // An empty attribute is one that is not there, so a scalar needs a word of its own.
  if (!call.Has(1) && target.empty() && !attrs.scalar)
    return InvalidArgument("shape (argument 1) is missing");
  Extents out;
  TERN_TRY(ops::ReshapeShape(ExtentsOf(*x), target, attrs.allow_zero, &out));
  return Reshaped(*x, out);
}

Result<Any> Squeeze(const ops::AxesAttrs& attrs, Call& call) {
  const Tensor* x = call.InputOfAnyType(0);
  TERN_TRY(call.TakeStatus());
  Extents out;
  TERN_TRY(ops::SqueezeShape(attrs, ExtentsOf(*x), &out));
  return Reshaped(*x, out);
}

Result<Any> Unsqueeze(const ops::AxesAttrs& attrs, Call& call) {
  const Tensor* x = call.InputOfAnyType(0);
  TERN_TRY(call.TakeStatus());
  Extents out;
  TERN_TRY(ops::UnsqueezeShape(attrs, ExtentsOf(*x), &out));
  return Reshaped(*x, out);
}

Result<Any> Flatten(const ops::FlattenAttrs& attrs, Call& call) {
  const Tensor* x = call.InputOfAnyType(0);
  TERN_TRY(call.TakeStatus());
  Extents out;
  TERN_TRY(ops::FlattenShape(attrs, ExtentsOf(*x), &out));
  return Reshaped(*x, out);
}

Result<Any> Expand(const ops::ShapeAttrs& attrs, Call& call) {
  const Tensor* x = call.Input(0);
  Ints storage;
  const std::span<const int64_t> target = IntsOr(call, 1, attrs.shape, &storage);
  TERN_TRY(call.TakeStatus());
  TERN_TRY(CheckMovable(call, 0, *x));
  StridedCopy copy;
  TERN_TRY(ops::ExpandShape(ExtentsOf(*x), target, &copy.shape));
  ContiguousStrides(copy.shape, copy.dst_strides);
  // A repeated axis reads the same elements again: its stride is 0.
  for (int i = 0; i < copy.shape.rank(); ++i) copy.src_strides[i] = 0;
  // Shapes are aligned at their last axes; what the target has in front of them repeats all of x.
  const int skipped = copy.shape.rank() - x->rank();
  for (int i = 0; i < x->rank(); ++i) {
    if (x->dim(i) != 1) copy.src_strides[skipped + i] = x->strides()[static_cast<size_t>(i)];
  }
  TERN_TRY_ASSIGN(TensorPtr y, call.New(x->dtype(), copy.shape));
  TERN_TRY(CopyStrided(call, copy, x->dtype().size(), x->data(), y->data()));
  return Any(std::move(y));
}

Result<Any> Concat(const ops::AxisAttrs& attrs, Call& call) {
  std::vector<const Tensor*> inputs;
  std::vector<Extents> shapes;
  for (int i = 0; i < call.size(); ++i) {
    // The first one says the type of all.
    const Tensor* x = inputs.empty() ? call.Input(i) : call.Input(i, inputs[0]->dtype());
    TERN_TRY(call.TakeStatus());
    TERN_TRY(CheckMovable(call, i, *x));
    inputs.push_back(x);
    shapes.push_back(ExtentsOf(*x));
  }
  Extents out;
  TERN_TRY(ops::ConcatShape<int64_t>(attrs, shapes, &out));
  int axis = 0;
  TERN_TRY(ops::ResolveAxis(attrs.axis, out.rank(), &axis));
  TERN_TRY_ASSIGN(TensorPtr y, call.New(inputs[0]->dtype(), out));
  const AxisView whole = ViewAround(out, axis);
  const int64_t size = y->dtype().size();
  int64_t offset = 0;
  for (const Tensor* x : inputs) {
    const int64_t row = x->dim(axis) * whole.inner;
    // Each operand is one run of elements in every outer slice of the result.
    const StridedCopy copy{Extents{whole.outer, row}, {row, 1}, {whole.axis * whole.inner, 1}};
    TERN_TRY(
        CopyStrided(call, copy, size, x->data(), static_cast<uint8_t*>(y->data()) + offset * size));
    offset += row;
  }
  return Any(std::move(y));
}

Result<Any> Split(const ops::SplitAttrs& attrs, Call& call) {
  const Tensor* x = call.Input(0);
  TERN_TRY(call.TakeStatus());
  TERN_TRY(CheckMovable(call, 0, *x));
  std::vector<Extents> shapes;
  TERN_TRY(ops::SplitShapes(attrs, ExtentsOf(*x), &shapes));
  int axis = 0;
  TERN_TRY(ops::ResolveAxis(attrs.axis, x->rank(), &axis));
  const AxisView whole = ViewAround(ExtentsOf(*x), axis);
  const int64_t size = x->dtype().size();
  int64_t offset = 0;
  std::vector<TensorPtr> parts;
  for (const Extents& shape : shapes) {
    const int64_t row = shape[axis] * whole.inner;
    // Parts that are one block of memory are views: nothing is copied.
    if (IsLeading(shape, axis)) {
      TERN_TRY_ASSIGN(TensorPtr view, ViewOf(*x, shape, offset));
      parts.push_back(std::move(view));
    } else {
      TERN_TRY_ASSIGN(TensorPtr part, call.New(x->dtype(), shape));
      const StridedCopy copy{Extents{whole.outer, row}, {whole.axis * whole.inner, 1}, {row, 1}};
      TERN_TRY(CopyStrided(call, copy, size, static_cast<const uint8_t*>(x->data()) + offset * size,
                           part->data()));
      parts.push_back(std::move(part));
    }
    offset += row;
  }
  if (parts.size() == 1) return Any(std::move(parts[0]));  // as its type is (ir::InferCall)
  const std::vector<AnyView> fields(parts.begin(), parts.end());
  return Any(Adt::Tuple(std::span<const AnyView>(fields)));
}

Result<Any> Slice(const ops::SliceAttrs& attrs, Call& call) {
  const Tensor* x = call.Input(0);
  Ints storage[4];
  // Each list is an argument in newer opsets and an attribute in older ones.
  const std::span<const int64_t> starts = IntsOr(call, 1, attrs.starts, &storage[0]);
  const std::span<const int64_t> ends = IntsOr(call, 2, attrs.ends, &storage[1]);
  const std::span<const int64_t> axes = IntsOr(call, 3, attrs.axes, &storage[2]);
  const std::span<const int64_t> steps = IntsOr(call, 4, attrs.steps, &storage[3]);
  TERN_TRY(call.TakeStatus());
  TERN_TRY(CheckMovable(call, 0, *x));
  const Extents in = ExtentsOf(*x);
  ops::SliceRange<int64_t> ranges[ops::kMaxDims];
  TERN_TRY(ops::SliceRanges<int64_t>(in, starts, ends, axes, steps, ranges));
  StridedCopy copy;
  int64_t offset = 0, cuts = 0, cut_axis = 0;
  for (int i = 0; i < in.rank(); ++i) {
    const int64_t stride = x->strides()[static_cast<size_t>(i)];
    copy.shape.push_back(ranges[i].count);
    copy.src_strides[i] = ops::MulDim(stride, ranges[i].step);  // of one element it is not used
    offset += ranges[i].count > 0 ? ranges[i].start * stride : 0;
    if (ranges[i].count == in[i] && ranges[i].step == 1) continue;
    // Counts axes that are cut. One with steps counts as two, since it is no block of memory even
    // if it is the only one.
    cut_axis = i;
    cuts += ranges[i].step == 1 ? 1 : 2;
  }
  // Nothing is cut: the result is the argument.
  if (cuts == 0) return call.Share(0);
  if (cuts == 1 && CountOf(copy.shape) > 0 && IsLeading(in, static_cast<int>(cut_axis))) {
    TERN_TRY_ASSIGN(TensorPtr view, ViewOf(*x, copy.shape, offset));
    return Any(std::move(view));
  }
  ContiguousStrides(copy.shape, copy.dst_strides);
  TERN_TRY_ASSIGN(TensorPtr y, call.New(x->dtype(), copy.shape));
  const int64_t size = x->dtype().size();
  TERN_TRY(CopyStrided(call, copy, size, static_cast<const uint8_t*>(x->data()) + offset * size,
                       y->data()));
  return Any(std::move(y));
}

// One axis after the other; each pass repeats blocks of the one before.
Result<Any> Tile(const ops::TileAttrs& attrs, Call& call) {
  const Tensor* x = call.Input(0);
  Ints storage;
  const std::span<const int64_t> repeats = IntsOr(call, 1, attrs.repeats, &storage);
  TERN_TRY(call.TakeStatus());
  TERN_TRY(CheckMovable(call, 0, *x));
  Extents out;
  TERN_TRY(ops::TileShape(ExtentsOf(*x), repeats, &out));
  TensorPtr current;
  for (int i = x->rank() - 1; i >= 0; --i) {
    const int64_t repeat = repeats[static_cast<size_t>(i)];
    // What is not repeated is not copied.
    if (repeat == 1) continue;
    const Tensor& from = current != nullptr ? *current : *x;
    Extents shape = ExtentsOf(from);
    const AxisView view = ViewAround(shape, i);
    const int64_t row = view.axis * view.inner;
    shape[i] = ops::MulDim(view.axis, repeat);
    TERN_TRY_ASSIGN(TensorPtr next, call.New(x->dtype(), shape));
    const StridedCopy copy{Extents{view.outer, repeat, row}, {row, 0, 1}, {row * repeat, row, 1}};
    TERN_TRY(CopyStrided(call, copy, x->dtype().size(), from.data(), next->data()));
    current = std::move(next);
  }
  if (current == nullptr) return call.Share(0);
  return Any(std::move(current));
}

namespace {

// A permutation of [n, h, w, c] taken as six axes.
Result<Any> MoveBlocks(Call& call, const Tensor& x, const Extents& split, std::span<const int> perm,
                       const Extents& out) {
  TERN_TRY_ASSIGN(TensorPtr blocks, x.Reshape(split.span()));
  TERN_TRY_ASSIGN(TensorPtr moved, Permuted(call, *blocks, perm));
  return Reshaped(*moved, out);
}

}  // namespace

Result<Any> DepthToSpace(const ops::BlockAttrs& attrs, Call& call) {
  const Tensor* x = call.Input(0);
  TERN_TRY(call.TakeStatus());
  TERN_TRY(CheckMovable(call, 0, *x));
  Extents out;
  TERN_TRY(ops::DepthToSpaceShape(attrs, ExtentsOf(*x), &out));
  const int64_t b = attrs.block, n = x->dim(0);
  // dcr: the place in the block counts above the channel; crd: below it.
  const bool block_first = attrs.order == ops::BlockOrder::kDcr;
  if (attrs.layout == ops::Layout::kNchw) {
    const int64_t c = out[1], h = x->dim(2), w = x->dim(3);
    if (block_first)
      return MoveBlocks(call, *x, {n, b, b, c, h, w}, std::array{0, 3, 4, 1, 5, 2}, out);
    return MoveBlocks(call, *x, {n, c, b, b, h, w}, std::array{0, 1, 4, 2, 5, 3}, out);
  }
  const int64_t c = out[3], h = x->dim(1), w = x->dim(2);
  if (block_first)
    return MoveBlocks(call, *x, {n, h, w, b, b, c}, std::array{0, 1, 3, 2, 4, 5}, out);
  return MoveBlocks(call, *x, {n, h, w, c, b, b}, std::array{0, 1, 4, 2, 5, 3}, out);
}

Result<Any> SpaceToDepth(const ops::BlockAttrs& attrs, Call& call) {
  const Tensor* x = call.Input(0);
  TERN_TRY(call.TakeStatus());
  TERN_TRY(CheckMovable(call, 0, *x));
  Extents out;
  TERN_TRY(ops::SpaceToDepthShape(attrs, ExtentsOf(*x), &out));
  const int64_t b = attrs.block, n = x->dim(0);
  if (attrs.layout == ops::Layout::kNchw) {
    const int64_t c = x->dim(1), h = out[2], w = out[3];
    return MoveBlocks(call, *x, {n, c, h, b, w, b}, std::array{0, 3, 5, 1, 2, 4}, out);
  }
  const int64_t c = x->dim(3), h = out[1], w = out[2];
  return MoveBlocks(call, *x, {n, h, b, w, b, c}, std::array{0, 1, 3, 2, 4, 5}, out);
}

}  // namespace tern::kernels::bind
