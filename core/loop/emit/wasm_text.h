// SPDX-License-Identifier: Apache-2.0
// WebAssembly modules in the text format of the specification (WAT), one instruction a line:
//
//   (module
//     (type (;0;) (func (param i32 i32) (result i32)))
//     (import "env" "memory" (memory (;0;) 1))
//     (func $add (;0;) (type 0) (param i32 i32) (result i32)
//       (local i32 i32)  ;; 2, 3
//       local.get 0
//       i32.load offset=4
//       …
//     (export "add" (func $add)))
//
// Constants of floats are exact. Assemblers make the very bytes of EmitWasm of it again.
#ifndef TERN_CORE_LOOP_EMIT_WASM_TEXT_H_
#define TERN_CORE_LOOP_EMIT_WASM_TEXT_H_

#include <string>

#include "core/base/bytes.h"
#include "core/base/result.h"

namespace tern::loop {

// Bytes are not trusted. Errors: they are cut off, contradict themselves, or have something that
// WasmWriter never writes, such as a table.
Result<std::string> WasmText(ByteSpan module);

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_EMIT_WASM_TEXT_H_
