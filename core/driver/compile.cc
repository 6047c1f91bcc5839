// SPDX-License-Identifier: Apache-2.0
// From models: import, then what compile_module.cc does.
#include "core/driver/compile.h"

#include "core/driver/compile_module.h"
#include "core/driver/count_work.h"
#include "core/driver/pipeline.h"
#include "core/onnx/importer.h"

namespace tern::driver {

ModelCompilation::ModelCompilation(ByteSpan bytes, CompileOptions options)
    : bytes_(bytes), options_(std::move(options)) {
  if (options_.memory != nullptr) return;
  own_memory_ = std::make_unique<CompileMemory>(options_.max_bytes, options_.platform);
  options_.memory = own_memory_.get();
}

ModelCompilation::~ModelCompilation() = default;

size_t ModelCompilation::steps_left() const {
  return module_ == nullptr ? 1 + PipelineStages().size() : module_->steps_left();
}

Status ModelCompilation::Step() {
  const MemoryAccount::Scope counts(&options_.memory->account());
  return module_ == nullptr ? Import() : module_->Step();
}

Status ModelCompilation::Import() {
  constexpr std::string_view kFirstStage = "import";
  TERN_TRY(CheckStageNames(options_, kFirstStage));
  const onnx::ImportOptions import = {
      .file = options_.source_name,
      .tensors = {.keeper = options_.keeper, .external = options_.external},
      .progress = options_.progress};
  text::Diagnostics diagnostics;
  TERN_TRY_ASSIGN(ir::Module module, onnx::ImportModel(bytes_, import, &diagnostics));
  // Counted on the imported module, before passes change operators; "?" cannot be compared later.
  const types::Dim work = CountMultiplyAdds(module);
  if (!work.is_any()) module.SetMetadata("macs", work.ToText());
  module_ = std::make_unique<ModuleCompilation>(std::move(module), options_, kFirstStage,
                                                options_.memory);
  return OkStatus();
}

Result<CompileResult> ModelCompilation::Finish() {
  const MemoryAccount::Scope counts(&options_.memory->account());
  return module_->Finish();
}

Result<CompileResult> CompileOnnx(ByteSpan bytes, const CompileOptions& options) {
  ModelCompilation compilation(bytes, options);
  while (!compilation.is_done()) TERN_TRY(compilation.Step());
  return compilation.Finish();
}

}  // namespace tern::driver
