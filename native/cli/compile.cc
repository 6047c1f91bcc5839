// SPDX-License-Identifier: Apache-2.0
// tern compile: a model or a program in, one executable out; optionally the text after each pass.
#include <nlohmann/json.hpp>

#include "core/base/strings.h"
#include "native/cli/command.h"
#include "native/cli/report.h"

namespace tern::cli {
namespace {

struct CompileOptions {
  CompileRequest request;
  std::string output;
};

std::string DefaultOutput(const std::string& input) {
  const size_t dot = input.rfind('.');
  const size_t slash = input.rfind('/');
  const bool has_extension =
      dot != std::string::npos && (slash == std::string::npos || dot > slash);
  return StrCat(has_extension ? input.substr(0, dot) : input, ".tern");
}

void PrintStages(std::string_view json, bool as_json) {
  if (as_json) return Print(StrCat(json, "\n"));
  for (const nlohmann::json& stage : nlohmann::json::parse(json)) {
    Print(StrCat("== ", stage.at("name").get<std::string>(), "\n",
                 stage.at("text").get<std::string>(), "\n"));
  }
}

Status Compile(const CompileOptions& options, const GlobalOptions& globals) {
  TERN_TRY_ASSIGN(const Engine engine, StartEngine(globals));
  TERN_TRY_ASSIGN(const Compiled compiled, IsSource(options.request.path)
                                               ? CompileSource(engine, options.request)
                                               : CompileOnnx(engine, options.request));
  if (!options.request.print_after.empty()) PrintStages(Text(compiled.stages), globals.json());
  const bool to_file = !options.output.empty() || options.request.print_after.empty();
  if (!to_file) return Status();
  const std::string output =
      options.output.empty() ? DefaultOutput(options.request.path) : options.output;
  TERN_TRY(native::WriteFile(output, Text(compiled.executable)));
  if (!globals.quiet && output != "-") {
    Print(StrCat("wrote ", output, ", ", FormatBytes(Text(compiled.executable).size()), "\n"));
  }
  return Status();
}

}  // namespace

CommandAction SetupCompile(CLI::App* app, const GlobalOptions* globals) {
  auto options = std::make_shared<CompileOptions>();
  app->add_option("model", options->request.path,
                  "an ONNX model (- for standard input), or a program (.tn)")
      ->required();
  app->add_option("-o,--out", options->output,
                  "the executable, - for standard output (default: beside the model)");
  app->add_option("--print-after", options->request.print_after,
                  "print the program after these passes (comma list, or all)");
  app->add_option("--disable-pass", options->request.disabled_passes,
                  "leave out these passes (comma list)");
  return [options, globals] { return Compile(*options, *globals); };
}

}  // namespace tern::cli
