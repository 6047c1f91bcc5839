// SPDX-License-Identifier: Apache-2.0
// Cycles of an inner loop by llvm-mca, from a function's assembly.
#ifndef TERN_TOOLS_BENCH_LOOPS_MCA_H_
#define TERN_TOOLS_BENCH_LOOPS_MCA_H_

#include <string>

#include "core/base/result.h"

namespace tern::bench {

struct InnerLoop {
  std::string text;  // the instructions, without the labels
  int instructions = 0;
  int vector_loads = 0;   // registers loaded in one iteration
  bool scalable = false;  // SVE's, not NEON's
};

// The innermost loop with the most vector loads of the function in AArch64 assembly. Not found:
// there is none.
Result<InnerLoop> FindInnerLoop(const std::string& assembly, const std::string& function);

// Of one iteration, when it runs for long. cpu: "neoverse-v1".
Result<double> CyclesOf(const InnerLoop& loop, const std::string& cpu);

}  // namespace tern::bench

#endif  // TERN_TOOLS_BENCH_LOOPS_MCA_H_
