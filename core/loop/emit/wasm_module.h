// SPDX-License-Identifier: Apache-2.0
// Lowered loop programs as WebAssembly modules that work on the importer's memory.
//
// A module imports env.memory and, where a function has scratch buffers, the address of a block for
// them as the i32 global env.scratch. It exports each loop function under its name, as
// (buffers: i32, sizes: i32) -> i32 by the calling convention of core/loop/stmt.h. Vectors are of
// 128 bits; those of unknown length are taken at vscale 1, wider ones as several registers.
// Predicated accesses read and write active lanes only.
#ifndef TERN_CORE_LOOP_EMIT_WASM_MODULE_H_
#define TERN_CORE_LOOP_EMIT_WASM_MODULE_H_

#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/loop/stmt.h"

namespace tern::loop {

struct WasmOptions {
  // Fused multiply-add where a program is relaxed; only engines with relaxed SIMD load the module.
  bool relaxed_simd = false;
};

struct WasmModule {
  std::vector<uint8_t> bytes;
  uint32_t scratch_bytes = 0;  // of the block at env.scratch, 16-byte aligned
};

// Errors (the caller's): a function that is not lowered, or has lanes that are no power of two.
Result<WasmModule> EmitWasm(const Program& program, const WasmOptions& options);

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_EMIT_WASM_MODULE_H_
