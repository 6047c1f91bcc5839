// SPDX-License-Identifier: Apache-2.0
// tern check and tern fmt: verify programs and lay out their text.
#include <unistd.h>

#include "core/base/json.h"
#include "core/base/strings.h"
#include "core/text/diagnostics.h"
#include "native/cli/api_json.h"
#include "native/cli/check_model.h"
#include "native/cli/command.h"
#include "native/cli/program_file.h"
#include "native/cli/report.h"
#include "native/cli/style.h"

namespace tern::cli {
namespace {

// A copy of the text, because the file may be rewritten while the mapping is in use.
Result<std::string> TextOf(const std::string& path) {
  TERN_TRY_ASSIGN(const ProgramFile file, OpenText(path));
  return std::string(file.text());
}

// What messages call the program: "<stdin>" for "-".
std::string NameOf(const std::string& path) { return path == "-" ? "<stdin>" : path; }

// --- check

struct CheckOptions {
  std::string path;
  bool strict = false;
  std::string fix;  // "", "apply" or "dry-run"
  AgainstOptions against;
};

// What check --fix did.
struct Fixes {
  std::string report;  // a line for each
  std::string diff;    // where nothing was written
};

void WriteFixes(const Fixes& fixes, JsonWriter* json) {
  json->Key("fixes").BeginArray();
  for (const std::string_view line : StrSplit(fixes.report, '\n')) {
    if (!line.empty()) json->String(line);
  }
  json->EndArray();
  if (!fixes.diff.empty()) json->Field("diff", fixes.diff);
}

Status PrintFixes(const Fixes& fixes) {
  JsonWriter json = BeginAnswer();
  WriteFixes(fixes, &json);
  json.EndObject();
  Print(StrCat(json.text(), "\n"));
  return Status();
}

// What a program is found to have besides errors, in both forms of output.
struct Findings {
  std::string text, json = "[]";
  bool empty() const { return json == "[]"; }
};

// Prints the findings in the form that was asked for; an error if --strict refuses them.
Status Conclude(const Findings& findings, const CheckOptions& options, const GlobalOptions& globals,
                const Fixes& fixes = {}) {
  const bool is_ok = findings.empty() || !options.strict;
  if (globals.by_line()) {
    Print(AnswerOfItems("diagnostics", ParseAnswer(findings.json), true));
  } else if (globals.json()) {
    JsonWriter json = BeginAnswer();
    json.Field("file", NameOf(options.path)).Field("ok", is_ok);
    json.Key("diagnostics").Raw(findings.json);
    if (!options.fix.empty()) WriteFixes(fixes, &json);
    json.EndObject();
    Print(StrCat(json.text(), "\n"));
  } else if (!findings.empty()) {
    if (UsesColor(globals.color, STDOUT_FILENO))
      PrintPainted(PaintDiagnostics(WithoutControls(findings.text)));
    else
      Print(findings.text);
  } else if (!globals.quiet) {
    Print(StrCat(NameOf(options.path), ": ok\n"));
  }
  return is_ok ? Status()
               : Failed("there are warnings, and --strict was given").SetErrorCode("E0112");
}

// Asks the library for the warnings about a text, as text and as JSON. `Check` is tern_check_source
// or tern_check_assembly.
template <typename Check>
Result<Findings> CheckText(Check check, const Engine& engine, const ProgramFile& file) {
  const auto ask = [&](const char* format) -> Result<std::string> {
    tern_buffer* raw = nullptr;
    TERN_TRY(FromApi(check(engine.runtime.get(), file.text().data(), file.text().size(),
                           file.name.c_str(), format, &raw)));
    const Buffer report(raw);
    return std::string(Text(report));
  };
  Findings findings;
  TERN_TRY_ASSIGN(findings.text, ask("text"));
  TERN_TRY_ASSIGN(findings.json, ask("json"));
  return findings;
}

// Warnings about primitives that this build lacks. Such a program is sound and runs where they
// exist, so it is no error.
Result<Findings> FindMissing(const Engine& engine, const std::string& path) {
  TERN_TRY_ASSIGN(const std::vector<std::string> names, MissingPrimitives(engine, path));
  text::Diagnostics warnings;
  warnings.Warning(kMissingPrimitives, MissingText(names)).InFile(NameOf(path));
  JsonWriter json;
  text::WriteJson(warnings, &json);
  return Findings{text::RenderText(warnings), json.Take()};
}

// Models, executables and assembly text are verified as they are loaded; assembly text can have
// warnings beside.
Status CheckProgram(const Engine& engine, const CheckOptions& options,
                    const GlobalOptions& globals) {
  const Result<Program> program = LoadProgram(engine, options.path);
  if (!program.ok() && program.status().error_code() == kMissingPrimitives) {
    TERN_TRY_ASSIGN(const Findings missing, FindMissing(engine, options.path));
    return Conclude(missing, options, globals);
  }
  TERN_TRY(program.status().Clone());
  TERN_TRY_ASSIGN(const ProgramFile file, OpenProgram(options.path));
  if (file.kind != ProgramKind::kAssembly) return Conclude({}, options, globals);
  TERN_TRY_ASSIGN(const Findings findings, CheckText(&tern_check_assembly, engine, file));
  return Conclude(findings, options, globals);
}

// --- check --fix

// The lines that differ, old ones with '-', new ones with '+'. Fixes rarely add or remove lines, so
// lines are compared in pairs.
std::string LineDiff(std::string_view before, std::string_view after) {
  const std::vector<std::string_view> old_lines = StrSplit(before, '\n');
  const std::vector<std::string_view> new_lines = StrSplit(after, '\n');
  std::string diff;
  // If the number of lines changed, everything is shown: a real diff is not worth its code here.
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

Result<Fixes> Fix(const Engine& engine, const CheckOptions& options) {
  TERN_TRY_ASSIGN(const std::string before, TextOf(options.path));
  tern_buffer *raw = nullptr, *raw_report = nullptr;
  TERN_TRY(FromApi(tern_fix_source(engine.runtime.get(), before.data(), before.size(),
                                   NameOf(options.path).c_str(), &raw, &raw_report)));
  const Buffer fixed(raw), report(raw_report);
  // Nothing is written where nothing changed, so that the file keeps its time.
  if (Text(fixed) == before) return Fixes();
  if (options.fix == "apply") TERN_TRY(native::WriteFile(options.path, Text(fixed)));
  return Fixes{std::string(Text(report)),
               options.fix == "apply" ? std::string() : LineDiff(before, Text(fixed))};
}

Status Check(const CheckOptions& options, const GlobalOptions& globals) {
  TERN_TRY_ASSIGN(const Engine engine, StartEngine(globals, options.against.limits.max_bytes));
  if (!options.against.folder.empty())
    return CheckAgainst(engine, options.path, options.against, globals);
  if (!options.fix.empty() && !IsSource(options.path))
    return UsageError("E0003", StrCat("--fix: ", options.path, " is no program text (.tn)"));
  if (options.path == "-" && options.fix == "apply")
    return UsageError("E0003",
                      "--fix: standard input cannot be rewritten; --fix=dry-run shows what would "
                      "change");
  if (!IsSource(options.path)) return CheckProgram(engine, options, globals);
  Fixes fixes;
  if (!options.fix.empty()) {
    TERN_TRY_ASSIGN(fixes, Fix(engine, options));
    if (!globals.json()) Print(StrCat(fixes.report, fixes.diff));
    // A dry run is about the fixes alone; checking the old text would report what they fix.
    if (options.fix == "dry-run") return globals.json() ? PrintFixes(fixes) : Status();
  }
  // Errors come with the status; what remains are warnings.
  TERN_TRY(CompileSource(engine, {.path = options.path, .disabled_passes = {}, .print_after = {}}));
  TERN_TRY_ASSIGN(const ProgramFile file, OpenProgram(options.path));
  TERN_TRY_ASSIGN(const Findings findings, CheckText(&tern_check_source, engine, file));
  return Conclude(findings, options, globals, fixes);
}

// --- fmt

struct FormatOptions {
  std::string path;
  bool check = false;
  bool to_stdout = false;
};

// {"schema", "file", "formatted": whether it was, "text": where it is printed}
std::string AnswerOfFormat(const FormatOptions& options, bool was_formatted,
                           std::string_view text) {
  JsonWriter json = BeginAnswer();
  json.Field("file", NameOf(options.path)).Field("formatted", was_formatted);
  if (options.to_stdout || options.path == "-") json.Field("text", text);
  json.EndObject();
  return StrCat(json.text(), "\n");
}

Status Format(const FormatOptions& options, const GlobalOptions& globals) {
  TERN_TRY_ASSIGN(const Engine engine, StartEngine(globals));
  TERN_TRY_ASSIGN(const std::string before, TextOf(options.path));
  tern_buffer* raw = nullptr;
  TERN_TRY(FromApi(tern_format_source(engine.runtime.get(), before.data(), before.size(),
                                      NameOf(options.path).c_str(), &raw)));
  const Buffer formatted(raw);
  const bool was_formatted = Text(formatted) == before;
  const bool prints = options.to_stdout || options.path == "-";
  // The check has no output besides its error, so that it fits into scripts.
  if (options.check && !was_formatted)
    return Failed("'", options.path, "' is not formatted")
        .SetErrorCode("E1022")
        .AddNote(StrCat("help: tern fmt ", options.path));
  // A file that is formatted is not touched.
  if (!options.check && !prints && !was_formatted)
    TERN_TRY(native::WriteFile(options.path, Text(formatted)));
  if (globals.json())
    Print(AnswerOfFormat(options, was_formatted, Text(formatted)));
  else if (!options.check && prints)
    return native::WriteFile("-", Text(formatted));
  return Status();
}

}  // namespace

CommandAction SetupCheck(CLI::App* app, const GlobalOptions* globals) {
  auto options = std::make_shared<CheckOptions>();
  app->add_option(
         "program", options->path,
         "a program (.tn), an executable, .tasm text or an ONNX model; - for standard input")
      ->required();
  app->add_flag("--strict", options->strict, "warnings are errors");
  app->add_flag("--fix{apply}", options->fix,
                "rewrite the program with the fixes that leave nothing to write, then check it; "
                "--fix=dry-run shows what would change")
      ->check(CLI::IsMember({"apply", "dry-run"}));
  CLI::Option* against = app->add_option(
      "--against", options->against.folder,
      "run an ONNX model on this folder's test_data_set_N/input_N.pb and compare with output_N.pb");
  AddAmount(app, "--rtol", &options->against.rtol, "of --against: relative tolerance (0.001)")
      ->needs(against);
  AddAmount(app, "--atol", &options->against.atol, "of --against: absolute tolerance (1e-7)")
      ->needs(against);
  for (CLI::Option* limit : AddRunLimits(app, &options->against.limits)) limit->needs(against);
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
