// SPDX-License-Identifier: Apache-2.0
// What is shown to stay in bounds does, whatever is in the buffers. Seeds are fixed; the
// fuzzer kernel_fuzzer makes up others.
#include "tests/support/random_kernel.h"
#include "tests/support/rounds.h"

#include <gtest/gtest.h>

#include <vector>

namespace tern::support::random_kernel_test {
namespace {

TEST(RandomKernels, WhatIsShownToStayInBoundsDoes) {
  uint64_t state = 88172645463325252u;
  int bound = 0, proven = 0, runs = 0;
  for (int program = 0; program < support::Rounds(1500); ++program) {
    std::vector<uint8_t> choices(48);
    for (uint8_t& byte : choices) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      byte = static_cast<uint8_t>(state >> 11);
    }
    const std::string text = RandomKernel(choices);
    const KernelCheck check = CheckKernel(text, state);
    ASSERT_EQ(check.wrong, "");
    bound += check.bound ? 1 : 0;
    proven += check.proven ? 1 : 0;
    runs += check.runs;
  }
  // The test means something: most programs are kernels, some are right, many are not.
  EXPECT_GE(bound, support::Rounds(1200));
  EXPECT_GE(proven, support::Rounds(30));
  EXPECT_LE(proven, bound / 2);
  EXPECT_GE(runs, support::Rounds(600));
}

}  // namespace
}  // namespace tern::support::random_kernel_test
