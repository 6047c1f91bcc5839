// SPDX-License-Identifier: Apache-2.0
// Scalar values, left on the stack.
#include "core/base/half.h"
#include "core/loop/emit/wasm_function.h"

namespace tern::loop {
namespace {

bool IsNumber(const Expr& expr) {
  return expr->kind == ExprKind::kIntImm || expr->kind == ExprKind::kFloatImm ||
         expr->kind == ExprKind::kVar;
}

}  // namespace

// Leaves the value on the stack, and in a local too if the statement needs it again.
void WasmFunction::Scalar(const Expr& expr) {
  if (!status_.ok()) return;
  if (IsNumber(expr) || uses_[expr.get()] < 2) return ComputeScalar(expr);
  const std::tuple key(expr.get(), 0, 0);
  const auto known = saved_.find(key);
  if (known != saved_.end()) return code_.Get(known->second);
  ComputeScalar(expr);
  const uint32_t local = Temporary(WasmScalarType(expr->type));
  code_.Tee(local);
  saved_[key] = local;
}

void WasmFunction::ComputeScalar(const Expr& expr) {
  const DataType type = expr->type;
  switch (expr->kind) {
    case ExprKind::kIntImm: return PushInt(type, expr->As<IntImm>()->value);
    case ExprKind::kFloatImm: return PushFloat(type, expr->As<FloatImm>()->value);
    case ExprKind::kVar: return GetVariable(*expr->As<Var>(), 0);
    case ExprKind::kVScale: return code_.I64(1);
    case ExprKind::kBinary: return ScalarBinary(*expr->As<Binary>());
    case ExprKind::kNot: Scalar(expr->As<Not>()->value); return code_.Op(WasmOp::kI32Eqz);
    case ExprKind::kSelect: {
      const auto& select = *expr->As<Select>();
      // select takes both operands from the stack: there is no branch, and both are computed.
      Scalar(select.a);
      Scalar(select.b);
      Scalar(select.condition);
      return code_.Op(WasmOp::kSelect);
    }
    case ExprKind::kCast: {
      const Expr& value = expr->As<Cast>()->value;
      const auto* var = value->As<Var>();
      // The low half of a loop variable has a local.
      const auto found = variables_.find(var);
      if (found != variables_.end() && type.element() == kI32 && found->second.has_low_half)
        return code_.Get(found->second.low_half);
      Scalar(value);
      return ConvertScalar(value->type, type);
    }
    case ExprKind::kReinterpret: {
      const Expr& value = expr->As<Reinterpret>()->value;
      Scalar(value);
      const WasmType from = WasmScalarType(value->type), to = WasmScalarType(type);
      if (from == to) return Normalize(type);
      if (from == WasmType::kF32) return code_.Op(WasmOp::kI32ReinterpretF32);
      if (from == WasmType::kF64) return code_.Op(WasmOp::kI64ReinterpretF64);
      return code_.Op(to == WasmType::kF32 ? WasmOp::kF32ReinterpretI32
                                           : WasmOp::kF64ReinterpretI64);
    }
    case ExprKind::kLoad: return ScalarLoad(*expr->As<Load>());
    case ExprKind::kCall: return ScalarCall(*expr->As<Call>());
    case ExprKind::kVectorReduce: return VectorFold(*expr->As<VectorReduce>());
    // Of one lane.
    case ExprKind::kRamp: return Scalar(expr->As<Ramp>()->base);
    case ExprKind::kBroadcast: return Scalar(expr->As<Broadcast>()->value);
    case ExprKind::kLaneMask: {
      const auto& mask = *expr->As<LaneMask>();
      Scalar(mask.base);
      Scalar(mask.bound);
      return code_.Op(WasmOp::kI64LtS);
    }
    case ExprKind::kReduction: NotLowered(KindName(expr->kind));
  }
}

// Integers of up to 32 bits and bools are i32.
void WasmFunction::PushInt(DataType type, int64_t value) {
  if (type.bits() == 64) return code_.I64(value);
  code_.I32(static_cast<int32_t>(value));
}

// Halves are their bits in an i32.
void WasmFunction::PushFloat(DataType type, double value) {
  const auto single = static_cast<float>(value);
  if (type.element() == kF16) return code_.I32(F32ToF16(single));
  if (type.element() == kBf16) return code_.I32(F32ToBf16(single));
  if (type.bits() == 32) return code_.F32(single);
  code_.F64(value);
}

void WasmFunction::PushZero(DataType type) {
  if (type.is_float()) return PushFloat(type, 0);
  PushInt(type, 0);
}

// Restores the upper bits of an i32 that stands for a narrower integer, after an operation on all
// 32.
void WasmFunction::Normalize(DataType type) {
  if (type.bits() >= 32 || type.is_bool()) return;
  if (type.is_signed())
    return code_.Op(type.bits() == 8 ? WasmOp::kI32Extend8S : WasmOp::kI32Extend16S);
  code_.I32(type.bits() == 8 ? 0xff : 0xffff);
  code_.Op(WasmOp::kI32And);
}

void WasmFunction::ScalarBinary(const Binary& binary) {
  const DataType type = binary.a->type;
  const bool divides = binary.op == BinaryOp::kDiv || binary.op == BinaryOp::kMod;
  if (binary.op == BinaryOp::kMod && type.is_float()) return NotLowered("'%' of floats");
  Scalar(binary.a);
  const IntImm* by = AsInt(binary.b);
  const bool power = by != nullptr && by->value > 0 && (by->value & (by->value - 1)) == 0;
  if (divides && power && type.is_int()) {
    // The floor of a quotient by a power of two is a shift.
    const bool remainder = binary.op == BinaryOp::kMod;
    const int shift = __builtin_ctzll(static_cast<uint64_t>(by->value));
    PushInt(type, remainder ? by->value - 1 : shift);
    return code_.Op(ScalarOp(remainder ? BinaryOp::kAnd : BinaryOp::kShr, type));
  }
  Scalar(binary.b);
  ApplyScalar(binary.op, type);
}

void WasmFunction::ApplyScalar(BinaryOp op, DataType type) {
  if (!type.is_float() && (op == BinaryOp::kDiv || op == BinaryOp::kMod))
    return FloorDivide(op == BinaryOp::kMod, type);
  if (!type.is_float() && (op == BinaryOp::kMin || op == BinaryOp::kMax)) return MinMax(op, type);
  if ((op == BinaryOp::kShl || op == BinaryOp::kShr) && type.bits() < 32) {
    code_.I32(type.bits() - 1);  // the engine takes the count modulo 32
    code_.Op(WasmOp::kI32And);
  }
  const WasmOp instruction = ScalarOp(op, type);
  if (instruction == kNoWasmOp) return NotLowered(InfoOf(op).text);
  code_.Op(instruction);
  if (InfoOf(op).op_class != BinaryClass::kCompare) Normalize(type);
}

// wasm has no minimum of integers; four operands, so two locals.
void WasmFunction::MinMax(BinaryOp op, DataType type) {
  const WasmType spelled = WasmScalarType(type);
  const uint32_t b = Save(spelled), a = Save(spelled);
  code_.Get(a);
  code_.Get(b);
  code_.Get(a);
  code_.Get(b);
  code_.Op(ScalarOp(op == BinaryOp::kMin ? BinaryOp::kLt : BinaryOp::kGt, type));
  code_.Op(WasmOp::kSelect);
}

// Division by zero gives 0, and only what is left may reach the instructions that trap.
void WasmFunction::FloorDivide(bool remainder, DataType type) {
  const WasmType spelled = WasmScalarType(type);
  const bool wide = type.bits() == 64;
  const uint32_t b = Save(spelled), a = Save(spelled);
  code_.Get(b);
  code_.Op(wide ? WasmOp::kI64Eqz : WasmOp::kI32Eqz);
  code_.If(spelled);
  PushInt(type, 0);
  code_.Else();
  if (type.is_signed()) {
    SignedFloorDivide(remainder, type, {a, b});
  } else {
    code_.Get(a);
    code_.Get(b);
    if (remainder)
      code_.Op(wide ? WasmOp::kI64RemU : WasmOp::kI32RemU);
    else
      code_.Op(wide ? WasmOp::kI64DivU : WasmOp::kI32DivU);
  }
  code_.End();
}

// Instructions round toward zero, the loop IR rounds down, so the result may need a correction.
void WasmFunction::SignedFloorDivide(bool remainder, DataType type,
                                     std::pair<uint32_t, uint32_t> operands) {
  const auto [a, b] = operands;
  const WasmType spelled = WasmScalarType(type);
  const bool wide = type.bits() == 64;
  const auto apply = [&](BinaryOp op) { code_.Op(ScalarOp(op, type)); };
  // x / -1 is -x, also for the least integer, for which the instruction traps.
  code_.Get(b);
  PushInt(type, -1);
  apply(BinaryOp::kEq);
  code_.If(spelled);
  PushInt(type, 0);
  if (!remainder) {
    code_.Get(a);
    apply(BinaryOp::kSub);
    Normalize(type);
  }
  code_.Else();
  const uint32_t rest = Temporary(spelled);
  code_.Get(a);
  code_.Get(b);
  code_.Op(wide ? WasmOp::kI64RemS : WasmOp::kI32RemS);
  code_.Set(rest);
  if (remainder) {
    code_.Get(rest);
  } else {
    code_.Get(a);
    code_.Get(b);
    code_.Op(wide ? WasmOp::kI64DivS : WasmOp::kI32DivS);
  }
  // A remainder of the other sign than the divisor's is one divisor off.
  if (remainder) code_.Get(b);
  if (!remainder) PushInt(type, -1);
  PushInt(type, 0);
  code_.Get(rest);
  code_.Get(b);
  apply(BinaryOp::kXor);
  PushInt(type, 0);
  apply(BinaryOp::kLt);
  code_.Get(rest);
  PushInt(type, 0);
  apply(BinaryOp::kNe);
  code_.Op(WasmOp::kI32And);
  code_.Op(WasmOp::kSelect);
  apply(BinaryOp::kAdd);
  code_.End();
}

// Conversions to bool ask whether the value is not zero.
void WasmFunction::ConvertScalar(DataType from, DataType to) {
  if (to.is_bool()) {
    PushZero(from);
    return code_.Op(ScalarOp(BinaryOp::kNe, from));
  }
  const WasmOp instruction = ConvertOp(from, to);
  if (instruction != kNoWasmOp) code_.Op(instruction);
  if (to.is_int()) Normalize(to);
}

void WasmFunction::ScalarCall(const Call& call) {
  const DataType type = call.type;
  for (const Expr& arg : call.args) Scalar(arg);
  if (call.intrinsic != Intrinsic::kMulAdd) return ApplyScalar(call.intrinsic, type);
  // a * b + c, with c on top.
  const uint32_t c = Save(WasmScalarType(type));
  ApplyScalar(BinaryOp::kMul, type);
  code_.Get(c);
  ApplyScalar(BinaryOp::kAdd, type);
}

// abs of integers: there is no instruction for scalars.
void WasmFunction::ApplyScalar(Intrinsic intrinsic, DataType type) {
  const WasmOp instruction = ScalarOp(intrinsic, type);
  if (instruction != kNoWasmOp) return code_.Op(instruction);
  if (intrinsic != Intrinsic::kAbs || !type.is_int())
    return NotLowered(StrCat("the intrinsic '", InfoOf(intrinsic).text, "'"));
  if (!type.is_signed()) return;
  const uint32_t value = Save(WasmScalarType(type));
  PushInt(type, 0);
  code_.Get(value);
  code_.Op(ScalarOp(BinaryOp::kSub, type));
  code_.Get(value);
  code_.Get(value);
  PushInt(type, 0);
  code_.Op(ScalarOp(BinaryOp::kLt, type));
  code_.Op(WasmOp::kSelect);
  Normalize(type);
}

}  // namespace tern::loop
