// SPDX-License-Identifier: Apache-2.0
// Starts the runtime, loads programs of every kind and asks them what they hold. Everything goes
// through the C API, so that the command line shows what an embedder can do.
#include "native/cli/command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/base/strings.h"
#include "native/cli/api_json.h"
#include "native/cli/limits.h"
#include "native/cli/lower_loops.h"
#include "native/cli/model.h"
#include "native/cli/program_file.h"
#include "native/cli/report.h"
#include "native/cli/style.h"
#include "native/platform/external_data.h"

namespace tern::cli {
namespace {

// The errno of the first call of Print that failed, which Main reports; 0 if none has. Printing
// goes on after it, because a broken pipe ends most commands anyway.
int& OutputError() {
  static int error = 0;
  return error;
}

// What --quiet keeps back until it is known whether the command fails; else nothing is kept.
std::optional<std::string>& HeldBack() {
  static std::optional<std::string> text;
  return text;
}

// Called by the library when it has no more use for the bytes of a program.
void ReleaseBuffer(void* buffer) { tern_buffer_free(static_cast<tern_buffer*>(buffer)); }
using SharedFile = std::shared_ptr<const native::MappedFile>;
void ReleaseFile(void* file) { delete static_cast<SharedFile*>(file); }

Result<Program> LoadMapped(const Engine& engine, const ProgramFile& file) {
  auto* kept = new SharedFile(file.file);
  tern_program* raw = nullptr;
  TERN_TRY(FromApi(tern_program_load(engine.runtime.get(), file.text().data(), file.text().size(),
                                     &ReleaseFile, kept, &raw)));
  return Program(raw);
}

// A parameter with a "dtype" is a tensor; any other has a "type" and no shape.
ParamInfo ToParam(const JsonValue& json) {
  const bool tensor = json.Find("dtype") != nullptr;
  ParamInfo param{
      OptionalTextOf(json, "name"), OptionalTextOf(json, tensor ? "dtype" : "type"), {}, tensor};
  if (const JsonValue* shape = json.Find("shape"))
    for (const JsonValue& extent : shape->items) param.shape.push_back(extent.text);
  return param;
}

std::vector<ParamInfo> ToParams(const JsonValue& list) {
  std::vector<ParamInfo> params;
  for (const JsonValue& item : list.items) params.push_back(ToParam(item));
  return params;
}

// The declarations of types that a program kept, as the language writes them. Its prelude has two
// already.
std::string DeclarationsOf(const JsonValue& metadata) {
  std::string declarations;
  for (size_t i = 0; i < metadata.names.size(); ++i) {
    const std::string& name = metadata.names[i];
    if (!name.starts_with("type ") || name == "type Option" || name == "type Result") continue;
    // A type variable is 'a in core/types and a in the language.
    for (const char c : metadata.items[i].text) {
      if (c != '\'') declarations += c;
    }
    declarations += '\n';
  }
  return declarations;
}

// By core/driver/result_types.h.
void AddDeclaredTypes(const JsonValue& metadata, FunctionInfo* function) {
  for (size_t i = 0; i < function->params.size(); ++i) {
    const std::string name = StrCat("parameter ", function->name, " ", i);
    ParamInfo& param = function->params[i];
    param.declared = OptionalTextOf(metadata, name);
    if (!param.declared.empty()) param.declarations = DeclarationsOf(metadata);
  }
}

}  // namespace

std::string VersionText() {
  return StrCat(TERN_VERSION_MAJOR, ".", TERN_VERSION_MINOR, ".", TERN_VERSION_PATCH);
}

// The platform must outlive the runtime, so it stands first in Engine.
Result<Engine> StartEngine(const GlobalOptions& globals, uint64_t max_bytes) {
  Engine engine;
  engine.progress = ProgressStyleOf(globals.progress, globals.quiet);
  engine.platform = std::make_unique<native::Platform>(globals.threads, max_bytes);
  tern_runtime_options options = {};
  options.struct_size = sizeof options;
  options.target = globals.target.empty() ? nullptr : globals.target.c_str();
  options.platform = engine.platform->get();
  tern_runtime* raw = nullptr;
  TERN_TRY(FromApi(tern_runtime_create(&options, &raw)));
  engine.runtime.reset(raw);
  return engine;
}

// External data of a model is read on demand, relative to the model's folder.
Result<Compiled> CompileOnnx(const Engine& engine, const CompileRequest& request) {
  TERN_TRY_ASSIGN(const ProgramFile file, OpenProgram(request.path));
  native::ExternalData external(request.path);
  const tern_compile_options options = {.struct_size = sizeof options,
                                        .source_name = file.name.c_str(),
                                        .disabled_passes = request.disabled_passes.c_str(),
                                        .external_data = &native::ExternalData::Read,
                                        .external_data_context = &external,
                                        .print_after = request.print_after.c_str(),
                                        .relaxed_math = request.relaxed_math ? 1 : 0,
                                        .sizes = request.c_sizes(),
                                        .max_bytes = 0,
                                        .exact_convolutions = request.exact_convolutions ? 1 : 0};
  tern_buffer* executable = nullptr;
  tern_buffer* stages = nullptr;
  TERN_TRY(FromApi(tern_compile_onnx(engine.runtime.get(), file.text().data(), file.text().size(),
                                     &options, &executable, &stages)));
  return Compiled{Buffer(executable), Buffer(stages)};
}

bool IsSource(const std::string& path) { return KindOfProgram(path) == ProgramKind::kSource; }

Result<Compiled> CompileSource(const Engine& engine, const CompileRequest& request) {
  TERN_TRY_ASSIGN(const ProgramFile file, OpenText(request.path));
  const std::string_view text = file.text();
  tern_compile_options options{};
  options.struct_size = sizeof options;
  options.source_name = file.name.c_str();
  options.disabled_passes = request.disabled_passes.c_str();
  options.print_after = request.print_after.c_str();
  options.relaxed_math = request.relaxed_math ? 1 : 0;
  options.sizes = request.c_sizes();
  options.max_bytes = 0;
  options.exact_convolutions = request.exact_convolutions ? 1 : 0;
  tern_buffer* executable = nullptr;
  tern_buffer* stages = nullptr;
  TERN_TRY(FromApi(tern_compile_source(engine.runtime.get(), text.data(), text.size(), &options,
                                       &executable, &stages)));
  return Compiled{Buffer(executable), Buffer(stages)};
}

Result<Buffer> AssembleFile(const Engine& engine, const std::string& path) {
  TERN_TRY_ASSIGN(const ProgramFile file, OpenText(path));
  const std::string_view text = file.text();
  tern_buffer* executable = nullptr;
  TERN_TRY(FromApi(tern_assemble(engine.runtime.get(), text.data(), text.size(), file.name.c_str(),
                                 &executable)));
  return Buffer(executable);
}

Result<Compiled> CompileProgram(const Engine& engine, const CompileRequest& request) {
  switch (KindOfProgram(request.path)) {
    case ProgramKind::kLoops: return LoopProgramRefused(request.path);
    case ProgramKind::kSource: return CompileSource(engine, request);
    case ProgramKind::kExecutable:
    case ProgramKind::kAssembly:
    case ProgramKind::kOnnx: break;
  }
  return CompileOnnx(engine, request);
}

Result<Program> LoadBuffer(const Engine& engine, Buffer bytes) {
  Program program;
  tern_program* raw = nullptr;
  const void* data = tern_buffer_data(bytes.get());
  const size_t size = tern_buffer_size(bytes.get());
  TERN_TRY(FromApi(
      tern_program_load(engine.runtime.get(), data, size, &ReleaseBuffer, bytes.release(), &raw)));
  program.reset(raw);
  return program;
}

Result<Program> LoadProgram(const Engine& engine, const std::string& path) {
  TERN_TRY_ASSIGN(const ProgramFile file, OpenProgram(path));
  if (file.kind == ProgramKind::kExecutable) return LoadMapped(engine, file);
  if (file.kind == ProgramKind::kAssembly) {
    TERN_TRY_ASSIGN(Buffer bytes, AssembleFile(engine, path));
    return LoadBuffer(engine, std::move(bytes));
  }
  const CompileRequest request = {.path = path, .disabled_passes = {}, .print_after = {}};
  if (file.kind == ProgramKind::kOnnx) return LoadModel(engine, request);
  TERN_TRY_ASSIGN(Compiled compiled, CompileProgram(engine, request));
  return LoadBuffer(engine, std::move(compiled.executable));
}

void AddProgram(CLI::App* app, std::string* path) {
  app->add_option(
         "program", *path,
         "an executable, .tasm text, a program (.tn) or an ONNX model; - for standard input")
      ->required();
}

void AddCompileOptions(CLI::App* app, CompileRequest* request, uint64_t* max_bytes) {
  app->add_option("--disable-pass", request->disabled_passes,
                  "leave out these passes (comma list)");
  app->add_flag("--relaxed-math", request->relaxed_math,
                "loop kernels may round a * b + c once; results then differ between processors in "
                "the last places");
  AddCompileLimit(app, max_bytes);
  app->add_flag("--exact-convolutions", request->exact_convolutions,
                "no convolution by Winograd's algorithm, which rounds more");
}

Result<std::vector<FunctionInfo>> ListFunctions(const Program& program) {
  tern_buffer* raw = nullptr;
  TERN_TRY(FromApi(tern_program_inspect(program.get(), "json", &raw)));
  const Buffer text(raw);
  const JsonValue json = ParseAnswer(Text(text));
  std::vector<FunctionInfo> functions;
  for (const JsonValue& function : Member(json, "functions").items) {
    functions.push_back({TextOf(function, "name"), ToParams(Member(function, "params")),
                         ToParams(Member(function, "results"))});
    AddDeclaredTypes(Member(json, "metadata"), &functions.back());
  }
  return functions;
}

std::string CheckCount(const std::string& text) {
  if (ParseUint64(text)) return {};
  return StrCat("expected a whole number of at least 0, got '", text, "'");
}

std::string CheckPositiveCount(const std::string& text) {
  if (ParseUint64(text).value_or(0) > 0) return {};
  return StrCat("expected a whole number of at least 1, got '", text, "'");
}

std::string CheckAmount(const std::string& text) {
  const std::optional<double> value = ParseDouble(text);
  if (value && *value >= 0 && std::isfinite(*value)) return {};
  return StrCat("expected a number of at least 0, got '", text, "'");
}

namespace {

// "1000", "64MiB", "2 gb": what CLI11's parser of sizes takes, which would take "-1" as a huge
// number.
bool IsSize(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  const size_t digits = std::min(text.find_first_not_of(kDigits), text.size());
  if (!ParseUint64(text.substr(0, digits))) return false;
  std::string unit;
  for (const char c : StrTrim(text.substr(digits)))
    unit += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (unit.empty() || unit == "b") return true;
  const std::string_view rest = std::string_view(unit).substr(1);
  return std::string_view("kmgtpe").find(unit[0]) != std::string_view::npos &&
         (rest.empty() || rest == "i" || rest == "b" || rest == "ib");
}

}  // namespace

CLI::Option* AddSize(CLI::App* app, const char* name, uint64_t* bytes, const char* phrase) {
  // CLI11 runs transforms in the reverse order of adding, so this one sees the text first.
  const auto refuse_others = [](std::string text) {
    if (!IsSize(text))
      throw CLI::ValidationError(
          StrCat("expected bytes, such as 1000 or 64MiB, of at least 0; got '", text, "'"));
    return text;
  };
  return app->add_option(name, *bytes, phrase)
      ->transform(CLI::AsSizeValue(false))
      ->transform(refuse_others);
}

CLI::Option* AddAmount(CLI::App* app, const char* name, double* amount, const char* phrase) {
  return app->add_option(name, *amount, phrase)->check(&CheckAmount);
}

void PrintPainted(std::string_view text) {
  if (HeldBack()) return StrAppend(&*HeldBack(), text);
  const bool whole = fwrite(text.data(), 1, text.size(), stdout) == text.size();
  // Flushed at once, so that output and errors appear in their order, and a full disk is noticed
  // here.
  if ((!whole || fflush(stdout) != 0) && OutputError() == 0) OutputError() = errno;
}

void Print(std::string_view text) {
  static const bool on_terminal = isatty(STDOUT_FILENO) == 1;
  if (on_terminal)
    PrintPainted(WithoutControls(text));
  else
    PrintPainted(text);
}

void HoldBackPrint() { HeldBack().emplace(); }

void PrintHeldBack() {
  const std::optional<std::string> text = std::exchange(HeldBack(), std::nullopt);
  if (text) PrintPainted(*text);
}

void PrintError(std::string_view text) { fwrite(text.data(), 1, text.size(), stderr); }

Status CheckOutput() {
  if (OutputError() == 0) return OkStatus();
  return IoError("cannot write to standard output: ", strerror(OutputError()))
      .SetErrorCode("E0102");
}

// Compared by identity of the files, not by name: links and ./ would fool names.
Status CheckOutputPath(const std::string& output, const std::string& input) {
  if (!native::IsSameFile(output, input)) return OkStatus();
  return UsageError("E0003", StrCat("the output '", output, "' would replace the input '", input,
                                    "'; name another file"));
}

}  // namespace tern::cli
