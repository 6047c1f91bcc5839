// SPDX-License-Identifier: Apache-2.0
// ir_tool: passes over the functional IR on a command line, for golden tests on every target.
//
//   ir_tool PASS[,PASS…] FILE   parses, runs the passes, verifies after each, prints the module
//   ir_tool print FILE          parses and prints
//   ir_tool pipeline FILE       runs the driver's whole pipeline and prints the result
//   ir_tool stages FILE         the stages of the pipeline, and how many bindings each leaves
//   ir_tool liveness FILE       the functions with what dies where
//   ir_tool allocate_registers FILE  the functions with the register of each value
//   ir_tool layout_constants FILE  the constants as they lie in the executable
//   ir_tool memory FILE         the memory plan, checked
//   ir_tool run[1,2.5,…] FILE   compiles with the whole pipeline, runs main, prints its result
//   ir_tool code FILE           generates code as it stands and prints assembly text
#include <cstdio>
#include <string>

#include "core/base/strings.h"
#include "core/driver/evaluate.h"
#include "core/driver/listings.h"
#include "core/driver/pipeline.h"
#include "core/ir/codegen/vm_codegen.h"
#include "core/ir/passes/analyze_liveness.h"
#include "core/ir/passes/plan_memory.h"
#include "core/ir/text/parser.h"
#include "core/ir/text/printer.h"
#include "core/ir/verifier.h"
#include "core/kernels/bind/bind.h"
#include "core/object/graph/print.h"
#include "core/vm/text/disassembler.h"
#include "core/vm/vm.h"
#include "tests/support/read_file.h"
#include "tests/support/tool_batch.h"

namespace tern {
namespace {

// Products on device 1, for annotate_devices.
int DeviceOf(void*, const ir::Call& call) { return call.Is(ops::Op::k_matmul) ? 1 : 0; }

Result<ir::Module> RunPasses(ir::Module module, std::string_view names, RunContext* context) {
  text::Diagnostics diagnostics;
  ir::PassContext passes;
  passes.diagnostics = &diagnostics;
  passes.evaluator = driver::KernelEvaluator(context);
  passes.devices.device_of = &DeviceOf;
  for (std::string_view name : StrSplit(names, ',')) {
    const ir::PassInfo* pass = driver::FindPass(name);
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

// "5", "2.5" or "true" as a scalar.
Result<Any> ParseArgument(std::string_view text) {
  if (text == "true" || text == "false") return Any(text == "true");
  if (const auto integer = ParseInt64(text)) return Any(*integer);
  if (const auto number = ParseDouble(text)) return Any(*number);
  return InvalidArgument("'", text, "' is no scalar");
}

// How deep the calls went says whether tail calls are.
Status RunMain(const ir::Module& module, std::string_view arguments) {
  TERN_TRY_ASSIGN(vm::ExecutablePtr executable, ir::GenerateCode(module));
  Registry registry;
  TERN_TRY(kernels::RegisterOperators(&registry));
  vm::LinkOptions link;
  link.registry = &registry;
  TERN_TRY_ASSIGN(vm::ProgramPtr program, vm::Program::Link(std::move(executable), link));
  TERN_TRY_ASSIGN(const auto machine, vm::VirtualMachine::Create(std::move(program)));
  std::vector<Any> values;
  for (std::string_view text : StrSplit(arguments, ',')) {
    if (text.empty()) continue;
    TERN_TRY_ASSIGN(Any value, ParseArgument(text));
    values.push_back(std::move(value));
  }
  const std::vector<AnyView> views(values.begin(), values.end());
  TERN_TRY_ASSIGN(const Any result, machine->Call("main", views));
  std::printf("%s\ndepth %llu\n", PrintValue(result).c_str(),
              static_cast<unsigned long long>(machine->max_depth_seen()));
  return OkStatus();
}

Status Run(std::string_view command, const char* path) {
  RunContext context;
  TERN_TRY_ASSIGN(ir::Module module, ir::ParseModule(path, ReadFile(path)));
  // Values inside values are for to_a_normal_form.
  if (ir::IsANormalForm(module)) TERN_TRY(ir::Verify(module));
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
  if (command == "allocate_registers" || command == "layout_constants") {
    std::vector<ir::RegisterAssignment> assignments;
    TERN_TRY_ASSIGN(vm::ExecutablePtr executable, ir::GenerateCode(module, &assignments));
    const std::string text = command == "layout_constants"
                                 ? driver::ConstantsText(*executable)
                                 : driver::RegistersText(module, assignments);
    std::fputs(text.c_str(), stdout);
    return OkStatus();
  }
  if (command == "liveness") {
    std::fputs(ir::LivenessText(module).c_str(), stdout);
    return OkStatus();
  }
  if (command == "memory") {
    for (const ir::FunctionPlan& plan : ir::PlanMemory(module)) {
      TERN_TRY(ir::CheckMemoryPlan(*module.Find(plan.function), plan, {}, &module));
      const ir::Sizes sizes = {{"n", types::Dim(7)}};
      TERN_TRY(ir::CheckMemoryPlan(*module.Find(plan.function), plan, sizes, &module));
    }
    std::fputs(ir::MemoryPlanText(module).c_str(), stdout);
    return OkStatus();
  }
  if (command == "pipeline" || command.starts_with("run")) {
    TERN_TRY_ASSIGN(module, driver::RunPipeline(std::move(module), options));
  } else if (command != "print") {
    TERN_TRY_ASSIGN(module, RunPasses(std::move(module), command, &context));
  }
  if (command.starts_with("run")) return RunMain(module, command.substr(3));
  std::fputs(ir::ToText(module).c_str(), stdout);
  return OkStatus();
}

int Main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs(
        "usage: ir_tool PASS[,PASS…]|print|pipeline|stages|code|liveness|memory|run[ARGS]|"
        "allocate_registers|layout_constants FILE\n",
        stderr);
    return 2;
  }
  const Status status = Run(argv[1], argv[2]);
  if (status.ok()) return 0;
  std::fputs(text::RenderText(status).c_str(), stdout);
  return 1;
}

}  // namespace
}  // namespace tern

int main(int argc, char** argv) { return tern::support::RunTool(argc, argv, &tern::Main); }
