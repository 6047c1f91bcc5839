// SPDX-License-Identifier: Apache-2.0
// A module of all functions of a program.
#include "core/loop/emit/wasm_module.h"

#include <algorithm>

#include "core/loop/emit/wasm_function.h"

namespace tern::loop {

Result<WasmModule> EmitWasm(const Program& program, const WasmOptions& options) {
  WasmWriter writer;
  WasmModule module;
  writer.ImportMemory("env", "memory", 1);
  for (const LoopFunction& function : program.functions) {
    WasmFunction emitted(function, options);
    TERN_TRY(emitted.Write());
    writer.AddFunction(function.name, emitted.code(), {WasmType::kI32});
    // Functions do not call each other: one block serves all.
    module.scratch_bytes = std::max(module.scratch_bytes, emitted.scratch_bytes());
  }
  if (module.scratch_bytes > 0) writer.ImportGlobal("env", "scratch");
  module.bytes = writer.Finish();
  return module;
}

}  // namespace tern::loop
