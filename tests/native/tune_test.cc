// SPDX-License-Identifier: Apache-2.0
// E20: searches with costs that are real, kept small.
#include "native/tune/tune_loops.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/strings.h"
#include "native/jit/llvm_compiler.h"
#include "native/tune/mca.h"
#include "native/tune/run_program.h"
#include "tests/support/commands.h"
#include "tests/support/read_file.h"

namespace tern::native::tune_test {
namespace {

constexpr std::string_view kAdd =
    "te add<n>(A: float32[n], B: float32[n]) -> (C: float32[n]) { compute C[i] = A[i] + B[i] }";

TuneRequest Request() {
  TuneRequest request;
  request.file_name = "add.tloop";
  request.text = kAdd;
  request.trials = 6;
  request.n = 512;
  return request;
}

class TuneTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!LlvmDescription().ok()) GTEST_SKIP() << "there is no LLVM here";
  }
};

TEST_F(TuneTest, E20HereByTheClock) {
  const testing::ScratchFolder folder;
  TuneRequest request = Request();
  request.log_path = folder.Path("add.log");
  const Result<TuneOutcome> outcome = TuneLoops(request);
  ASSERT_TRUE(outcome.ok()) << outcome.status().ToString();
  EXPECT_EQ(outcome->function, "add");
  EXPECT_EQ(outcome->measured, 6);
  EXPECT_LE(outcome->ratio, 1);
  EXPECT_TRUE(outcome->text.starts_with("te add<n>("));
  const std::string log = ReadFile(request.log_path);
  EXPECT_EQ(StrSplit(log, '\n').size(), 7u) << log;
  // Interrupted: the last line cut off, the one before whole.
  folder.Write("add.log", log.substr(0, log.size() - 9));
  const Result<TuneOutcome> again = TuneLoops(request);
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ(again->resumed, 5);
  EXPECT_EQ(StrSplit(ReadFile(request.log_path), '\n').size(), 7u);
  EXPECT_EQ(TuneLoops(request)->resumed, 6);
}

TEST_F(TuneTest, E20ElsewhereByCycles) {
  if (!testing::HaveCommand("llvm-mca-19") && !testing::HaveCommand("llvm-mca"))
    GTEST_SKIP() << "there is no llvm-mca here";
  TuneRequest request = Request();
  request.target = "neoverse-v1";
  request.trials = 6;
  const Result<TuneOutcome> outcome = TuneLoops(request);
  ASSERT_TRUE(outcome.ok()) << outcome.status().ToString();
  // As written it is not vectorized, which LLVM then does itself, or not as well.
  EXPECT_LE(outcome->ratio, 1);
  EXPECT_EQ(TuneLoops(request)->schedule, outcome->schedule);
}

TEST_F(TuneTest, BadRequestsAreRefused) {
  TuneRequest request = Request();
  request.target = "neoverse-v9";
  EXPECT_EQ(TuneLoops(request).status().message(),
            "cannot tune for 'neoverse-v9'; there are host, neoverse-v1, neoverse-v2");
  request = Request();
  request.dims = {{"m", 3}};
  EXPECT_EQ(TuneLoops(request).status().message(), "'add' has no size 'm'");
  request = Request();
  request.function = "sub";
  EXPECT_EQ(TuneLoops(request).status().error_code(), "E0528");
  request = Request();
  request.n = int64_t{1} << 40;  // more memory than there is
  EXPECT_FALSE(TuneLoops(request).ok());
  const testing::ScratchFolder folder;
  request = Request();
  request.log_path = folder.Write("bad.log", "{}\n");
  EXPECT_EQ(TuneLoops(request).status().error_code(), "E0529");
  request.log_path = folder.Path("nowhere/add.log");
  EXPECT_FALSE(TuneLoops(request).ok());
}

TEST(McaTest, InnerLoopsAreFoundByWhatTheyLoad) {
  const std::string assembly =
      "f:\n\tmov\tx8, xzr\n.LBB0_1:\n\tldr\td0, [x0]\n\tb.lt\t.LBB0_1\n"
      ".LBB0_2:\n\tld1w\t{ z0.s }, p0/z, [x0]\n\tldr\tz1, [x1]\n\tld1sb\t{ z2.s }, p0/z, [x2]\n"
      "\tld1rw\t{ z3.s }, p0/z, [x3]\n\tldp\tq1, q2, [x4]\n\tb.lt\t.LBB0_2\n.Lfunc_end0:\n";
  const Result<InnerLoop> loop = FindInnerLoop(assembly, "f");
  ASSERT_TRUE(loop.ok()) << loop.status().ToString();
  EXPECT_EQ(loop->instructions, 6);
  EXPECT_EQ(loop->fixed_bytes, 36);
  EXPECT_EQ(loop->scalable_loads, 2.25);
  EXPECT_EQ(loop->LoadedBytes(32), 36 + 72);
  EXPECT_FALSE(FindInnerLoop(assembly, "g").ok());
  EXPECT_FALSE(FindInnerLoop("", "f").ok());
  EXPECT_FALSE(FindInnerLoop("f:\n\tb\t.LBB0_9\n.Lfunc_end0:\n", "f").ok());
}

// TMPDIR as it is in the test, and as it was afterwards.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::string& folder) {
    const char* before = getenv("TMPDIR");
    if (before != nullptr) before_ = before;
    setenv("TMPDIR", folder.c_str(), 1);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    if (before_.has_value())
      setenv("TMPDIR", before_->c_str(), 1);
    else
      unsetenv("TMPDIR");
  }

 private:
  std::optional<std::string> before_;
};

TEST(McaTest, TheFolderOfTemporaryFilesMayHaveAnyName) {
  if (!testing::HaveCommand("llvm-mca-19") && !testing::HaveCommand("llvm-mca"))
    GTEST_SKIP() << "there is no llvm-mca here";
  InnerLoop loop;
  loop.text = "\tldr\td0, [x0]\n\tfadd\td1, d0, d1\n";
  const Result<double> cycles = CyclesOf(loop, "neoverse-v1");
  ASSERT_TRUE(cycles.ok()) << cycles.status().ToString();
  const testing::ScratchFolder scratch;
  for (const char* name : {"a b", "-x", "a;b", "$(exit 1)", "it's", "\"&|*?<>\\`\n"}) {
    const std::string folder = scratch.Path(name);
    ASSERT_TRUE(std::filesystem::create_directory(folder)) << folder;
    const TemporaryFolder chosen(folder);
    const Result<double> there = CyclesOf(loop, "neoverse-v1");
    ASSERT_TRUE(there.ok()) << folder << ": " << there.status().ToString();
    EXPECT_EQ(*there, *cycles) << folder;
    EXPECT_TRUE(std::filesystem::is_empty(folder)) << folder;
  }
  EXPECT_EQ(CyclesOf(loop, "no such processor; echo Total Cycles: 5").status().error_code(),
            "E0804");
}

TEST(RunProgramTest, WhatItReadsAndWrites) {
  const std::string text(300000, 'x');  // more than a pipe holds
  EXPECT_EQ(OutputOf(std::vector<std::string>{"cat"}, text).value(), text);
  EXPECT_EQ(OutputOf(std::vector<std::string>{"echo", "a  b", "$HOME; *"}, "").value(),
            "a  b $HOME; *\n");
  EXPECT_EQ(OutputOf(std::vector<std::string>{"tern no such program"}, text).value(), "");
  EXPECT_EQ(OutputOf(std::vector<std::string>{"false"}, text).value(), "");
}

TEST(RunProgramTest, AFolderThatIsNotThere) {
  const testing::ScratchFolder scratch;
  const TemporaryFolder chosen(scratch.Path("none"));
  const Result<std::string> output = OutputOf(std::vector<std::string>{"cat"}, "text");
  EXPECT_EQ(output.status().error_code(), "E0102");
  EXPECT_NE(output.status().ToString().find(scratch.Path("none")), std::string::npos);
}

}  // namespace
}  // namespace tern::native::tune_test
