// SPDX-License-Identifier: Apache-2.0
// Vectors of bools, as masks of whatever lane width is asked for.
#include <array>

#include "core/loop/emit/wasm_function.h"

namespace tern::loop {
namespace {

DataType IntLanes(int bits, Lanes lanes = {}) {
  return DataType(DType(TERN_DTYPE_INT, static_cast<uint8_t>(bits)), lanes);
}

}  // namespace

// The lane width in which a mask comes without conversion; 0 where any will do.
int WasmFunction::NaturalBits(const Expr& mask) {
  switch (mask->kind) {
    case ExprKind::kBinary: {
      const auto& binary = *mask->As<Binary>();
      return binary.a->type.is_bool() ? NaturalBits(binary.a) : binary.a->type.bits();
    }
    case ExprKind::kNot: return NaturalBits(mask->As<Not>()->value);
    case ExprKind::kSelect: return NaturalBits(mask->As<Select>()->a);
    case ExprKind::kCast: return mask->As<Cast>()->value->type.bits();
    case ExprKind::kLoad: return 8;
    case ExprKind::kVar: return VariableMaskBits(mask->type);
    case ExprKind::kIntImm:
    case ExprKind::kFloatImm:
    case ExprKind::kVScale:
    case ExprKind::kReinterpret:
    case ExprKind::kRamp:
    case ExprKind::kBroadcast:
    case ExprKind::kCall:
    case ExprKind::kLaneMask:
    case ExprKind::kVectorReduce:
    case ExprKind::kReduction: break;
  }
  return 0;
}

void WasmFunction::Mask(const Expr& expr, int bits, int part) {
  if (!status_.ok() || !CheckLanes(expr->type)) return;
  const std::tuple key(expr.get(), bits, part);
  const auto known = saved_.find(key);
  if (known != saved_.end()) return code_.Get(known->second);
  const int natural = NaturalBits(expr);
  if (natural == 0 || natural == bits)
    ComputeMask(expr, bits, part);
  else
    ResizeMask(expr, natural, bits, part);
  // A variable is in a local already.
  if (expr->kind == ExprKind::kVar || uses_[expr.get()] < 2) return;
  const uint32_t local = Temporary(WasmType::kV128);
  code_.Tee(local);
  saved_[key] = local;
}

void WasmFunction::ResizeMask(const Expr& expr, int from, int bits, int part) {
  // The parts below are used by several parts of this mask.
  uses_[expr.get()] += 2;
  const int between = from < bits ? bits / 2 : bits * 2;  // one step at a time
  const auto step = [&](int index) {
    if (between == from)
      Mask(expr, from, index);
    else
      ResizeMask(expr, from, between, index);
  };
  if (from < bits) {
    const int first = part * LanesPerPart(bits), width = LanesPerPart(between);
    // Sign extension keeps all ones all ones.
    using enum WasmOp;
    const bool high = first % width != 0;
    step(first / width);
    if (bits == 16) return code_.Op(high ? kI16x8ExtendHighI8x16S : kI16x8ExtendLowI8x16S);
    if (bits == 32) return code_.Op(high ? kI32x4ExtendHighI16x8S : kI32x4ExtendLowI16x8S);
    return code_.Op(high ? kI64x2ExtendHighI32x4S : kI64x2ExtendLowI32x4S);
  }
  const int last = PartsOf(expr->type, between) - 1;
  step(std::min(2 * part, last));
  step(std::min(2 * part + 1, last));
  // Taking every second group of bytes narrows a mask, because all bytes of a lane are equal.
  std::array<uint8_t, 16> even{};
  const int size = bits / 8;
  for (int i = 0; i < 16; ++i)
    even[static_cast<size_t>(i)] = static_cast<uint8_t>(i / size * 2 * size + i % size);
  code_.Shuffle(even);
}

void WasmFunction::ComputeMask(const Expr& expr, int bits, int part) {
  switch (expr->kind) {
    case ExprKind::kVar: return GetVariable(*expr->As<Var>(), part);
    case ExprKind::kBinary: return CompareMask(*expr->As<Binary>(), bits, part);
    case ExprKind::kNot:
      Mask(expr->As<Not>()->value, bits, part);
      return code_.Op(WasmOp::kV128Not);
    case ExprKind::kSelect: {
      const auto& select = *expr->As<Select>();
      Mask(select.a, bits, part);
      Mask(select.b, bits, part);
      Mask(select.condition, bits, part);
      return code_.Op(WasmOp::kV128Bitselect);
    }
    case ExprKind::kCast: {
      // Only asked for with the lanes of the value: NaturalBits says so.
      const Expr& value = expr->As<Cast>()->value;
      const Expr zero =
          MakeBroadcast(MakeNumber(value->type.Scalar(), 0), value->type.lane_count());
      kept_.push_back(zero);
      Part(value, part);
      Part(zero, part);
      return code_.Op(VectorOp(BinaryOp::kNe, value->type));
    }
    case ExprKind::kLoad:
      LoadPart(*expr->As<Load>(), part);
      code_.V128({});
      return code_.Op(WasmOp::kI8x16Ne);
    case ExprKind::kBroadcast:
      // 0 - value: all ones for true.
      code_.I32(0);
      Scalar(expr->As<Broadcast>()->value);
      code_.Op(WasmOp::kI32Sub);
      return code_.Op(WasmOp::kI32x4Splat);
    case ExprKind::kLaneMask: return LaneMaskPart(*expr->As<LaneMask>(), bits, part);
    case ExprKind::kIntImm:
    case ExprKind::kFloatImm:
    case ExprKind::kVScale:
    case ExprKind::kReinterpret:
    case ExprKind::kRamp:
    case ExprKind::kCall:
    case ExprKind::kVectorReduce:
    case ExprKind::kReduction: NotLowered(KindName(expr->kind));
  }
}

void WasmFunction::CompareMask(const Binary& binary, int bits, int part) {
  const DataType operands = binary.a->type;
  if (operands.is_bool()) {
    Mask(binary.a, bits, part);
    Mask(binary.b, bits, part);
    if (binary.op == BinaryOp::kAnd) return code_.Op(WasmOp::kV128And);
    if (binary.op == BinaryOp::kOr) return code_.Op(WasmOp::kV128Or);
    code_.Op(WasmOp::kV128Xor);
    if (binary.op == BinaryOp::kEq) code_.Op(WasmOp::kV128Not);
    return;
  }
  const WasmOp instruction = VectorOp(binary.op, operands);
  if (instruction != kNoWasmOp) {
    Part(binary.a, part);
    Part(binary.b, part);
    return code_.Op(instruction);
  }
  // Unsigned 64-bit integers: one of the few types without comparisons.
  const DataType lanes = IntLanes(bits, operands.lane_count());
  ByLanes(lanes, part, {binary.a, binary.b}, [&] {
    ApplyScalar(binary.op, operands);
    code_.Op(WasmOp::kI64ExtendI32U);
    const uint32_t flag = Save(WasmType::kI64);
    code_.I64(0);
    code_.Get(flag);
    code_.Op(WasmOp::kI64Sub);
  });
}

// How many of all lanes are active, in a local that is made once per statement. The difference of
// bound and base may overflow, but only to what is still more than the lanes when it is compared
// without sign.
uint32_t WasmFunction::ActiveLanes(const LaneMask& mask) {
  constexpr int kActiveKey = -1;
  const std::tuple key(static_cast<const ExprNode*>(&mask), kActiveKey, 0);
  const auto known = saved_.find(key);
  if (known != saved_.end()) return known->second;
  const int count = CountOf(mask.type);
  Scalar(mask.bound);
  const uint32_t bound = Save(WasmType::kI64);
  Scalar(mask.base);
  const uint32_t base = Save(WasmType::kI64);
  code_.Get(bound);
  code_.Get(base);
  code_.Op(WasmOp::kI64Sub);
  const uint32_t left = Save(WasmType::kI64);
  code_.I64(0);
  code_.Get(left);
  code_.I64(count);
  code_.Get(left);
  code_.I64(count);
  code_.Op(WasmOp::kI64LtU);
  code_.Op(WasmOp::kSelect);
  code_.Get(base);
  code_.Get(bound);
  code_.Op(WasmOp::kI64GeS);
  code_.Op(WasmOp::kSelect);
  code_.Op(WasmOp::kI32WrapI64);
  return saved_[key] = Save(WasmType::kI32);
}

void WasmFunction::LaneMaskPart(const LaneMask& mask, int bits, int part) {
  const DataType lanes(DType(TERN_DTYPE_INT, static_cast<uint8_t>(bits)));
  const int width = LanesPerPart(bits);
  uint32_t active = ActiveLanes(mask);
  // The count is clamped to this part, because the comparison below has lanes as narrow as 8 bits.
  if (PartsOf(mask.type, bits) > 1) {  // of this part: between 0 and its width
    code_.Get(active);
    code_.I32(part * width);
    code_.Op(WasmOp::kI32Sub);
    code_.I32(0);
    MinMax(BinaryOp::kMax, DataType(kI32));
    code_.I32(width);
    MinMax(BinaryOp::kMin, DataType(kI32));
    active = Save(WasmType::kI32);
  }
  code_.Get(active);
  if (bits == 64) code_.Op(WasmOp::kI64ExtendI32S);
  code_.Op(SplatOp(lanes));
  code_.V128(LaneBytes(bits, [](int lane) { return lane; }));
  code_.Op(VectorOp(BinaryOp::kGt, lanes));
}

}  // namespace tern::loop
