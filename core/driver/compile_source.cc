// SPDX-License-Identifier: Apache-2.0
#include "core/driver/compile_source.h"

#include "core/driver/compile_module.h"
#include "core/driver/result_types.h"
#include "core/lang/lower/lower.h"
#include "core/lang/program.h"

namespace tern::driver {

Result<CompileResult> CompileSource(std::string_view text, const CompileOptions& options,
                                    text::Diagnostics* warnings) {
  constexpr std::string_view kFirstStage = "lower";
  TERN_TRY(CheckStageNames(options, kFirstStage));
  // Two steps with diagnostics: names and types first, because lowering needs a well-typed program.
  lang::CheckedProgram checked = lang::Check(options.source_name, text);
  TERN_TRY(checked.diagnostics.ToStatus());
  ir::Module module = lang::Lower(*checked.program, &checked.diagnostics);
  TERN_TRY(checked.diagnostics.ToStatus());
  module.SetMetadata("producer", "tern language");
  // The types of results, which printing needs to name constructors (result_types.h).
  for (const lang::Item& item : checked.program->file->items) {
    if (item.function != nullptr)
      KeepResultType(item.function->name.text, item.function->type.result(), &module);
  }
  if (warnings != nullptr) *warnings = std::move(checked.diagnostics);
  return CompileModule(std::move(module), options, kFirstStage);
}

}  // namespace tern::driver
