// SPDX-License-Identifier: Apache-2.0
// Files written by earlier versions: they load, say what they said then (NAME.txt), and give the
// results that they gave then (NAME.runs). C31: the same files on every target. Never rewritten;
// each release that changes the format adds its own (vm_tool save FILE.tasm FILE.tern).
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "core/base/strings.h"
#include "core/object/graph/print.h"
#include "core/vm/file/reader.h"
#include "core/vm/file/writer.h"
#include "core/vm/text/constant_parser.h"
#include "core/vm/text/disassembler.h"
#include "core/vm/vm.h"
#include "tests/support/read_file.h"
#include "tests/support/vm_file.h"

namespace tern::vm::compat_test {
namespace {

std::string ReadCompatFile(const std::string& name) {
  return ReadFile(TERN_SOURCE_DIR "/tests/compat/" + name);
}

class Compat : public testing::TestWithParam<const char*> {
 protected:
  std::string Name(const char* ending) const { return std::string(GetParam()) + ending; }

  ExecutablePtr Load() const {
    bytes_ = ReadCompatFile(Name(".tern"));
    Result<ExecutablePtr> executable =
        ReadExecutable(AsBytes(bytes_), nullptr, {.checks = ConstantChecks::kAlways});
    EXPECT_TRUE(executable.ok()) << executable.status().ToString();
    return executable.ok() ? *executable : nullptr;
  }

  // "function | argument | argument …", arguments as constants in assembly text.
  static Result<Any> Run(VirtualMachine* machine, std::string_view call) {
    std::vector<std::string_view> parts = StrSplit(call, '|');
    std::vector<Any> values;
    for (size_t i = 1; i < parts.size(); ++i) {
      TERN_TRY_ASSIGN(const Constant constant, ParseConstantText(StrTrim(parts[i]), 0));
      values.push_back(constant.value);
    }
    const std::vector<AnyView> args(values.begin(), values.end());
    return machine->Call(StrTrim(parts[0]), args);
  }

  mutable std::string bytes_;
};

TEST_P(Compat, B27_LoadsAndSaysTheSame) {
  const ExecutablePtr executable = Load();
  ASSERT_NE(executable, nullptr);
  EXPECT_EQ(Disassemble(*executable), ReadCompatFile(Name(".txt")));
  EXPECT_EQ(support::Exercise(AsBytes(bytes_)), 2);
}

TEST_P(Compat, C31_GivesTheResultsItGave) {
  const ExecutablePtr executable = Load();
  ASSERT_NE(executable, nullptr);
  LinkOptions link;
  const std::vector<FunctionPtr> functions = support::SampleFunctions();
  link.functions = functions;
  auto machine = VirtualMachine::Create(Program::Link(executable, link).value()).value();
  const std::string runs = ReadCompatFile(Name(".runs"));
  int count = 0;
  for (const std::string_view line : StrSplit(runs, '\n')) {
    const size_t arrow = line.find(" => ");
    if (arrow == std::string_view::npos) continue;
    const Result<Any> result = Run(machine.get(), line.substr(0, arrow));
    EXPECT_EQ(result.ok() ? PrintValue(*result) : result.status().ToString(),
              line.substr(arrow + 4))
        << line;
    ++count;
  }
  EXPECT_GE(count, 3);
}

INSTANTIATE_TEST_SUITE_P(V1, Compat,
                         testing::Values("1.0-constants", "1.0-control", "1.0-founding",
                                         "1.0-kernels", "1.0-memory", "1.1-devices"),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name) {
                             if (c == '.' || c == '-') c = '_';
                           }
                           return name;
                         });

TEST(CompatFolder, MissingFilesWouldShow) {
  EXPECT_TRUE(ReadCompatFile("no-such-file.tern").empty());
}

// What must not load, said with the reason.
TEST(CompatFolder, B27_DamagedFilesAreRefused) {
  const std::string good = ReadCompatFile("1.0-founding.tern");
  ASSERT_GT(good.size(), 200u);
  const auto error = [](const std::string& bytes) {
    const Result<ExecutablePtr> executable = ReadExecutable(AsBytes(bytes), nullptr);
    return executable.ok() ? std::string() : executable.status().ToString();
  };
  EXPECT_EQ(error(good), "");
  std::string bytes = good;
  bytes[8] = 2;  // the major version
  EXPECT_NE(error(bytes), "");
  bytes = good;
  bytes[bytes.size() / 2] ^= 0x10;
  EXPECT_NE(error(bytes), "");
  EXPECT_NE(error(good.substr(0, good.size() - 1)), "");
}

}  // namespace
}  // namespace tern::vm::compat_test
