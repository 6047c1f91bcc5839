// SPDX-License-Identifier: Apache-2.0
// tern tune: finds the best schedule of a loop program by measuring. The search is in
// native/tune; this source reads options and prints the outcome.
#include <cstdio>
#include <limits>

#include "core/base/json.h"
#include "core/base/strings.h"
#include "native/cli/api_json.h"
#include "native/cli/command.h"
#include "native/cli/lower_loops.h"
#include "native/cli/program_file.h"
#include "native/cli/report.h"
#include "native/tune/tune_loops.h"

namespace tern::cli {
namespace {

struct TuneOptions {
  native::TuneRequest request;
  std::string path, output;
  std::vector<std::string> dims;
};

// Progress goes to standard error, because standard output is the program.
void ShowProgress(void*, std::string_view line) {
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void PrintOutcome(const native::TuneOutcome& outcome, const TuneOptions& options,
                  const GlobalOptions& globals) {
  if (globals.json()) {
    JsonWriter json = BeginAnswer();
    json.Field("function", outcome.function)
        .Field("choice", outcome.choice)
        .Field("schedule", outcome.schedule)
        .Field("ratio", outcome.ratio)
        .Field("measured", outcome.measured)
        .Field("resumed", outcome.resumed)
        .EndObject();
    return Print(json.text() + "\n");
  }
  if (options.output.empty()) return Print(outcome.text);
  Print(StrCat(outcome.function, ": ", outcome.choice, ", ", FormatDoubleDigits(outcome.ratio, 3),
               " of the time as written; ", outcome.measured, " schedules, ", outcome.resumed,
               " of them from the log\n"));
}

Status Tune(TuneOptions options, const GlobalOptions& globals) {
  // Said before the file is read as a loop program, whose first mistake would explain nothing.
  if (IsSource(options.path))
    return UsageError("E0003", StrCat("'", options.path,
                                      "' is a program; tern tune takes a loop program (.tloop)"));
  if (options.output == "-" && globals.json())
    return UsageError("E0003", "the JSON goes to standard output: --output wants another file");
  if (options.output == "-") options.output.clear();  // printed without one
  TERN_TRY_ASSIGN(const ProgramFile file, OpenText(options.path));
  native::TuneRequest& request = options.request;
  request.file_name = file.name;
  request.text = file.text();
  if (!globals.target.empty()) request.target = globals.target;
  if (!globals.quiet) request.progress = &ShowProgress;
  TERN_TRY_ASSIGN(request.dims, ParseLoopDims(options.dims));
  TERN_TRY_ASSIGN(const native::TuneOutcome outcome, native::TuneLoops(request));
  if (!options.output.empty()) TERN_TRY(native::WriteFile(options.output, outcome.text));
  PrintOutcome(outcome, options, globals);
  return Status();
}

}  // namespace

CommandAction SetupTune(CLI::App* app, const GlobalOptions* globals) {
  auto options = std::make_shared<TuneOptions>();
  native::TuneRequest& request = options->request;
  app->add_option("program", options->path, "a loop program (.tloop); - for standard input")
      ->required();
  app->add_option("-o,--output", options->output,
                  "write the program with the best schedule here (default: print it)");
  app->add_option("--log", request.log_path,
                  "what was measured, a line each: read first, then added to");
  app->add_option("--function", request.function, "which (default: the file's only one)");
  app->add_option("--seed", request.seed, "of the search's random choices")
      ->check(CLI::Range(int64_t{0}, std::numeric_limits<int64_t>::max()));
  app->add_option("--trials", request.trials, "how many schedules to measure (default 64)")
      ->check(CLI::Range(1, 1000000));
  app->add_option("--n", request.n, "the value of every size (default: a few thousand elements)")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 32));
  app->add_option("--dim", options->dims, "NAME=SIZE, the value of one size");
  return [options, globals] { return Tune(*options, *globals); };
}

}  // namespace tern::cli
