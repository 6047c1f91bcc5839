// SPDX-License-Identifier: Apache-2.0
// Rules of what moves elements: their gradients go back where they came from, summed up where an
// element went to several places.
#include <algorithm>

#include "core/onnx/gradient/rules.h"
#include "core/ops/dims.h"
#include "core/ops/math_attrs.h"
#include "core/ops/shape_attrs.h"

namespace tern::onnx {
namespace {

int64_t PositiveAxis(GradientStep& step, int64_t axis) {
  return axis < 0 ? axis + step.node.RankOf(step.arg(0)) : axis;
}

// The permutation that moves `count` axes from `from` to the front, and the one that moves them
// back.
struct Moved {
  Ints forward, back;
};

Moved MoveToFront(int64_t rank, int64_t from, int64_t count) {
  Moved moved;
  for (int64_t i = 0; i < count; ++i) moved.forward.push_back(from + i);
  for (int64_t i = 0; i < rank; ++i) {
    if (i < from || i >= from + count) moved.forward.push_back(i);
  }
  moved.back.resize(moved.forward.size());
  for (size_t i = 0; i < moved.forward.size(); ++i)
    moved.back[static_cast<size_t>(moved.forward[i])] = static_cast<int64_t>(i);
  return moved;
}

// Zeros of a shape, with the updates added at the places that index vectors tell.
Value ScatterNd(GradientStep& step, const Value& shape, const Value& indices,
                const Value& updates) {
  ops::ScatterAttrs attrs;
  attrs.reduction = ops::ScatterReduction::kAdd;
  const Value zeros = step.in.Expand(step.in.Like(updates, 0), shape);
  return step.node.Call("scatter_nd", {zeros, indices, updates}, attrs.ToAttrs());
}

// The gradient of a gather along an axis from what has the extent `extent` there. rank: of the
// indices.
Value ScatterAlong(GradientStep& step, const Value& gradient, int64_t axis, const Value& indices,
                   const Value& extent) {
  Compose& in = step.in;
  const int64_t places = step.node.RankOf(indices);
  const int64_t rank = step.node.RankOf(gradient);
  const Value front = in.Transpose(gradient, MoveToFront(rank, axis, places).forward);
  const Value shape = in.Concat({in.Reshape(extent, {1}), in.ShapeOf(front, places)}, 0);
  const Value sum = ScatterNd(step, shape, in.Unsqueeze(indices, {-1}), front);
  return in.Transpose(sum, MoveToFront(rank - places + 1, axis, 1).back);
}

Value ScatterElements(GradientStep& step, const Value& indices, const Value& updates,
                      int64_t axis) {
  ops::ScatterAttrs attrs;
  attrs.axis = axis;
  attrs.reduction = ops::ScatterReduction::kAdd;
  return step.node.Call("scatter_elements", {step.ZerosLike(step.arg(0)), indices, updates},
                        attrs.ToAttrs());
}

}  // namespace

void GradientOfReshape(GradientStep& step) {
  step.Give(0, step.in.Call("reshape", {step.gradient(), step.in.ShapeOf(step.arg(0))}));
}

void GradientOfTranspose(GradientStep& step) {
  const Ints perm = step.AttrsOf<ops::TransposeAttrs>().perm;
  Ints back(perm.size());
  for (size_t i = 0; i < perm.size(); ++i) {
    const auto axis = static_cast<size_t>(PositiveAxis(step, perm[i]));
    back[axis] = static_cast<int64_t>(i);
  }
  step.Give(0, step.in.Transpose(step.gradient(), back));
}

// The step sums up what was repeated.
void GradientOfExpand(GradientStep& step) { step.Give(0, step.gradient()); }

// Each axis as two: the repetitions, which are summed up, and the extent.
void GradientOfTile(GradientStep& step) {
  Compose& in = step.in;
  const Value x = step.arg(0);
  const int rank = step.node.RankOf(x);
  if (2 * rank > ops::kMaxDims) return step.Refuse(StrCat(" of rank ", rank));
  std::vector<Value> extents;
  Ints axes;
  for (int axis = 0; axis < rank; ++axis) {
    const Value extent = in.DimOf(x, axis);
    extents.push_back(in.Div(in.DimOf(step.result(), axis), in.Call("max", {extent, in.Int(1)})));
    extents.push_back(extent);
    axes.push_back(2 * axis);
  }
  if (axes.empty()) return step.Give(0, step.gradient());
  step.Give(0, in.Reduce("reduce_sum", in.ReshapeTo(step.gradient(), extents), axes, false));
}

void GradientOfConcat(GradientStep& step) {
  Compose& in = step.in;
  const int64_t axis = PositiveAxis(step, step.AttrsOf<ops::AxisAttrs>().axis);
  Value begin = in.Int(0);
  for (size_t i = 0; i < step.arg_count(); ++i) {
    const Value end = in.Add(begin, in.DimOf(step.arg(i), axis));
    if (step.wants(i)) step.Give(i, in.SliceTo(step.gradient(), axis, begin, end));
    begin = end;
  }
}

void GradientOfSplit(GradientStep& step) {
  const auto attrs = step.AttrsOf<ops::SplitAttrs>();
  std::vector<Value> parts;
  for (int i = 0; i < attrs.count(); ++i) {
    const auto index = static_cast<size_t>(i);
    // Parts that y does not depend on have no gradient, but their elements have one: zero.
    const bool known = step.gradient(index) != nullptr;
    parts.push_back(known ? step.gradient(index) : step.ZerosLike(step.result(index)));
  }
  step.Give(0, step.in.Concat(parts, attrs.axis));
}

// A slice is a gather of a range along each of its axes.
void GradientOfSlice(GradientStep& step) {
  const auto attrs = step.AttrsOf<ops::SliceAttrs>();
  Compose& in = step.in;
  const Value x = step.arg(0);
  Ints axes = attrs.axes;
  if (step.arg(3) != nullptr) {
    const std::optional<Ints> known = step.node.KnownInts(step.arg(3));
    if (!known) return step.Refuse(" along axes that are computed");
    axes = *known;
  }
  // Without axes the first ones are meant, as many as there are starts.
  if (axes.empty()) {
    const Value starts = step.arg(1);
    const int64_t count =
        starts == nullptr ? static_cast<int64_t>(attrs.starts.size()) : step.node.DimOf(starts, 0);
    if (count < 0) return step.Refuse(" along axes that are computed");
    for (int64_t axis = 0; axis < count; ++axis) axes.push_back(axis);
  }
  Value gradient = step.gradient();
  for (size_t i = 0; i < axes.size() && step.node.ok(); ++i) {
    const int64_t axis = PositiveAxis(step, axes[i]);
    const auto position = static_cast<int64_t>(i);
    ops::SliceAttrs one;
    one.axes = {0};
    // The places that the slice took are a slice of all places, which is computed as the program
    // does: so ends beyond the extent and negative steps need no rules of their own.
    std::vector<Value> args = {in.Range(in.DimOf(x, axis))};
    const auto part = [&](size_t index, const Ints& values, Ints* field) {
      if (i < values.size()) *field = {values[i]};
      const Value arg = step.arg(index);
      args.resize(index);
      args.push_back(arg == nullptr ? nullptr : in.Slice(arg, 0, position, position + 1));
    };
    part(1, attrs.starts, &one.starts);
    part(2, attrs.ends, &one.ends);
    part(4, attrs.steps, &one.steps);
    const Value indices = step.node.Call("slice", args, one.ToAttrs());
    gradient = ScatterAlong(step, gradient, axis, indices, in.DimOf(x, axis));
  }
  step.Give(0, gradient);
}

void GradientOfPad(GradientStep& step) {
  const auto attrs = step.AttrsOf<ops::PadAttrs>();
  Compose& in = step.in;
  if (attrs.mode != ops::PadMode::kConstant) return step.Refuse(" but with a constant");
  if (step.wants(2)) return step.Refuse(" by the value");
  Ints pads = attrs.pads, axes = attrs.axes;
  if (step.arg(1) != nullptr) {
    const std::optional<Ints> known = step.node.KnownInts(step.arg(1));
    if (!known) return step.Refuse(" with pads that are computed");
    pads = *known;
  }
  const size_t count = pads.size() / 2;
  Value gradient = step.gradient();
  for (size_t i = 0; i < count; ++i) {
    // Those cut elements off, which then have a gradient of zero.
    if (pads[i] < 0 || pads[count + i] < 0) return step.Refuse(" with pads below 0");
    const int64_t axis = PositiveAxis(step, axes.empty() ? static_cast<int64_t>(i) : axes[i]);
    const Value begin = in.Int(pads[i]);
    gradient = in.SliceTo(gradient, axis, begin, in.Add(begin, in.DimOf(step.arg(0), axis)));
  }
  step.Give(0, gradient);
}

void GradientOfTrilu(GradientStep& step) {
  step.Give(0, step.node.Call("trilu", {step.gradient()}, step.call().attrs()));
}

void GradientOfGather(GradientStep& step) {
  const int64_t axis = PositiveAxis(step, step.AttrsOf<ops::AxisAttrs>().axis);
  const Value extent = step.in.DimOf(step.arg(0), axis);
  step.Give(0, ScatterAlong(step, step.gradient(), axis, step.arg(1), extent));
}

void GradientOfGatherElements(GradientStep& step) {
  const int64_t axis = step.AttrsOf<ops::AxisAttrs>().axis;
  step.Give(0, ScatterElements(step, step.arg(1), step.gradient(), axis));
}

void GradientOfGatherNd(GradientStep& step) {
  if (step.AttrsOf<ops::GatherNdAttrs>().batch_dims != 0) return step.Refuse(" with batch axes");
  const Value shape = step.in.ShapeOf(step.arg(0));
  step.Give(0, ScatterNd(step, shape, step.arg(1), step.gradient()));
}

// Of the values; the indices have none.
void GradientOfTopK(GradientStep& step) {
  const int64_t axis = step.AttrsOf<ops::TopKAttrs>().axis;
  if (step.gradient() == nullptr) return;
  step.Give(0, ScatterElements(step, step.result(1), step.gradient(), axis));
}

}  // namespace tern::onnx
