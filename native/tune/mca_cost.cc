// SPDX-License-Identifier: Apache-2.0
#include "core/loop/emit/llvm_text.h"
#include "core/loop/run/workspace.h"
#include "native/jit/llvm_compiler.h"
#include "native/tune/loop_cost.h"

namespace tern::native {
namespace {

constexpr std::string_view kLoops = "aarch64+sve";

// Cycles per loaded byte of the inner loop, times the bytes that a call loads, which the
// interpreter counts: so that schedules with different vectors and unrolling can be compared.
Result<double> CyclesOfACall(const loop::LoopFunction& function, const Sizes& sizes,
                             const McaCore& core) {
  TERN_TRY_ASSIGN(CodeTarget target, FindCodeTarget("aarch64-sve"));
  target.cpu = core.cpu;
  TERN_TRY_ASSIGN(const std::string ir,
                  loop::LlvmText({{function}}, loop::FlavorOf(*loop::FindTarget(kLoops))));
  TERN_TRY_ASSIGN(const std::string assembly, CompileLlvmIr(ir, target, {CodeForm::kAssembly}));
  TERN_TRY_ASSIGN(const InnerLoop loop, FindInnerLoop(assembly, function.name));
  TERN_TRY_ASSIGN(const double cycles, CyclesOf(loop, core.cpu));
  TERN_TRY_ASSIGN(const loop::Interpreter interpreter, loop::Interpreter::Make(function));
  TERN_TRY_ASSIGN(loop::Workspace workspace, loop::Workspace::Make(function, sizes));
  TERN_TRY_ASSIGN(const loop::Counters counters,
                  interpreter.Run(workspace.arguments(), {.vscale = core.vector_bytes * 8 / 128}));
  return cycles / loop.LoadedBytes(core.vector_bytes) * static_cast<double>(counters.bytes_loaded);
}

class McaCost : public LoopCost {
 public:
  // The model has no noise, so that the program as written is computed once.
  McaCost(double as_written, Sizes sizes, const McaCore& core)
      : as_written_(as_written), sizes_(std::move(sizes)), core_(core) {}

  Result<loop::tune::Measurement> Measure(const loop::LoopFunction& function) override {
    TERN_TRY_ASSIGN(const double cycles, CyclesOfACall(function, sizes_, core_));
    return loop::tune::Measurement{cycles, as_written_, "cycles"};
  }

 private:
  const double as_written_;
  const Sizes sizes_;
  const McaCore core_;
};

}  // namespace

Result<std::unique_ptr<LoopCost>> MakeMcaCost(const loop::LoopFunction& as_written,
                                              const Sizes& sizes, const McaCore& core) {
  TERN_TRY_ASSIGN(const double cycles, CyclesOfACall(as_written, sizes, core));
  return std::unique_ptr<LoopCost>(new McaCost(cycles, sizes, core));
}

}  // namespace tern::native
