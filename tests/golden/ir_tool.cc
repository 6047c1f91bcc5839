// SPDX-License-Identifier: Apache-2.0
// ir_tool: passes over the functional IR on a command line, for golden tests on every target.
//
//   ir_tool PASS[,PASS…] FILE   parses, runs the passes, verifies after each, prints the module
//   ir_tool print FILE          parses and prints
//   ir_tool pipeline FILE       runs the driver's whole pipeline and prints the result
//   ir_tool stages FILE         the stages of the pipeline, and how many bindings each leaves
//   ir_tool code FILE           generates code as it stands and prints assembly text
#include <cstdio>
#include <string>

#include "core/base/strings.h"
#include "core/driver/evaluate.h"
#include "core/driver/pipeline.h"
#include "core/ir/codegen/vm_codegen.h"
#include "core/ir/parser.h"
#include "core/ir/printer.h"
#include "core/ir/verifier.h"
#include "core/vm/disassembler.h"
#include "tests/support/read_file.h"

namespace tern {
namespace {

Result<ir::Module> RunPasses(ir::Module module, std::string_view names, RunContext* context) {
  text::Diagnostics diagnostics;
  ir::PassContext passes;
  passes.diagnostics = &diagnostics;
  passes.evaluator = driver::KernelEvaluator(context);
  for (std::string_view name : StrSplit(names, ',')) {
    const ir::PassInfo* pass = ir::FindPass(name);
    if (pass == nullptr) return NotFound("there is no pass '", name, "'");
    module = pass->function(module, passes);
    if (!diagnostics.ok()) return diagnostics.ToStatus();
    TERN_TRY(ir::Verify(module).AddNote(StrCat("after the pass ", name)));
  }
  return module;
}

void PrintStage(void*, std::string_view stage, const ir::Module& module) {
  size_t bindings = 0;
  for (const ir::Module::Item& item : module.items()) bindings += item.function->bindings().size();
  std::printf("%s %zu\n", std::string(stage).c_str(), bindings);
}

Status Run(std::string_view command, const char* path) {
  RunContext context;
  TERN_TRY_ASSIGN(ir::Module module, ir::ParseModule(path, ReadFile(path)));
  TERN_TRY(ir::Verify(module));
  driver::PipelineOptions options;
  options.evaluator = driver::KernelEvaluator(&context);
  if (command == "stages") {
    options.sink = &PrintStage;
    return tern::internal::TakeStatus(driver::RunPipeline(std::move(module), options));
  }
  if (command == "code") {
    TERN_TRY_ASSIGN(vm::ExecutablePtr executable, ir::GenerateCode(module));
    std::fputs(vm::Disassemble(*executable).c_str(), stdout);
    return OkStatus();
  }
  if (command == "pipeline") {
    TERN_TRY_ASSIGN(module, driver::RunPipeline(std::move(module), options));
  } else if (command != "print") {
    TERN_TRY_ASSIGN(module, RunPasses(std::move(module), command, &context));
  }
  std::fputs(ir::ToText(module).c_str(), stdout);
  return OkStatus();
}

}  // namespace
}  // namespace tern

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: ir_tool PASS[,PASS…]|print|pipeline|stages|code FILE\n", stderr);
    return 2;
  }
  const tern::Status status = tern::Run(argv[1], argv[2]);
  if (status.ok()) return 0;
  std::fputs(tern::text::RenderText(status).c_str(), stdout);
  return 1;
}
