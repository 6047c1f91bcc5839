// SPDX-License-Identifier: Apache-2.0
// From models: import, then what compile_module.cc does.
#include "core/driver/compile.h"

#include "core/driver/compile_module.h"
#include "core/driver/count_work.h"
#include "core/onnx/importer.h"

namespace tern::driver {

Result<CompileResult> CompileOnnx(ByteSpan bytes, const CompileOptions& options) {
  constexpr std::string_view kFirstStage = "import";
  TERN_TRY(CheckStageNames(options, kFirstStage));
  CompileMemory own(options.max_bytes);
  CompileMemory& memory = options.memory == nullptr ? own : *options.memory;
  const MemoryAccount::Scope counts(&memory.account());
  const onnx::ImportOptions import = {.file = options.source_name,
                                      .tensors = {.keeper = options.keeper,
                                                  .external = options.external,
                                                  .aligned = options.aligned,
                                                  .pages = options.pages},
                                      .progress = options.progress};
  text::Diagnostics diagnostics;
  TERN_TRY_ASSIGN(ir::Module module, onnx::ImportModel(bytes, import, &diagnostics));
  // Counted on the imported module, before passes change operators; "?" cannot be compared later.
  const types::Dim work = CountMultiplyAdds(module);
  if (!work.is_any()) module.SetMetadata("macs", work.ToText());
  return CompileModule(std::move(module), options, kFirstStage, &memory);
}

}  // namespace tern::driver
