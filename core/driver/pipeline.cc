// SPDX-License-Identifier: Apache-2.0
#include "core/driver/pipeline.h"

#include <algorithm>
#include <iterator>

#include "core/fuse/passes.h"
#include "core/ir/verifier.h"
#include "core/object/memory_account.h"

namespace tern::driver {

namespace {

// Some passes run several times, because one makes work for another; each run has a name of its
// own, which can be disabled.
constexpr PipelineStage kStages[] = {
    {"to_a_normal_form", "to_a_normal_form"},
    {"lambda_lift", "lambda_lift"},
    // Ahead of everything that takes calls away: an unknown name must be an error even in dead
    // code.
    {"check_symbols", "check_symbols"},
    {"inline_functions", "inline_functions"},
    {"infer_type", "infer_type"},
    // In front of what computes weights as floats.
    {"fuse_quantized", "fuse_quantized"},
    {"fold_constants", "fold_constants"},
    {"fold_branches", "fold_branches"},
    {"simplify", "simplify"},
    // Dead code goes first, because patterns such as x * sigmoid(x) count uses, and shape
    // arithmetic that became attributes still uses its operands.
    {"eliminate_dead_code", "eliminate_dead_code"},
    {"eliminate_common_subexpressions", "eliminate_common_subexpressions"},
    {"fold_constants-2", "fold_constants"},
    {"simplify-2", "simplify"},
    {"eliminate_dead_code-2", "eliminate_dead_code"},
    // Again, where ratios of scales are constants now.
    {"fuse_quantized-2", "fuse_quantized"},
    // Behind what takes the floats around convolutions, and in front of what folds tables.
    {"fuse_quantized_elements", "fuse_quantized_elements"},
    // In front of what moves numbers of a formula into weights, and of epilogues, which take gelu.
    {"recognize_operators", "recognize_operators"},
    // In front of what moves scales and activations into convolutions.
    {"turn_transposed", "turn_transposed"},
    {"fold_batch_norm", "fold_batch_norm"},
    {"eliminate_dead_code-3", "eliminate_dead_code"},
    {"fuse_epilogues", "fuse_epilogues"},
    {"eliminate_dead_code-4", "eliminate_dead_code"},
    {"choose_layout", "choose_layout"},
    {"eliminate_dead_code-5", "eliminate_dead_code"},
    // Transposes of constants are folded here; the others cancel or become reshapes.
    {"fold_constants-3", "fold_constants"},
    {"simplify-3", "simplify"},
    {"pack_winograd", "pack_winograd"},
    {"pack_weights", "pack_weights"},
    {"eliminate_common_subexpressions-2", "eliminate_common_subexpressions"},
    {"eliminate_dead_code-6", "eliminate_dead_code"},
    // Last, behind everything that looks for operators and where counts of uses are exact: no other
    // pass looks into the functions that this one makes.
    {"fuse_ops", "fuse_ops"},
    {"mark_tail_calls", "mark_tail_calls"},
};

Status CheckNames(const PipelineOptions& options) {
  std::vector<std::string_view> known;
  for (const PipelineStage& stage : kStages) known.push_back(stage.name);
  for (const std::string& name : options.disabled) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string_view near = DidYouMean(name, known);
    return InvalidArgument("there is no pass '", name, "'",
                           near.empty() ? "" : StrCat("; did you mean '", near, "'?"));
  }
  return OkStatus();
}

}  // namespace

std::vector<ir::PassInfo> AllPasses() {
  const std::span<const ir::PassInfo> plain = ir::AllPasses(), fusing = fuse::AllPasses();
  std::vector<ir::PassInfo> passes(plain.begin(), plain.end());
  passes.insert(passes.end(), fusing.begin(), fusing.end());
  return passes;
}

const ir::PassInfo* FindPass(std::string_view name) {
  for (std::span<const ir::PassInfo> passes : {ir::AllPasses(), fuse::AllPasses()}) {
    for (const ir::PassInfo& pass : passes) {
      if (pass.name == name) return &pass;
    }
  }
  return nullptr;
}

std::span<const PipelineStage> PipelineStages() { return kStages; }

bool IsDisabled(std::span<const std::string> disabled, const PipelineStage& stage) {
  return std::any_of(disabled.begin(), disabled.end(), [&](const std::string& name) {
    return name == stage.name || name == stage.pass;
  });
}

PipelineRun::PipelineRun(ir::Module module, PipelineOptions options)
    : module_(std::move(module)), options_(std::move(options)) {
  context_.diagnostics = &diagnostics_;
  context_.evaluator = options_.evaluator;
  context_.allocator = options_.allocator;
  context_.relaxed_math = options_.relaxed_math;
  context_.pages = options_.pages;
}

Status PipelineRun::Step() {
  const PipelineStage& stage = kStages[next_];
  options_.progress.Report("compile", static_cast<double>(next_) / std::size(kStages));
  ++next_;
  return IsDisabled(options_.disabled, stage) ? OkStatus() : Run(stage);
}

Status PipelineRun::Run(const PipelineStage& stage) {
  ir::Module made = FindPass(stage.pass)->function(module_, context_);
  // Ahead of other errors: a pass that ran out of memory left something out.
  TERN_TRY(CheckMemory().AddNote(StrCat("in the pass ", stage.name)));
  if (!diagnostics_.ok())
    return diagnostics_.ToStatus().AddNote(StrCat("in the pass ", stage.name));
  // In every build by default, so that an error names the pass that broke the module.
  if (options_.verify) {
    Status status = is_verified_ ? ir::VerifyChanges(made, module_) : ir::Verify(made);
    TERN_TRY(std::move(status).AddNote(StrCat("after the pass ", stage.name)));
    is_verified_ = true;
  }
  module_ = std::move(made);
  if (options_.sink != nullptr) options_.sink(options_.sink_context, stage.name, module_);
  return OkStatus();
}

Result<ir::Module> RunPipeline(ir::Module module, const PipelineOptions& options) {
  TERN_TRY(CheckNames(options));
  PipelineRun run(std::move(module), options);
  while (run.steps_left() > 0) TERN_TRY(run.Step());
  return run.TakeModule();
}

}  // namespace tern::driver
