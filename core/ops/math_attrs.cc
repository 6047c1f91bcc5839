// SPDX-License-Identifier: Apache-2.0
#include "core/ops/math_attrs.h"

#include <cfloat>
#include <cmath>

namespace tern::ops {

namespace {

constexpr std::string_view kPowerRounds[] = {"up", "down", "nearest"};
constexpr std::string_view kDirections[] = {"forward", "reverse", "bidirectional"};

// Packing has transposed b already, and its kernel has no scale factors.
void CheckAttrs(AttrIn& in, const MatMulAttrs& attrs) {
  if (!attrs.packed) return;
  in.CheckExtent("columns", attrs.columns, 1);
  if (attrs.trans_b) in.Fail("trans_b", "must be 0 where packed=1");
  if (attrs.alpha != 1 || attrs.beta != 1) in.Fail("alpha", "and beta must be 1 where packed=1");
}

void CheckAttrs(AttrIn& in, const EinsumAttrs& attrs) {
  if (attrs.equation.empty()) in.Fail("equation", "is required");
}

void CheckAttrs(AttrIn& in, const CastAttrs& attrs) {
  if (!attrs.to.IsKnown()) in.Fail("to", "is required: an element type such as f32");
}

void CheckAttrs(AttrIn& in, const BitCastAttrs& attrs) {
  if (!attrs.to.IsKnown()) in.Fail("to", "is required: an element type such as f32");
}

void CheckAttrs(AttrIn& in, const GroupNormAttrs& attrs) {
  in.CheckExtent("groups", attrs.groups, 1);
}
void CheckAttrs(AttrIn& in, const LrnAttrs& attrs) { in.CheckExtent("size", attrs.size, 1); }

// ONNX has these two norms only.
void CheckAttrs(AttrIn& in, const LpNormAttrs& attrs) {
  if (attrs.p != 1 && attrs.p != 2) in.Fail("p", "must be 1 or 2");
}

void CheckAttrs(AttrIn& in, const QuantizeAttrs& attrs) {
  in.CheckExtent("block", attrs.block, 0);
  if (attrs.precision.IsKnown() && !attrs.precision.is_float())
    in.Fail("precision", "must be a float type");
}

void CheckAttrs(AttrIn& in, const QuantizedBinaryAttrs& attrs) {
  in.CheckQuantized(attrs.to, attrs.zero);
  // NaN is none of these either.
  if (!(std::fabs(attrs.a_scale) <= FLT_MAX)) in.Fail("a_scale", "must be finite");
  if (!(std::fabs(attrs.b_scale) <= FLT_MAX)) in.Fail("b_scale", "must be finite");
  if (!(attrs.scale > 0 && attrs.scale <= FLT_MAX)) in.Fail("scale", "must be positive and finite");
}

void CheckAttrs(AttrIn& in, const RecurrentAttrs& attrs) {
  in.CheckExtent("hidden", attrs.hidden, attrs.packed ? 1 : 0);
}

// Any value of these is fine until the rank of the operand is known.
void CheckAttrs(AttrIn&, const UnaryAttrs&) {}
void CheckAttrs(AttrIn&, const IsInfAttrs&) {}
void CheckAttrs(AttrIn&, const NoAttrs&) {}
void CheckAttrs(AttrIn&, const ReduceAttrs&) {}
void CheckAttrs(AttrIn&, const ArgReduceAttrs&) {}
void CheckAttrs(AttrIn&, const CumulateAttrs&) {}
void CheckAttrs(AttrIn&, const TopKAttrs&) {}
void CheckAttrs(AttrIn&, const SoftmaxAttrs&) {}
void CheckAttrs(AttrIn&, const NormAttrs&) {}
void CheckAttrs(AttrIn&, const MeanVarianceAttrs&) {}
void CheckAttrs(AttrIn&, const DftAttrs&) {}
void CheckAttrs(AttrIn&, const StftAttrs&) {}

}  // namespace

Status CheckBitCast(DType from, DType to) {
  if (from.is_string() || to.is_string())
    return TypeError("x is ", from.ToString(), ", to is ", to.ToString(), ": texts have no bits");
  if (from.bits == to.bits && from.lanes == to.lanes) return OkStatus();
  return TypeError("x is ", from.ToString(), " of ", from.bits * from.lanes, " bits, but ",
                   to.ToString(), " has ", to.bits * to.lanes,
                   "; both must have the same number of bits");
}

std::span<const std::string_view> EnumNames(PowerRound) { return kPowerRounds; }
std::span<const std::string_view> EnumNames(Direction) { return kDirections; }

namespace {
Status CheckQuantizedOperand(std::string_view name, DType dtype, float scale, int64_t zero) {
  if (dtype == kF32) {
    if (scale == 1 && zero == 0) return OkStatus();
    return TypeError(name, "_scale and ", name, "_zero are for 8 bits, but ", name, " is f32");
  }
  if (dtype != kU8 && dtype != kI8)
    return TypeError(name, " is ", dtype.ToString(), ", expected u8, i8 or f32");
  if (IsZeroPoint(dtype, zero)) return OkStatus();
  return TypeError(name, "_zero is ", zero, ", expected a value of ", dtype.ToString(),
                   ", the element type of ", name);
}
}  // namespace

Status QuantizedBinaryAttrs::CheckOperands(DType a, DType b) const {
  TERN_TRY(CheckQuantizedOperand("a", a, a_scale, a_zero));
  return CheckQuantizedOperand("b", b, b_scale, b_zero);
}

TERN_OPS_DEFINE_ATTRS(MatMulAttrs)
TERN_OPS_DEFINE_ATTRS(EinsumAttrs)
TERN_OPS_DEFINE_ATTRS(UnaryAttrs)
TERN_OPS_DEFINE_ATTRS(IsInfAttrs)
TERN_OPS_DEFINE_ATTRS(CastAttrs)
TERN_OPS_DEFINE_ATTRS(BitCastAttrs)
TERN_OPS_DEFINE_ATTRS(NoAttrs)
TERN_OPS_DEFINE_ATTRS(ReduceAttrs)
TERN_OPS_DEFINE_ATTRS(ArgReduceAttrs)
TERN_OPS_DEFINE_ATTRS(CumulateAttrs)
TERN_OPS_DEFINE_ATTRS(TopKAttrs)
TERN_OPS_DEFINE_ATTRS(SoftmaxAttrs)
TERN_OPS_DEFINE_ATTRS(NormAttrs)
TERN_OPS_DEFINE_ATTRS(GroupNormAttrs)
TERN_OPS_DEFINE_ATTRS(LrnAttrs)
TERN_OPS_DEFINE_ATTRS(LpNormAttrs)
TERN_OPS_DEFINE_ATTRS(MeanVarianceAttrs)
TERN_OPS_DEFINE_ATTRS(DftAttrs)
TERN_OPS_DEFINE_ATTRS(StftAttrs)
TERN_OPS_DEFINE_ATTRS(QuantizeAttrs)
TERN_OPS_DEFINE_ATTRS(QuantizedBinaryAttrs)
TERN_OPS_DEFINE_ATTRS(RecurrentAttrs)

}  // namespace tern::ops
