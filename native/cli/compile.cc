// SPDX-License-Identifier: Apache-2.0
// tern compile: turns a model or a program into one executable; on request it prints the text after
// each pass, and puts native code of loop kernels into the file.
#include "core/base/strings.h"
#include "native/cli/api_json.h"
#include "native/cli/command.h"
#include "native/cli/limits.h"
#include "native/cli/lower_loops.h"
#include "native/cli/model.h"
#include "native/cli/native_kernels.h"
#include "native/cli/program_file.h"
#include "native/cli/report.h"
#include "native/code/code_library.h"

namespace tern::cli {
namespace {

struct CompileOptions {
  CompileRequest request;
  std::string output;
  std::string native_kernels;  // targets
  std::string native_library;  // where their code goes; empty: into the executable
  uint64_t max_bytes = 0;
};

// The input with its ending replaced. A dot in a folder's name is no ending.
std::string DefaultOutput(const std::string& input) {
  const size_t dot = input.rfind('.');
  const size_t slash = input.rfind('/');
  const bool has_extension =
      dot != std::string::npos && (slash == std::string::npos || dot > slash);
  return StrCat(has_extension ? input.substr(0, dot) : input, ".tern");
}

// Loads a program that reads its bytes in place; `bytes` must outlive it.
Result<Program> LoadBytes(const Engine& engine, std::string_view bytes) {
  tern_program* raw = nullptr;
  TERN_TRY(FromApi(
      tern_program_load(engine.runtime.get(), bytes.data(), bytes.size(), nullptr, nullptr, &raw)));
  return Program(raw);
}

void PrintStages(std::string_view json, const GlobalOptions& globals) {
  const JsonValue stages = ParseAnswer(json);
  if (globals.json()) return Print(AnswerOfItems("stages", stages, globals.by_line()));
  for (const JsonValue& stage : stages.items) {
    Print(StrCat("== ", TextOf(stage, "name"), "\n", TextOf(stage, "text"), "\n"));
  }
}

std::string OutputOf(const CompileOptions& options) {
  return options.output.empty() ? DefaultOutput(options.request.path) : options.output;
}

// What was written beside the executable.
struct NativeReport {
  std::string kernels;         // lines
  uint64_t library_bytes = 0;  // 0: no library
};

// {"schema", "output", "bytes", "kernels": [lines of the report], "library", "library_bytes"}
std::string AnswerOfExecutable(const CompileOptions& options, uint64_t bytes,
                               const NativeReport& report) {
  JsonWriter json = BeginAnswer();
  json.Field("output", OutputOf(options)).Field("bytes", bytes).Key("kernels").BeginArray();
  for (const std::string_view line : StrSplit(report.kernels, '\n')) {
    if (!line.empty()) json.String(StrTrim(line));
  }
  json.EndArray();
  if (report.library_bytes > 0)
    json.Field("library", options.native_library).Field("library_bytes", report.library_bytes);
  json.EndObject();
  return StrCat(json.text(), "\n");
}

std::string LinesOfExecutable(const CompileOptions& options, uint64_t bytes,
                              const NativeReport& report) {
  std::string lines = StrCat("wrote ", OutputOf(options), ", ", FormatBytes(bytes), "\n");
  if (report.library_bytes > 0)
    StrAppend(&lines, "wrote ", options.native_library, ", ", FormatBytes(report.library_bytes),
              "\n");
  return lines + report.kernels;
}

// Files that are compiled already are refused with the command that fits, instead of by the reader
// of models.
Result<Compiled> CompileInput(const Engine& engine, const CompileRequest& request) {
  const ProgramKind kind = KindOfProgram(request.path);
  if (kind == ProgramKind::kExecutable)
    return UsageError("E0003", StrCat("'", request.path, "' is an executable already"))
        .AddNote("help: tern run runs it; --native-kernels puts native code into it")
        .Clone();
  if (kind == ProgramKind::kAssembly)
    return UsageError("E0003", StrCat("'", request.path, "' is assembly text"))
        .AddNote("help: tern asm turns it into an executable")
        .Clone();
  return CompileProgram(engine, request);
}

// Such a file has nothing else to compile: only its native code can change.
bool IsCompiled(const std::string& path) {
  const ProgramKind kind = KindOfProgram(path);
  return kind == ProgramKind::kExecutable || kind == ProgramKind::kAssembly;
}

// A library without targets named is for this processor.
std::string_view TargetsOf(const CompileOptions& options) {
  if (options.native_kernels.empty() && !options.native_library.empty()) return "host";
  return options.native_kernels;
}
bool HasNativeCode(const CompileOptions& options) { return !TargetsOf(options).empty(); }

// Ahead of compiling, which may take minutes.
Status CheckLibraryRequest(const CompileOptions& options,
                           const std::vector<const native::ObjectTarget*>& targets) {
  if (options.native_library.empty()) return OkStatus();
  TERN_TRY(CheckOutputPath(options.native_library, options.request.path));
  if (options.native_library == OutputOf(options))
    return UsageError("E0003", StrCat("--native-library and --out name one file, '",
                                      options.native_library, "'"));
  if (!targets.empty()) return native::CheckLibraryTargets(targets);
  return UsageError("E0003", "--native-library with --native-kernels none has nothing to hold");
}

Status WriteLibrary(const CompileOptions& options, const NativeKernels& made) {
  if (!made.library.empty()) return native::WriteFile(options.native_library, made.library);
  return std::move(Unsupported("the program has no loop kernels, so there is nothing to put into '",
                               options.native_library, "'")
                       .SetErrorCode("E0802"));
}

Result<Compiled> CompileWithKernels(const Engine& engine, const CompileOptions& options,
                                    NativeReport* report) {
  const std::string& path = options.request.path;
  TERN_TRY_ASSIGN(const auto targets, ParseKernelTargets(TargetsOf(options)));
  TERN_TRY(CheckLibraryRequest(options, targets));
  Compiled compiled;
  Program program;
  if (IsCompiled(path)) {
    // Beside the input there would be two executables of one name.
    if (options.output.empty())
      return UsageError("E0003", "the executable with other kernels needs a name: --out FILE");
    TERN_TRY_ASSIGN(program, LoadProgram(engine, path));
  } else {
    TERN_TRY_ASSIGN(compiled, CompileInput(engine, options.request));
    // Native code is made for a loaded program, because the list of its kernels is known only then.
    TERN_TRY_ASSIGN(program, LoadBytes(engine, Text(compiled.executable)));
  }
  TERN_TRY_ASSIGN(NativeKernels changed,
                  SetNativeKernels(program, targets,
                                   options.native_library.empty() ? NativeCodePlace::kExecutable
                                                                  : NativeCodePlace::kLibrary));
  if (!options.native_library.empty()) TERN_TRY(WriteLibrary(options, changed));
  // The program reads the bytes in place, so it goes before they are replaced.
  program.reset();
  compiled.executable = std::move(changed.executable);
  *report = {std::move(changed.report), changed.library.size()};
  return compiled;
}

void ReportOutput(const CompileOptions& options, uint64_t bytes, const NativeReport& report,
                  const GlobalOptions& globals) {
  if (options.output == "-" || globals.quiet) return;
  Print(globals.json() ? AnswerOfExecutable(options, bytes, report)
                       : LinesOfExecutable(options, bytes, report));
}

// Written as it is made: a large model's executable is never in memory as a whole.
Status CompileModel(const Engine& engine, const CompileOptions& options,
                    const GlobalOptions& globals) {
  const std::string output = OutputOf(options);
  std::string stages;
  TERN_TRY_ASSIGN(const uint64_t bytes, CompileModelTo(engine, options.request, output, &stages));
  if (!options.request.print_after.empty()) PrintStages(stages, globals);
  ReportOutput(options, bytes, {}, globals);
  return Status();
}

Status Compile(const CompileOptions& options, const GlobalOptions& globals) {
  TERN_TRY(CheckOutputPath(options.output, options.request.path));
  // Printing stages alone writes no file, unless one is named.
  const bool to_file = !options.output.empty() || !options.native_library.empty() ||
                       options.request.print_after.empty();
  if (to_file && options.output.empty() && options.request.path == "-")
    return UsageError("E0003",
                      "what is compiled from standard input needs a name: --out FILE, or "
                      "--out - for standard output");
  TERN_TRY_ASSIGN(const Engine engine, StartEngine(globals, options.max_bytes));
  const ProgramKind kind = KindOfProgram(options.request.path);
  if (kind == ProgramKind::kOnnx && to_file && !HasNativeCode(options))
    return CompileModel(engine, options, globals);
  NativeReport report;
  TERN_TRY_ASSIGN(const Compiled compiled, HasNativeCode(options)
                                               ? CompileWithKernels(engine, options, &report)
                                               : CompileInput(engine, options.request));
  // Stages come before the file is written: they are what helps if writing fails.
  if (compiled.stages != nullptr && !options.request.print_after.empty())
    PrintStages(Text(compiled.stages), globals);
  if (!to_file) return Status();
  TERN_TRY(native::WriteFile(OutputOf(options), Text(compiled.executable)));
  ReportOutput(options, Text(compiled.executable).size(), report, globals);
  return Status();
}

}  // namespace

CommandAction SetupCompile(CLI::App* app, const GlobalOptions* globals) {
  auto options = std::make_shared<CompileOptions>();
  app->add_option("model", options->request.path,
                  "an ONNX model or a program (.tn); - for standard input")
      ->required();
  app->add_option("-o,--out", options->output,
                  "the executable, - for standard output (default: beside the model)");
  app->add_option("--print-after", options->request.print_after,
                  "print the program after these passes (comma list, or all)");
  AddCompileOptions(app, &options->request, &options->max_bytes);
  app->add_option("--native-kernels", options->native_kernels,
                  "native code of loop kernels for these targets, such as "
                  "aarch64-sve,x86-64-avx2 (host: this processor; none: take it out); the input "
                  "may be an executable, too")
      ->type_name("TARGETS");
  app->add_option("--native-library", options->native_library,
                  "put that native code into this shared library instead of into the executable, "
                  "for --kernel-library (default targets: host)")
      ->type_name("FILE");
  return [options, globals] { return Compile(*options, *globals); };
}

}  // namespace tern::cli
