// SPDX-License-Identifier: Apache-2.0
// A definition and a schedule made up from the input: each line is refused where it is written, and
// what is accepted computes what the definition does without it, in the interpreter in all ways to
// lower it and, where there is LLVM, compiled for this processor.
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "core/base/check.h"
#include "core/loop/passes/pipeline.h"
#include "core/loop/run/workspace.h"
#include "core/loop/text/parser.h"
#include "native/jit/llvm_compiler.h"
#include "tests/fuzz/run_compiled.h"
#include "tests/support/random_schedule.h"

namespace {

using namespace tern;

loop::Program LowerText(const std::string& text, loop::Strategy strategy) {
  const Result<loop::SourceFile> file = loop::ParseLoops("random.tloop", text);
  TERN_CHECK(file.ok(), "a definition that is made up parses");
  loop::LoweringOptions options = loop::DefaultLowering(*loop::FindTarget("x86_64+avx512"));
  options.strategy = strategy;
  Result<loop::Program> program = loop::LowerFile(*file, options);
  return program.ok() ? *std::move(program) : loop::Program();
}

std::vector<uint8_t> ResultsOf(const loop::LoopFunction& function, loop::Workspace* workspace) {
  TERN_CHECK(workspace->FirstBrokenCanary() == -1, "a byte beside a buffer was written");
  std::vector<uint8_t> all;
  for (size_t i = 0; i < function.buffers.size(); ++i) {
    if (function.buffers[i]->access != loop::Access::kOut) continue;
    all.insert(all.end(), workspace->bytes(i).begin(), workspace->bytes(i).end());
  }
  return all;
}

void CompareCompiled(const support::RandomSchedule& made, std::span<const int64_t> sizes) {
  loop::Program program = LowerText(made.text, loop::Strategy::kTarget);
  if (program.functions.empty()) program = LowerText(made.text, loop::Strategy::kScalar);
  const loop::Program plain = LowerText(made.plain_text, loop::Strategy::kScalar);
  const loop::LoopFunction &function = program.functions.at(0), &simple = plain.functions.at(0);
  loop::Workspace wanted = loop::Workspace::Make(simple, sizes).value();
  loop::Workspace got = loop::Workspace::Make(function, sizes).value();
  TERN_CHECK(loop::Interpreter::Make(simple).value().Run(wanted.arguments()).ok());
  RunCompiled(program, got.arguments());
  TERN_CHECK(ResultsOf(function, &got) == ResultsOf(simple, &wanted),
             "compiled code computes something else");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const bool have_llvm = native::LlvmDescription().ok();
  if (size < 4) return 0;
  const uint64_t seed = data[0] | uint64_t{data[1]} << 8 | uint64_t{data[2]} << 16;
  const support::ScheduleCheck check =
      support::CheckRandomSchedule({data + 3, size - 3}, seed, support::ScheduleRuns::kFew);
  if (!check.wrong.empty())
    std::fprintf(stderr, "%s\n%s", check.wrong.c_str(), check.schedule.text.c_str());
  TERN_CHECK(check.wrong.empty(), "a schedule computes something else");
  const int64_t sizes[] = {data[0] % 20, data[1] % 14};
  // Compiling takes as long as many of the other comparisons.
  if (have_llvm && check.runs > 0 && data[2] % 16 == 0) CompareCompiled(check.schedule, sizes);
  return 0;
}
