// SPDX-License-Identifier: Apache-2.0
// lang_tool: the language's front end on a command line, for golden tests on every target.
//
//   lang_tool check FILE                      what is wrong with it, or "ok"
//   lang_tool fmt FILE                        the file formatted
//   lang_tool types FILE                      the types of its functions
//   lang_tool lower FILE                      the module that it becomes
//   lang_tool run FILE [FUNCTION [ARG…]]      compiles and runs (main), prints the result
//   lang_tool stage NAME FILE                 the module after a stage of the pipeline
// An argument is an int, a float, or any other text: a string.
#include <cstdio>
#include <string>
#include <vector>

#include "core/base/strings.h"
#include "core/driver/compile_source.h"
#include "core/ir/text/printer.h"
#include "core/ir/verifier.h"
#include "core/kernels/bind/bind.h"
#include "core/lang/editor/format.h"
#include "core/lang/lower/lower.h"
#include "core/lang/program.h"
#include "core/lang/type_text.h"
#include "core/loop_kernels/interpreted_kernel.h"
#include "core/object/graph/print.h"
#include "core/vm/vm.h"
#include "tests/support/read_file.h"
#include "tests/support/tool_batch.h"

namespace tern {
namespace {

void Print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

int Fail(const Status& status) {
  Print(text::RenderText(status));
  return 1;
}

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

int Check(const std::string& path, bool types) {
  lang::CheckedProgram checked = lang::Check(BaseName(path), ReadFile(path));
  if (checked.diagnostics.ok()) lang::Lower(*checked.program, &checked.diagnostics);
  Print(text::RenderText(checked.diagnostics));
  if (!checked.diagnostics.ok()) return 1;
  if (!types && checked.diagnostics.empty()) Print("ok\n");
  for (const lang::Item& item : checked.program->file->items) {
    const lang::Function* function = item.callable();
    if (!types || function == nullptr) continue;
    Print(StrCat(function->name.text, ": ", lang::TypeText(function->type), "\n"));
  }
  return 0;
}

int Format(const std::string& path) {
  const Result<std::string> formatted = lang::FormatText(BaseName(path), ReadFile(path));
  if (!formatted.ok()) return Fail(formatted.status().Clone());
  Print(*formatted);
  return 0;
}

int Lower(const std::string& path) {
  lang::CheckedProgram checked = lang::Check(BaseName(path), ReadFile(path));
  if (checked.diagnostics.ok()) {
    const ir::Module module = lang::Lower(*checked.program, &checked.diagnostics);
    if (checked.diagnostics.ok()) Print(ir::ToText(module));
    const Status status = ir::Verify(module);
    if (!status.ok()) return Fail(status);
  }
  Print(text::RenderText(checked.diagnostics));
  return checked.diagnostics.ok() ? 0 : 1;
}

Result<driver::CompileResult> Compile(const std::string& path, const std::string& print_after) {
  const std::string name = BaseName(path);
  driver::CompileOptions options;
  options.source_name = name;
  if (!print_after.empty()) options.print_after = {print_after};
  return driver::CompileSource(ReadFile(path), options);
}

int Stage(const std::string& stage, const std::string& path) {
  Result<driver::CompileResult> compiled = Compile(path, stage);
  if (!compiled.ok()) return Fail(compiled.status());
  for (const driver::Stage& each : compiled->stages) Print(each.text);
  return 0;
}

Any Argument(const std::string& text) {
  if (const std::optional<int64_t> value = ParseInt64(text)) return Any(*value);
  if (const std::optional<double> value = ParseDouble(text)) return Any(*value);
  return Any(text);
}

Status Run(const std::string& path, const std::string& function, std::span<char*> texts) {
  TERN_TRY_ASSIGN(const driver::CompileResult compiled, Compile(path, {}));
  Registry registry;
  TERN_TRY(kernels::RegisterOperators(&registry));
  vm::LinkOptions link;
  link.registry = &registry;
  TERN_TRY_ASSIGN(const vm::ProgramPtr program, vm::Program::Link(compiled.executable, link));
  TERN_TRY(loop::InterpretKernels(*program));
  vm::VmOptions options;
  options.max_depth = 2000;
  TERN_TRY_ASSIGN(const std::unique_ptr<vm::VirtualMachine> vm,
                  vm::VirtualMachine::Create(program, options));
  vm->context().set_writer([](void*, std::string_view line) { Print(StrCat(line, "\n")); },
                           nullptr);
  std::vector<Any> args;
  for (char* text : texts) args.push_back(Argument(text));
  const std::vector<AnyView> views(args.begin(), args.end());
  TERN_TRY_ASSIGN(const Any result, vm->Call(function, views));
  Print(StrCat(PrintValue(result, {.max_elements = 100, .max_depth = 8}), "\n"));
  return OkStatus();
}

int Main(int argc, char** argv) {
  const std::span<char*> args(argv, static_cast<size_t>(argc));
  const std::string command = args.size() > 1 ? args[1] : "";
  if (command == "check" && args.size() == 3) return Check(args[2], false);
  if (command == "types" && args.size() == 3) return Check(args[2], true);
  if (command == "lower" && args.size() == 3) return Lower(args[2]);
  if (command == "fmt" && args.size() == 3) return Format(args[2]);
  if (command == "stage" && args.size() == 4) return Stage(args[2], args[3]);
  if (command == "run" && args.size() >= 3) {
    const std::string function = args.size() > 3 ? args[3] : "main";
    const Status status = Run(args[2], function, args.subspan(args.size() > 3 ? 4 : 3));
    return status.ok() ? 0 : Fail(status);
  }
  Print("lang_tool check|fmt|types|lower FILE, stage NAME FILE, run FILE [FUNCTION [ARG…]]\n");
  return 2;
}

}  // namespace
}  // namespace tern

int main(int argc, char** argv) { return tern::support::RunTool(argc, argv, &tern::Main); }
