// SPDX-License-Identifier: Apache-2.0
#include "core/driver/compile_source.h"

#include <utility>

#include "core/driver/compile_module.h"
#include "core/driver/result_types.h"
#include "core/lang/lower/lower.h"
#include "core/lang/program.h"

namespace tern::driver {

Result<CompileResult> CompileSource(std::string_view text, const CompileOptions& options,
                                    text::Diagnostics* warnings) {
  constexpr std::string_view kFirstStage = "lower";
  TERN_TRY(CheckStageNames(options, kFirstStage));
  // Ahead of the account, because it is the same for every program.
  lang::PreludePtr prelude = lang::LoadPrelude();
  CompileMemory own(options.max_bytes, options.platform);
  CompileMemory& memory = options.memory == nullptr ? own : *options.memory;
  const MemoryAccount::Scope counts(&memory.account());
  TERN_TRY(lang::CheckRoomFor(text));
  // Two steps with diagnostics: names and types first, because lowering needs a well-typed program.
  lang::CheckedProgram checked = lang::Check(options.source_name, text, std::move(prelude));
  TERN_TRY(CheckMemory());
  TERN_TRY(checked.diagnostics.ToStatus());
  ir::Module module = lang::Lower(*checked.program, &checked.diagnostics);
  // A module that lacks functions for want of memory has no other errors to tell.
  TERN_TRY(CheckMemory());
  TERN_TRY(checked.diagnostics.ToStatus());
  module.SetMetadata("producer", "tern language");
  // Types that the signatures of bytecode do not have (result_types.h).
  for (const lang::Item& item : checked.program->file->items) {
    if (item.function == nullptr) continue;
    const types::Type& type = item.function->type;
    KeepResultType(item.function->name.text, type.result(), &module);
    KeepParameterTypes(item.function->name.text, type.parameters(), &module);
  }
  if (warnings != nullptr) *warnings = std::move(checked.diagnostics);
  return CompileModule(std::move(module), options, kFirstStage, &memory);
}

}  // namespace tern::driver
