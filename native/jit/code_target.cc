// SPDX-License-Identifier: Apache-2.0
// The table of targets.
#include "native/jit/code_target.h"

#include <vector>

#include "core/base/strings.h"
#include "native/jit/llvm_compiler.h"

namespace tern::native {
namespace {

// Processor names are the architecture's baselines, so that an object runs on every machine with
// the features, not only on machines like the one that made it.
const std::vector<CodeTarget>& Table() {
  static const std::vector<CodeTarget> table = {
      {"aarch64-neon", "AArch64", "aarch64-unknown-linux-gnu", "generic", "+neon,+v8.2a,+fullfp16",
       false, "aarch64"},
      {"aarch64-sve", "AArch64", "aarch64-unknown-linux-gnu", "generic", "+v8.2a,+sve", true,
       "aarch64+sve"},
      {"aarch64-sve2", "AArch64", "aarch64-unknown-linux-gnu", "generic", "+v9a,+sve2", true,
       "aarch64+sve2"},
      {"x86-64", "X86", "x86_64-unknown-linux-gnu", "x86-64-v2", "", false, "x86_64"},
      {"x86-64-avx2", "X86", "x86_64-unknown-linux-gnu", "x86-64-v3", "", false, "x86_64+avx2"},
      {"x86-64-avx512", "X86", "x86_64-unknown-linux-gnu", "x86-64-v4", "-prefer-256-bit", false,
       "x86_64+avx512"},
      {"riscv64-v", "RISCV", "riscv64-unknown-linux-gnu", "generic-rv64",
       "+m,+a,+f,+d,+c,+v,+zvfh,+zfh", true, "riscv64+v"},
      // Vectors of 64-bit elements, comparisons of floats and strided loads are what LLVM 19 gets
      // wrong there, and its vectorizers make all of them.
      {"armv8.1m-mve", "ARM", "thumbv8.1m.main-none-unknown-eabihf", "cortex-m55", "+mve.fp", false,
       "armv8.1m+mve", /*adds_vectors=*/false},
  };
  return table;
}

}  // namespace

std::span<const CodeTarget> KnownCodeTargets() { return Table(); }

Result<CodeTarget> FindCodeTarget(std::string_view name) {
  if (name == "host") return HostCodeTarget();
  std::vector<std::string> known = {"host"};
  for (const CodeTarget& target : Table()) {
    if (target.name == name) return target;
    known.push_back(target.name);
  }
  Status status =
      NotFound("there is no code target '", name, "'; there are ", StrJoin(known, ", "));
  if (const std::string_view near = DidYouMean(name, known); !near.empty())
    status.AddNote(StrCat("help: did you mean '", near, "'?"));
  return status.SetErrorCode("E0804").Clone();
}

}  // namespace tern::native
