// SPDX-License-Identifier: Apache-2.0
// tern replay: runs a program again under the debugger and compares every step with the record of
// an earlier run (`tern run --trace`). The record holds the arguments, so they need not be given.
#include <utility>

#include "core/base/strings.h"
#include "core/vm/debug/trace_diff.h"
#include "native/cli/api_json.h"
#include "native/cli/call.h"
#include "native/cli/limits.h"
#include "native/cli/program_file.h"
#include "native/cli/recorded_run.h"
#include "native/cli/report.h"

namespace tern::cli {
namespace {

constexpr uint64_t kNoLimit = UINT64_MAX;

struct ReplayOptions {
  std::string trace, program;
  InputOptions input;
  bool has_function = false;
  KernelChoice kernels;
  RunLimits limits;
  uint64_t until = kNoLimit;

  // Inputs or a function that are given take the place of those in the record.
  bool uses_record(const vm::SavedTrace& trace) const {
    return input.inputs.empty() && !has_function && !trace.call().function.empty();
  }
};

Result<std::vector<Value>> RecordedArguments(const vm::SavedTrace& trace) {
  Value tuple;
  const std::string& text = trace.call().arguments;
  // Through the C API, so that the values belong to the same library as the run.
  TERN_TRY(FromApi(tern_graph_from_json(text.data(), text.size(), tuple.out())));
  std::vector<Value> arguments;
  for (int32_t i = 0; i < tern_tuple_size(&tuple.get()); ++i) {
    Value argument;
    TERN_TRY(FromApi(tern_tuple_get(&tuple.get(), i, argument.out())));
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

struct Replayed {
  RecordedRun run;
  std::optional<vm::Divergence> divergence;
  uint64_t steps = 0;
};

Result<Replayed> ReplayRun(const Engine& engine, const Program& program,
                           const vm::SavedTrace& trace, const ReplayOptions& options) {
  const bool uses_record = options.uses_record(trace);
  const std::string name = uses_record ? trace.call().function : options.input.function;
  TERN_TRY_ASSIGN(const FunctionInfo function, FindFunction(program, name));
  std::vector<Value> arguments;
  MemoryBudget budget = {.limit = options.limits.max_bytes};
  if (uses_record) {
    TERN_TRY_ASSIGN(arguments, RecordedArguments(trace));
  } else {
    TERN_TRY_ASSIGN(const std::vector<NamedArray> arrays,
                    BindInputs(options.input, function, &budget));
    TERN_TRY_ASSIGN(arguments, ToTensors(engine, arrays));
  }
  const uint64_t end = std::min(trace.end_step(), options.until);
  // 0 would be no limit. The step too many that an empty record gets is not compared.
  tern_debug_options limits = options.limits.ForDebugger(BytesLeft(budget));
  const uint64_t steps = std::max<uint64_t>(end, 1);
  limits.max_steps = limits.max_steps == 0 ? steps : std::min(limits.max_steps, steps);
  TERN_TRY_ASSIGN(RecordedRun run, RecordRun(program, name, Borrow(arguments), limits));
  Replayed replayed{std::move(run), std::nullopt, 0};
  replayed.divergence = vm::FindDivergence(trace, replayed.run.trace);
  // Where the replay was told to end is no difference.
  if (replayed.divergence && replayed.divergence->step >= end &&
      replayed.divergence->kind == vm::Divergence::Kind::kEnd)
    replayed.divergence.reset();
  replayed.steps = vm::CommonSteps(trace, replayed.run.trace);
  return replayed;
}

Status PrintReplayedState(const vm::SavedTrace& trace, uint64_t step) {
  TERN_TRY_ASSIGN(const std::string text, trace.StateText(step));
  Print(text);
  return Status();
}

Status PrintReplay(const ReplayOptions& options, const Replayed& replayed) {
  JsonWriter json = BeginAnswer();
  json.Field("trace", options.trace).Field("program", options.program);
  json.Field("equal", !replayed.divergence).Field("steps", replayed.steps);
  json.Field("stop", replayed.run.stop).Key("divergence");
  if (replayed.divergence) {
    vm::BeginDivergence(*replayed.divergence, &json);
    json.EndObject();
  } else {
    json.Null();
  }
  if (options.until != kNoLimit && !replayed.divergence) {
    json.Key("state");
    TERN_TRY(WriteStateJson(replayed.run.trace, options.until, &json));
  }
  json.EndObject();
  Print(StrCat(json.text(), "\n"));
  return Status();
}

// Like those of play, the files may stand in either order.
void SortFiles(ReplayOptions* options) {
  const Result<ProgramFile> second = OpenProgram(options->program);
  if (second.ok() && vm::SavedTrace::HasMark(second->file->bytes()))
    std::swap(options->trace, options->program);
}

Status Replay(ReplayOptions options, const GlobalOptions& globals) {
  SortFiles(&options);
  TERN_TRY_ASSIGN(const vm::SavedTrace trace, ReadTrace(options.trace));
  if (options.until != kNoLimit &&
      (options.until < trace.first_step() || options.until > trace.end_step()))
    return UsageError("E0003", StrCat("--until ", options.until, ": the record has the steps ",
                                      trace.first_step(), " to ", trace.end_step()));
  TERN_TRY_ASSIGN(const Engine engine, StartEngine(globals, options.limits.max_bytes));
  TERN_TRY_ASSIGN(const Program program, LoadProgram(engine, options.program, options.kernels));
  TERN_TRY_ASSIGN(const Replayed replayed, ReplayRun(engine, program, trace, options));
  if (globals.json()) {
    TERN_TRY(PrintReplay(options, replayed));
  } else if (replayed.divergence) {
    Print(vm::DivergenceText(*replayed.divergence, "recorded", "replayed"));
  } else {
    if (!globals.quiet) Print(StrCat(replayed.steps, " steps are as they were recorded\n"));
    if (options.until != kNoLimit) TERN_TRY(PrintReplayedState(replayed.run.trace, options.until));
  }
  if (!replayed.divergence) return Status();
  Value result;
  // A replay that its own limit ended says nothing of what would have come.
  const Status ended = FromApi(tern_debugger_result(replayed.run.debugger.get(), result.out()));
  if (replayed.divergence->kind == vm::Divergence::Kind::kEnd && IsLimit(ended))
    return NothingCompared("the replay ended before the record does", ended);
  return Failed("'", options.program, "' does not do what '", options.trace, "' recorded")
      .SetErrorCode("M0104");
}

}  // namespace

CommandAction SetupReplay(CLI::App* app, const GlobalOptions* globals) {
  auto options = std::make_shared<ReplayOptions>();
  app->add_option("trace", options->trace, "a .terntrace file, of `tern run --trace`")->required();
  app->add_option("program", options->program,
                  "the program to run again: an executable, .tasm, .tn or an ONNX model; it "
                  "may also stand before the record")
      ->required();
  AddInputOptions(app, &options->input);
  AddKernelOptions(app, &options->kernels);
  AddRunLimits(app, &options->limits);
  AddCount(app, "--until", &options->until, "stop at this step and print frames and registers");
  return [=] {
    options->has_function = app->count("--function") > 0;
    return Replay(*options, *globals);
  };
}

}  // namespace tern::cli
