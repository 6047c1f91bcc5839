// SPDX-License-Identifier: Apache-2.0
// Type relations of the family shape. Values of small integer vectors are carried along, since
// exporters compute the targets of reshape and expand by slicing and joining the results of
// shape_of.
#include <algorithm>

#include "core/ops/relations.h"
#include "core/ops/shape_rules.h"

namespace tern::ops {

using types::Dim;

namespace {

// Keeps the value of x for results that have the same elements in the same order and at most one
// axis.
void KeepValue(std::span<const ArgInfo> args, RelationOutput* out) {
  if (args[0].value != nullptr && out->types[0].rank() <= 1) out->value = *args[0].value;
}

}  // namespace

Status RelateTranspose(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                       RelationOutput* out) {
  TERN_TRY(RelateByRule<TransposeAttrs>(TransposeShape, op, attrs, args, out));
  KeepValue(args, out);
  return OkStatus();
}

Status RelateReshape(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                     RelationOutput* out) {
  TERN_TRY_ASSIGN(ReshapeAttrs reshape, ReshapeAttrs::From(attrs, op.name));
  SymDims x, result;
  TERN_TRY(ReadDims(op, args, 0, &x));
  if (!HasArg(args, 1) && reshape.shape.empty() && !reshape.scalar) {
    return InvalidArgument(
        "has no target: neither argument 1 (shape) nor the attribute shape, nor scalar=1");
  }
  IntOperand shape;
  TERN_TRY(ReadInts(op, args, 1, reshape.shape, &shape));
  if (shape.known) {
    TERN_TRY(ReshapeShape<Dim>(x, shape.values, reshape.allow_zero, &result));
  } else if (shape.count < 0 || shape.count > kMaxDims) {
    // The length of the target is the rank of the result, which must be known at compile time.
    return Unsupported("the number of axes of the target must be known and at most ", kMaxDims);
  } else {
    result = AnyDims(static_cast<int>(shape.count));
  }
  AddResult(args[0].type->dtype, result, out);
  KeepValue(args, out);
  return OkStatus();
}

Status RelateSqueeze(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                     RelationOutput* out) {
  TERN_TRY(RelateByRule<AxesAttrs>(SqueezeShape, op, attrs, args, out));
  KeepValue(args, out);
  return OkStatus();
}

Status RelateUnsqueeze(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                       RelationOutput* out) {
  TERN_TRY(RelateByRule<AxesAttrs>(UnsqueezeShape, op, attrs, args, out));
  KeepValue(args, out);
  return OkStatus();
}

Status RelateFlatten(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                     RelationOutput* out) {
  return RelateByRule<FlattenAttrs>(FlattenShape, op, attrs, args, out);
}

Status RelateExpand(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                    RelationOutput* out) {
  TERN_TRY_ASSIGN(ShapeAttrs expand, ShapeAttrs::From(attrs, op.name));
  SymDims x, result;
  TERN_TRY(ReadDims(op, args, 0, &x));
  IntOperand shape;
  TERN_TRY(ReadInts(op, args, 1, expand.shape, &shape));
  if (shape.known) {
    TERN_TRY(ExpandShape<Dim>(x, shape.values, &result));
  } else if (shape.count < 0 || shape.count > kMaxDims) {
    return Unsupported("the number of axes of the target must be known and at most ", kMaxDims);
  } else {
    // A target that is longer than x's shape adds axes in front.
    result = AnyDims(static_cast<int>(MaxDim(shape.count, int64_t{x.rank()})));
  }
  AddResult(args[0].type->dtype, result, out);
  // A number that is repeated stays tracked, because models compute shapes so.
  int64_t count = 0;
  const bool scalar = args[0].value != nullptr && args[0].value->size() == 1 && result.rank() == 1;
  if (scalar && DimIsConstant(result[0], &count) && count <= 64) {
    out->value = Values(static_cast<size_t>(count), (*args[0].value)[0]);
  }
  return OkStatus();
}

Status RelateConcat(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                    RelationOutput* out) {
  TERN_TRY_ASSIGN(AxisAttrs concat, AxisAttrs::From(attrs, op.name));
  std::vector<SymDims> inputs(args.size());
  Values values;
  bool known = true;
  for (size_t i = 0; i < args.size(); ++i) {
    TERN_TRY(ReadDims(op, args, static_cast<int>(i), &inputs[i]));
    TERN_TRY(CheckSameDType(op, args, 0, static_cast<int>(i)));
    // An element that is not known is "?"; a vector of unknown length ends the tracking.
    int64_t count = 0;
    known = known && inputs[i].rank() == 1 && args[i].type->dtype.is_signed_int() &&
            DimIsConstant(inputs[i][0], &count) && count <= 64;
    if (!known) continue;
    for (int64_t j = 0; j < count; ++j) {
      values.push_back(args[i].value != nullptr ? (*args[i].value)[static_cast<size_t>(j)]
                                                : Dim::Any());
    }
  }
  SymDims result;
  TERN_TRY(ConcatShape<Dim>(concat, inputs, &result));
  AddResult(args[0].type->dtype, result, out);
  if (known && values.size() <= 64) out->value = std::move(values);
  return OkStatus();
}

// One result for each part.
Status RelateSplit(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                   RelationOutput* out) {
  TERN_TRY_ASSIGN(SplitAttrs split, SplitAttrs::From(attrs, op.name));
  SymDims x;
  TERN_TRY(ReadDims(op, args, 0, &x));
  std::vector<SymDims> parts;
  TERN_TRY(SplitShapes(split, x, &parts));
  for (const SymDims& part : parts) AddResult(args[0].type->dtype, part, out);
  return OkStatus();
}

namespace {

// Tracks a slice of a tracked vector whose bounds are numbers.
void TrackSlice(std::span<const ArgInfo> args, const SliceRange<Dim>& range, RelationOutput* out) {
  int64_t start = 0, count = 0;
  if (args[0].value == nullptr || args[0].type->rank() != 1) return;
  if (!DimIsConstant(range.start, &start) || !DimIsConstant(range.count, &count)) return;
  Values values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back((*args[0].value)[static_cast<size_t>(start + i * range.step)]);
  out->value = std::move(values);
}

}  // namespace

Status RelateSlice(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                   RelationOutput* out) {
  TERN_TRY_ASSIGN(SliceAttrs slice, SliceAttrs::From(attrs, op.name));
  SymDims x;
  TERN_TRY(ReadDims(op, args, 0, &x));
  IntOperand starts, ends;
  std::vector<int64_t> axes, steps;
  bool axes_known = true, steps_known = true;
  TERN_TRY(ReadInts(op, args, 1, slice.starts, &starts));
  TERN_TRY(ReadInts(op, args, 2, slice.ends, &ends));
  TERN_TRY(ReadConstantInts(op, args, 3, slice.axes, &axes, &axes_known));
  TERN_TRY(ReadConstantInts(op, args, 4, slice.steps, &steps, &steps_known));
  // The rank does not change, whatever is known of the bounds.
  SymDims result = AnyDims(x.rank());
  // Starts and ends that are not known still leave the other axes known. How many they are may be
  // known of one of them, or of the axes; a run compares.
  int64_t count = std::max(starts.count, ends.count);
  if (count < 0 && !axes.empty()) count = static_cast<int64_t>(axes.size());
  if (count > kMaxDims)
    return InvalidArgument("slice has ", count, " starts or ends, at most ", kMaxDims,
                           " are possible");
  if (axes_known && steps_known && count >= 0) {
    const auto fill = [count](IntOperand* bounds) {
      const int64_t own = bounds->count >= 0 ? bounds->count : count;
      if (!bounds->known) bounds->values.assign(static_cast<size_t>(own), Dim::Any());
    };
    fill(&starts);
    fill(&ends);
    SliceRange<Dim> ranges[kMaxDims];
    TERN_TRY(SliceRanges<Dim>(x, starts.values, ends.values, axes, steps, ranges));
    for (int i = 0; i < x.rank(); ++i) result[i] = ranges[i].count;
    AddResult(args[0].type->dtype, result, out);
    TrackSlice(args, ranges[0], out);
    return OkStatus();
  }
  AddResult(args[0].type->dtype, result, out);
  return OkStatus();
}

Status RelatePad(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                 RelationOutput* out) {
  TERN_TRY_ASSIGN(PadAttrs pad, PadAttrs::From(attrs, op.name));
  SymDims x, result;
  TERN_TRY(ReadDims(op, args, 0, &x));
  IntOperand pads;
  TERN_TRY(ReadInts(op, args, 1, pad.pads, &pads));
  if (pads.known) {
    TERN_TRY(PadShape<Dim>(x, pads.values, pad.axes, &result));
  } else {
    // Negative pads crop, so nothing is known of an extent without its pads.
    result = AnyDims(x.rank());
  }
  AddResult(args[0].type->dtype, result, out);
  return OkStatus();
}

Status RelateTile(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                  RelationOutput* out) {
  TERN_TRY_ASSIGN(TileAttrs tile, TileAttrs::From(attrs, op.name));
  SymDims x, result;
  TERN_TRY(ReadDims(op, args, 0, &x));
  IntOperand repeats;
  TERN_TRY(ReadInts(op, args, 1, tile.repeats, &repeats));
  if (repeats.known) {
    TERN_TRY(TileShape<Dim>(x, repeats.values, &result));
  } else {
    result = AnyDims(x.rank());
  }
  AddResult(args[0].type->dtype, result, out);
  return OkStatus();
}

}  // namespace tern::ops
