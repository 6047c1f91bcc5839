// SPDX-License-Identifier: Apache-2.0
// tern inspect, dis, asm: what a program holds, and its text form both ways.
#include "core/base/strings.h"
#include "native/cli/command.h"
#include "native/cli/report.h"

namespace tern::cli {
namespace {

struct FileOptions {
  std::string path;
  std::string output;
  std::string form = "columns";
  bool check_roundtrip = false;
  bool check_ssa = false;
  bool show_kernels = false;
  KernelChoice kernels;
};

Status Inspect(const FileOptions& options, const GlobalOptions& globals) {
  TERN_TRY_ASSIGN(const Engine engine, StartEngine(globals));
  TERN_TRY_ASSIGN(const Program program, LoadProgram(engine, options.path, options.kernels));
  if (options.show_kernels) {
    Print(KernelListings(program));
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
  TERN_TRY_ASSIGN(const Engine engine, StartEngine(globals));
  TERN_TRY_ASSIGN(const Buffer bytes, AssembleFile(engine, options.path));
  return native::WriteFile(options.output, Text(bytes));
}

}  // namespace

CommandAction SetupInspect(CLI::App* app, const GlobalOptions* globals) {
  auto options = std::make_shared<FileOptions>();
  app->add_option("program", options->path, "an executable, .tasm text or an ONNX model")
      ->required();
  options->kernels.is_shown = true;
  AddNativeCodeOption(app, &options->kernels);
  app->add_flag("--kernels", options->show_kernels,
                "print each kernel's loop program, lowered, and the LLVM IR that is compiled");
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
