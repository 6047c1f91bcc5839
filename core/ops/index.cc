// SPDX-License-Identifier: Apache-2.0
// Type relations of the families index and make.
#include "core/ops/relations.h"
#include "core/ops/shape_rules.h"

namespace tern::ops {

using types::Dim;

namespace {

// Indices can be integers of 8 to 64 bits.
Status CheckIndices(const OpInfo& op, std::span<const ArgInfo> args) {
  if (args[1].type->dtype.is_int() && args[1].type->dtype.bits >= 8) return OkStatus();
  return TypeError("argument 1 (", op.parameter(1), ") is ", args[1].type->ToText(),
                   ", expected integers");
}

// Tracks elements of a tracked vector that are picked by known indices. Negative ones count from
// the end.
void TrackGather(std::span<const ArgInfo> args, RelationOutput* out) {
  const Values* x = args[0].value;
  const Values* indices = args[1].value;
  if (x == nullptr || indices == nullptr || args[0].type->rank() != 1) return;
  Values values;
  for (const Dim& index : *indices) {
    if (!index.is_constant()) return;
    const auto size = static_cast<int64_t>(x->size());
    const int64_t at = index.constant() < 0 ? index.constant() + size : index.constant();
    if (at < 0 || at >= size) return;  // fails at run time, with its place
    values.push_back((*x)[static_cast<size_t>(at)]);
  }
  out->value = std::move(values);
}

// The relations of operators that read x by indices; `shape` is their rule.
template <class GatherAttrs, class Shape>
Status RelateByIndices(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                       const Shape& shape, RelationOutput* out) {
  TERN_TRY_ASSIGN(GatherAttrs gather, GatherAttrs::From(attrs, op.name));
  SymDims x, indices, result;
  TERN_TRY(ReadDims(op, args, 0, &x));
  TERN_TRY(ReadDims(op, args, 1, &indices));
  TERN_TRY(CheckIndices(op, args));
  TERN_TRY(shape(gather, x, indices, &result));
  AddResult(args[0].type->dtype, result, out);
  return OkStatus();
}

}  // namespace

Status RelateGather(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                    RelationOutput* out) {
  TERN_TRY(RelateByIndices<AxisAttrs>(op, attrs, args, GatherShape<Dim>, out));
  TrackGather(args, out);
  return OkStatus();
}

Status RelateGatherElements(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                            RelationOutput* out) {
  return RelateByIndices<AxisAttrs>(op, attrs, args, GatherElementsShape<Dim>, out);
}

Status RelateGatherNd(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                      RelationOutput* out) {
  return RelateByIndices<GatherNdAttrs>(op, attrs, args, GatherNdShape<Dim>, out);
}

Status RelateOneHot(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                    RelationOutput* out) {
  TERN_TRY_ASSIGN(OneHotAttrs one_hot, OneHotAttrs::From(attrs, op.name));
  SymDims indices, result;
  TERN_TRY(ReadDims(op, args, 0, &indices));
  // The number of classes decides a dimension; as an argument it is only known if it is tracked.
  Dim depth(one_hot.depth);
  if (HasArg(args, 1)) {
    const Values* value = args[1].value;
    depth = value != nullptr && value->size() == 1 ? (*value)[0] : Dim::Any();
  }
  TERN_TRY(OneHotShape(one_hot, indices, depth, &result));
  AddResult(args[2].type->dtype, result, out);
  return OkStatus();
}

// [rank, n]: one column per element.
Status RelateNonZero(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                     RelationOutput* out) {
  TERN_TRY(tern::internal::TakeStatus(NoAttrs::From(attrs, op.name)));
  // Only a run can tell how many elements are not zero.
  AddResult(kI64, SymDims{Dim(args[0].type->rank()), Dim::Any()}, out);
  return OkStatus();
}

// Compress: the elements or slices whose condition is true.
Status RelateCompress(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                      RelationOutput* out) {
  TERN_TRY_ASSIGN(OptionalAxisAttrs compress, OptionalAxisAttrs::From(attrs, op.name));
  SymDims x;
  TERN_TRY(ReadDims(op, args, 0, &x));
  int axis = 0;
  if (compress.has_axis) TERN_TRY(ResolveAxis(compress.axis, x.rank(), &axis));
  // Without an axis, the input is taken as a flat vector.
  SymDims result = compress.has_axis ? x : AnyDims(1);
  result[axis] = Dim::Any();
  AddResult(args[0].type->dtype, result, out);
  return OkStatus();
}

Status RelateUnique(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                    RelationOutput* out) {
  TERN_TRY_ASSIGN(OptionalAxisAttrs unique, OptionalAxisAttrs::From(attrs, op.name));
  SymDims x;
  TERN_TRY(ReadDims(op, args, 0, &x));
  int axis = 0;
  if (unique.has_axis) TERN_TRY(ResolveAxis(unique.axis, x.rank(), &axis));
  SymDims distinct = unique.has_axis ? x : AnyDims(1);
  distinct[axis] = Dim::Any();
  // Results: distinct values, where each first occurs, which one each input is, how often each
  // occurs.
  AddResult(args[0].type->dtype, distinct, out);
  AddResult(kI64, AnyDims(1), out);
  AddResult(kI64, SymDims{unique.has_axis ? x[axis] : ProductOf(x, 0, x.rank())}, out);
  AddResult(kI64, AnyDims(1), out);
  return OkStatus();
}

// Only a run can tell how many texts are left; at least one is, which may be empty.
Status RelateStringNormalizer(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                              RelationOutput* out) {
  TERN_TRY(tern::internal::TakeStatus(StringNormalizerAttrs::From(attrs, op.name)));
  SymDims x;
  TERN_TRY(ReadDims(op, args, 0, &x));
  TERN_TRY(CheckRank("x", x.rank(), 1, 2));
  if (x.rank() == 2) TERN_TRY(CheckDim("x", x, 0, Dim(1)));
  if (!args[0].type->dtype.is_string())
    return TypeError("argument 0 (x) is ", args[0].type->ToText(), ", expected texts");
  TERN_TRY(CheckSameDType(op, args, 0, 1));
  x[x.rank() - 1] = Dim::Any();
  AddResult(args[0].type->dtype, x, out);
  return OkStatus();
}

// One weight per n-gram for each row of x.
Status RelateTfIdf(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                   RelationOutput* out) {
  TERN_TRY_ASSIGN(TfIdfAttrs tf_idf, TfIdfAttrs::From(attrs, op.name));
  SymDims x;
  TERN_TRY(ReadDims(op, args, 0, &x));
  TERN_TRY(CheckRank("x", x.rank(), 1, 2));
  x[x.rank() - 1] = Dim(tf_idf.columns);
  AddResult(kF32, x, out);
  return OkStatus();
}

Status RelateNonMaxSuppression(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                               RelationOutput* out) {
  TERN_TRY(tern::internal::TakeStatus(NonMaxSuppressionAttrs::From(attrs, op.name)));
  SymDims boxes, scores;
  TERN_TRY(ReadDims(op, args, 0, &boxes));
  TERN_TRY(ReadDims(op, args, 1, &scores));
  TERN_TRY(CheckRank("boxes", boxes.rank(), 3, 3));
  TERN_TRY(CheckRank("scores", scores.rank(), 3, 3));
  // A box has 4 coordinates, and each box has a score in each class.
  TERN_TRY(CheckDim("boxes", boxes, 2, Dim(4)));
  TERN_TRY(CheckDim("scores", scores, 2, boxes[1]));
  // Each row has the numbers of the image, the class and the box.
  AddResult(kI64, SymDims{Dim::Any(), Dim(3)}, out);
  return OkStatus();
}

Status RelateShapeOf(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                     RelationOutput* out) {
  TERN_TRY_ASSIGN(ShapeOfAttrs shape_of, ShapeOfAttrs::From(attrs, op.name));
  const types::TensorType& x = *args[0].type;
  int begin = 0, end = 0;
  ShapeOfRange(shape_of, x.rank(), &begin, &end);
  AddResult(kI64, SymDims{Dim(end - begin)}, out);
  // The source of all tracking: the extents of x as values, symbols included.
  out->value = Values(x.dims.begin() + begin, x.dims.begin() + end);
  return OkStatus();
}

Status RelateSizeOf(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                    RelationOutput* out) {
  TERN_TRY(tern::internal::TakeStatus(NoAttrs::From(attrs, op.name)));
  AddResult(kI64, {}, out);
  out->value = Values{args[0].type->ElementCount()};
  return OkStatus();
}

// Tracks the numbers themselves if the operands are tracked and the numbers are few.
Status RelateRange(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                   RelationOutput* out) {
  TERN_TRY(tern::internal::TakeStatus(NoAttrs::From(attrs, op.name)));
  TERN_TRY(CheckSameDType(op, args, 0, 1));
  TERN_TRY(CheckSameDType(op, args, 0, 2));
  bool known = true;
  for (const ArgInfo& arg : args) known = known && arg.value != nullptr && arg.value->size() == 1;
  Dim count = Dim::Any();
  if (known) {
    const Dim& start = (*args[0].value)[0];
    const Dim& delta = (*args[2].value)[0];
    if (delta.is_constant()) TERN_TRY(RangeCount(start, (*args[1].value)[0], delta, &count));
    int64_t elements = 0;
    // 64 elements bound what tracking costs; shapes are shorter.
    if (DimIsConstant(count, &elements) && elements <= 64) {
      Values values;
      for (int64_t i = 0; i < elements; ++i) values.push_back(start + delta * Dim(i));
      out->value = std::move(values);
    }
  }
  AddResult(args[0].type->dtype, SymDims{count}, out);
  return OkStatus();
}

Status RelateConstantOfShape(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                             RelationOutput* out) {
  TERN_TRY_ASSIGN(ConstantOfShapeAttrs constant, ConstantOfShapeAttrs::From(attrs, op.name));
  IntOperand shape;
  TERN_TRY(ReadInts(op, args, 0, {}, &shape));
  SymDims result;
  if (shape.known) {
    TERN_TRY(ShapeFromValues<Dim>(shape.values, &result));
  } else if (shape.count < 0 || shape.count > kMaxDims) {
    return Unsupported("the number of axes of the shape must be known and at most ", kMaxDims);
  } else {
    result = AnyDims(static_cast<int>(shape.count));
  }
  AddResult(constant.dtype, result, out);
  int64_t count = 0;
  const std::optional<int64_t> value = ParseInt64(constant.value.empty() ? "0" : constant.value);
  // A vector of one constant, such as the ones that are multiplied into an expand.
  const bool small = result.rank() == 1 && DimIsConstant(result[0], &count) && count <= 64;
  if (small && constant.dtype == kI64 && value.has_value()) {
    out->value = Values(static_cast<size_t>(count), Dim(*value));
  }
  return OkStatus();
}

Status RelateEyeLike(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                     RelationOutput* out) {
  TERN_TRY_ASSIGN(EyeLikeAttrs eye, EyeLikeAttrs::From(attrs, op.name));
  SymDims x;
  TERN_TRY(ReadDims(op, args, 0, &x));
  TERN_TRY(CheckRank("x", x.rank(), 2, 2));
  AddResult(eye.dtype.IsKnown() ? eye.dtype : args[0].type->dtype, x, out);
  return OkStatus();
}

}  // namespace tern::ops
