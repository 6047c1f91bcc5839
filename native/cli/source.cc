// SPDX-License-Identifier: Apache-2.0
// tern check and tern fmt: programs as text.
#include "core/base/strings.h"
#include "native/cli/command.h"
#include "native/cli/report.h"

namespace tern::cli {
namespace {

std::string_view AsText(const native::MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

// --- check

struct CheckOptions {
  std::string path;
  bool strict = false;
};

// Models, executables and assembly text are verified as they are loaded.
Status CheckProgram(const Engine& engine, const std::string& path, const GlobalOptions& globals) {
  TERN_TRY(LoadProgram(engine, path));
  if (!globals.quiet) Print(globals.json() ? "[]\n" : StrCat(path, ": ok\n"));
  return Status();
}

Status Check(const CheckOptions& options, const GlobalOptions& globals) {
  TERN_TRY_ASSIGN(const Engine engine, StartEngine(globals));
  if (!IsSource(options.path)) return CheckProgram(engine, options.path, globals);
  TERN_TRY_ASSIGN(const native::MappedFile file, native::MappedFile::Open(options.path));
  const std::string_view text = AsText(file);
  // Errors come with the status; what is left are warnings.
  TERN_TRY(CompileSource(engine, {.path = options.path, .disabled_passes = {}, .print_after = {}}));
  tern_buffer* raw = nullptr;
  TERN_TRY(FromApi(tern_check_source(engine.runtime.get(), text.data(), text.size(),
                                     options.path.c_str(), globals.format.c_str(), &raw)));
  const Buffer report(raw);
  const bool none = Text(report).empty() || Text(report) == "[]";
  if (!none || globals.json()) Print(StrCat(Text(report), globals.json() ? "\n" : ""));
  if (none && !globals.json() && !globals.quiet) Print(StrCat(options.path, ": ok\n"));
  if (none || !options.strict) return Status();
  return Failed("there are warnings, and --strict was given");
}

// --- fmt

struct FormatOptions {
  std::string path;
  bool check = false;
  bool to_stdout = false;
};

Status Format(const FormatOptions& options, const GlobalOptions& globals) {
  TERN_TRY_ASSIGN(const Engine engine, StartEngine(globals));
  std::string before;
  {
    TERN_TRY_ASSIGN(const native::MappedFile file, native::MappedFile::Open(options.path));
    before = AsText(file);
  }
  tern_buffer* raw = nullptr;
  TERN_TRY(FromApi(tern_format_source(engine.runtime.get(), before.data(), before.size(),
                                      options.path.c_str(), &raw)));
  const Buffer formatted(raw);
  if (options.check) {
    if (Text(formatted) == before) return Status();
    return Failed(options.path, " is not formatted; tern fmt ", options.path, " does it");
  }
  if (options.to_stdout || options.path == "-") {
    Print(Text(formatted));
    return Status();
  }
  return Text(formatted) == before ? Status() : native::WriteFile(options.path, Text(formatted));
}

}  // namespace

CommandAction SetupCheck(CLI::App* app, const GlobalOptions* globals) {
  auto options = std::make_shared<CheckOptions>();
  app->add_option("program", options->path,
                  "a program (.tn), an executable, .tasm text or an ONNX model")
      ->required();
  app->add_flag("--strict", options->strict, "warnings are errors");
  return [options, globals] { return Check(*options, *globals); };
}

CommandAction SetupFormat(CLI::App* app, const GlobalOptions* globals) {
  auto options = std::make_shared<FormatOptions>();
  app->add_option("program", options->path,
                  "a program (.tn), rewritten in place; - reads and prints")
      ->required();
  app->add_flag("--check", options->check, "only say whether it is formatted");
  app->add_flag("--stdout", options->to_stdout, "print instead of rewriting");
  return [options, globals] { return Format(*options, *globals); };
}

}  // namespace tern::cli
