// SPDX-License-Identifier: Apache-2.0
// Lowering: the passes in the order they run. Emitters and the interpreter take what is left.
// Reports, the search for schedules and kernels of programs lower through it.
#ifndef TERN_CORE_LOOP_PASSES_PIPELINE_H_
#define TERN_CORE_LOOP_PASSES_PIPELINE_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/loop/passes/pass.h"
#include "core/loop/source_file.h"

namespace tern::loop {

// Names of stages: "loops", then the passes of the pipeline.
std::span<const std::string_view> LoweringStages();

struct LoweringOptions {
  Strategy strategy = Strategy::kSchedule;
  const Target* target = &ReferenceTarget();
  // Of small vectorized loops that do not say; those that do keep their own.
  int32_t interleave = 1;
  // Called with the function after every stage.
  void (*sink)(void* context, std::string_view stage, const LoopFunction& function) = nullptr;
  void* sink_context = nullptr;
};

// As the loops are marked, as nearly as the target can, and interleaved where they do not say: what
// programs are compiled by, and what a search for better schedules starts from.
LoweringOptions DefaultLowering(const Target& target);

// Errors of users are in the Status, all of one stage at once; sources: for rendering their spans.
Result<LoopFunction> LowerFunction(const LoopFunction& function, const LoweringOptions& options,
                                   std::shared_ptr<const text::SourceMap> sources = nullptr);
// Whether the loops that the definition's schedule asks for can be made, whatever the target is.
Status CheckSchedule(const te::Definition& definition,
                     std::shared_ptr<const text::SourceMap> sources);
// Definitions first (their schedules applied), then loop functions.
Result<Program> LowerFile(const SourceFile& file, const LoweringOptions& options);

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_PASSES_PIPELINE_H_
