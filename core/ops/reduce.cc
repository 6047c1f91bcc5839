// SPDX-License-Identifier: Apache-2.0
// Type relations of the families reduce and matmul.
#include "core/ops/math_rules.h"
#include "core/ops/relations.h"

namespace tern::ops {

using types::Dim;

namespace {

// Tracks the product or the sum of a known vector, as in shape arithmetic.
void TrackReduce(Op op, std::span<const ArgInfo> args, RelationOutput* out) {
  if (args[0].value == nullptr || args[0].type->rank() != 1) return;
  if (op != Op::k_reduce_prod && op != Op::k_reduce_sum) return;
  Dim result(op == Op::k_reduce_prod ? 1 : 0);
  for (const Dim& value : *args[0].value)
    result = op == Op::k_reduce_prod ? result * value : result + value;
  out->value = Values{result};
}

}  // namespace

Status RelateReduce(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                    RelationOutput* out) {
  TERN_TRY_ASSIGN(ReduceAttrs reduce, ReduceAttrs::From(attrs, op.name));
  SymDims x, result;
  TERN_TRY(ReadDims(op, args, 0, &x));
  std::vector<int64_t> axes;
  bool known = true;
  TERN_TRY(ReadConstantInts(op, args, 1, reduce.axes, &axes, &known));
  // With keep_dims the rank is known even if the axes are not.
  if (known) {
    TERN_TRY(ReduceShape(reduce, axes, x, &result));
  } else if (reduce.keep_dims) {
    result = AnyDims(x.rank());
  } else {
    return Unsupported("the axes of a reduction without keep_dims must be known");
  }
  AddResult(args[0].type->dtype, result, out);
  // Without axes and with noop_if_empty nothing was reduced.
  if (known && (axes.empty() ? !reduce.noop_if_empty : true)) TrackReduce(op.op, args, out);
  return OkStatus();
}

// Results are positions along the axis, whatever the type of x is.
Status RelateArgReduce(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                       RelationOutput* out) {
  TERN_TRY_ASSIGN(ArgReduceAttrs reduce, ArgReduceAttrs::From(attrs, op.name));
  SymDims x, result;
  TERN_TRY(ReadDims(op, args, 0, &x));
  TERN_TRY(ArgReduceShape(reduce, x, &result));
  AddResult(kI64, result, out);
  return OkStatus();
}

Status RelateTopK(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                  RelationOutput* out) {
  TERN_TRY_ASSIGN(TopKAttrs topk, TopKAttrs::From(attrs, op.name));
  SymDims x, result;
  TERN_TRY(ReadDims(op, args, 0, &x));
  IntOperand k;
  const int64_t fallback[] = {topk.k};
  TERN_TRY(ReadInts(op, args, 1, fallback, &k));
  if (k.known && k.values.size() != 1)
    return InvalidArgument("k has ", k.values.size(), " elements, expected 1");
  TERN_TRY(TopKShape(topk, x, k.known ? k.values[0] : Dim::Any(), &result));
  AddResult(args[0].type->dtype, result, out);
  // Two results of one shape: the values, and where they are.
  AddResult(kI64, result, out);
  return OkStatus();
}

namespace {

Status CheckMatMulEpilogue(const OpInfo& op, std::span<const ArgInfo> args, const SymDims& result) {
  for (int i = 2; i < static_cast<int>(args.size()); ++i) {
    if (!HasArg(args, static_cast<size_t>(i))) continue;
    SymDims dims, broadcast;
    // The epilogue's operands may broadcast to the product but must not enlarge it, because the
    // kernel writes the product's shape.
    TERN_TRY(CheckSameDType(op, args, 0, i));
    TERN_TRY(ReadDims(op, args, i, &dims));
    TERN_TRY(BroadcastShape(result, dims, &broadcast));
    bool same = broadcast.rank() == result.rank();
    for (int axis = 0; same && axis < result.rank(); ++axis)
      same = !Differ(broadcast[axis], result[axis]);
    if (!same) {
      return InvalidArgument("argument ", i, " (", op.parameter(i), ") ", ShapeText(dims),
                             " does not broadcast to the product ", ShapeText(result));
    }
  }
  return OkStatus();
}

}  // namespace

Status RelateMatMul(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                    RelationOutput* out) {
  TERN_TRY_ASSIGN(MatMulAttrs matmul, MatMulAttrs::From(attrs, op.name));
  SymDims a, b, result;
  TERN_TRY(ReadDims(op, args, 0, &a));
  TERN_TRY(ReadDims(op, args, 1, &b));
  TERN_TRY(CheckSameDType(op, args, 0, 1));
  TERN_TRY(MatMulShape(matmul, a, b, &result));
  TERN_TRY(CheckMatMulEpilogue(op, args, result));
  AddResult(args[0].type->dtype, result, out);
  return OkStatus();
}

Status RelateMatMulInteger(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                           RelationOutput* out) {
  TERN_TRY_ASSIGN(MatMulAttrs matmul, MatMulAttrs::From(attrs, op.name));
  SymDims a, b, result;
  TERN_TRY(ReadDims(op, args, 0, &a));
  TERN_TRY(ReadDims(op, args, 1, &b));
  TERN_TRY(MatMulShape(matmul, a, b, &result));
  // Products of 8-bit integers are added up in 32 bits.
  AddResult(kI32, result, out);
  return OkStatus();
}

Status RelateEinsum(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                    RelationOutput* out) {
  TERN_TRY_ASSIGN(EinsumAttrs einsum, EinsumAttrs::From(attrs, op.name));
  TERN_TRY_ASSIGN(EinsumTerms terms, ParseEinsum(einsum.equation));
  if (args.empty()) return InvalidArgument("einsum of nothing");
  std::vector<SymDims> inputs(args.size());
  for (size_t i = 0; i < args.size(); ++i) {
    TERN_TRY(ReadDims(op, args, static_cast<int>(i), &inputs[i]));
    TERN_TRY(CheckSameDType(op, args, 0, static_cast<int>(i)));
  }
  SymDims result;
  TERN_TRY(EinsumShape<Dim>(terms, inputs, &result));
  AddResult(args[0].type->dtype, result, out);
  return OkStatus();
}

Status RelateDft(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                 RelationOutput* out) {
  TERN_TRY_ASSIGN(DftAttrs dft, DftAttrs::From(attrs, op.name));
  SymDims x, result;
  int axis = 0;
  TERN_TRY(ReadDims(op, args, 0, &x));
  TERN_TRY(DftShape(dft, x, &axis, &result));
  // The length of the transform replaces that of the axis.
  if (HasArg(args, 1)) {
    IntOperand length;
    TERN_TRY(ReadInts(op, args, 1, {}, &length));
    const bool known = length.known && length.values.size() == 1;
    const Dim bins = known ? length.values[0] : Dim::Any();
    int64_t count = 1;
    if (DimIsConstant(bins, &count) && count < 1)
      return InvalidArgument("a transform of ", count, " elements, expected at least 1");
    // Real input has a symmetric spectrum: half of the bins and one.
    result[axis] = dft.onesided && known ? FloorDiv(bins, Dim(2)) + Dim(1) : bins;
  }
  AddResult(args[0].type->dtype, result, out);
  return OkStatus();
}

Status RelateStft(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                  RelationOutput* out) {
  TERN_TRY_ASSIGN(StftAttrs stft, StftAttrs::From(attrs, op.name));
  SymDims x;
  TERN_TRY(ReadDims(op, args, 0, &x));
  TERN_TRY(CheckRank("x", x.rank(), 3, 3));
  TERN_TRY(CheckComplex(x));
  IntOperand step, length;
  TERN_TRY(ReadInts(op, args, 1, {}, &step));
  Dim frame = Dim::Any();
  if (HasArg(args, 2)) frame = args[2].type->ElementCount();
  if (HasArg(args, 3)) {
    TERN_TRY(ReadInts(op, args, 3, {}, &length));
    frame = length.known && length.values.size() == 1 ? length.values[0] : Dim::Any();
  }
  // [batch, frames, bins, 2]: the last axis has the real and the imaginary part.
  SymDims result{x[0], Dim::Any(), Dim::Any(), Dim(2)};
  if (!frame.is_any()) {
    result[2] = stft.onesided ? FloorDiv(frame, Dim(2)) + Dim(1) : frame;
    const bool steps = step.known && step.values.size() == 1 && step.values[0].is_constant() &&
                       step.values[0].constant() > 0;
    // Frames that lie wholly inside of the signal.
    if (steps) result[1] = FloorDiv(x[1] - frame, step.values[0]) + Dim(1);
  }
  AddResult(args[0].type->dtype, result, out);
  return OkStatus();
}

Status RelateMelWeights(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                        RelationOutput* out) {
  TERN_TRY_ASSIGN(CastAttrs weights, CastAttrs::From(attrs, op.name));
  IntOperand bins, length;
  TERN_TRY(ReadInts(op, args, 0, {}, &bins));
  TERN_TRY(ReadInts(op, args, 1, {}, &length));
  // The extent that an operand of one element gives.
  const auto extent = [](const IntOperand& operand) {
    return operand.known && operand.values.size() == 1 ? operand.values[0] : Dim::Any();
  };
  const Dim spectrum = extent(length);
  AddResult(
      weights.to,
      SymDims{spectrum.is_any() ? spectrum : FloorDiv(spectrum, Dim(2)) + Dim(1), extent(bins)},
      out);
  return OkStatus();
}

// Det has one result per matrix of the last two axes.
Status RelateDet(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                 RelationOutput* out) {
  TERN_TRY(tern::internal::TakeStatus(NoAttrs::From(attrs, op.name)));
  SymDims x, result;
  TERN_TRY(ReadDims(op, args, 0, &x));
  TERN_TRY(DetShape(x, &result));
  AddResult(args[0].type->dtype, result, out);
  return OkStatus();
}

}  // namespace tern::ops
