// SPDX-License-Identifier: Apache-2.0
// tern run: reads inputs by the grammar of input_spec.h, calls one function, and hands its results
// to outputs.h.
#include <signal.h>

#include <algorithm>
#include <atomic>

#include "native/cli/call.h"
#include "native/cli/limits.h"
#include "native/cli/outputs.h"
#include "native/cli/report.h"

namespace tern::cli {
namespace {

struct RunOptions {
  std::string path;
  InputOptions input;
  KernelChoice kernels;
  OutputOptions output;
  RunLimits limits;
  bool parallel_calls = false;
  int repeat = 1;
  std::string trace;
};

std::vector<std::string> WrittenFiles(const RunOptions& options, const OutputPlan& plan) {
  std::vector<std::string> written = {options.trace};
  for (const OutputPlan::Target& target : plan.outputs) written.push_back(target.path);
  return written;
}

// How many of them go to standard output, where results are not printed then.
int64_t CountStandardOutputs(const std::vector<std::string>& written) {
  return std::count(written.begin(), written.end(), "-");
}

// Refuses to write over a file that the command reads: the program, an input, or a bundle of
// inputs; and to mix files on standard output.
Status CheckOutputPaths(const RunOptions& options, const std::vector<std::string>& written) {
  if (CountStandardOutputs(written) > 1)
    return UsageError("E0003",
                      "one file alone can go to standard output: name others for the rest "
                      "of --output and --trace");
  for (const std::string& output : written) {
    TERN_TRY(CheckOutputPath(output, options.path));
    for (const std::string& input : options.input.inputs) {
      // A path stands behind '@' in every form of --input.
      const size_t at = input.find('@');
      if (at != std::string::npos) TERN_TRY(CheckOutputPath(output, input.substr(at + 1)));
    }
  }
  return Status();
}

Result<Value> Call(const Program& program, const RunOptions& options, uint64_t max_bytes,
                   const std::vector<Value>& arguments) {
  const tern_vm_options limits = options.limits.ForMachine(max_bytes);
  tern_vm* raw = nullptr;
  TERN_TRY(FromApi(tern_vm_create(program.get(), &limits, &raw)));
  const Machine machine(raw);
  if (options.parallel_calls) TERN_TRY(FromApi(tern_vm_set_parallel_calls(raw, 1)));
  const std::vector<TernAny> args = Borrow(arguments);
  Value result;
  for (int i = 0; i < options.repeat; ++i) {
    // The result of the last run is released first, so that two are never alive at once.
    result = Value();
    TERN_TRY(FromApi(tern_vm_call(machine.get(), options.input.function.c_str(), args.data(),
                                  static_cast<int32_t>(args.size()), result.out())));
  }
  return result;
}

// While it lives, Ctrl-C stops the debugger, whose record is then written. A second Ctrl-C ends the
// program as usual, because the handler is reset by the first (SA_RESETHAND).
class StopOnInterrupt {
 public:
  explicit StopOnInterrupt(tern_debugger* debugger) {
    target_ = debugger;
    struct sigaction action = {};
    // Only tern_debugger_cancel may be called in a signal handler; it sets a flag.
    action.sa_handler = [](int) {
      if (tern_debugger* target = target_) tern_debugger_cancel(target);
    };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, &before_);
  }
  ~StopOnInterrupt() {
    // The old handler comes back before the pointer goes, so no signal finds a dead debugger.
    sigaction(SIGINT, &before_, nullptr);
    target_ = nullptr;
  }
  StopOnInterrupt(const StopOnInterrupt&) = delete;
  StopOnInterrupt& operator=(const StopOnInterrupt&) = delete;

 private:
  inline static std::atomic<tern_debugger*> target_ = nullptr;
  struct sigaction before_ = {};
};

// As Call, but under a debugger. The record is written however the run ends, because a run that
// fails is the one to look at.
Result<Value> CallTraced(const Program& program, const RunOptions& options, uint64_t max_bytes,
                         const std::vector<Value>& arguments) {
  const tern_debug_options limits = options.limits.ForDebugger(max_bytes);
  tern_debugger* raw = nullptr;
  TERN_TRY(FromApi(tern_debugger_create(program.get(), &limits, &raw)));
  const Debugger debugger(raw);
  const std::vector<TernAny> args = Borrow(arguments);
  TERN_TRY(FromApi(tern_debugger_begin(raw, options.input.function.c_str(), args.data(),
                                       static_cast<int32_t>(args.size()))));
  // The scope ends the handling of Ctrl-C before the record is written.
  {
    const StopOnInterrupt interrupt(raw);
    tern_buffer* stop = nullptr;
    TERN_TRY(FromApi(tern_debugger_run(raw, TERN_DEBUG_CONTINUE, 0, 0, &stop)));
    tern_buffer_free(stop);
  }
  // Before the result, which is an error if the run failed.
  TERN_TRY(WriteTrace(raw, options.trace));
  Value result;
  TERN_TRY(FromApi(tern_debugger_result(raw, result.out())));
  return result;
}

Status Run(const RunOptions& options, const GlobalOptions& globals) {
  TERN_TRY_ASSIGN(const Engine engine, StartEngine(globals, options.limits.max_bytes));
  TERN_TRY_ASSIGN(const Program program, LoadProgram(engine, options.path, options.kernels));
  TERN_TRY_ASSIGN(const FunctionInfo function, FindFunction(program, options.input.function));
  // Planned before inputs are read, so that mistakes in options cost no time.
  TERN_TRY_ASSIGN(const OutputPlan plan, PlanOutputs(options.output, function));
  const std::vector<std::string> written = WrittenFiles(options, plan);
  TERN_TRY(CheckOutputPaths(options, written));
  MemoryBudget budget = {.limit = options.limits.max_bytes};
  TERN_TRY_ASSIGN(const std::vector<NamedArray> inputs,
                  BindInputs(options.input, function, &budget));
  TERN_TRY_ASSIGN(const std::vector<Value> arguments, ToTensors(engine, inputs));
  TERN_TRY_ASSIGN(Value result, options.trace.empty()
                                    ? Call(program, options, BytesLeft(budget), arguments)
                                    // Inputs have taken their part of --max-memory; tensors get the
                                    // rest.
                                    : CallTraced(program, options, BytesLeft(budget), arguments));
  TERN_TRY_ASSIGN(const std::vector<Value> values, UnpackResults(std::move(result), function));
  const Results results = {.program = program, .function = function, .values = values};
  if (CountStandardOutputs(written) == 0) TERN_TRY(PrintOutputs(options.output, globals, results));
  return CarryOut(plan, options.output, results);
}

}  // namespace

CommandAction SetupRun(CLI::App* app, const GlobalOptions* globals) {
  auto options = std::make_shared<RunOptions>();
  AddProgram(app, &options->path);
  AddInputOptions(app, &options->input);
  AddKernelOptions(app, &options->kernels);
  AddOutputOptions(app, &options->output);
  AddRunLimits(app, &options->limits);
  auto* together = app->add_flag("--parallel-calls", options->parallel_calls,
                                 "run operators that do not depend on each other together");
  app->add_option("--trace", options->trace,
                  "write what the run did to this file (.terntrace; .json for JSON)")
      ->excludes(together);
  app->add_option("--repeat", options->repeat, "run so many times on one machine")
      ->check(&CheckPositiveCount);
  return [options, globals] { return Run(*options, *globals); };
}

}  // namespace tern::cli
