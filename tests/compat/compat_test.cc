// SPDX-License-Identifier: Apache-2.0
// Files written by earlier versions: they load, say what they said then, and run. Never rewritten;
// each release that changes the format adds its own (vm_tool save FILE.tasm FILE.tern).
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "core/vm/disassembler.h"
#include "core/vm/reader.h"
#include "core/vm/writer.h"
#include "tests/support/vm_file.h"

namespace tern::vm {
namespace {

std::string ReadFile(const std::string& name) {
  std::string out;
  const std::string path = std::string(TERN_SOURCE_DIR "/tests/compat/") + name;
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return out;
  char buffer[4096];
  for (size_t n; (n = std::fread(buffer, 1, sizeof(buffer), file)) > 0;) out.append(buffer, n);
  std::fclose(file);
  return out;
}

class Compat : public testing::TestWithParam<const char*> {};

TEST_P(Compat, LoadsAndRuns) {
  const std::string bytes = ReadFile(std::string(GetParam()) + ".tern");
  ASSERT_FALSE(bytes.empty());
  const Result<ExecutablePtr> executable =
      ReadExecutable(AsBytes(bytes), nullptr, {.checks = ConstantChecks::kAlways});
  ASSERT_TRUE(executable.ok()) << executable.status().ToString();
  EXPECT_EQ(Disassemble(**executable), ReadFile(std::string(GetParam()) + ".txt"));
  EXPECT_EQ(support::Exercise(AsBytes(bytes)), 2);
}

INSTANTIATE_TEST_SUITE_P(V1, Compat, testing::Values("1.0-control", "1.0-memory"),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name) {
                             if (c == '.' || c == '-') c = '_';
                           }
                           return name;
                         });

TEST(CompatFolder, MissingFilesWouldShow) { EXPECT_TRUE(ReadFile("no-such-file.tern").empty()); }

}  // namespace
}  // namespace tern::vm
