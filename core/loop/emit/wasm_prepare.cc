// SPDX-License-Identifier: Apache-2.0
// Rewriting only; nothing here emits.
#include "core/loop/emit/wasm_prepare.h"

#include <utility>

#include "core/loop/emit/legalize.h"
#include "core/loop/emit/once_mutator.h"

namespace tern::loop {
namespace {

DType IntOf(int bits, bool is_signed) {
  return DType(is_signed ? TERN_DTYPE_INT : TERN_DTYPE_UINT, static_cast<uint8_t>(bits));
}

Expr Constant(const Expr& like, int64_t value) {
  const Expr scalar = MakeInt(like->type.Scalar(), value);
  const Lanes lanes = like->type.lane_count();
  return lanes.is_scalar() ? scalar : MakeBroadcast(scalar, lanes);
}

// Integer to integer, halving or doubling the width at each step, because wasm's instructions do
// so.
Expr StepWidths(Expr value, DType to) {
  while (value->type.bits() * 2 < to.bits)
    value = MakeCast(IntOf(value->type.bits() * 2, value->type.is_signed()), value);
  while (value->type.bits() > to.bits * 2)
    value = MakeCast(IntOf(value->type.bits() / 2, value->type.is_signed()), value);
  return MakeCast(to, value);
}

// Float to an integer of less than 32 bits: wasm saturates to 32 bits only, so the bounds follow.
Expr ToSmallInt(const Expr& value, DType to) {
  const bool is_signed = to.is_signed_int();
  const int64_t highest = (int64_t{1} << (to.bits - (is_signed ? 1 : 0))) - 1;
  Expr wide = MakeCast(kI32, value);
  wide = MakeBinary(BinaryOp::kMin, wide, Constant(wide, highest));
  wide = MakeBinary(BinaryOp::kMax, wide, Constant(wide, is_signed ? -highest - 1 : 0));
  return StepWidths(wide, to);
}

class CastChains : public OnceMutator {
 protected:
  Expr Rewrite(const Expr& expr) override {
    const auto* cast = expr->As<Cast>();
    return cast != nullptr ? Chain(MutateExpr(cast->value), cast->type.element()) : Descend(expr);
  }

 private:
  static Expr Chain(const Expr& value, DType to) {
    const DType from = value->type.element();
    if (from.is_bool() || to.is_bool()) return MakeCast(to, value);
    if (from.is_float() && to.is_int() && to.bits < 32) return ToSmallInt(value, to);
    if (from.is_int() && to.is_float() && from.bits < 32)
      return MakeCast(to, StepWidths(value, kI32));
    if (from.is_int() && to.is_int() && value->type.is_vector()) return StepWidths(value, to);
    return MakeCast(to, value);
  }
};

class UseCounter : public Visitor {
 public:
  explicit UseCounter(UseCounts* counts) : counts_(*counts) {}
  // Counts uses by nodes, so that a shared subtree is not counted once per path.
  void VisitExpr(const Expr& expr) override {
    if (++counts_[expr.get()] == 1) Descend(expr);
  }

 private:
  UseCounts& counts_;
};

}  // namespace

Stmt PrepareForWasm(const Stmt& body) {
  return CastChains().MutateStmt(LegalizeTypes(body, NativeTypes{}));
}

Expr PrepareForWasm(const Expr& expr) {
  return CastChains().MutateExpr(LegalizeTypes(expr, NativeTypes{}));
}

// Sums, differences and products modulo 2^32 need the low halves of their operands only. Quotients
// do not, and are computed in 64 bits.
Expr LowHalf(const Expr& index) {
  if (index->type.bits() <= 32) return index->type.bits() == 32 ? index : MakeCast(kI32, index);
  if (const auto* imm = index->As<IntImm>())
    return MakeInt(DataType(kI32), static_cast<int32_t>(imm->value));
  if (const auto* binary = index->As<Binary>()) {
    const BinaryOp op = binary->op;
    if (op == BinaryOp::kAdd || op == BinaryOp::kSub || op == BinaryOp::kMul) {
      return MakeBinary(op, MakeCast(kI32, LowHalf(binary->a)), MakeCast(kI32, LowHalf(binary->b)));
    }
  }
  if (const auto* ramp = index->As<Ramp>()) {
    return MakeRamp(MakeCast(kI32, LowHalf(ramp->base)), MakeCast(kI32, LowHalf(ramp->stride)),
                    ramp->type.lane_count());
  }
  if (const auto* broadcast = index->As<Broadcast>())
    return MakeBroadcast(MakeCast(kI32, LowHalf(broadcast->value)), broadcast->type.lane_count());
  if (const auto* cast = index->As<Cast>(); cast && cast->value->type.is_int())
    return MakeCast(kI32, LowHalf(cast->value));
  return MakeCast(kI32, index);
}

void CountUses(const Expr& expr, UseCounts* counts) { UseCounter(counts).VisitExpr(expr); }

}  // namespace tern::loop
