// SPDX-License-Identifier: Apache-2.0
// TERN_CHECK ends the process, through the platform's hook.
#include "core/base/check.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "core/base/platform.h"

namespace {

TEST(Check, TrueCostsNothing) {
  int evaluated = 0;
  TERN_CHECK(++evaluated == 1, "once");
  EXPECT_EQ(evaluated, 1);
}

#if GTEST_HAS_DEATH_TEST
TEST(CheckDeathTest, SaysFileConditionAndMeaning) {
  EXPECT_DEATH(TERN_CHECK(1 > 2, "numbers are broken"), "check_test.cc:.*1 > 2 numbers are broken");
}

TEST(CheckDeathTest, CallsTheHook) {
  EXPECT_DEATH(
      {
        tern_set_abort_hook([](const char*, int32_t line, const char*) {
          std::fprintf(stderr, "hook on line %s", line > 0 ? "known" : "unknown");
        });
        TERN_CHECK(false);
      },
      "hook on line known");
}
#endif

}  // namespace
