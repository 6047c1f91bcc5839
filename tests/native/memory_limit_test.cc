// SPDX-License-Identifier: Apache-2.0
#include "native/platform/memory_limit.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace tern::native::memory_limit_test {
namespace {

// A tree of control groups with limits, and none elsewhere.
class ControlGroups : public testing::Test {
 protected:
  ControlGroups() {
    char name[] = "/tmp/tern-groups-XXXXXX";
    root_ = mkdtemp(name);
  }
  ~ControlGroups() override { std::filesystem::remove_all(root_); }
  void Limit(const std::string& group, const std::string& file, const std::string& text) {
    std::filesystem::create_directories(root_ + group);
    std::ofstream(root_ + group + "/" + file) << text << "\n";
  }
  std::string root_;
};

TEST_F(ControlGroups, TheLeastAroundTheProcessCounts) {
  Limit("/user/session", "memory.max", "max");
  Limit("/user", "memory.max", "8000000");
  Limit("", "memory.max", "9000000");
  Limit("/other", "memory.max", "10");
  EXPECT_EQ(ControlGroupLimit("0::/user/session\n", root_), 8'000'000u);
  EXPECT_EQ(ControlGroupLimit("0::/\n", root_), 9'000'000u);
}

TEST_F(ControlGroups, VersionOne) {
  Limit("/memory/job", "memory.limit_in_bytes", "5000");
  Limit("/memory", "memory.limit_in_bytes", "9223372036854771712");
  EXPECT_EQ(ControlGroupLimit("12:cpu,cpuacct:/job\n7:memory:/job\n0::/job\n", root_), 5000u);
}

TEST_F(ControlGroups, BadTextIsNoLimit) {
  Limit("/job", "memory.max", "many");
  for (const char* text : {"", "\n", "0:", "0::", "0::/job", "0::/none/of/these", "a:b:c:d\n::\n"})
    EXPECT_EQ(ControlGroupLimit(text, root_), UINT64_MAX) << text;
}

TEST(DefaultMemoryLimit, LeavesSomeOfWhatCanBeHad) {
  const uint64_t most = ObtainableBytes();
  ASSERT_NE(most, UINT64_MAX);
  EXPECT_GT(DefaultMemoryLimit(), most / 2);
  EXPECT_LT(DefaultMemoryLimit(), most);
}

}  // namespace
}  // namespace tern::native::memory_limit_test
