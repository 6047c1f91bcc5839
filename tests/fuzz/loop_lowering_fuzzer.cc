// SPDX-License-Identifier: Apache-2.0
// A loop program made up from the input: every strategy that takes it computes the same.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/base/check.h"
#include "core/loop/passes/pipeline.h"
#include "core/loop/run/workspace.h"
#include "core/loop/text/parser.h"
#include "tests/support/random_loop.h"

namespace {

using namespace tern;

// The bytes of all buffers after a run; empty where it failed.
std::vector<uint8_t> RunOn(const loop::LoopFunction& function, int64_t n, int64_t vscale) {
  const loop::Interpreter interpreter = loop::Interpreter::Make(function).value();
  loop::Workspace workspace = loop::Workspace::Make(function, {&n, 1}).value();
  loop::RunOptions options;
  options.vscale = vscale;
  const Result<loop::Counters> counters = interpreter.Run(workspace.arguments(), options);
  std::vector<uint8_t> all;
  if (!counters.ok()) return all;
  for (size_t i = 0; i < workspace.buffer_count(); ++i)
    all.insert(all.end(), workspace.bytes(i).begin(), workspace.bytes(i).end());
  all.push_back(1);
  TERN_CHECK(workspace.FirstBrokenCanary() == -1, "a byte beside a buffer was written");
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const int64_t n = data[0] % 41, vscale = 1 + data[1] % 16;
  const std::string text = support::RandomLoopProgram({data + 2, size - 2});
  const Result<loop::SourceFile> file = loop::ParseLoops("random.tloop", text);
  TERN_CHECK(file.ok(), "a program that is made up parses");
  std::vector<uint8_t> wanted;
  for (loop::Strategy strategy :
       {loop::Strategy::kScalar, loop::Strategy::kFixed, loop::Strategy::kFixedPredicated,
        loop::Strategy::kCleanup, loop::Strategy::kPredicated}) {
    loop::LoweringOptions options;
    options.strategy = strategy;
    const Result<loop::Program> program = loop::LowerFile(*file, options);
    if (!program.ok()) continue;
    std::vector<uint8_t> got = RunOn(program->functions[0], n, vscale);
    if (strategy == loop::Strategy::kScalar)
      wanted = std::move(got);
    else
      TERN_CHECK(got == wanted, "a strategy computes something else");
  }
  return 0;
}
