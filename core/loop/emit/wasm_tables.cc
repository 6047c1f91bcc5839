// SPDX-License-Identifier: Apache-2.0
// The tables. Columns: scalars i32 (signed, unsigned), i64 (signed, unsigned), f32, f64; vectors
// the same from i8x16 to f64x2. kUnreachable stands for "none".
#include "core/loop/emit/wasm_tables.h"

#include "core/base/check.h"

namespace tern::loop {
namespace {

using enum WasmOp;

constexpr int kScalarColumns = 6;
constexpr int kVectorColumns = 10;

struct BinaryRow {
  BinaryOp op;
  WasmOp scalar[kScalarColumns];
  WasmOp vector[kVectorColumns];
};

// Shifts of vectors take their count as a scalar, so they are not of this form: kLaneOps has them.
constexpr BinaryRow kBinaryRows[] = {
    {BinaryOp::kAdd,
     {kI32Add, kI32Add, kI64Add, kI64Add, kF32Add, kF64Add},
     {kI8x16Add, kI8x16Add, kI16x8Add, kI16x8Add, kI32x4Add, kI32x4Add, kI64x2Add, kI64x2Add,
      kF32x4Add, kF64x2Add}},
    {BinaryOp::kSub,
     {kI32Sub, kI32Sub, kI64Sub, kI64Sub, kF32Sub, kF64Sub},
     {kI8x16Sub, kI8x16Sub, kI16x8Sub, kI16x8Sub, kI32x4Sub, kI32x4Sub, kI64x2Sub, kI64x2Sub,
      kF32x4Sub, kF64x2Sub}},
    {BinaryOp::kMul,
     {kI32Mul, kI32Mul, kI64Mul, kI64Mul, kF32Mul, kF64Mul},
     {kUnreachable, kUnreachable, kI16x8Mul, kI16x8Mul, kI32x4Mul, kI32x4Mul, kI64x2Mul, kI64x2Mul,
      kF32x4Mul, kF64x2Mul}},
    {BinaryOp::kDiv,
     {kUnreachable, kUnreachable, kUnreachable, kUnreachable, kF32Div, kF64Div},
     {kUnreachable, kUnreachable, kUnreachable, kUnreachable, kUnreachable, kUnreachable,
      kUnreachable, kUnreachable, kF32x4Div, kF64x2Div}},
    {BinaryOp::kMin,
     {kUnreachable, kUnreachable, kUnreachable, kUnreachable, kF32Min, kF64Min},
     {kI8x16MinS, kI8x16MinU, kI16x8MinS, kI16x8MinU, kI32x4MinS, kI32x4MinU, kUnreachable,
      kUnreachable, kF32x4Min, kF64x2Min}},
    {BinaryOp::kMax,
     {kUnreachable, kUnreachable, kUnreachable, kUnreachable, kF32Max, kF64Max},
     {kI8x16MaxS, kI8x16MaxU, kI16x8MaxS, kI16x8MaxU, kI32x4MaxS, kI32x4MaxU, kUnreachable,
      kUnreachable, kF32x4Max, kF64x2Max}},
    {BinaryOp::kShl,
     {kI32Shl, kI32Shl, kI64Shl, kI64Shl, kUnreachable, kUnreachable},
     {kUnreachable, kUnreachable, kUnreachable, kUnreachable, kUnreachable, kUnreachable,
      kUnreachable, kUnreachable, kUnreachable, kUnreachable}},
    {BinaryOp::kShr,
     {kI32ShrS, kI32ShrU, kI64ShrS, kI64ShrU, kUnreachable, kUnreachable},
     {kUnreachable, kUnreachable, kUnreachable, kUnreachable, kUnreachable, kUnreachable,
      kUnreachable, kUnreachable, kUnreachable, kUnreachable}},
    {BinaryOp::kLt,
     {kI32LtS, kI32LtU, kI64LtS, kI64LtU, kF32Lt, kF64Lt},
     {kI8x16LtS, kI8x16LtU, kI16x8LtS, kI16x8LtU, kI32x4LtS, kI32x4LtU, kI64x2LtS, kUnreachable,
      kF32x4Lt, kF64x2Lt}},
    {BinaryOp::kLe,
     {kI32LeS, kI32LeU, kI64LeS, kI64LeU, kF32Le, kF64Le},
     {kI8x16LeS, kI8x16LeU, kI16x8LeS, kI16x8LeU, kI32x4LeS, kI32x4LeU, kI64x2LeS, kUnreachable,
      kF32x4Le, kF64x2Le}},
    {BinaryOp::kGt,
     {kI32GtS, kI32GtU, kI64GtS, kI64GtU, kF32Gt, kF64Gt},
     {kI8x16GtS, kI8x16GtU, kI16x8GtS, kI16x8GtU, kI32x4GtS, kI32x4GtU, kI64x2GtS, kUnreachable,
      kF32x4Gt, kF64x2Gt}},
    {BinaryOp::kGe,
     {kI32GeS, kI32GeU, kI64GeS, kI64GeU, kF32Ge, kF64Ge},
     {kI8x16GeS, kI8x16GeU, kI16x8GeS, kI16x8GeU, kI32x4GeS, kI32x4GeU, kI64x2GeS, kUnreachable,
      kF32x4Ge, kF64x2Ge}},
    {BinaryOp::kEq,
     {kI32Eq, kI32Eq, kI64Eq, kI64Eq, kF32Eq, kF64Eq},
     {kI8x16Eq, kI8x16Eq, kI16x8Eq, kI16x8Eq, kI32x4Eq, kI32x4Eq, kI64x2Eq, kI64x2Eq, kF32x4Eq,
      kF64x2Eq}},
    {BinaryOp::kNe,
     {kI32Ne, kI32Ne, kI64Ne, kI64Ne, kF32Ne, kF64Ne},
     {kI8x16Ne, kI8x16Ne, kI16x8Ne, kI16x8Ne, kI32x4Ne, kI32x4Ne, kI64x2Ne, kI64x2Ne, kF32x4Ne,
      kF64x2Ne}},
    {BinaryOp::kAnd,
     {kI32And, kI32And, kI64And, kI64And, kUnreachable, kUnreachable},
     {kV128And, kV128And, kV128And, kV128And, kV128And, kV128And, kV128And, kV128And, kUnreachable,
      kUnreachable}},
    {BinaryOp::kOr,
     {kI32Or, kI32Or, kI64Or, kI64Or, kUnreachable, kUnreachable},
     {kV128Or, kV128Or, kV128Or, kV128Or, kV128Or, kV128Or, kV128Or, kV128Or, kUnreachable,
      kUnreachable}},
    {BinaryOp::kXor,
     {kI32Xor, kI32Xor, kI64Xor, kI64Xor, kUnreachable, kUnreachable},
     {kV128Xor, kV128Xor, kV128Xor, kV128Xor, kV128Xor, kV128Xor, kV128Xor, kV128Xor, kUnreachable,
      kUnreachable}},
};

struct IntrinsicRow {
  Intrinsic intrinsic;
  WasmOp scalar[kScalarColumns];
  WasmOp vector[kVectorColumns];
};

constexpr IntrinsicRow kIntrinsicRows[] = {
    {Intrinsic::kAbs,
     {kUnreachable, kUnreachable, kUnreachable, kUnreachable, kF32Abs, kF64Abs},
     {kI8x16Abs, kI8x16Abs, kI16x8Abs, kI16x8Abs, kI32x4Abs, kI32x4Abs, kI64x2Abs, kI64x2Abs,
      kF32x4Abs, kF64x2Abs}},
    {Intrinsic::kSqrt,
     {kUnreachable, kUnreachable, kUnreachable, kUnreachable, kF32Sqrt, kF64Sqrt},
     {kUnreachable, kUnreachable, kUnreachable, kUnreachable, kUnreachable, kUnreachable,
      kUnreachable, kUnreachable, kF32x4Sqrt, kF64x2Sqrt}},
    {Intrinsic::kFloor,
     {kUnreachable, kUnreachable, kUnreachable, kUnreachable, kF32Floor, kF64Floor},
     {kUnreachable, kUnreachable, kUnreachable, kUnreachable, kUnreachable, kUnreachable,
      kUnreachable, kUnreachable, kF32x4Floor, kF64x2Floor}},
    {Intrinsic::kCeil,
     {kUnreachable, kUnreachable, kUnreachable, kUnreachable, kF32Ceil, kF64Ceil},
     {kUnreachable, kUnreachable, kUnreachable, kUnreachable, kUnreachable, kUnreachable,
      kUnreachable, kUnreachable, kF32x4Ceil, kF64x2Ceil}},
    {Intrinsic::kTrunc,
     {kUnreachable, kUnreachable, kUnreachable, kUnreachable, kF32Trunc, kF64Trunc},
     {kUnreachable, kUnreachable, kUnreachable, kUnreachable, kUnreachable, kUnreachable,
      kUnreachable, kUnreachable, kF32x4Trunc, kF64x2Trunc}},
    {Intrinsic::kRound,
     {kUnreachable, kUnreachable, kUnreachable, kUnreachable, kF32Nearest, kF64Nearest},
     {kUnreachable, kUnreachable, kUnreachable, kUnreachable, kUnreachable, kUnreachable,
      kUnreachable, kUnreachable, kF32x4Nearest, kF64x2Nearest}},
};

// Bits of 16-bit floats count as u16.
bool IsFloat(DataType type) { return type.is_float() && type.bits() >= 32; }

size_t ScalarColumn(DataType type) {
  if (IsFloat(type)) return type.bits() == 32 ? 4 : 5;
  return (type.bits() == 64 ? 2u : 0u) + (type.is_signed() ? 0 : 1);
}

size_t VectorColumn(DataType type) {
  if (IsFloat(type)) return type.bits() == 32 ? 8 : 9;
  const size_t width = type.bits() == 8 ? 0 : type.bits() == 16 ? 1 : type.bits() == 32 ? 2 : 3;
  return width * 2 + (type.is_signed() ? 0 : 1);
}

WasmOp ByVector(DataType type, const WasmOp (&row)[kVectorColumns]) {
  return row[VectorColumn(type)];
}

// By the width of a lane: 8, 16, 32, 64.
constexpr WasmLaneOps kLaneOps[] = {
    {kV128Load8Lane, kV128Store8Lane, kV128Load8Splat, kI8x16Bitmask, kI8x16Eq, kI8x16Ne, kI8x16Shl,
     kI8x16ShrS, kI8x16ShrU},
    {kV128Load16Lane, kV128Store16Lane, kV128Load16Splat, kI16x8Bitmask, kI16x8Eq, kI16x8Ne,
     kI16x8Shl, kI16x8ShrS, kI16x8ShrU},
    {kV128Load32Lane, kV128Store32Lane, kV128Load32Splat, kI32x4Bitmask, kI32x4Eq, kI32x4Ne,
     kI32x4Shl, kI32x4ShrS, kI32x4ShrU},
    {kV128Load64Lane, kV128Store64Lane, kV128Load64Splat, kI64x2Bitmask, kI64x2Eq, kI64x2Ne,
     kI64x2Shl, kI64x2ShrS, kI64x2ShrU},
};

}  // namespace

WasmType WasmScalarType(DataType type) {
  if (IsFloat(type)) return type.bits() == 32 ? WasmType::kF32 : WasmType::kF64;
  return type.bits() == 64 ? WasmType::kI64 : WasmType::kI32;
}

WasmOp ScalarOp(BinaryOp op, DataType operands) {
  for (const BinaryRow& row : kBinaryRows)
    if (row.op == op) return row.scalar[ScalarColumn(operands)];
  return kNoWasmOp;
}
WasmOp VectorOp(BinaryOp op, DataType operands) {
  for (const BinaryRow& row : kBinaryRows)
    if (row.op == op) return row.vector[VectorColumn(operands)];
  return kNoWasmOp;
}
WasmOp ScalarOp(Intrinsic intrinsic, DataType type) {
  for (const IntrinsicRow& row : kIntrinsicRows)
    if (row.intrinsic == intrinsic) return row.scalar[ScalarColumn(type)];
  return kNoWasmOp;
}
WasmOp VectorOp(Intrinsic intrinsic, DataType type) {
  for (const IntrinsicRow& row : kIntrinsicRows)
    if (row.intrinsic == intrinsic) return row.vector[VectorColumn(type)];
  return kNoWasmOp;
}

const WasmLaneOps& LaneOps(int bits) {
  return kLaneOps[bits == 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : 3];
}

WasmOp SplatOp(DataType type) {
  return ByVector(type, {kI8x16Splat, kI8x16Splat, kI16x8Splat, kI16x8Splat, kI32x4Splat,
                         kI32x4Splat, kI64x2Splat, kI64x2Splat, kF32x4Splat, kF64x2Splat});
}
WasmOp ExtractOp(DataType type) {
  return ByVector(type,
                  {kI8x16ExtractLaneS, kI8x16ExtractLaneU, kI16x8ExtractLaneS, kI16x8ExtractLaneU,
                   kI32x4ExtractLane, kI32x4ExtractLane, kI64x2ExtractLane, kI64x2ExtractLane,
                   kF32x4ExtractLane, kF64x2ExtractLane});
}
WasmOp ReplaceOp(DataType type) {
  return ByVector(type, {kI8x16ReplaceLane, kI8x16ReplaceLane, kI16x8ReplaceLane, kI16x8ReplaceLane,
                         kI32x4ReplaceLane, kI32x4ReplaceLane, kI64x2ReplaceLane, kI64x2ReplaceLane,
                         kF32x4ReplaceLane, kF64x2ReplaceLane});
}
WasmOp LoadOp(DataType type) {
  return ByVector(type, {kI32Load8S, kI32Load8U, kI32Load16S, kI32Load16U, kI32Load, kI32Load,
                         kI64Load, kI64Load, kF32Load, kF64Load});
}
WasmOp StoreOp(DataType type) {
  return ByVector(type, {kI32Store8, kI32Store8, kI32Store16, kI32Store16, kI32Store, kI32Store,
                         kI64Store, kI64Store, kF32Store, kF64Store});
}

WasmOp ConvertOp(DataType from, DataType to) {
  // Truncation saturates: it is the one that does not trap.
  // Rows: from i32 signed, i32 unsigned, i64 signed, i64 unsigned, f32, f64; columns: the same, to.
  static constexpr WasmOp kRows[kScalarColumns][kScalarColumns] = {
      {kUnreachable, kUnreachable, kI64ExtendI32S, kI64ExtendI32S, kF32ConvertI32S,
       kF64ConvertI32S},
      {kUnreachable, kUnreachable, kI64ExtendI32U, kI64ExtendI32U, kF32ConvertI32U,
       kF64ConvertI32U},
      {kI32WrapI64, kI32WrapI64, kUnreachable, kUnreachable, kF32ConvertI64S, kF64ConvertI64S},
      {kI32WrapI64, kI32WrapI64, kUnreachable, kUnreachable, kF32ConvertI64U, kF64ConvertI64U},
      {kI32TruncSatF32S, kI32TruncSatF32U, kI64TruncSatF32S, kI64TruncSatF32U, kUnreachable,
       kF64PromoteF32},
      {kI32TruncSatF64S, kI32TruncSatF64U, kI64TruncSatF64S, kI64TruncSatF64U, kF32DemoteF64,
       kUnreachable},
  };
  return kRows[ScalarColumn(from)][ScalarColumn(to)];
}

}  // namespace tern::loop
