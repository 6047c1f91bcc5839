// SPDX-License-Identifier: Apache-2.0
// The input as the text of a kernel, and as choices of one that is made up: binding never fails in
// another way than by saying so, and what is shown to stay in bounds does.
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "core/base/check.h"
#include "tests/support/random_kernel.h"

namespace {

void Check(std::string_view text, uint64_t seed) {
  const tern::support::KernelCheck check =
      tern::support::CheckKernel(text, seed, tern::support::KernelRuns::kFew);
  if (!check.wrong.empty()) std::fputs(check.wrong.c_str(), stderr);
  TERN_CHECK(check.wrong.empty(), "a kernel left the bounds that were shown");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const uint64_t seed = data[0] | uint64_t{data[size - 1]} << 8;
  Check({reinterpret_cast<const char*>(data), size}, seed);
  Check(tern::support::RandomKernel({data, size}), seed);
  return 0;
}
