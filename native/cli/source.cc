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
  std::string fix;  // "", "apply" or "dry-run"
};

// Models, executables and assembly text are verified as they are loaded.
Status CheckProgram(const Engine& engine, const std::string& path, const GlobalOptions& globals) {
  TERN_TRY(LoadProgram(engine, path));
  if (!globals.quiet) Print(globals.json() ? "[]\n" : StrCat(path, ": ok\n"));
  return Status();
}

// --- check --fix

// The lines that differ, old ones with '-', new ones with '+'.
std::string LineDiff(std::string_view before, std::string_view after) {
  const std::vector<std::string_view> old_lines = StrSplit(before, '\n');
  const std::vector<std::string_view> new_lines = StrSplit(after, '\n');
  std::string diff;
  // Fixes stay within their lines; should one not, all of it is shown.
  const bool by_line = old_lines.size() == new_lines.size();
  for (size_t i = 0; i < old_lines.size() && by_line; ++i) {
    if (old_lines[i] == new_lines[i]) continue;
    StrAppend(&diff, "@@ line ", i + 1, " @@\n-", old_lines[i], "\n+", new_lines[i], "\n");
  }
  if (by_line) return diff;
  for (const std::string_view line : old_lines) StrAppend(&diff, "-", line, "\n");
  for (const std::string_view line : new_lines) StrAppend(&diff, "+", line, "\n");
  return diff;
}

Status Fix(const Engine& engine, const CheckOptions& options) {
  std::string before;
  {
    TERN_TRY_ASSIGN(const native::MappedFile file, native::MappedFile::Open(options.path));
    before = AsText(file);
  }
  tern_buffer *raw = nullptr, *raw_report = nullptr;
  TERN_TRY(FromApi(tern_fix_source(engine.runtime.get(), before.data(), before.size(),
                                   options.path.c_str(), &raw, &raw_report)));
  const Buffer fixed(raw), report(raw_report);
  if (Text(fixed) == before) return Status();
  Print(Text(report));
  if (options.fix == "apply") return native::WriteFile(options.path, Text(fixed));
  Print(LineDiff(before, Text(fixed)));
  return Status();
}

Status Check(const CheckOptions& options, const GlobalOptions& globals) {
  TERN_TRY_ASSIGN(const Engine engine, StartEngine(globals));
  if (!options.fix.empty()) {
    if (!IsSource(options.path))
      return UsageError("E0003", StrCat("--fix: ", options.path, " is no program text (.tn)"));
    TERN_TRY(Fix(engine, options));
    if (options.fix == "dry-run") return Status();
  }
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
  app->add_flag("--fix{apply}", options->fix,
                "rewrite the program with the fixes that leave nothing to write, then check it; "
                "--fix=dry-run shows what would change")
      ->check(CLI::IsMember({"apply", "dry-run"}));
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
