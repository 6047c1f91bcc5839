// SPDX-License-Identifier: Apache-2.0
// The second half of compiling, from a module to an executable. The compilers of models
// (compile.cc) and of programs (compile_source.cc) share it.
#ifndef TERN_CORE_DRIVER_COMPILE_MODULE_H_
#define TERN_CORE_DRIVER_COMPILE_MODULE_H_

#include <memory>
#include <optional>
#include <string_view>

#include "core/driver/compile.h"
#include "core/driver/pipeline.h"
#include "core/ir/codegen/vm_codegen.h"
#include "core/ir/module.h"
#include "core/object/allocator.h"
#include "core/object/memory_account.h"
#include "core/object/run_context.h"

namespace tern::driver {

// What a compilation may take. Constants that it makes come from the account's allocator, whose
// limit is exact; nodes are counted by the account while it is entered.
class CompileMemory {
 public:
  explicit CompileMemory(uint64_t max_bytes, const TernPlatform* platform = nullptr);

  const ObjectPtr<Allocator>& allocator() const { return allocator_; }
  MemoryAccount& account() { return account_; }

 private:
  ObjectPtr<Allocator> allocator_;
  MemoryAccount account_;
};

// An option that names a pass or stage that does not exist is an error. first_stage: what the
// module comes from, "import" or "lower".
Status CheckStageNames(const CompileOptions& options, std::string_view first_stage);

// Runs the pipeline over a module, a pass at a time, and encodes what it leaves.
class ModuleCompilation {
 public:
  // first_stage: as above. memory outlives it; whoever calls any of these has entered its account.
  ModuleCompilation(ir::Module module, const CompileOptions& options, std::string_view first_stage,
                    CompileMemory* memory);
  ~ModuleCompilation();

  size_t steps_left() const { return passes_->steps_left(); }
  Status Step() { return passes_->Step(); }
  // Once, when it is done.
  Result<CompileResult> Finish();

 private:
  struct StageSink;

  std::unique_ptr<StageSink> sink_;
  RunContext context_;       // of constants that are computed
  ir::CodegenOptions code_;  // which places tensors unless the stage "memory" is disabled
  std::optional<PipelineRun> passes_;
};

// All of it.
Result<CompileResult> CompileModule(ir::Module module, const CompileOptions& options,
                                    std::string_view first_stage, CompileMemory* memory);

}  // namespace tern::driver

#endif  // TERN_CORE_DRIVER_COMPILE_MODULE_H_
