// SPDX-License-Identifier: Apache-2.0
// loop_tool: passes over loop programs on a command line, for golden tests on every target.
//
//   loop_tool print FILE                       parses and prints
//   loop_tool loops FILE                       the definitions' schedules applied
//   loop_tool PASS[,PASS…] FILE [STRATEGY [TARGET]]   the same, then the passes, verifying after
//   each
#include <cstdio>
#include <string>

#include "core/base/strings.h"
#include "core/loop/passes/pass.h"
#include "core/loop/te/lower.h"
#include "core/loop/text/parser.h"
#include "core/loop/text/printer.h"
#include "core/loop/verifier.h"
#include "tests/support/read_file.h"
#include "tests/support/tool_batch.h"

namespace tern {
namespace {

Result<loop::Program> Loops(const loop::SourceFile& file) {
  loop::Program program;
  for (const loop::te::Definition& definition : file.definitions) {
    TERN_TRY_ASSIGN(loop::LoopFunction loops, loop::te::LowerDefinition(definition, file.sources));
    program.functions.push_back(std::move(loops));
  }
  for (const loop::LoopFunction& function : file.program.functions)
    program.functions.push_back(function);
  return program;
}

Status RunPasses(std::string_view names, const loop::SourceFile& file,
                 const loop::PassContext& options, loop::Program* program) {
  text::Diagnostics diagnostics(file.sources);
  loop::PassContext context = options;
  context.diagnostics = &diagnostics;
  for (std::string_view name : StrSplit(names, ',')) {
    const loop::PassInfo* pass = loop::FindPass(name);
    if (pass == nullptr) return NotFound("there is no pass '", name, "'").SetErrorCode("E0013");
    for (loop::LoopFunction& function : program->functions) {
      function = pass->function(function, context);
      if (!diagnostics.ok()) return diagnostics.ToStatus();
      TERN_TRY(loop::Verify(function).AddNote(StrCat("after the pass ", name)));
    }
  }
  return OkStatus();
}

Status Run(int argc, char** argv) {
  TERN_TRY_ASSIGN(const loop::SourceFile file, loop::ParseLoops(argv[2], ReadFile(argv[2])));
  if (std::string_view(argv[1]) == "print") {
    std::fputs(loop::ToText(file).c_str(), stdout);
    return OkStatus();
  }
  loop::PassContext context;
  if (argc > 3) {
    TERN_TRY_ASSIGN(context.strategy, loop::NamedStrategy(argv[3]));
  }
  if (argc > 4) {
    TERN_TRY_ASSIGN(context.target, loop::NamedTarget(argv[4]));
  }
  TERN_TRY_ASSIGN(loop::Program program, Loops(file));
  if (std::string_view(argv[1]) != "loops") TERN_TRY(RunPasses(argv[1], file, context, &program));
  std::fputs(loop::ToText(program).c_str(), stdout);
  return OkStatus();
}

int Main(int argc, char** argv) {
  if (argc < 3 || argc > 5) {
    std::fputs("usage: loop_tool PASS[,PASS…]|print|loops FILE [STRATEGY [TARGET]]\n", stderr);
    return 2;
  }
  const Status status = Run(argc, argv);
  if (status.ok()) return 0;
  std::fputs(text::RenderText(status).c_str(), stdout);
  return 1;
}

}  // namespace
}  // namespace tern

int main(int argc, char** argv) { return tern::support::RunTool(argc, argv, &tern::Main); }
