// SPDX-License-Identifier: Apache-2.0
// A loop program made up from the input, lowered by one strategy: LLVM's code for this processor
// leaves the same memory as the reference interpreter.
#include <cstddef>
#include <cstdint>

#include "core/base/check.h"
#include "core/loop/passes/pipeline.h"
#include "core/loop/run/workspace.h"
#include "core/loop/text/parser.h"
#include "native/jit/llvm_compiler.h"
#include "tests/fuzz/run_compiled.h"
#include "tests/support/random_loop.h"

namespace {

using namespace tern;

std::vector<uint8_t> BytesOf(loop::Workspace* workspace) {
  TERN_CHECK(workspace->FirstBrokenCanary() == -1, "a byte beside a buffer was written");
  std::vector<uint8_t> all;
  for (size_t i = 0; i < workspace->buffer_count(); ++i)
    all.insert(all.end(), workspace->bytes(i).begin(), workspace->bytes(i).end());
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const bool have_llvm = native::LlvmDescription().ok();
  if (size < 2 || !have_llvm) return 0;
  const int64_t n = data[0] % 71;
  const std::string text = support::RandomLoopProgram({data + 2, size - 2});
  const Result<loop::SourceFile> file = loop::ParseLoops("random.tloop", text);
  TERN_CHECK(file.ok(), "a program that is made up parses");
  constexpr loop::Strategy kStrategies[] = {loop::Strategy::kScalar, loop::Strategy::kFixed,
                                            loop::Strategy::kFixedPredicated,
                                            loop::Strategy::kTarget};
  loop::LoweringOptions options = loop::DefaultLowering(*loop::FindTarget("x86_64+avx512"));
  options.strategy = kStrategies[data[1] % 4];
  const Result<loop::Program> program = loop::LowerFile(*file, options);
  if (!program.ok()) return 0;  // a dependence
  const loop::LoopFunction& function = program->functions[0];
  loop::Workspace wanted = loop::Workspace::Make(function, {&n, 1}).value();
  loop::Workspace got = loop::Workspace::Make(function, {&n, 1}).value();
  // What the interpreter refuses, such as an index outside of its buffer, is not for compiled code.
  if (!loop::Interpreter::Make(function).value().Run(wanted.arguments()).ok()) return 0;
  RunCompiled(*program, got.arguments());
  TERN_CHECK(BytesOf(&got) == BytesOf(&wanted), "compiled code computes something else");
  return 0;
}
