// SPDX-License-Identifier: Apache-2.0
// The emulator logs each instruction as a block of its own; the lines are counted.
#include "tools/bench/loops/count_instructions.h"

#include "core/base/strings.h"

namespace tern::bench {
namespace {

// NAME is the function, OURS or not its convention, T the elements' type.
constexpr std::string_view kDriver = R"(
#include <stdint.h>
#include <stdlib.h>
#ifdef OURS
int32_t NAME(void* const* buffers, const int64_t* slots);
#else
void NAME(const void* a, void* b, void* c, long long n, double scalar);
#endif
static T memory[3][MAX] __attribute__((aligned(256)));
int main(int argc, char** argv) {
  const int64_t n = argc > 1 ? atol(argv[1]) : 0;
#ifdef OURS
  void* const buffers[] = {memory[0], memory[1], memory[2]};
  const int64_t slots[] = {n, 0x3fd0000000000000};
  return NAME(buffers, slots);
#else
  NAME(memory[0], memory[1], memory[2], n, 0.25);
  return 0;
#endif
}
)";
constexpr int64_t kMaxElements = 8192;  // a multiple of every vector, interleaved or not

}  // namespace

Result<InstructionCounter> InstructionCounter::Make(std::string_view object,
                                                    const CountedLoop& loop) {
  if (!testing::HaveCommand("aarch64-linux-gnu-gcc") || !testing::HaveCommand("qemu-aarch64"))
    return NotFound("there is no AArch64 compiler or emulator here");
  InstructionCounter counter;
  const testing::CommandResult made = testing::RunCommand(StrCat(
      "aarch64-linux-gnu-gcc -O1 -static -DNAME=", loop.name, " -DMAX=", kMaxElements, " -DT=",
      loop.doubles ? "double" : "float", loop.caller == LoopCaller::kTern ? " -DOURS " : " ",
      counter.folder_->Write("driver.c", kDriver), " ", counter.folder_->Write("loop.o", object),
      " -lm -o ", counter.folder_->Path("run")));
  if (made.exit_code != 0) return Failed("cannot link the AArch64 program: ", made.output);
  return counter;
}

Result<int64_t> InstructionCounter::Count(int vector_bits, int64_t elements) const {
  const std::string log = folder_->Path("log");
  const testing::CommandResult run = testing::RunCommand(
      StrCat("qemu-aarch64 -singlestep -d exec,nochain -D ", log,
             " -cpu max,sme=off,sve-default-vector-length=", vector_bits / 8, " ",
             folder_->Path("run"), " ", elements, " && grep -c '^Trace' ", log));
  const auto count = ParseInt64(StrTrim(run.output));
  if (run.exit_code != 0 || !count.has_value()) return Failed("the emulator: ", run.output);
  return *count;
}

Result<double> InstructionCounter::PerElement(int vector_bits) const {
  constexpr int64_t kFewer = kMaxElements / 2;
  TERN_TRY_ASSIGN(const int64_t fewer, Count(vector_bits, kFewer));
  TERN_TRY_ASSIGN(const int64_t more, Count(vector_bits, kMaxElements));
  return static_cast<double>(more - fewer) / static_cast<double>(kMaxElements - kFewer);
}

}  // namespace tern::bench
