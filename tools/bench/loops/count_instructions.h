// SPDX-License-Identifier: Apache-2.0
// Instructions that AArch64 code executes per element, counted by an emulator: what runs, where
// llvm-mca only estimates.
#ifndef TERN_TOOLS_BENCH_LOOPS_COUNT_INSTRUCTIONS_H_
#define TERN_TOOLS_BENCH_LOOPS_COUNT_INSTRUCTIONS_H_

#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "tests/support/commands.h"

namespace tern::bench {

enum class LoopCaller {
  kTern,  // int32_t f(void* const* buffers, const int64_t* slots)
  kC,     // as in rivals.c
};

struct CountedLoop {
  std::string_view name;  // of the function
  LoopCaller caller = LoopCaller::kTern;
  bool doubles = false;  // the scalar and the elements; else floats
};

// A program that calls one function of an object. Not found: there is no cross compiler or emulator
// here.
class InstructionCounter {
 public:
  static Result<InstructionCounter> Make(std::string_view object, const CountedLoop& loop);

  // Of long loops, without what comes before and after: the difference between two counts of
  // elements. The same each time. vector_bits: 128 to 2048.
  Result<double> PerElement(int vector_bits) const;

 private:
  InstructionCounter() : folder_(std::make_shared<testing::ScratchFolder>()) {}
  Result<int64_t> Count(int vector_bits, int64_t elements) const;

  std::shared_ptr<testing::ScratchFolder> folder_;
};

}  // namespace tern::bench

#endif  // TERN_TOOLS_BENCH_LOOPS_COUNT_INSTRUCTIONS_H_
