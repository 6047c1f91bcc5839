// SPDX-License-Identifier: Apache-2.0
#include "core/loop/emit/float_order.h"

#include <limits>

#include "core/loop/emit/float_bits.h"
#include "core/loop/emit/once_mutator.h"

namespace tern::loop {
namespace {

using enum BinaryOp;

int64_t Magnitudes(int bits) { return std::numeric_limits<int64_t>::max() >> (64 - bits); }
int64_t Infinity(int bits) {
  return bits == 16 ? 0x7c00 : bits == 32 ? 0x7f800000 : 0x7ff0000000000000;
}

Bits SignedBits(const Expr& value) {
  const int bits = value->type.bits();
  return {MakeReinterpret(bits == 16 ? kI16 : bits == 32 ? kI32 : kI64, value)};
}

// -1 where the sign is set, else 0.
Bits SignOf(const Bits& bits) { return bits.With(kShr, bits.value->type.bits() - 1); }

// The bits, those of negative numbers mirrored, are in the numbers' order with NaNs at both ends,
// and -0 just below 0. Mirror is its own inverse.
Bits Mirror(const Bits& bits) {
  const int64_t magnitudes = Magnitudes(bits.value->type.bits());
  return bits.With(kXor, SignOf(bits).With(kAnd, magnitudes).value);
}

// Adding a number modulo 2^bits rotates that order by as many places as there are NaNs of one sign,
// so that all NaNs come first for a minimum and last for a maximum: then a NaN operand wins, as
// IEEE 754 asks.
int64_t TurnOf(BinaryOp op, int bits) {
  const int64_t nans = Magnitudes(bits) - Infinity(bits);
  return op == kMin ? nans : -nans;
}

Bits Turned(BinaryOp op, const Expr& value) {
  return Mirror(SignedBits(value)).With(kAdd, TurnOf(op, value->type.bits()));
}

// As Mirror, with both zeros at 0.
Bits Ordered(const Bits& bits) { return Mirror(bits).With(kSub, SignOf(bits).value); }

Bits MagnitudeOf(const Bits& bits) { return bits.With(kAnd, Magnitudes(bits.value->type.bits())); }

// Both sides in one order in which the left one's NaNs lie above all numbers and the right one's
// are the least integer, below them: then == and < are false of a NaN, and != is true. One
// comparison and no conditions, so that a loop's mask stays its only one.
Expr CompareInOrder(BinaryOp op, const Bits& left, const Bits& right) {
  const int width = left.value->type.bits();
  const int64_t infinity = Infinity(width), nans = TurnOf(kMin, width);
  const Bits x = Ordered(left).With(kSub, nans);
  const Bits numbers = Ordered(right).With(kAdd, nans).With(kMax, nans - infinity - 1);
  return x.With(op, numbers.With(kSub, 2 * nans).value).value;
}

Expr CompareOnBits(BinaryOp op, const Expr& a, const Expr& b) {
  const Bits x = SignedBits(a), y = SignedBits(b);
  const bool asks_for_nan = a == b && (op == kEq || op == kNe);
  if (asks_for_nan)
    return MagnitudeOf(x).With(op == kEq ? kLe : kGt, Infinity(a->type.bits())).value;
  if (op == kGt) return CompareInOrder(kLt, y, x);
  if (op == kGe) return CompareInOrder(kLe, y, x);
  return CompareInOrder(op, x, y);
}

// bfloat16 is compared as float32 by then (legalize.h).
bool IsOrdered(const Expr& value) {
  return value->type.is_float() && value->type.element() != kBf16;
}

class OnBits : public OnceMutator {
 protected:
  Expr Rewrite(const Expr& expr) override {
    if (const auto* binary = expr->As<Binary>(); binary && IsOrdered(binary->a)) {
      if (IsLimit(binary->op))
        return LimitOnBits(binary->op, MutateExpr(binary->a), MutateExpr(binary->b));
      if (InfoOf(binary->op).op_class == BinaryClass::kCompare)
        return CompareOnBits(binary->op, MutateExpr(binary->a), MutateExpr(binary->b));
    }
    const auto* fold = expr->As<VectorReduce>();
    if (fold && IsOrdered(fold->value) && IsLimit(fold->op))
      return ReduceOnBits(fold->op, MutateExpr(fold->value));
    const auto* cast = expr->As<Cast>();
    if (cast && IsOrdered(cast->value) && cast->type.is_bool())
      return MagnitudeOf(SignedBits(MutateExpr(cast->value))).With(kNe, 0).value;
    return Descend(expr);
  }
};

}  // namespace

Expr LimitOnBits(BinaryOp op, const Expr& a, const Expr& b) {
  const Expr first = Turned(op, a).value, second = Turned(op, b).value;
  return MakeSelect(MakeBinary(op == kMin ? kLt : kGt, first, second), a, b);
}

Expr ReduceOnBits(BinaryOp op, const Expr& vector) {
  const DType element = vector->type.element();
  const Bits limit{MakeVectorReduce(op, Turned(op, vector).value)};
  return MakeReinterpret(element, Mirror(limit.With(kSub, TurnOf(op, element.bits))).value);
}

Stmt OrderOnBits(const Stmt& body) { return OnBits().MutateStmt(body); }
Expr OrderOnBits(const Expr& expr) { return OnBits().MutateExpr(expr); }

}  // namespace tern::loop
