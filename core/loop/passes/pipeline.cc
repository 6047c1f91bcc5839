// SPDX-License-Identifier: Apache-2.0
#include "core/loop/passes/pipeline.h"

#include "core/base/strings.h"
#include "core/loop/analysis/parallel.h"
#include "core/loop/te/lower.h"
#include "core/loop/verifier.h"

namespace tern::loop {
namespace {

// The order matters. Buffers are flattened first, because analyses know single indices. Loops are
// unrolled before they are vectorized, so that the copies are statements of one vector body.
// Intrinsics are expanded after vectorizing, so that their formulas are made of vectors. Simplify
// comes before hoist_invariants and share_values, so that equal indices are equal trees; products
// are contracted last, when what is used twice has a name and is not a product any more.
constexpr std::string_view kStages[] = {
    "loops",    "flatten_buffers",  "unroll_loops", "vectorize_loops",  "expand_intrinsics",
    "simplify", "hoist_invariants", "share_values", "contract_products"};

void Show(const LoweringOptions& options, std::string_view stage, const LoopFunction& function) {
  if (options.sink != nullptr) options.sink(options.sink_context, stage, function);
}

}  // namespace

std::span<const std::string_view> LoweringStages() { return kStages; }

LoweringOptions DefaultLowering(const Target& target) {
  LoweringOptions options;
  options.target = &target;
  options.strategy = Strategy::kTarget;
  options.interleave = target.interleave;
  return options;
}

Result<LoopFunction> LowerFunction(const LoopFunction& function, const LoweringOptions& options,
                                   std::shared_ptr<const text::SourceMap> sources) {
  if (sources == nullptr) sources = std::make_shared<text::SourceMap>();
  text::Diagnostics diagnostics(std::move(sources));
  PassContext context;
  context.diagnostics = &diagnostics;
  context.target = options.target;
  context.strategy = options.strategy;
  context.interleave = options.interleave;
  LoopFunction out = function;
  Show(options, kStages[0], out);
  // Parallel loops are checked by their indices of several dimensions, before flattening loses
  // them.
  CheckParallelLoops(out, &diagnostics);
  if (!diagnostics.ok()) return diagnostics.ToStatus();
  for (std::string_view stage : std::span(kStages).subspan(1)) {
    const PassInfo* pass = FindPass(stage);
    out = pass->function(out, context);
    if (!diagnostics.ok()) return diagnostics.ToStatus();
    // In every build, so that a broken pass ends in an error and not in machine code that nothing
    // checks.
    TERN_TRY(Verify(out).AddNote(StrCat("after the pass ", stage)));
    Show(options, stage, out);
  }
  TERN_TRY(VerifyLowered(out).AddNote("after lowering"));
  return out;
}

Status CheckSchedule(const te::Definition& definition,
                     std::shared_ptr<const text::SourceMap> sources) {
  TERN_TRY_ASSIGN(const LoopFunction loops, te::LowerDefinition(definition, sources));
  text::Diagnostics diagnostics(std::move(sources));
  PassContext context;
  context.diagnostics = &diagnostics;
  CheckParallelLoops(loops, &diagnostics);
  // The result is thrown away; only the complaints count.
  UnrollLoops(loops, context);
  return diagnostics.ToStatus();
}

Result<Program> LowerFile(const SourceFile& file, const LoweringOptions& options) {
  Program program;
  for (const te::Definition& definition : file.definitions) {
    TERN_TRY_ASSIGN(const LoopFunction loops, te::LowerDefinition(definition, file.sources));
    TERN_TRY_ASSIGN(LoopFunction lowered, LowerFunction(loops, options, file.sources));
    program.functions.push_back(std::move(lowered));
  }
  for (const LoopFunction& function : file.program.functions) {
    TERN_TRY_ASSIGN(LoopFunction lowered, LowerFunction(function, options, file.sources));
    program.functions.push_back(std::move(lowered));
  }
  return program;
}

}  // namespace tern::loop
