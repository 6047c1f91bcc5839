// SPDX-License-Identifier: Apache-2.0
// Instructions of WebAssembly that a test adds for their own sake.
#ifndef TERN_TESTS_UNIT_LOOP_EMIT_WASM_OPERANDS_H_
#define TERN_TESTS_UNIT_LOOP_EMIT_WASM_OPERANDS_H_

#include "core/loop/emit/wasm_writer.h"

namespace tern::loop {

// Code that AddWithOperands can add to: it has the local that some instructions name.
inline WasmCode CodeWithALocal() {
  WasmCode code({});
  code.AddLocal(WasmType::kI32);
  return code;
}

// Adds one instruction of control, of locals and globals, or a constant, with the operands that it
// must have; blocks are closed. The module has a global. False, and nothing is added, for others.
inline bool AddWithOperands(WasmOp op, WasmCode* code) {
  switch (op) {
    case WasmOp::kBlock: return code->Block(), code->End(), true;
    case WasmOp::kLoop: return code->Loop(), code->End(), true;
    case WasmOp::kIf: return code->If(), code->End(), true;
    case WasmOp::kElse:  // assemblers leave an empty one away
      return code->If(), code->Else(), code->Op(WasmOp::kUnreachable), code->End(), true;
    case WasmOp::kEnd: return code->Block(), code->End(), true;
    case WasmOp::kBranch: return code->Branch(0), true;
    case WasmOp::kBranchIf: return code->BranchIf(0), true;
    case WasmOp::kCall: return code->Call(0), true;
    case WasmOp::kLocalGet: return code->Get(0), true;
    case WasmOp::kLocalSet: return code->Set(0), true;
    case WasmOp::kLocalTee: return code->Tee(0), true;
    case WasmOp::kGlobalGet: return code->GlobalGet(0), true;
    case WasmOp::kI32Const: return code->I32(-65), true;
    case WasmOp::kI64Const: return code->I64(64), true;
    case WasmOp::kF32Const: return code->F32(1.5f), true;
    case WasmOp::kF64Const: return code->F64(-0.1), true;
    case WasmOp::kV128Const: return code->V128({}), true;
    default: return false;
  }
}

// Whether WasmCode has no way to write the operands of the instruction.
inline bool IsNeverWritten(WasmOp op) {
  return op == WasmOp::kMemoryCopy || op == WasmOp::kMemoryFill;
}

}  // namespace tern::loop

#endif  // TERN_TESTS_UNIT_LOOP_EMIT_WASM_OPERANDS_H_
