// SPDX-License-Identifier: Apache-2.0
// tern lower: lists or prints the stages that a program goes through on its way to code. Loop
// programs have stages of their own (lower_loops.h).
#include "core/base/strings.h"
#include "native/cli/api_json.h"
#include "native/cli/command.h"
#include "native/cli/limits.h"
#include "native/cli/lower_loops.h"
#include "native/cli/program_file.h"
#include "native/cli/report.h"

namespace tern::cli {
namespace {

struct LowerOptions {
  CompileRequest request;
  uint64_t max_bytes = 0;
  std::vector<std::string> stages;
  LoopOptions loops;
};

// How many lines begin with the word; the text of the IR has one line per function head and
// binding.
size_t CountLines(const std::string& text, std::string_view word) {
  size_t count = 0;
  for (const std::string_view line : StrSplit(text, '\n')) {
    size_t begin = line.find_first_not_of(' ');
    count += begin != std::string_view::npos && line.substr(begin).starts_with(word) ? 1 : 0;
  }
  return count;
}

// One line per stage, such as "fuse_epilogues   2 functions, 61 bindings": growth and shrinkage
// show where to look.
void ListStages(const JsonValue& stages) {
  for (const JsonValue& stage : stages.items) {
    const std::string &name = TextOf(stage, "name"), &text = TextOf(stage, "text");
    const size_t functions = CountLines(text, "fn ") + CountLines(text, "private fn ");
    const size_t bindings = CountLines(text, "let ");
    Print(StrCat(name, std::string(name.size() < 36 ? 36 - name.size() : 1, ' '), functions,
                 functions == 1 ? " function, " : " functions, ", bindings,
                 bindings == 1 ? " binding\n" : " bindings\n"));
  }
}

Status Lower(LowerOptions options, const GlobalOptions& globals) {
  if (IsLoopProgram(options.request.path)) {
    if (!options.request.disabled_passes.empty())
      return UsageError("E0003", "--disable-pass is for models and programs, not loop programs");
    return LowerLoops(options.request.path, options.stages, options.loops, globals);
  }
  TERN_TRY_ASSIGN(const Engine engine, StartEngine(globals, options.max_bytes));
  const bool list = options.stages.empty();
  // Without a stage the list needs all of them.
  options.request.print_after = list ? "all" : "";
  for (const std::string& stage : options.stages)
    StrAppend(&options.request.print_after, options.request.print_after.empty() ? "" : ",", stage);
  TERN_TRY_ASSIGN(const Compiled compiled, CompileProgram(engine, options.request));
  const JsonValue stages = ParseAnswer(Text(compiled.stages));
  if (globals.json()) {
    Print(AnswerOfItems("stages", stages, globals.by_line()));
    return Status();
  }
  if (list) {
    ListStages(stages);
    return Status();
  }
  for (const JsonValue& stage : stages.items) {
    // A single stage is printed without a heading, so that it can be read by tools.
    if (stages.items.size() > 1) Print(StrCat("== ", TextOf(stage, "name"), "\n"));
    const std::string& text = TextOf(stage, "text");
    Print(StrCat(text, text.ends_with('\n') ? "" : "\n"));
  }
  return Status();
}

}  // namespace

CommandAction SetupLower(CLI::App* app, const GlobalOptions* globals) {
  auto options = std::make_shared<LowerOptions>();
  app->add_option("program", options->request.path,
                  "an ONNX model, a program (.tn) or a loop program (.tloop); - for standard input")
      ->required();
  app->add_option(
         "--stage", options->stages,
         "print the program after these stages: a pass, import, liveness, memory, memory_json, "
         "kernels, allocate_registers, layout_constants, code, or all (default: list them); of a "
         "loop program te, loops, a pass or all (default: the last)")
      ->delimiter(',');
  AddCompileOptions(app, &options->request, &options->max_bytes);
  AddLoopOptions(app, &options->loops);
  return [options, globals, app] {
    // Options of loop programs would be ignored silently for other programs.
    if (!IsLoopProgram(options->request.path)) TERN_TRY(RefuseLoopOptions(*app));
    return Lower(*options, *globals);
  };
}

}  // namespace tern::cli
