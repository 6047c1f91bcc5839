// SPDX-License-Identifier: Apache-2.0
// The rewriting, and the conversions written as expressions, so that every emitter gives the same
// bits.
#include "core/loop/emit/legalize.h"

#include <utility>

#include "core/loop/emit/float_bits.h"
#include "core/loop/emit/float_order.h"
#include "core/loop/emit/once_mutator.h"

namespace tern::loop {
namespace {

using enum BinaryOp;

Expr FloatLike(const Expr& like, double value) {
  return SplatOf(MakeFloat(like->type.Scalar(), value), like->type.lane_count());
}

Bits BitsOf(const Expr& value) {
  switch (value->type.bits()) {
    case 16: return {MakeReinterpret(kU16, value)};
    case 32: return {MakeReinterpret(kU32, value)};
    default: return {MakeReinterpret(kU64, value)};
  }
}

Expr IsNan(const Expr& value) { return MakeBinary(kNe, value, value); }

// bfloat16 is the upper half of a float32, so widening is exact.
Expr WidenBf16(const Expr& value) {
  const Bits wide{MakeCast(kU32, BitsOf(value).value)};
  return MakeReinterpret(kF32, wide.With(kShl, 16).value);
}

// Rounds to nearest even by adding just under half of the last place kept, and its last bit. A NaN
// is handled apart, because that addition could turn it into infinity.
Expr NarrowToBf16(const Expr& value) {
  const Bits bits = BitsOf(value);
  const Bits odd = bits.With(kShr, 16).With(kAnd, 1);
  const Bits rounded = bits.With(kAdd, 0x7fff).With(kAdd, odd.value).With(kShr, 16);
  const Bits nan = bits.With(kShr, 16).With(kOr, 0x40);
  const Expr chosen = MakeSelect(IsNan(value), nan.value, rounded.value);
  return MakeReinterpret(kBf16, MakeCast(kU16, chosen));
}

// The bits are moved into a float32 whose exponent has the wrong bias; a multiplication by 2^112
// corrects it and normalizes subnormal halves on the way. The technique, as the one below, is that
// of the FP16 library (Maratyszcza).
Expr WidenF16(const Expr& value) {
  const Bits bits{MakeCast(kU32, BitsOf(value).value)};
  const Bits magnitude = bits.With(kAnd, 0x7fff).With(kShl, 13);
  const Expr unscaled = MakeReinterpret(kF32, magnitude.value);
  const Expr scaled = MakeBinary(kMul, unscaled, FloatLike(unscaled, 0x1p112));
  // The exponent of halves that is all ones: infinity and NaN.
  const Expr special = MakeBinary(kGe, magnitude.value, magnitude.Constant(0x0f800000));
  const Expr chosen =
      MakeSelect(special, magnitude.With(kOr, 0x7f800000).value, BitsOf(scaled).value);
  const Bits sign = bits.With(kAnd, 0x8000).With(kShl, 16);
  return MakeReinterpret(kF32, Bits{chosen}.With(kOr, sign.value).value);
}

// The addition of a power of two chosen by the exponent lets the processor's own rounding drop the
// bits that a half has no room for; the two multiplications turn what is too large into infinity.
Expr NarrowToF16(const Expr& value) {
  const Bits bits = BitsOf(value);
  const Expr magnitude = MakeReinterpret(kF32, bits.With(kAnd, 0x7fffffff).value);
  const Expr clipped = MakeBinary(kMul, MakeBinary(kMul, magnitude, FloatLike(value, 0x1p112)),
                                  FloatLike(value, 0x1p-110));
  // Doubling drops the sign, so that unsigned comparisons order magnitudes.
  const Bits doubled = bits.With(kAdd, bits.value);
  const Bits exponent = doubled.With(kAnd, 0xff000000);
  const Bits bias = exponent.With(kMax, 0x71000000).With(kShr, 1).With(kAdd, 0x07800000);
  const Bits sum = BitsOf(MakeBinary(kAdd, MakeReinterpret(kF32, bias.value), clipped));
  const Bits number = sum.With(kShr, 13).With(kAnd, 0x7c00).With(kAdd, sum.With(kAnd, 0xfff).value);
  const Expr chosen = MakeSelect(MakeBinary(kGt, doubled.value, doubled.Constant(0xff000000)),
                                 number.Constant(0x7e00), number.value);
  const Bits sign = bits.With(kShr, 16).With(kAnd, 0x8000);
  return MakeReinterpret(kF16, MakeCast(kU16, Bits{chosen}.With(kOr, sign.value).value));
}

// A double as a float whose last bit says whether anything was lost ("round to odd", Boldo and
// Melquiond): rounding once more then gives what rounding the double at once would have given.
Expr RoundToOdd(const Expr& value) {
  const Expr nearest = MakeCast(kF32, value);
  const Expr back = MakeCast(kF64, nearest);
  const Expr exact = MakeBinary(kOr, MakeBinary(kEq, back, value), IsNan(value));
  const auto magnitude = [](const Expr& x) { return MakeCall(Intrinsic::kAbs, {x}); };
  // Rounding went up: the float below is the truncated one.
  const Expr above = MakeBinary(kGt, magnitude(back), magnitude(value));
  const Bits bits = BitsOf(nearest);
  const Expr truncated = MakeSelect(above, bits.With(kSub, 1).value, bits.value);
  const Expr chosen = MakeSelect(exact, bits.value, Bits{truncated}.With(kOr, 1).value);
  return MakeReinterpret(kF32, chosen);
}

class Legalizer : public OnceMutator {
 public:
  explicit Legalizer(const NativeTypes& native) : native_(native) {}

 private:
  bool IsStorage(const Expr& expr) const { return native_.IsStorage(expr->type.element()); }

  Expr Widen(const Expr& value) const {
    if (!IsStorage(value)) return value;
    return value->type.element() == kF16 ? WidenF16(value) : WidenBf16(value);
  }
  // value: a float32.
  Expr Narrow(DType to, const Expr& value) const {
    if (!native_.IsStorage(to)) return MakeCast(to, value);
    return to == kF16 ? NarrowToF16(value) : NarrowToBf16(value);
  }

  Expr Rewrite(const Expr& expr) override {
    if (const auto* cast = expr->As<Cast>()) return Convert(*cast);
    if (const auto* binary = expr->As<Binary>(); binary && IsStorage(binary->a)) {
      const Expr wide =
          MakeBinary(binary->op, Widen(MutateExpr(binary->a)), Widen(MutateExpr(binary->b)));
      return wide->type.is_bool() ? wide : Narrow(expr->type.element(), wide);
    }
    if (const auto* call = expr->As<Call>(); call && IsStorage(expr)) return Compute(*call);
    const bool halves = native_.LimitsAsIntegers(expr->type.element());
    if (const auto* binary = expr->As<Binary>(); binary && halves && IsLimit(binary->op))
      return LimitOnBits(binary->op, MutateExpr(binary->a), MutateExpr(binary->b));
    if (const auto* fold = expr->As<VectorReduce>(); fold && halves && IsLimit(fold->op))
      return ReduceOnBits(fold->op, MutateExpr(fold->value));
    return Descend(expr);
  }

  Expr Compute(const Call& call) {
    const DType type = call.type.element();
    std::vector<Expr> args;
    for (const Expr& arg : call.args) args.push_back(Widen(MutateExpr(arg)));
    // mad rounds twice in 16 bits, as the reference interpreter does.
    if (call.intrinsic != Intrinsic::kMulAdd)
      return Narrow(type, MakeCall(call.intrinsic, std::move(args)));
    const Expr product = Narrow(type, MakeBinary(kMul, args[0], args[1]));
    return Narrow(type, MakeBinary(kAdd, Widen(product), args[2]));
  }

  Expr Convert(const Cast& cast) {
    const DType from = cast.value->type.element();
    const DType to = cast.type.element();
    const Expr value = MutateExpr(cast.value);
    const Expr wide = Widen(value);
    // Rounding to 16 bits must be the only rounding, whatever the target has instructions for.
    const bool to_half = to == kF16 || to == kBf16;
    if (!to_half) return MakeCast(to, wide);
    // 8-bit integers and 16-bit floats are exact in float32; larger integers go through float64.
    if (from.bits < 32) return Narrow(to, MakeCast(kF32, wide));
    if (from == kF32) return Narrow(to, wide);
    return Narrow(to, RoundToOdd(MakeCast(kF64, wide)));
  }

  const NativeTypes native_;
};

}  // namespace

Stmt LegalizeTypes(const Stmt& body, const NativeTypes& native) {
  return Legalizer(native).MutateStmt(body);
}
Expr LegalizeTypes(const Expr& expr, const NativeTypes& native) {
  return Legalizer(native).MutateExpr(expr);
}

}  // namespace tern::loop
