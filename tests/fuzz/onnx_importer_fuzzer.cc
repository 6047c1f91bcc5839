// SPDX-License-Identifier: Apache-2.0
// libFuzzer: any bytes into the ONNX importer. Seeds: any folder of small .onnx files.
#include <cstddef>
#include <cstdint>

#include "core/ir/verifier.h"
#include "core/onnx/importer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tern::text::Diagnostics diagnostics;
  const tern::Result<tern::ir::Module> module =
      tern::onnx::ImportModel({data, size}, {}, &diagnostics);
  if (module.ok() != diagnostics.ok()) __builtin_trap();
  if (module.ok() && !tern::ir::Verify(*module).ok()) __builtin_trap();
  return 0;
}
