// SPDX-License-Identifier: Apache-2.0
// The most statements that a kernel runs, from its sizes.
#include "core/loop_kernels/kernel_cost.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "core/base/strings.h"
#include "core/loop/text/parser.h"

namespace tern::loop::kernel_cost_test {
namespace {

int64_t Most(std::string_view body, std::vector<int64_t> slots) {
  const std::string text =
      StrCat("primfn f<n, m>(J: in int32[n], B: in uint8[n], R: inout float32[n, m], k: int64) {\n",
             body, "\n}");
  const Result<SourceFile> file = ParseLoops("cost.tloop", text);
  EXPECT_TRUE(file.ok()) << file.status().ToString();
  return file.ok() ? MostStatements(file->program.functions[0], slots) : -1;
}

TEST(KernelCost, LoopsMultiply) {
  EXPECT_EQ(Most("R[0, 0] = 1", {7, 5, 0}), 1);
  constexpr std::string_view kNest = "for (i, 0, n) { for (j, 0, m) { R[i, j] = 1 } }";
  EXPECT_EQ(Most(kNest, {0, 5, 0}), 0);
  EXPECT_EQ(Most(kNest, {7, 5, 0}), 7 * (1 + 5 * 2));
  EXPECT_EQ(Most("for (i, 0, n; i+=4) { R[i, 0] = 1 }", {10, 5, 0}), 3 * 2);
  EXPECT_EQ(Most(kNest, {INT64_MAX, 5, 0}), INT64_MAX);
}

TEST(KernelCost, BoundsThatDependOnOtherThings) {
  // Of a triangle the whole square.
  EXPECT_EQ(Most("for (i, 0, n) { for (j, 0, i) { R[i, j] = 1 } }", {8, 8, 0}), 8 * (1 + 7 * 2));
  EXPECT_EQ(Most("for (i, 0, min(n, 3)) { R[i, 0] = 1 }", {8, 8, 0}), 6);
  EXPECT_EQ(Most("for (i, 0, n / 2) { R[i, 0] = 1 }", {8, 8, 0}), 8);
  EXPECT_EQ(Most("for (i, 0, k) { R[0, 0] = 1 }", {8, 8, 100}), 200);
  EXPECT_EQ(Most("for (i, 0, k) { R[0, 0] = 1 }", {8, 8, -100}), 0);
  EXPECT_EQ(Most("if (n > 3) { for (i, 0, n) { R[i, 0] = 1 } }", {8, 8, 0}), 17);
}

TEST(KernelCost, OfMemoryTheTypeIsKnown) {
  EXPECT_EQ(Most("for (i, 0, cast(int64, B[0])) { R[0, 0] = 1 }", {8, 8, 0}), 255 * 2);
  EXPECT_EQ(Most("for (i, 0, cast(int64, J[0])) { R[0, 0] = 1 }", {8, 8, 0}),
            int64_t{INT32_MAX} * 2);
}

}  // namespace
}  // namespace tern::loop::kernel_cost_test
