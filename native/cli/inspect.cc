// SPDX-License-Identifier: Apache-2.0
// tern inspect, dis, asm: what a program holds, and its text form both ways.
#include <optional>

#include "core/base/check.h"
#include "core/base/strings.h"
#include "native/cli/api_json.h"
#include "native/cli/command.h"
#include "native/cli/executable_bytes.h"
#include "native/cli/graph_svg.h"
#include "native/cli/input_spec.h"
#include "native/cli/limits.h"
#include "native/cli/lower_loops.h"
#include "native/cli/memory_svg.h"
#include "native/cli/model.h"
#include "native/cli/program_file.h"
#include "native/cli/report.h"

namespace tern::cli {
namespace {

struct FileOptions {
  std::string path;
  std::string output;
  std::string form = "columns";
  bool check_roundtrip = false;
  bool check_ssa = false;
  std::string svg;
  uint64_t max_bytes = 0;
  std::vector<std::string> dims;  // of --memory
  bool show_kernels = false, show_memory = false, show_unsupported = false;
  KernelChoice kernels;
};

// Writes a picture and says so.
Status WriteSvg(const std::string& path, const std::string& svg, const GlobalOptions& globals) {
  TERN_TRY(native::WriteFile(path, std::string_view(svg)));
  if (path == "-" || globals.quiet) return Status();
  Print(globals.json() ? AnswerOfFile(path, svg.size())
                       : StrCat("wrote ", path, ", ", FormatBytes(svg.size()), "\n"));
  return Status();
}

// "n=18" of each --dim as the compiler takes them; none gives no places, but for a picture.
Result<std::optional<std::string>> SizesOf(const FileOptions& options) {
  DimBindings dims;
  for (const std::string& dim : options.dims) TERN_TRY(ParseDim(dim, &dims));
  if (dims.empty() && options.svg.empty()) return std::optional<std::string>();
  std::string sizes;
  for (const auto& [name, extent] : dims)
    StrAppend(&sizes, sizes.empty() ? "" : ",", name, "=", extent);
  return std::optional<std::string>(sizes);
}

// Prints the memory plan, or draws it. The plan is a stage of compiling, and an executable does not
// hold it, so compiled files are refused.
Status ShowMemory(const Engine& engine, const FileOptions& options, const GlobalOptions& globals) {
  const std::string& path = options.path;
  const ProgramKind kind = KindOfProgram(path);
  if (kind == ProgramKind::kExecutable || kind == ProgramKind::kAssembly)
    return UsageError("E0003", StrCat("--memory: '", path,
                                      "' is compiled, and the plan is made from what it "
                                      "was compiled from"))
        .AddNote("help: give the ONNX model or the program (.tn)")
        .Clone();
  const bool as_json = globals.json() || !options.svg.empty();
  if (!as_json && !options.dims.empty())
    return UsageError("E0003",
                      "--dim: the text of a plan has symbols; sizes are for --svg and "
                      "--format json");
  CompileRequest request = {
      .path = path, .disabled_passes = {}, .print_after = as_json ? "memory_json" : "memory"};
  TERN_TRY_ASSIGN(request.sizes, SizesOf(options));
  TERN_TRY_ASSIGN(const Compiled compiled, CompileProgram(engine, request));
  const JsonValue stages = ParseAnswer(Text(compiled.stages));
  if (!options.svg.empty()) {
    TERN_CHECK(stages.items.size() == 1, "one stage was asked for");
    TERN_TRY_ASSIGN(const std::string svg, MemorySvg(ParseAnswer(TextOf(stages.items[0], "text"))));
    return WriteSvg(options.svg, svg, globals);
  }
  // The stage "memory_json" is an object of the library's own.
  for (const JsonValue& stage : stages.items)
    Print(globals.json() ? AnswerOf(TextOf(stage, "text")) : TextOf(stage, "text"));
  return Status();
}

// Of the executable that the file is or becomes, also where this build could not run it.
Status DrawGraph(const Engine& engine, const FileOptions& options, const GlobalOptions& globals) {
  TERN_TRY_ASSIGN(const ExecutableBytes bytes, ReadExecutable(engine, options.path));
  TERN_TRY_ASSIGN(const Buffer listing, ListExecutable(engine, bytes.text(), "json"));
  return WriteSvg(options.svg, GraphSvg(ParseAnswer(Text(listing))), globals);
}

// --- executables that may call what this build does not have

Result<std::vector<std::string>> MissingOf(const Engine& engine, const ExecutableBytes& bytes) {
  TERN_TRY_ASSIGN(const Buffer text, ListExecutable(engine, bytes.text(), "json"));
  const JsonValue listing = ParseAnswer(Text(text));
  std::vector<std::string> missing;
  for (const JsonValue& name : Member(listing, "missing").items) missing.push_back(name.text);
  return missing;
}

// --- inspect

// Inspects a linked program, which also tells its kernels. If linking fails for missing primitives
// only, the bytes are listed without them.
Result<Buffer> InspectText(const Engine& engine, const FileOptions& options, const char* form) {
  const Result<Program> program = LoadProgram(engine, options.path, options.kernels);
  if (!program.ok() && program.status().error_code() == kMissingPrimitives) {
    TERN_TRY_ASSIGN(const ExecutableBytes bytes, ReadExecutable(engine, options.path));
    return ListExecutable(engine, bytes.text(), form);
  }
  TERN_TRY(program.status().Clone());
  tern_buffer* raw = nullptr;
  TERN_TRY(FromApi(tern_program_inspect(program->get(), form, &raw)));
  return Buffer(raw);
}

// Kernels are prepared by LoadProgram with their options, so the listing shows what would run here.
Status ShowKernels(const Engine& engine, const FileOptions& options, const GlobalOptions& globals) {
  TERN_TRY_ASSIGN(const Program program, LoadProgram(engine, options.path, options.kernels));
  const std::string listings = KernelListings(program);
  if (!globals.json()) {
    Print(listings.empty() ? StrCat(options.path, " has no loop kernels\n") : listings);
    return Status();
  }
  tern_buffer* raw = nullptr;
  TERN_TRY(FromApi(tern_program_kernels(program.get(), &raw)));
  const Buffer kernels(raw);
  JsonWriter json = BeginAnswer();
  json.Key("kernels").Raw(Text(kernels)).Field("listing", listings).EndObject();
  Print(StrCat(json.text(), "\n"));
  return Status();
}

// --- inspect, of models

bool IsModel(const std::string& path) {
  const Result<ProgramFile> file = OpenProgram(path);
  return file.ok() && file->kind == ProgramKind::kOnnx;
}

// What the memory plan says of each function, in a line.
std::string MemoryText(const JsonValue& plan) {
  std::string text = "memory\n";
  for (const JsonValue& function : Member(plan, "functions").items) {
    const JsonValue& fixed = Member(function, "static");
    StrAppend(&text, "  @", TextOf(function, "name"), ": ",
              FormatBytes(ParseUint64(TextOf(fixed, "live")).value_or(0)), " alive at once, ",
              TextOf(Member(function, "symbolic"), "tensors"), " tensors of symbolic size\n");
  }
  return text;
}

struct CompiledModel {
  Buffer listing;    // of the executable
  std::string macs;  // multiply-adds of a run, a polynomial of symbols; empty: not known
  JsonValue memory;
};

Result<CompiledModel> CompileForInspection(const Engine& engine, const FileOptions& options,
                                           const char* form) {
  const CompileRequest request = {
      .path = options.path, .disabled_passes = {}, .print_after = "memory_json"};
  TERN_TRY_ASSIGN(Compiled compiled, CompileProgram(engine, request));
  CompiledModel model;
  const JsonValue stages = ParseAnswer(Text(compiled.stages));
  TERN_CHECK(stages.items.size() == 1, "one stage was asked for");
  model.memory = ParseAnswer(TextOf(stages.items[0], "text"));
  TERN_TRY_ASSIGN(const Program program,
                  LoadBuffer(engine, std::move(compiled.executable), options.kernels));
  tern_buffer* raw = nullptr;
  TERN_TRY(FromApi(tern_program_inspect(program.get(), "json", &raw)));
  const Buffer json(raw);
  model.macs = OptionalTextOf(Member(ParseAnswer(Text(json)), "metadata"), "macs");
  TERN_TRY(FromApi(tern_program_inspect(program.get(), form, &raw)));
  model.listing.reset(raw);
  return model;
}

// The executable's members, and one more of what it was made from.
std::string ModelAnswer(std::string_view model, const CompiledModel* compiled) {
  JsonWriter json = BeginAnswer();
  if (compiled != nullptr) {
    const JsonValue listing = ParseAnswer(Text(compiled->listing));
    for (size_t i = 0; i < listing.items.size(); ++i)
      WriteJson(listing.items[i], &json.Key(listing.names[i]));
    if (!compiled->macs.empty()) json.Field("macs", compiled->macs);
    WriteJson(compiled->memory, &json.Key("memory"));
  }
  json.Key("model").Raw(model).EndObject();
  return StrCat(json.text(), "\n");
}

std::string WorkText(const std::string& macs) {
  if (macs.empty()) return "work: not known, because of shapes that only a run can tell\n";
  const std::optional<int64_t> number = ParseInt64(macs);
  return StrCat("work: ", number ? FormatGrouped(*number) : macs,
                " multiply-adds a run, each two floating-point operations\n");
}

// What the file says is shown of a model that cannot be compiled, too.
Status InspectModel(const Engine& engine, const FileOptions& options,
                    const GlobalOptions& globals) {
  TERN_TRY_ASSIGN(const ModelSummary summary, SummarizeModel(options.path));
  const Result<CompiledModel> compiled =
      CompileForInspection(engine, options, globals.json() ? "json" : "text");
  if (globals.json()) {
    Print(ModelAnswer(summary.json, compiled.ok() ? &*compiled : nullptr));
  } else {
    Print(summary.text);
    if (compiled.ok())
      Print(
          StrCat(WorkText(compiled->macs), MemoryText(compiled->memory), Text(compiled->listing)));
  }
  return compiled.status().Clone();
}

// All that would have to exist for the model to be compiled; without it, the compiler is asked.
Status ShowUnsupported(const Engine& engine, const FileOptions& options,
                       const GlobalOptions& globals) {
  if (!IsModel(options.path))
    return UsageError("E0003", StrCat("--unsupported: '", options.path, "' is no ONNX model"));
  TERN_TRY_ASSIGN(const ModelSummary summary, SummarizeModel(options.path));
  if (globals.json()) {
    const JsonValue model = ParseAnswer(summary.json);
    Print(AnswerOfItems("unsupported", Member(model, "unsupported"), globals.by_line()));
  } else {
    Print(summary.unsupported);
  }
  if (!summary.unsupported.empty())
    return Unsupported("'", options.path, "' has operators that are not supported")
        .SetErrorCode("E0402");
  TERN_TRY(
      CompileProgram(engine, {.path = options.path, .disabled_passes = {}, .print_after = {}}));
  if (!globals.json() && !globals.quiet) Print(StrCat(options.path, ": nothing is missing\n"));
  return Status();
}

Status Inspect(const FileOptions& options, const GlobalOptions& globals) {
  TERN_TRY_ASSIGN(const Engine engine, StartEngine(globals, options.max_bytes));
  if (options.show_unsupported) return ShowUnsupported(engine, options, globals);
  if (!options.svg.empty()) TERN_TRY(CheckOutputPath(options.svg, options.path));
  if (options.show_memory) return ShowMemory(engine, options, globals);
  if (!options.svg.empty()) return DrawGraph(engine, options, globals);
  if (options.show_kernels) return ShowKernels(engine, options, globals);
  if (IsModel(options.path)) return InspectModel(engine, options, globals);
  TERN_TRY_ASSIGN(const Buffer text,
                  InspectText(engine, options, globals.json() ? "json" : "text"));
  Print(globals.json() ? AnswerOf(Text(text)) : std::string(Text(text)));
  return Status();
}

// --- dis, asm

// Assembly text is another form of the same bytes, not an approximation; this option tests that for
// one file.
Status CheckRoundtrip(const Engine& engine, std::string_view text, const std::string& path) {
  tern_buffer* raw = nullptr;
  TERN_TRY(
      FromApi(tern_assemble(engine.runtime.get(), text.data(), text.size(), "disassembly", &raw)));
  const Buffer again(raw);
  TERN_TRY_ASSIGN(const ProgramFile file, OpenProgram(path));
  if (file.text() == Text(again)) return Status();
  return Failed("assembling the disassembly of '", path, "' gives other bytes")
      .SetErrorCode("M0102");
}

// A warning on standard error and not in the listing, so that the listing can be assembled again.
Status WarnOfMissing(const Engine& engine, const ExecutableBytes& bytes) {
  TERN_TRY_ASSIGN(const std::vector<std::string> missing, MissingOf(engine, bytes));
  if (missing.empty()) return Status();
  PrintError(StrCat("warning[", kMissingPrimitives, "]: ", MissingText(missing), "\n"));
  return Status();
}

Status Disassemble(const FileOptions& options, const GlobalOptions& globals) {
  TERN_TRY(CheckOutputPath(options.output, options.path));
  TERN_TRY_ASSIGN(const Engine engine, StartEngine(globals, options.max_bytes));
  TERN_TRY_ASSIGN(const ExecutableBytes bytes, ReadExecutable(engine, options.path));
  // The check answers with a status; its text is empty.
  if (options.check_ssa) {
    const Result<Buffer> verdict = ListExecutable(engine, bytes.text(), "ssa");
    TERN_TRY(verdict.status().Clone());
  }
  TERN_TRY_ASSIGN(const Buffer text, ListExecutable(engine, bytes.text(), options.form.c_str()));
  if (options.check_roundtrip) TERN_TRY(CheckRoundtrip(engine, Text(text), options.path));
  if (!globals.json()) {
    // With JSON the missing names are members of the answer instead.
    if (!globals.quiet) TERN_TRY(WarnOfMissing(engine, bytes));
    if (!options.output.empty()) return native::WriteFile(options.output, Text(text));
    Print(Text(text));
    return Status();
  }
  if (!options.output.empty()) {
    TERN_TRY(native::WriteFile(options.output, Text(text)));
    if (options.output != "-") Print(AnswerOfFile(options.output, Text(text).size()));
    return Status();
  }
  TERN_TRY_ASSIGN(const std::vector<std::string> missing, MissingOf(engine, bytes));
  JsonWriter json = BeginAnswer();
  json.Field("form", options.form).Field("text", Text(text)).Key("missing").BeginArray();
  for (const std::string& name : missing) json.String(name);
  json.EndArray().EndObject();
  Print(StrCat(json.text(), "\n"));
  return Status();
}

Status Assemble(const FileOptions& options, const GlobalOptions& globals) {
  TERN_TRY(CheckOutputPath(options.output, options.path));
  TERN_TRY_ASSIGN(const Engine engine, StartEngine(globals));
  TERN_TRY_ASSIGN(const Buffer bytes, AssembleFile(engine, options.path));
  TERN_TRY(native::WriteFile(options.output, Text(bytes)));
  if (globals.json() && options.output != "-")
    Print(AnswerOfFile(options.output, Text(bytes).size()));
  return Status();
}

}  // namespace

std::string MissingText(const std::vector<std::string>& names) {
  return StrCat("this build does not have ", StrJoin(names, ", "), ", which the program calls");
}

Result<std::vector<std::string>> MissingPrimitives(const Engine& engine, const std::string& path) {
  TERN_TRY_ASSIGN(const ExecutableBytes bytes, ReadExecutable(engine, path));
  return MissingOf(engine, bytes);
}

CommandAction SetupInspect(CLI::App* app, const GlobalOptions* globals) {
  auto options = std::make_shared<FileOptions>();
  AddProgram(app, &options->path);
  options->kernels.is_shown = true;
  AddNativeCodeOption(app, &options->kernels);
  CLI::Option* kernels =
      app->add_flag("--kernels", options->show_kernels,
                    "print each kernel's loop program, lowered, and the LLVM IR that is compiled");
  CLI::Option* memory =
      app->add_flag(
             "--memory", options->show_memory,
             "print where each tensor of a model or program lies in a run: bytes, offset, "
             "lifetime; and the most that is needed at once beside the sum")
          ->excludes(kernels);
  app->add_flag(
         "--unsupported", options->show_unsupported,
         "print every node of a model whose operator is not supported, those in subgraphs and "
         "functions too; fails where there is one")
      ->excludes(kernels);
  app->add_option("--svg", options->svg,
                  "draw into this file: what flows where in the program; with --memory, where its "
                  "tensors lie")
      ->excludes(kernels);
  app->add_option("--dim", options->dims,
                  "of --memory: the value of a symbolic dimension, such as n=18")
      ->needs(memory);
  AddCompileLimit(app, &options->max_bytes);
  return [options, globals] { return Inspect(*options, *globals); };
}

CommandAction SetupDis(CLI::App* app, const GlobalOptions* globals) {
  auto options = std::make_shared<FileOptions>();
  AddProgram(app, &options->path);
  app->add_option("-o,--out", options->output, "where to write (default: standard output)");
  app->add_option(
         "--as", options->form,
         "columns, instructions or assignments: assembly text in one of its forms; listing "
         "or stats; cpp or javascript: source that rebuilds the program")
      ->check(CLI::IsMember(
          {"columns", "instructions", "assignments", "listing", "stats", "cpp", "javascript"}));
  app->add_flag("--ssa", options->check_ssa, "refuse a program that writes a register twice");
  app->add_flag("--check-roundtrip", options->check_roundtrip,
                "assemble the text again and compare the bytes");
  AddCompileLimit(app, &options->max_bytes);
  return [options, globals] { return Disassemble(*options, *globals); };
}

CommandAction SetupAsm(CLI::App* app, const GlobalOptions* globals) {
  auto options = std::make_shared<FileOptions>();
  app->add_option("text", options->path, "assembly text, - for standard input")->required();
  app->add_option("-o,--out", options->output, "the executable")->required();
  return [options, globals] { return Assemble(*options, *globals); };
}

}  // namespace tern::cli
