// SPDX-License-Identifier: Apache-2.0
// The passes in the order they run, as data. A sink sees the module after each stage:
// `tern compile --print-after` and `tern lower --stage` print what it gets.
#ifndef TERN_CORE_DRIVER_PIPELINE_H_
#define TERN_CORE_DRIVER_PIPELINE_H_

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ir/passes/pass.h"
#include "core/text/diagnostics.h"

namespace tern::driver {

// All passes, of core/ir/passes and core/fuse.
std::vector<ir::PassInfo> AllPasses();
const ir::PassInfo* FindPass(std::string_view name);  // null if there is none

// A pass may run more than once; the second run is the stage "simplify-2".
struct PipelineStage {
  std::string_view name;
  std::string_view pass;  // of a passes.def
};
std::span<const PipelineStage> PipelineStages();
// By its own name or by that of its pass.
bool IsDisabled(std::span<const std::string> disabled, const PipelineStage& stage);

struct PipelineOptions {
  std::vector<std::string> disabled;  // passes (every run) or stages, by name
  ir::Evaluator evaluator;            // see evaluate.h
  Allocator* allocator = nullptr;     // of constants, see ir/passes/pass.h
  bool relaxed_math = false;          // see compile.h
  // Called with the module after every stage that ran.
  void (*sink)(void* context, std::string_view stage, const ir::Module& module) = nullptr;
  void* sink_context = nullptr;
  Progress progress;  // of the stage "compile"
  PageHints pages;    // see ir/passes/pass.h
  bool verify = true;  // after every stage; an error then names the pass
};

// The passes one at a time, for who has something else to do between them.
class PipelineRun {
 public:
  // module: verified, with the types of parameters.
  PipelineRun(ir::Module module, PipelineOptions options);
  PipelineRun(const PipelineRun&) = delete;
  PipelineRun& operator=(const PipelineRun&) = delete;

  size_t steps_left() const { return PipelineStages().size() - next_; }
  // The next stage. Errors of users are in the Status, all of them at once; no step follows one.
  Status Step();
  ir::Module TakeModule() { return std::move(module_); }

 private:
  Status Run(const PipelineStage& stage);

  ir::Module module_;
  PipelineOptions options_;
  text::Diagnostics diagnostics_;
  ir::PassContext context_;
  size_t next_ = 0;  // of the stages
  bool is_verified_ = false;
};

// All of them.
Result<ir::Module> RunPipeline(ir::Module module, const PipelineOptions& options);

}  // namespace tern::driver

#endif  // TERN_CORE_DRIVER_PIPELINE_H_
