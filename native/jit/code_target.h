// SPDX-License-Identifier: Apache-2.0
// CodeTarget: the processor that native code is made for. llvm_compiler.h makes code for one, and
// `tern tune` compares schedules on one.
#ifndef TERN_NATIVE_JIT_CODE_TARGET_H_
#define TERN_NATIVE_JIT_CODE_TARGET_H_

#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace tern::native {

struct CodeTarget {
  std::string name;          // "aarch64-sve"
  std::string architecture;  // as LLVM's initializers spell it: "AArch64"
  std::string triple;
  std::string cpu;
  std::string features;   // "+sve,-sve2", in LLVM's spelling
  bool scalable = false;  // has vectors of unknown length
  std::string loops;      // what loops are lowered for: a name of core/loop/targets.def
  bool adds_vectors = true;  // LLVM may make vectors of scalars besides
};

// "host", "aarch64-neon", "aarch64-sve", "aarch64-sve2", "x86-64", "x86-64-avx2", "x86-64-avx512",
// "riscv64-v", "armv8.1m-mve". The error for any other lists them. "host" asks LLVM about this
// processor.
Result<CodeTarget> FindCodeTarget(std::string_view name);

// All but "host".
std::span<const CodeTarget> KnownCodeTargets();

}  // namespace tern::native

#endif  // TERN_NATIVE_JIT_CODE_TARGET_H_
