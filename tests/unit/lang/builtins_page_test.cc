// SPDX-License-Identifier: Apache-2.0
// docs/builtins.md has every function that a program can call.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/read_file.h"
#include "tools/gen/builtins_markdown.h"

namespace tern::gen::builtins_page_test {
namespace {

TEST(BuiltinsPage, IsUpToDate) {
  const std::string page = ReadFile(TERN_SOURCE_DIR "/docs/builtins.md");
  const std::string prelude = ReadFile(TERN_SOURCE_DIR "/core/lang/prelude.tn");
  ASSERT_FALSE(page.empty());
  ASSERT_FALSE(prelude.empty());
  EXPECT_TRUE(BuiltinsPage(page, prelude) == page) << "run update_docs";
}

TEST(BuiltinsPage, EveryGroupHasRows) {
  const std::string prelude = ReadFile(TERN_SOURCE_DIR "/core/lang/prelude.tn");
  for (std::string_view group : BuiltinGroups())
    EXPECT_NE(BuiltinsTable(group, prelude).find("| `"), std::string::npos) << group;
}

TEST(BuiltinsPage, NeedsEveryMark) { EXPECT_EQ(BuiltinsPage("no marks", ""), ""); }

}  // namespace
}  // namespace tern::gen::builtins_page_test
