// SPDX-License-Identifier: Apache-2.0
// One part of a vector value, left on the stack. What has no instruction of its own is done lane by
// lane.
#include <array>

#include "core/loop/emit/wasm_function.h"

namespace tern::loop {
namespace {

// Every second group of `size` bytes of two parts one after the other, beginning with the first:
// the low halves of lanes of twice that size, which is how wasm narrows without saturating.
std::array<uint8_t, 16> EvenLanes(int size) {
  std::array<uint8_t, 16> bytes{};
  for (int i = 0; i < 16; ++i)
    bytes[static_cast<size_t>(i)] = static_cast<uint8_t>(i / size * 2 * size + i % size);
  return bytes;
}

struct ExtendOps {
  WasmOp low_signed, high_signed, low_unsigned, high_unsigned;
};
// To lanes of `bits` from lanes of half that.
const ExtendOps& ExtendTo(int bits) {
  using enum WasmOp;
  static constexpr ExtendOps kOps[] = {
      {kI16x8ExtendLowI8x16S, kI16x8ExtendHighI8x16S, kI16x8ExtendLowI8x16U,
       kI16x8ExtendHighI8x16U},
      {kI32x4ExtendLowI16x8S, kI32x4ExtendHighI16x8S, kI32x4ExtendLowI16x8U,
       kI32x4ExtendHighI16x8U},
      {kI64x2ExtendLowI32x4S, kI64x2ExtendHighI32x4S, kI64x2ExtendLowI32x4U,
       kI64x2ExtendHighI32x4U},
  };
  return kOps[bits == 16 ? 0 : bits == 32 ? 1 : 2];
}

const FloatImm* ConstantLimit(const Binary& binary) {
  const auto* broadcast = binary.b->As<Broadcast>();
  return broadcast != nullptr ? broadcast->value->As<FloatImm>() : nullptr;
}

// Maxima and minima with a number that a comparison decides, NaNs on the left being kept: that is
// what pmax and pmin do. Of equal zeros they would keep the first, whatever its sign, so a limit of
// zero is no such one.
bool IsPseudoLimit(const Binary& binary) {
  if (binary.op != BinaryOp::kMax && binary.op != BinaryOp::kMin) return false;
  const FloatImm* limit = ConstantLimit(binary);
  return limit != nullptr && limit->value == limit->value && limit->value != 0;
}

bool IsMaxWithZero(const Binary& binary) {
  const FloatImm* limit = ConstantLimit(binary);
  return binary.op == BinaryOp::kMax && limit != nullptr && limit->value == 0 &&
         !__builtin_signbit(limit->value);
}

}  // namespace

// As Scalar, for one part.
void WasmFunction::Part(const Expr& expr, int part) {
  if (!status_.ok() || !CheckLanes(expr->type)) return;
  const std::tuple key(expr.get(), 0, part);
  const auto known = saved_.find(key);
  if (known != saved_.end()) return code_.Get(known->second);
  ComputePart(expr, part);
  if (expr->kind == ExprKind::kVar || uses_[expr.get()] < 2) return;
  const uint32_t local = Temporary(WasmType::kV128);
  code_.Tee(local);
  saved_[key] = local;
}

void WasmFunction::ComputePart(const Expr& expr, int part) {
  const DataType type = expr->type;
  switch (expr->kind) {
    case ExprKind::kVar: return GetVariable(*expr->As<Var>(), part);
    case ExprKind::kBinary: return BinaryPart(*expr->As<Binary>(), part);
    case ExprKind::kSelect: {
      const auto& select = *expr->As<Select>();
      Part(select.a, part);
      Part(select.b, part);
      Mask(select.condition, type.bits(), part);
      return code_.Op(WasmOp::kV128Bitselect);
    }
    case ExprKind::kCast: return CastPart(*expr->As<Cast>(), part);
    case ExprKind::kReinterpret: return Part(expr->As<Reinterpret>()->value, part);
    case ExprKind::kLoad: return LoadPart(*expr->As<Load>(), part);
    case ExprKind::kRamp: return RampPart(*expr->As<Ramp>(), part);
    // A constant is one instruction; otherwise the scalar is made and spread.
    case ExprKind::kBroadcast: {
      const Expr& value = expr->As<Broadcast>()->value;
      if (const IntImm* imm = AsInt(value))
        return code_.V128(LaneBytes(type.bits(), [&](int) { return imm->value; }));
      Scalar(value);
      return code_.Op(SplatOp(type));
    }
    case ExprKind::kCall: return CallPart(*expr->As<Call>(), part);
    case ExprKind::kIntImm:
    case ExprKind::kFloatImm:
    case ExprKind::kVScale:
    case ExprKind::kNot:
    case ExprKind::kLaneMask:
    case ExprKind::kVectorReduce:
    case ExprKind::kReduction: NotLowered(KindName(expr->kind));
  }
}

void WasmFunction::Lane(const Expr& vector, int lane) {
  const DataType type = vector->type;
  if (const auto* broadcast = vector->As<Broadcast>()) return Scalar(broadcast->value);
  if (type.is_bool()) {
    const int bits = VariableMaskBits(type), width = LanesPerPart(bits);
    Mask(vector, bits, lane / width);
    code_.Lane(ExtractOp(DataType(DType(TERN_DTYPE_INT, static_cast<uint8_t>(bits)))),
               static_cast<uint8_t>(lane % width));
    if (bits == 64) code_.Op(WasmOp::kI32WrapI64);
    code_.I32(1);
    return code_.Op(WasmOp::kI32And);
  }
  const int width = LanesPerPart(type.bits());
  uses_[vector.get()] += 2;  // its parts are wanted for each lane
  Part(vector, lane / width);
  code_.Lane(ExtractOp(type), static_cast<uint8_t>(lane % width));
}

void WasmFunction::RampPart(const Ramp& ramp, int part) {
  const DataType type = ramp.type;
  const int first = part * LanesPerPart(type.bits());
  const IntImm* stride = AsInt(ramp.stride);
  const auto steps = [&](int64_t by) {
    code_.V128(LaneBytes(type.bits(), [&](int lane) { return (first + lane) * by; }));
  };
  Scalar(ramp.base);
  code_.Op(SplatOp(type));
  if (stride != nullptr) {
    steps(stride->value);
  } else if (VectorOp(BinaryOp::kMul, type) != kNoWasmOp) {
    steps(1);
    Scalar(ramp.stride);
    code_.Op(SplatOp(type));
    code_.Op(VectorOp(BinaryOp::kMul, type));
  } else {
    const Expr scaled = MakeBinary(
        BinaryOp::kMul,
        MakeRamp(MakeInt(type.Scalar(), 0), MakeInt(type.Scalar(), 1), type.lane_count()),
        MakeBroadcast(ramp.stride, type.lane_count()));
    kept_.push_back(scaled);
    Part(scaled, part);
  }
  code_.Op(VectorOp(BinaryOp::kAdd, type));
}

// Engines make several instructions of the full maximum and minimum, but one of pmax and pmin.
void WasmFunction::LimitPart(const Binary& binary, int part) {
  using enum WasmOp;
  const bool single = binary.type.bits() == 32, greater = binary.op == BinaryOp::kMax;
  Part(binary.a, part);
  Part(binary.b, part);
  code_.Op(greater ? (single ? kF32x4Pmax : kF64x2Pmax) : (single ? kF32x4Pmin : kF64x2Pmin));
}

// The greater of a value and +0, as relu has it: pmax would keep -0, which adding +0 turns into
// +0.
void WasmFunction::MaxWithZero(const Binary& binary, int part) {
  LimitPart(binary, part);
  code_.V128({});
  code_.Op(binary.type.bits() == 32 ? WasmOp::kF32x4Add : WasmOp::kF64x2Add);
}

void WasmFunction::BinaryPart(const Binary& binary, int part) {
  const DataType type = binary.type;
  if (binary.op == BinaryOp::kMod && type.is_float()) return NotLowered("'%' of floats");
  if (binary.op == BinaryOp::kShl || binary.op == BinaryOp::kShr) return ShiftPart(binary, part);
  if (IsPseudoLimit(binary)) return LimitPart(binary, part);
  if (IsMaxWithZero(binary)) return MaxWithZero(binary, part);
  const WasmOp instruction = VectorOp(binary.op, type);
  if (instruction == kNoWasmOp)
    return ByLanes(type, part, {binary.a, binary.b}, [&] { ApplyScalar(binary.op, type); });
  Part(binary.a, part);
  Part(binary.b, part);
  code_.Op(instruction);
}

// wasm's instructions shift all lanes by one count, so different counts go lane by lane.
void WasmFunction::ShiftPart(const Binary& binary, int part) {
  const DataType type = binary.type;
  const auto* count = binary.b->As<Broadcast>();
  if (count == nullptr)
    return ByLanes(type, part, {binary.a, binary.b}, [&] { ApplyScalar(binary.op, type); });
  Part(binary.a, part);
  Scalar(count->value);
  if (type.bits() == 64) code_.Op(WasmOp::kI32WrapI64);
  const WasmLaneOps& ops = LaneOps(type.bits());
  code_.Op(binary.op == BinaryOp::kShl ? ops.shl
           : type.is_signed()          ? ops.shr_signed
                                       : ops.shr_unsigned);
}

void WasmFunction::CallPart(const Call& call, int part) {
  const DataType type = call.type;
  if (call.intrinsic != Intrinsic::kMulAdd) {
    const WasmOp instruction = VectorOp(call.intrinsic, type);
    if (call.intrinsic == Intrinsic::kAbs && type.is_int() && !type.is_signed())
      return Part(call.args[0], part);
    if (instruction == kNoWasmOp)
      return ByLanes(type, part, call.args, [&] { ApplyScalar(call.intrinsic, type); });
    Part(call.args[0], part);
    return code_.Op(instruction);
  }
  // One rounding instead of two, which relaxed programs allow.
  if (type.is_float() && function_.relaxed && options_.relaxed_simd) {
    for (const Expr& arg : call.args) Part(arg, part);
    return code_.Op(type.bits() == 32 ? WasmOp::kF32x4RelaxedMadd : WasmOp::kF64x2RelaxedMadd);
  }
  // As two nodes, which go through BinaryPart and its fallbacks.
  const Expr sum = MakeBinary(BinaryOp::kAdd,
                              MakeBinary(BinaryOp::kMul, call.args[0], call.args[1]), call.args[2]);
  kept_.push_back(sum);
  Part(sum, part);
}

// --- conversions

void WasmFunction::CastPart(const Cast& cast, int part) {
  const DataType from = cast.value->type, to = cast.type;
  if (from.is_bool()) {
    Mask(cast.value, to.bits(), part);
    const Expr one = MakeBroadcast(MakeNumber(to.Scalar(), 1), to.lane_count());
    kept_.push_back(one);
    Part(one, part);
    return code_.Op(WasmOp::kV128And);
  }
  if (from.is_int() && to.is_int()) return ResizePart(cast, part);
  // Conversions of 64-bit integers have no vector instruction.
  const bool wide_int = (from.is_int() && from.bits() == 64) || (to.is_int() && to.bits() == 64);
  if (wide_int) return ByLanes(to, part, {cast.value}, [&] { ConvertScalar(from, to); });
  FloatCastPart(cast, part);
}

void WasmFunction::ResizePart(const Cast& cast, int part) {
  const DataType from = cast.value->type, to = cast.type;
  if (from.bits() == to.bits()) return Part(cast.value, part);
  uses_[cast.value.get()] += 2;
  if (from.bits() < to.bits()) {
    const int first = part * LanesPerPart(to.bits()), width = LanesPerPart(from.bits());
    const ExtendOps& ops = ExtendTo(to.bits());
    Part(cast.value, first / width);
    const bool high = first % width != 0;
    return code_.Op(from.is_signed() ? (high ? ops.high_signed : ops.low_signed)
                                     : (high ? ops.high_unsigned : ops.low_unsigned));
  }
  // A vector of one part narrows to half a part: the upper half is of no lane.
  const int last = PartsOf(from) - 1;
  Part(cast.value, std::min(2 * part, last));
  Part(cast.value, std::min(2 * part + 1, last));
  code_.Shuffle(EvenLanes(to.bits() / 8));
}

// Between float32, float64 and 32-bit integers.
void WasmFunction::FloatCastPart(const Cast& cast, int part) {
  using enum WasmOp;
  const DataType from = cast.value->type, to = cast.type;
  const bool is_signed = from.is_int() ? from.is_signed() : to.is_signed();
  if (from.bits() == to.bits()) {
    Part(cast.value, part);
    if (from.is_int()) return code_.Op(is_signed ? kF32x4ConvertI32x4S : kF32x4ConvertI32x4U);
    return code_.Op(is_signed ? kI32x4TruncSatF32x4S : kI32x4TruncSatF32x4U);
  }
  uses_[cast.value.get()] += 2;
  // Promotion takes the low half only, so the high half is moved down.
  if (to.bits() == 64) {
    Part(cast.value, part / 2);
    if (part % 2 == 1) {
      static constexpr std::array<uint8_t, 16> kHighHalf = {8, 9, 10, 11, 12, 13, 14, 15,
                                                            8, 9, 10, 11, 12, 13, 14, 15};
      code_.V128({});
      code_.Shuffle(kHighHalf);
    }
    if (from.is_float()) return code_.Op(kF64x2PromoteLowF32x4);
    return code_.Op(is_signed ? kF64x2ConvertLowI32x4S : kF64x2ConvertLowI32x4U);
  }
  // Each half of the result comes from one part.
  const WasmOp narrow = to.is_float() ? kF32x4DemoteF64x2Zero
                        : is_signed   ? kI32x4TruncSatF64x2SZero
                                      : kI32x4TruncSatF64x2UZero;
  const int last = PartsOf(from) - 1;
  static constexpr std::array<uint8_t, 16> kLowHalves = {0,  1,  2,  3,  4,  5,  6,  7,
                                                         16, 17, 18, 19, 20, 21, 22, 23};
  Part(cast.value, std::min(2 * part, last));
  code_.Op(narrow);
  if (last == 0) return;
  Part(cast.value, 2 * part + 1);
  code_.Op(narrow);
  code_.Shuffle(kLowHalves);
}

}  // namespace tern::loop
