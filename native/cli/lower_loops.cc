// SPDX-License-Identifier: Apache-2.0
// tern lower FILE.tloop: prints the stages of a loop program, machine code of it, or counts of a
// run of it.
#include "native/cli/lower_loops.h"

#include <limits>

#include "core/base/strings.h"
#include "core/loop/report/lowering_report.h"
#include "native/cli/api_json.h"
#include "native/cli/emit_loops.h"
#include "native/cli/input_spec.h"
#include "native/cli/program_file.h"
#include "native/cli/report.h"

namespace tern::cli {
namespace {

struct LoopSource {
  std::string_view path, text;
  std::string stages;
};

// The forms that counting compares where none is named: a fixed vector length, with a cleanup loop,
// and with predicates.
constexpr std::string_view kCountedStrategies = "fixed,cleanup,predicated";

constexpr const char* kOptionGroup = "Loop programs (.tloop)";

// An option that takes numbers separated by commas, and its limits.
struct NumberList {
  std::string_view option, phrase;  // "--vscale", "numbers from 1 to 16, as in 1,2,4"
  int64_t least, most;
};

Result<std::vector<int64_t>> ParseNumbers(std::string_view text, const NumberList& list) {
  std::vector<int64_t> numbers;
  for (std::string_view part : StrSplit(text, ',')) {
    const std::optional<int64_t> value = ParseInt64(StrTrim(part));
    if (!value.has_value() || *value < list.least || *value > list.most)
      return UsageError("E0003", StrCat(list.option, " takes ", list.phrase, "; got '", part, "'"));
    numbers.push_back(*value);
  }
  return numbers;
}

Result<std::string> Report(const LoopSource& source, const LoopOptions& options,
                           const GlobalOptions& globals) {
  // Code is bytes, which JSON cannot hold as they are.
  if (!options.emit.empty() && globals.json())
    return UsageError("E0003",
                      "--format json is for stages and counts; --emit prints code as it is");
  if (!options.emit.empty()) {
    return EmitLoops({.file_name = source.path,
                      .text = source.text,
                      .form = options.emit,
                      .strategy = options.strategy,
                      .target = globals.target});
  }
  loop::LoweringRequest request;
  request.file_name = source.path;
  request.text = source.text;
  request.stage = source.stages;
  request.vl_form = options.vl_form;
  request.json = globals.json();
  if (!globals.target.empty()) request.target = globals.target;
  // Counting compares several strategies by default; everything else shows what the program says.
  if (!options.strategy.empty())
    request.strategies = options.strategy;
  else if (options.count)
    request.strategies = std::string(kCountedStrategies);
  if (!options.count) return loop::ReportStages(request);
  loop::CountRequest counts;
  counts.function = options.function;
  if (!options.n.empty()) {
    TERN_TRY_ASSIGN(counts.n, ParseNumbers(options.n, {"--n", "sizes of at least 0, as in 17,18", 0,
                                                       std::numeric_limits<int64_t>::max()}));
  }
  TERN_TRY_ASSIGN(
      counts.vscales,
      ParseNumbers(options.vscales, {"--vscale", "numbers from 1 to 16, as in 1,2,4", 1, 16}));
  TERN_TRY_ASSIGN(counts.sizes, ParseLoopDims(options.dims));
  return loop::ReportCounts(request, counts);
}

// One object of what was asked for, or each stage and each count on a line.
std::string AnswerOfLoops(std::string_view report, const GlobalOptions& globals) {
  if (!globals.by_line()) return AnswerOf(report);
  const JsonValue lists = ParseAnswer(report);
  std::string lines;
  for (size_t i = 0; i < lists.items.size(); ++i)
    lines += AnswerOfItems(lists.names[i], lists.items[i], true);
  return lines;
}

}  // namespace

Result<std::vector<std::pair<std::string, int64_t>>> ParseLoopDims(
    const std::vector<std::string>& dims) {
  std::vector<std::pair<std::string, int64_t>> sizes;
  for (const std::string& dim : dims) {
    const size_t equals = dim.find('=');
    const std::optional<int64_t> value =
        equals == std::string::npos ? std::nullopt : ParseInt64(dim.substr(equals + 1));
    if (!value.has_value() || *value < 0)
      return UsageError("E0005", StrCat("--dim takes NAME=SIZE, as in n=18; got '", dim, "'"));
    const std::string name = dim.substr(0, equals);
    for (const auto& [other, size] : sizes) {
      if (other == name) return DimGivenTwice(name, size, *value);
    }
    sizes.emplace_back(name, *value);
  }
  return sizes;
}

// The ending decides, because loop programs and programs of the language are both text.
bool IsLoopProgram(const std::string& path) { return KindOfProgram(path) == ProgramKind::kLoops; }

Status LowerLoops(const std::string& path, const std::vector<std::string>& stages,
                  const LoopOptions& options, const GlobalOptions& globals) {
  TERN_TRY_ASSIGN(const ProgramFile file, OpenProgram(path));
  TERN_TRY_ASSIGN(const std::string out,
                  Report({file.name, file.text(), StrJoin(stages, ",")}, options, globals));
  Print(globals.json() ? AnswerOfLoops(out, globals) : out);
  return Status();
}

Status LoopProgramRefused(std::string_view path) {
  return UsageError("E0003", StrCat("'", path, "' is a loop program, a kernel without a program"))
      .AddNote(
          "help: tern lower shows what it becomes, tern tune finds its schedule; a program "
          "(.tn) runs it as a `kernel`")
      .Clone();
}

// The group of an option is the list of those that are for loop programs, so that it cannot be
// forgotten here.
Status RefuseLoopOptions(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group() == kOptionGroup && option->count() > 0)
      return UsageError("E0003", StrCat(option->get_name(), " is for loop programs (.tloop)"));
  }
  return Status();
}

void AddLoopOptions(CLI::App* app, LoopOptions* options) {
  app->add_option("--strategy", options->strategy,
                  "schedule (what the program says), scalar, fixed, fixed_predicated, cleanup, "
                  "predicated or target (what it says as nearly as the target can); several "
                  "separated by commas")
      ->group(kOptionGroup);
  CLI::Option* emit =
      app->add_option(
             "--emit", options->emit,
             "print what it becomes for --target: llvm (IR text), asm, object, wasm or wat "
             "(its text)")
          ->check(CLI::IsMember({"llvm", "asm", "object", "wasm", "wat"}))
          ->group(kOptionGroup)
          ->excludes("--stage");
  app->add_flag("--vl", options->vl_form, "write VL for the vector length, as for (i, 0, n; i+=VL)")
      ->group(kOptionGroup)
      ->excludes(emit);
  CLI::Option* count =
      app->add_flag("--count", options->count,
                    "run it on made-up data and count iterations, instructions and bytes")
          ->group(kOptionGroup)
          ->excludes(emit);
  const auto counted = [&](const char* name, auto& value, const char* phrase) {
    app->add_option(name, value, phrase)->group(kOptionGroup)->needs(count);
  };
  counted("--vscale", options->vscales, "with --count: 1 to 16, separated by commas");
  counted("--n", options->n, "with --count: the value of every size, or several");
  counted("--dim", options->dims, "with --count: NAME=SIZE, the value of one size");
  counted("--function", options->function, "with --count: which (default: the first)");
}

}  // namespace tern::cli
