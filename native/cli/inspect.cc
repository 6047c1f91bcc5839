// SPDX-License-Identifier: Apache-2.0
// tern inspect, dis, asm: what a program holds, and its text form both ways.
#include "core/base/strings.h"
#include "native/cli/api_json.h"
#include "native/cli/command.h"
#include "native/cli/lower_loops.h"
#include "native/cli/report.h"

namespace tern::cli {
namespace {

struct FileOptions {
  std::string path;
  std::string output;
  std::string form = "columns";
  bool check_roundtrip = false;
  bool check_ssa = false;
  bool show_kernels = false, show_memory = false;
  KernelChoice kernels;
};

// The plan is a stage of compiling; an executable does not hold it.
Status ShowMemory(const Engine& engine, const std::string& path, const GlobalOptions& globals) {
  if (path.ends_with(".tern") || path.ends_with(".tasm"))
    return UsageError("E0003", StrCat("--memory: '", path,
                                      "' is compiled, and the plan is made from what it "
                                      "was compiled from"))
        .AddNote("help: give the ONNX model or the program (.tn)")
        .Clone();
  if (IsLoopProgram(path)) return LoopProgramRefused(path);
  const CompileRequest request = {.path = path,
                                  .disabled_passes = {},
                                  .print_after = globals.json() ? "memory_json" : "memory"};
  TERN_TRY_ASSIGN(const Compiled compiled,
                  IsSource(path) ? CompileSource(engine, request) : CompileOnnx(engine, request));
  const JsonValue stages = ParseAnswer(Text(compiled.stages));
  for (const JsonValue& stage : stages.items)
    Print(StrCat(TextOf(stage, "text"), globals.json() ? "\n" : ""));
  return Status();
}

Status Inspect(const FileOptions& options, const GlobalOptions& globals) {
  TERN_TRY_ASSIGN(const Engine engine, StartEngine(globals));
  if (options.show_memory) return ShowMemory(engine, options.path, globals);
  TERN_TRY_ASSIGN(const Program program, LoadProgram(engine, options.path, options.kernels));
  if (options.show_kernels) {
    const std::string listings = KernelListings(program);
    Print(listings.empty() ? StrCat(options.path, " has no loop kernels\n") : listings);
    return Status();
  }
  tern_buffer* raw = nullptr;
  TERN_TRY(FromApi(tern_program_inspect(program.get(), globals.format.c_str(), &raw)));
  const Buffer text(raw);
  Print(StrCat(Text(text), Text(text).ends_with('\n') ? "" : "\n"));
  return Status();
}

Status CheckRoundtrip(const Engine& engine, std::string_view text, const std::string& path) {
  tern_buffer* raw = nullptr;
  TERN_TRY(
      FromApi(tern_assemble(engine.runtime.get(), text.data(), text.size(), "disassembly", &raw)));
  const Buffer again(raw);
  TERN_TRY_ASSIGN(const native::MappedFile file, native::MappedFile::Open(path));
  const std::string_view bytes(reinterpret_cast<const char*>(file.bytes().data()),
                               file.bytes().size());
  if (bytes == Text(again)) return Status();
  return Failed("assembling the disassembly of '", path, "' gives other bytes")
      .SetErrorCode("M0102");
}

Status Disassemble(const FileOptions& options, const GlobalOptions& globals) {
  TERN_TRY(CheckOutputPath(options.output, options.path));
  TERN_TRY_ASSIGN(const Engine engine, StartEngine(globals));
  TERN_TRY_ASSIGN(const Program program, LoadProgram(engine, options.path));
  if (options.check_ssa) {
    tern_buffer* verdict = nullptr;
    TERN_TRY(FromApi(tern_program_inspect(program.get(), "ssa", &verdict)));
    tern_buffer_free(verdict);
  }
  tern_buffer* raw = nullptr;
  TERN_TRY(FromApi(tern_program_inspect(program.get(), options.form.c_str(), &raw)));
  const Buffer text(raw);
  if (options.check_roundtrip) TERN_TRY(CheckRoundtrip(engine, Text(text), options.path));
  return native::WriteFile(options.output.empty() ? "-" : options.output, Text(text));
}

Status Assemble(const FileOptions& options, const GlobalOptions& globals) {
  TERN_TRY(CheckOutputPath(options.output, options.path));
  TERN_TRY_ASSIGN(const Engine engine, StartEngine(globals));
  TERN_TRY_ASSIGN(const Buffer bytes, AssembleFile(engine, options.path));
  return native::WriteFile(options.output, Text(bytes));
}

}  // namespace

CommandAction SetupInspect(CLI::App* app, const GlobalOptions* globals) {
  auto options = std::make_shared<FileOptions>();
  app->add_option("program", options->path,
                  "an executable, .tasm text, a program (.tn) or an ONNX model")
      ->required();
  options->kernels.is_shown = true;
  AddNativeCodeOption(app, &options->kernels);
  CLI::Option* kernels =
      app->add_flag("--kernels", options->show_kernels,
                    "print each kernel's loop program, lowered, and the LLVM IR that is compiled");
  app->add_flag("--memory", options->show_memory,
                "print where each tensor of a model or program could lie: bytes, offset, lifetime; "
                "and the most that is needed at once beside the sum")
      ->excludes(kernels);
  return [options, globals] { return Inspect(*options, *globals); };
}

CommandAction SetupDis(CLI::App* app, const GlobalOptions* globals) {
  auto options = std::make_shared<FileOptions>();
  app->add_option("program", options->path, "an executable or an ONNX model")->required();
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
  return [options, globals] { return Disassemble(*options, *globals); };
}

CommandAction SetupAsm(CLI::App* app, const GlobalOptions* globals) {
  auto options = std::make_shared<FileOptions>();
  app->add_option("text", options->path, "assembly text, - for standard input")->required();
  app->add_option("-o,--out", options->output, "the executable")->required();
  return [options, globals] { return Assemble(*options, *globals); };
}

}  // namespace tern::cli
