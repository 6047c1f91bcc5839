// SPDX-License-Identifier: Apache-2.0
// Lowered loop programs as LLVM IR text.
//
// The text depends on the program and the options alone, so the browser shows what a native build
// compiles. Each loop function is two: @name.body takes the buffers as pointers that do not alias,
// @name is the entry with the calling convention of core/loop/stmt.h. Vectors of unknown length are
// <vscale x …>; predicates are llvm.masked.* intrinsics; nothing in the text names a processor but
// the whilelt of the SVE flavour and vscale_range.
#ifndef TERN_CORE_LOOP_EMIT_LLVM_TEXT_H_
#define TERN_CORE_LOOP_EMIT_LLVM_TEXT_H_

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/loop/stmt.h"
#include "core/loop/target.h"

namespace tern::loop {

enum class LlvmFlavor : int8_t {
  kFixed,     // no vectors of unknown length: x86-64
  kNeon,      // the same for AArch64, which has maximum and minimum as instructions
  kScalable,  // any such machine: RISC-V V; masks by llvm.get.active.lane.mask
  kMve,       // Armv8.1-M: counters of 32 bits, by which LLVM finds loops whose end masks the tail
  kSve,       // AArch64 SVE: masks by llvm.aarch64.sve.whilelt, vscale_range(1,16)
};
// Whether its targets have vectors of unknown length.
bool IsScalable(LlvmFlavor flavor);
// What suits a target.
LlvmFlavor FlavorOf(const Target& target);
// "fixed", "neon", "scalable", "mve", "sve".
std::string_view LlvmFlavorName(LlvmFlavor flavor);

// A function with parallel loops has a second entry, @name.parallel, with a third parameter: what
// lends it workers (TernParallel of core/kernels/kernel.h), or null. The first runs everything on
// the calling thread; results are the same bits.
inline constexpr std::string_view kParallelEntry = ".parallel";

// Metadata of a module whose innermost loops are all vectors and their epilogues: there is nothing
// in it for a compiler to vectorize or unroll.
inline constexpr std::string_view kScheduledMark = "tern.scheduled";

// Errors (the caller's): a function that is not lowered, or vectors that the flavor does not have.
Result<std::string> LlvmText(const Program& program, LlvmFlavor flavor);

}  // namespace tern::loop

#endif  // TERN_CORE_LOOP_EMIT_LLVM_TEXT_H_
