// SPDX-License-Identifier: Apache-2.0
// What a schedule costs: measured on this processor (host_cost.cc), or counted for another by
// llvm-mca (mca_cost.cc).
#ifndef TERN_NATIVE_TUNE_LOOP_COST_H_
#define TERN_NATIVE_TUNE_LOOP_COST_H_

#include <memory>
#include <vector>

#include "core/base/result.h"
#include "core/loop/tune/tuner.h"
#include "native/jit/code_target.h"
#include "native/tune/mca.h"

namespace tern::native {

class LoopCost {
 public:
  virtual ~LoopCost() = default;
  // The function beside the one it was made with. Errors: it cannot be compiled.
  virtual Result<loop::tune::Measurement> Measure(const loop::LoopFunction& function) = 0;
};

// as_written, lowered: what the others are compared with. sizes: one per size parameter.
using Sizes = std::vector<int64_t>;

// Nanoseconds of a call: the median of samples of a millisecond, those of both functions in turns,
// so that a busy machine disturbs both alike.
Result<std::unique_ptr<LoopCost>> MakeHostCost(const loop::LoopFunction& as_written,
                                               const Sizes& sizes, const CodeTarget& host);

// Cycles of a call: those of the inner loop that loads most, per byte, for all bytes that the
// function loads.
Result<std::unique_ptr<LoopCost>> MakeMcaCost(const loop::LoopFunction& as_written,
                                              const Sizes& sizes, const McaCore& core);

}  // namespace tern::native

#endif  // TERN_NATIVE_TUNE_LOOP_COST_H_
