// SPDX-License-Identifier: Apache-2.0
// tern debug: the debugger's console (core/vm/debug) on standard input and output. Where the input
// is no terminal, commands are printed behind the prompts, so that a script's output reads like a
// session.
#include <stdio.h>
#include <unistd.h>

#include "core/base/strings.h"
#include "native/cli/api_json.h"
#include "native/cli/call.h"
#include "native/cli/limits.h"
#include "native/cli/program_file.h"
#include "native/cli/report.h"

namespace tern::cli {
namespace {

constexpr const char kPrompt[] = "(tern) ";

struct DebugOptions {
  std::string path;
  InputOptions input;
  KernelChoice kernels;
  RunLimits limits;
  uint64_t record_bytes = 0, record_steps = 0;
};

// A line without its end; false at the end of the input. The last line may lack its end.
bool ReadLine(std::string* line) {
  line->clear();
  for (int c; (c = getchar()) != EOF;) {
    if (c == '\n') return true;
    line->push_back(static_cast<char>(c));
  }
  return !line->empty();
}

Result<std::string> Execute(tern_debugger* debugger, const std::string& line, bool* done) {
  tern_buffer* raw = nullptr;
  int32_t ended = 0;
  TERN_TRY(FromApi(tern_debugger_execute(debugger, line.c_str(), &raw, &ended)));
  const Buffer text(raw);
  *done = ended != 0;
  return std::string(Text(text));
}

// One answer for each command: {"schema", "command", "text", "stop"}, where "stop" is what
// tern_debugger_run gives. It is one line, so that a program can drive the debugger.
Result<std::string> AnswerOfCommand(tern_debugger* debugger, const std::string& line,
                                    const std::string& text) {
  tern_buffer* raw = nullptr;
  TERN_TRY(FromApi(tern_debugger_state(debugger, "stop", &raw)));
  const Buffer stop(raw);
  JsonWriter json = BeginAnswer();
  json.Field("command", line).Field("text", text).Key("stop").Raw(Text(stop)).EndObject();
  return StrCat(json.text(), "\n");
}

Status ConverseInJson(tern_debugger* debugger) {
  bool done = false;
  std::string line;
  while (!done && ReadLine(&line)) {
    TERN_TRY_ASSIGN(const std::string text, Execute(debugger, line, &done));
    TERN_TRY_ASSIGN(const std::string answer, AnswerOfCommand(debugger, line, text));
    Print(answer);
  }
  return Status();
}

Status Converse(tern_debugger* debugger) {
  const bool is_terminal = isatty(STDIN_FILENO) != 0;
  bool done = false;
  std::string line;
  while (!done) {
    Print(kPrompt);
    if (!ReadLine(&line)) break;
    if (!is_terminal) Print(StrCat(line, "\n"));
    TERN_TRY_ASSIGN(const std::string text, Execute(debugger, line, &done));
    Print(text);
  }
  // The prompt is still on the line when the input ends.
  if (!done) Print("\n");
  return Status();
}

Status Debug(const DebugOptions& options, const GlobalOptions& globals) {
  // The commands are read from standard input, so the program and its inputs cannot be.
  TERN_TRY(ClaimStandardInput("the debugger's commands"));
  TERN_TRY_ASSIGN(const Engine engine, StartEngine(globals, options.limits.max_bytes));
  TERN_TRY_ASSIGN(const Program program, LoadProgram(engine, options.path, options.kernels));
  TERN_TRY_ASSIGN(const FunctionInfo function, FindFunction(program, options.input.function));
  // Inputs are charged to the same limit as the tensors of the run.
  MemoryBudget budget = {.limit = options.limits.max_bytes};
  TERN_TRY_ASSIGN(const std::vector<NamedArray> inputs,
                  BindInputs(options.input, function, &budget));
  TERN_TRY_ASSIGN(const std::vector<Value> arguments, ToTensors(engine, inputs));
  const std::vector<TernAny> args = Borrow(arguments);
  tern_debugger* raw = nullptr;
  tern_debug_options limits = options.limits.ForDebugger(BytesLeft(budget));
  limits.trace_bytes = options.record_bytes;
  limits.trace_steps = options.record_steps;
  TERN_TRY(FromApi(tern_debugger_create(program.get(), &limits, &raw)));
  const Debugger debugger(raw);
  TERN_TRY(FromApi(tern_debugger_begin(debugger.get(), function.name.c_str(), args.data(),
                                       static_cast<int32_t>(args.size()))));
  return globals.json() ? ConverseInJson(debugger.get()) : Converse(debugger.get());
}

}  // namespace

Status WriteTrace(tern_debugger* debugger, const std::string& path) {
  tern_buffer* raw = nullptr;
  const bool is_json = path.ends_with(".json");
  TERN_TRY(FromApi(tern_debugger_trace(debugger, is_json ? "json" : "binary", &raw)));
  const Buffer trace(raw);
  return native::WriteFile(path, Text(trace));
}

CommandAction SetupDebug(CLI::App* app, const GlobalOptions* globals) {
  auto options = std::make_shared<DebugOptions>();
  app->add_option("program", options->path,
                  "an executable, .tasm text, a program (.tn) or an ONNX model")
      ->required();
  AddInputOptions(app, &options->input);
  AddKernelOptions(app, &options->kernels);
  AddRunLimits(app, &options->limits);
  AddSize(app, "--record-memory", &options->record_bytes,
          "what the record of the run may take (default 256MiB)");
  AddCount(app, "--record-steps", &options->record_steps,
           "how many instructions back it reaches (default 1000000)");
  return [options, globals] { return Debug(*options, *globals); };
}

}  // namespace tern::cli
