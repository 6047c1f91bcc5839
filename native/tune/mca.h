// SPDX-License-Identifier: Apache-2.0
// Cycles of an inner loop on an AArch64 processor that is not here, by llvm-mca, from a function's
// assembly.
#ifndef TERN_NATIVE_TUNE_MCA_H_
#define TERN_NATIVE_TUNE_MCA_H_

#include <string>

#include "core/base/result.h"

namespace tern::native {

// Processors that llvm-mca knows in detail.
struct McaCore {
  const char* cpu;
  int vector_bytes;  // of an SVE register
};
inline constexpr McaCore kMcaCores[] = {{"neoverse-v1", 32}, {"neoverse-v2", 16}};

struct InnerLoop {
  std::string text;  // the instructions, without the labels
  int instructions = 0;
  int fixed_bytes = 0;        // loaded in one iteration
  double scalable_loads = 0;  // the same, in SVE registers
  double LoadedBytes(int vector_bytes) const { return fixed_bytes + scalable_loads * vector_bytes; }
};

// The innermost loop of the function in AArch64 assembly that loads most at a time. Not found:
// there is none.
Result<InnerLoop> FindInnerLoop(const std::string& assembly, const std::string& function);

// Of one iteration, when it runs for long. cpu: "neoverse-v1". Unsupported: there is no llvm-mca.
Result<double> CyclesOf(const InnerLoop& loop, const std::string& cpu);

}  // namespace tern::native

#endif  // TERN_NATIVE_TUNE_MCA_H_
