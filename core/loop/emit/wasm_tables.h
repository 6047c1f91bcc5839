// SPDX-License-Identifier: Apache-2.0
// Which WebAssembly instruction an operator of the loop IR is, by element type. Private to the
// WebAssembly emitter.
#ifndef TERN_CORE_LOOP_EMIT_WASM_TABLES_H_
#define TERN_CORE_LOOP_EMIT_WASM_TABLES_H_

#include "core/loop/emit/wasm_writer.h"
#include "core/loop/expr.h"

namespace tern::loop {

// Where there is no such instruction.
inline constexpr WasmOp kNoWasmOp = WasmOp::kUnreachable;

// Integers of 8 and 16 bits, bools and the bits of 16-bit floats are i32 as scalars.
WasmType WasmScalarType(DataType type);

WasmOp ScalarOp(BinaryOp op, DataType operands);
WasmOp VectorOp(BinaryOp op, DataType operands);
WasmOp ScalarOp(Intrinsic intrinsic, DataType type);
WasmOp VectorOp(Intrinsic intrinsic, DataType type);

// What differs by the element's width alone: 8, 16, 32 or 64 bits.
struct WasmLaneOps {
  WasmOp load_lane, store_lane, load_splat, bitmask;
  WasmOp eq, ne, shl, shr_signed, shr_unsigned;
};
const WasmLaneOps& LaneOps(int bits);

// By element type.
WasmOp SplatOp(DataType type);
WasmOp ExtractOp(DataType type);  // sign- or zero-extends
WasmOp ReplaceOp(DataType type);
WasmOp LoadOp(DataType type);  // of one element, extended to its scalar type
WasmOp StoreOp(DataType type);

// Numbers of scalars converted: from f32, f64, i32 or i64 values.
WasmOp ConvertOp(DataType from, DataType to);

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_EMIT_WASM_TABLES_H_
