// SPDX-License-Identifier: Apache-2.0
// Type relations of the families unary, binary and norm: results shaped like an argument or like
// the broadcast of two.
#include <algorithm>

#include "core/ops/math_attrs.h"
#include "core/ops/math_rules.h"
#include "core/ops/relations.h"
#include "core/ops/shape_attrs.h"

namespace tern::ops {

using types::Dim;

namespace {

template <class Attributes>
Status Check(const OpInfo& op, const Attrs& attrs) {
  return tern::internal::TakeStatus(Attributes::From(attrs, op.name));
}

// Attributes that a relation need not look at must be legal all the same: kernels rely on it.
Status CheckAttributes(const OpInfo& op, const Attrs& attrs) {
  switch (op.op) {
    case Op::k_softmax:
    case Op::k_log_softmax:
    case Op::k_hardmax: return Check<SoftmaxAttrs>(op, attrs);
    case Op::k_batch_norm:
    case Op::k_instance_norm:
    case Op::k_layer_norm:
    case Op::k_rms_norm: return Check<NormAttrs>(op, attrs);
    case Op::k_group_norm: return Check<GroupNormAttrs>(op, attrs);
    case Op::k_lrn: return Check<LrnAttrs>(op, attrs);
    case Op::k_lp_norm: return Check<LpNormAttrs>(op, attrs);
    case Op::k_mean_variance_norm: return Check<MeanVarianceAttrs>(op, attrs);
    case Op::k_cumsum:
    case Op::k_cumprod: return Check<CumulateAttrs>(op, attrs);
    case Op::k_trilu: return Check<TriluAttrs>(op, attrs);
    case Op::k_reverse_sequence: return Check<ReverseSequenceAttrs>(op, attrs);
    case Op::k_scatter_elements:
    case Op::k_scatter_nd: return Check<ScatterAttrs>(op, attrs);
    case Op::k_not:
    case Op::k_bitwise_not:
    case Op::k_identity:
    case Op::k_clip: return Check<NoAttrs>(op, attrs);
    default: return Check<UnaryAttrs>(op, attrs);
  }
}

// The axis attribute must be in range for operators that have one. The fallbacks are ONNX's.
Status CheckAxis(const OpInfo& op, const Attrs& attrs, const SymDims& x) {
  const bool softmax =
      op.op == Op::k_softmax || op.op == Op::k_log_softmax || op.op == Op::k_hardmax;
  const bool norm = op.family == Family::norm && op.op != Op::k_mean_variance_norm;
  const bool running = op.op == Op::k_cumsum || op.op == Op::k_cumprod;
  if (!softmax && !norm && !running) return OkStatus();
  // Softmax of a scalar is 1, whatever the axis.
  if (x.rank() == 0 && softmax) return OkStatus();
  const int64_t fallback = softmax || op.op == Op::k_lp_norm ? -1 : running ? 0 : 1;
  int axis = 0;
  return ResolveAxis(attrs.GetInt("axis", fallback), x.rank(), &axis);
}

// Checks scale, bias, mean and variance of batch and instance norms: one number per channel.
Status CheckPerChannel(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                       const SymDims& x) {
  if (op.op != Op::k_batch_norm && op.op != Op::k_instance_norm) return OkStatus();
  int axis = 0;
  TERN_TRY(ResolveAxis(attrs.GetInt("axis", 1), x.rank(), &axis));
  for (int i = 1; i < static_cast<int>(args.size()); ++i) {
    SymDims dims;
    TERN_TRY(ReadDims(op, args, i, &dims));
    TERN_TRY(CheckRank(op.parameter(i), dims.rank(), 1, 1));
    TERN_TRY(CheckDim(op.parameter(i), dims, 0, x[axis]));
  }
  return OkStatus();
}

// A value of one element stands for all, as in a broadcast.
const Dim& At(const Values& values, size_t index) { return values[values.size() == 1 ? 0 : index]; }

// Truncates towards zero like the operator. For symbols that is floor division where both are not
// negative; otherwise only numbers are divided.
Dim DivideValues(const Dim& a, const Dim& b) {
  if (a.is_constant() && b.is_constant() && b.constant() != 0 && b.constant() != -1) {
    return Dim(a.constant() / b.constant());
  }
  const bool positive = !a.is_any() && !b.is_any() && a.Bounds().low >= 0 && b.Bounds().low > 0;
  return positive ? FloorDiv(a, b) : Dim::Any();
}

// As DivideValues: floor and truncation agree only where no sign is involved.
Dim ModValues(const Dim& a, const Dim& b) {
  if (a.is_any() || b.is_any() || b.Bounds().low <= 0 || a.Bounds().low < 0) return Dim::Any();
  return a - FloorDiv(a, b) * b;
}

// The value of one element of the result; unknown for operators that shapes are not made with.
Dim CombineValues(Op op, const Dim& a, const Dim& b) {
  switch (op) {
    case Op::k_add: return a + b;
    case Op::k_sub: return a - b;
    case Op::k_mul: return a * b;
    case Op::k_div: return DivideValues(a, b);
    case Op::k_min: return MinDim(a, b);
    case Op::k_max: return MaxDim(a, b);
    case Op::k_mod: return ModValues(a, b);
    default: return Dim::Any();
  }
}

// Tracks values of small integer vectors, by which exporters compute shapes. Not of higher ranks.
void TrackBinary(Op op, std::span<const ArgInfo> args, RelationOutput* out) {
  const Values* a = args[0].value;
  const Values* b = args[1].value;
  if (a == nullptr || b == nullptr || out->types[0].rank() > 1) return;
  const size_t count = a->size() == 1 ? b->size() : a->size();
  Values values;
  for (size_t i = 0; i < count; ++i) values.push_back(CombineValues(op, At(*a, i), At(*b, i)));
  out->value = std::move(values);
}

// The shape that two operands broadcast to.
Status Broadcast(const OpInfo& op, std::span<const ArgInfo> args, int a, int b, SymDims* result) {
  SymDims da, db;
  TERN_TRY(ReadDims(op, args, a, &da));
  TERN_TRY(ReadDims(op, args, b, &db));
  return BroadcastShape(da, db, result);
}

}  // namespace

// Most operators of one operand, and norms: the result has the type of x.
Status RelateSameAsFirst(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                         RelationOutput* out) {
  SymDims x;
  TERN_TRY(ReadDims(op, args, 0, &x));
  TERN_TRY(CheckAttributes(op, attrs));
  TERN_TRY(CheckAxis(op, attrs, x));
  TERN_TRY(CheckPerChannel(op, attrs, args, x));
  AddResult(args[0].type->dtype, x, out);
  if (op.op == Op::k_identity && args[0].value != nullptr) out->value = *args[0].value;
  return OkStatus();
}

// Tests of numbers, such as for NaN: one truth value for each element.
Status RelateBoolOfFirst(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                         RelationOutput* out) {
  SymDims x;
  TERN_TRY(ReadDims(op, args, 0, &x));
  TERN_TRY(op.op == Op::k_is_inf ? Check<IsInfAttrs>(op, attrs) : Check<UnaryAttrs>(op, attrs));
  AddResult(kBool, x, out);
  return OkStatus();
}

Status RelateCast(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                  RelationOutput* out) {
  SymDims x;
  TERN_TRY(ReadDims(op, args, 0, &x));
  TERN_TRY_ASSIGN(CastAttrs cast, CastAttrs::From(attrs, op.name));
  AddResult(cast.to, x, out);
  // Fractions are not tracked, so only a cast to an integer keeps the value. Exporters write shapes
  // through int32 and back, in which numbers beyond it would wrap.
  const auto fits = [&](const Dim& dim) {
    int64_t number = 0;
    return cast.to == kI64 || !DimIsConstant(dim, &number) ||
           number == static_cast<int32_t>(number);
  };
  const bool integer = cast.to == kI64 || cast.to == kI32;
  if (integer && args[0].value != nullptr && std::ranges::all_of(*args[0].value, fits))
    out->value = *args[0].value;
  return OkStatus();
}

Status RelateBitCast(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                     RelationOutput* out) {
  SymDims x;
  TERN_TRY(ReadDims(op, args, 0, &x));
  TERN_TRY_ASSIGN(BitCastAttrs cast, BitCastAttrs::From(attrs, op.name));
  TERN_TRY(CheckBitCast(args[0].type->dtype, cast.to));
  AddResult(cast.to, x, out);
  return OkStatus();
}

Status RelateBinary(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                    RelationOutput* out) {
  TERN_TRY(Check<NoAttrs>(op, attrs));
  TERN_TRY(CheckSameDType(op, args, 0, 1));
  SymDims result;
  TERN_TRY(Broadcast(op, args, 0, 1, &result));
  AddResult(args[0].type->dtype, result, out);
  TrackBinary(op.op, args, out);
  return OkStatus();
}

// The exponent may have another type than the base, unlike in RelateBinary.
Status RelatePow(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                 RelationOutput* out) {
  TERN_TRY(Check<NoAttrs>(op, attrs));
  SymDims result;
  TERN_TRY(Broadcast(op, args, 0, 1, &result));
  AddResult(args[0].type->dtype, result, out);
  return OkStatus();
}

Status RelateCompare(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                     RelationOutput* out) {
  TERN_TRY(RelateBinary(op, attrs, args, out));
  out->types[0].dtype = kBool;
  // RelateBinary may have tracked a value as an extent; a truth value is none.
  out->value.reset();
  return OkStatus();
}

Status RelateWhere(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                   RelationOutput* out) {
  TERN_TRY(Check<NoAttrs>(op, attrs));
  if (!args[0].type->dtype.is_bool()) {
    return TypeError("argument 0 (condition) is ", args[0].type->ToText(), ", expected bool");
  }
  TERN_TRY(CheckSameDType(op, args, 1, 2));
  SymDims branches, condition, result;
  TERN_TRY(Broadcast(op, args, 1, 2, &branches));
  // The condition broadcasts to the branches, and they to it.
  TERN_TRY(ReadDims(op, args, 0, &condition));
  TERN_TRY(BroadcastShape(condition, branches, &result));
  AddResult(args[1].type->dtype, result, out);
  return OkStatus();
}

// Mean and inverse deviation, which training asks for, are always f32.
Status RelateLayerNormStats(const OpInfo& op, const Attrs& attrs, std::span<const ArgInfo> args,
                            RelationOutput* out) {
  SymDims x, stats;
  TERN_TRY(ReadDims(op, args, 0, &x));
  TERN_TRY_ASSIGN(NormAttrs norm, NormAttrs::From(attrs, op.name));
  TERN_TRY(LayerNormStatsShape(norm, x, &stats));
  AddResult(args[0].type->dtype, x, out);
  AddResult(kF32, stats, out);
  AddResult(kF32, stats, out);
  return OkStatus();
}

}  // namespace tern::ops
