// SPDX-License-Identifier: Apache-2.0
// Ours is what `tern compile --native-kernels aarch64-sve` makes.
#include "tools/bench/loops/instruction_rows.h"

#include <cstdio>
#include <string>

#include "core/base/strings.h"
#include "core/loop/emit/llvm_text.h"
#include "core/loop/passes/pipeline.h"
#include "core/loop/text/parser.h"
#include "native/jit/llvm_compiler.h"
#include "tests/support/read_file.h"
#include "tools/bench/loops/count_instructions.h"

namespace tern::bench {
namespace {

constexpr int kVectorBits[] = {256, 512, 1024};
constexpr CountedLoop kLoops[] = {
    {.name = "add"}, {.name = "daxpy", .doubles = true}, {.name = "relu"}, {.name = "dot"}};

Result<std::string> OurObject(std::string_view name) {
  const std::string path = StrCat("tests/loop/programs/", name, ".tloop");
  TERN_TRY_ASSIGN(const loop::SourceFile source, loop::ParseLoops(path, ReadFile(path)));
  TERN_TRY_ASSIGN(const loop::Program program,
                  LowerFile(source, loop::DefaultLowering(*loop::FindTarget("aarch64+sve"))));
  TERN_TRY_ASSIGN(const std::string ir, LlvmText(program, loop::LlvmFlavor::kSve));
  TERN_TRY_ASSIGN(const native::CodeTarget target, native::FindCodeTarget("aarch64-sve"));
  return native::CompileClosedObject(ir, target, "bench_loops");
}

Result<std::string> RivalObject() {
  const testing::ScratchFolder folder;
  const std::string path = folder.Path("rivals.o");
  const auto made = testing::RunCommand(
      StrCat("clang-19 -O3 --target=aarch64-linux-gnu -ffp-contract=off -march=armv8.2-a+sve "
             "-c tools/bench/loops/rivals.c -o ",
             path));
  if (made.exit_code != 0) return NotFound("clang-19: ", made.output);
  return ReadFile(path);
}

Status LoopRows(CountedLoop loop, std::string_view rivals, Bench* bench) {
  TERN_TRY_ASSIGN(const std::string object, OurObject(loop.name));
  TERN_TRY_ASSIGN(const InstructionCounter ours, InstructionCounter::Make(object, loop));
  loop.caller = LoopCaller::kC;
  TERN_TRY_ASSIGN(const InstructionCounter theirs, InstructionCounter::Make(rivals, loop));
  for (const int bits : kVectorBits) {
    TERN_TRY_ASSIGN(const double count, ours.PerElement(bits));
    TERN_TRY_ASSIGN(const double rival, theirs.PerElement(bits));
    bench->Figure({.name = StrCat(loop.name, ", SVE of ", bits, " bits, executed"),
                   .rival_name = "clang-19 -O3",
                   .target_ratio = 1.1,
                   .unit = "instructions/element"},
                  count, rival);
  }
  return OkStatus();
}

}  // namespace

void InstructionRows(Bench* bench) {
  Status status;
  const Result<std::string> rivals = RivalObject();
  if (!rivals.ok()) status = rivals.status().Clone();
  for (const CountedLoop& loop : kLoops) {
    if (status.ok()) status = LoopRows(loop, *rivals, bench);
  }
  if (!status.ok())
    std::fprintf(stderr, "executed instructions left out: %s\n", status.ToString().c_str());
}

}  // namespace tern::bench
