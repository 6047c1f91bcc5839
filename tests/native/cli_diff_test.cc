// SPDX-License-Identifier: Apache-2.0
// What `tern diff` and `tern replay` find, as the program: where a golden file's one exit code for
// all commands is not enough.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

#include "core/base/strings.h"
#include "tests/support/commands.h"

namespace tern::cli::cli_diff_test {
namespace {

using testing::CommandResult;
using testing::RunCommand;
using testing::ScratchFolder;
using testing::TernCommand;

constexpr std::string_view kDouble = "fn main(x: f32[n]) -> f32[n] { exp(x) * 2.0 }\n";
constexpr std::string_view kTriple = "fn main(x: f32[n]) -> f32[n] { exp(x) * 3.0 }\n";
constexpr std::string_view kNumbers = " -i x=f32[20]:arange ";

void ExpectRun(const std::string& arguments, int exit_code, std::string_view text) {
  const CommandResult run = RunCommand(StrCat(TernCommand(), " ", arguments));
  EXPECT_EQ(run.exit_code, exit_code) << arguments << "\n" << run.output;
  EXPECT_NE(run.output.find(text), std::string::npos) << arguments << "\n" << run.output;
}

// Two programs and the records of their runs.
class CliDiff : public ::testing::Test {
 protected:
  void SetUp() override {
    a_ = folder_.Write("a.tn", kDouble);
    b_ = folder_.Write("b.tn", kTriple);
    record_ = folder_.Path("a.terntrace");
    ExpectRun(StrCat("run ", a_, kNumbers, "-q --trace ", record_), 0, "");
  }
  ScratchFolder folder_;
  std::string a_, b_, record_;
};

TEST_F(CliDiff, AProgramIsTheSameAsItself) {
  ExpectRun(StrCat("diff ", a_, " ", a_), 0, "are the same");
  EXPECT_EQ(RunCommand(StrCat(TernCommand(), " diff -q ", a_, " ", a_)).output, "");
}

TEST_F(CliDiff, ProgramsDifferInAConstant) {
  ExpectRun(StrCat("diff ", a_, " ", b_), 3, "error[M0103]");
  ExpectRun(StrCat("diff ", a_, " ", b_), 3, "worst [] = 2 against 3 (4194304 ulp)");
  ExpectRun(StrCat("diff --format json ", a_, " ", b_), 3, "\"kind\":\"program\"");
}

TEST_F(CliDiff, InstructionsAreComparedWhateverTheirNumber) {
  const std::string one = folder_.Write("one.tasm",
                                        ".func @main(x: f32[n])\n  call exp in: %0 dst: %1\n"
                                        "  call exp in: %1 dst: %1\n  ret ret %1\n");
  const std::string two = folder_.Write("two.tasm",
                                        ".func @main(x: f32[n])\n  call exp in: %0 dst: %1\n"
                                        "  call tanh in: %1 dst: %1\n  call exp in: %1 dst: %1\n"
                                        "  ret ret %1\n");
  ExpectRun(StrCat("diff ", one, " ", two), 3, "instruction @main:1\n  + call tanh");
}

TEST_F(CliDiff, RunsDifferAtAStepATensorAndAnElement) {
  const CommandResult run = RunCommand(StrCat(TernCommand(), " diff ", a_, " ", b_, kNumbers));
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_NE(run.output.find("output0: 20 of 20 elements differ, first [0]"), std::string::npos)
      << run.output;
  EXPECT_NE(run.output.find("gives %0 x another value"), std::string::npos) << run.output;
  ExpectRun(StrCat("diff --run --dim n=3 --rtol 0.6 ", a_, " ", b_), 0, "are the same");
  ExpectRun(StrCat("diff --fill --dim n=3 --max-ulp 9000000 ", a_, " ", b_), 0, "are the same");
}

TEST_F(CliDiff, ElementsBehindThoseOfTheTextAreSeen) {
  // The text of a value has 8 elements; these differ in the last of 9.
  for (const char* last : {"9", "10"}) {
    const std::string record = folder_.Path(StrCat(last, ".terntrace"));
    ExpectRun(StrCat("run ", a_, " -i x=f32[9]:1,2,3,4,5,6,7,8,", last, " -q --trace ", record), 0,
              "");
  }
  ExpectRun(StrCat("diff ", folder_.Path("9.terntrace"), " ", folder_.Path("10.terntrace")), 3,
            "the elements shown are the same, others differ");
}

TEST_F(CliDiff, ArraysAreComparedByUlp) {
  const std::string y = folder_.Path("y.npy"), z = folder_.Path("z.npy");
  ExpectRun(StrCat("run ", a_, kNumbers, "-q --output @", y), 0, "");
  ExpectRun(StrCat("run ", b_, kNumbers, "-q --output @", z), 0, "");
  ExpectRun(StrCat("diff ", y, " ", y), 0, "1 array is the same");
  ExpectRun(StrCat("diff ", y, " ", z), 3, "20 of 20 elements differ");
  ExpectRun(StrCat("diff ", y, " ", a_), 2, "error[E0003]");
}

TEST_F(CliDiff, ProfilesDifferInWhatRanNotInTime) {
  const std::string profile = folder_.Path("a.json");
  ExpectRun(StrCat("profile ", a_, kNumbers, "--format json > ", profile), 0, "");
  ExpectRun(StrCat("diff ", profile, " ", profile), 0, "exp: 1 calls");
  ExpectRun(StrCat("diff ", profile, " ", folder_.Write("b.json", "{\"operators\":3}")), 5,
            "error[E0502]");
}

TEST_F(CliDiff, DamagedRecordsAreRefused) {
  ExpectRun(StrCat("diff ", record_, " ", folder_.Write("b.terntrace", "TERNTRC1 and no more")), 1,
            "error[E0305]");
  ExpectRun(StrCat("diff ", record_, " ", folder_.Path("none.terntrace")), 5, "error[E0101]");
  ExpectRun(StrCat("diff --run ", record_, " ", record_), 2, "error[E0003]");
}

TEST_F(CliDiff, AReplayNeedsNoInputs) {
  ExpectRun(StrCat("replay ", record_, " ", a_), 0, "5 steps are as they were recorded");
  ExpectRun(StrCat("replay ", record_, " ", a_, " --until 2"), 0, "step 2 of 2");
  EXPECT_EQ(RunCommand(StrCat(TernCommand(), " replay -q ", record_, " ", a_)).output, "");
  // In the other order, as `tern play` takes them.
  ExpectRun(StrCat("replay ", a_, " ", record_), 0, "5 steps are as they were recorded");
}

TEST_F(CliDiff, AReplayFindsTheStepThatChanged) {
  ExpectRun(StrCat("replay ", record_, " ", b_), 3, "error[M0104]");
  ExpectRun(StrCat("replay ", record_, " ", b_), 3, "step 2, @main.fused_exp_mul:1, gives %0 x");
  ExpectRun(StrCat("replay ", record_, " ", b_, " --until 1 --format json"), 0, "\"equal\":true");
  ExpectRun(StrCat("replay ", record_, " ", a_, " -i x=f32[20]:zeros"), 3,
            "the states differ in which they begin");
}

TEST_F(CliDiff, AReplayRefusesStepsAndProgramsThatAreNot) {
  ExpectRun(StrCat("replay ", record_, " ", a_, " --until 99"), 2, "the steps 0 to 5");
  ExpectRun(StrCat("replay ", a_, " ", a_), 1, StrCat("error[E0305]: '", a_, "': not a readable"));
  ExpectRun(StrCat("replay ", record_, " ", record_), 1, "error[E0401]");
  ExpectRun(StrCat("replay ", record_, " ", folder_.Path("none.tn")), 5, "error[E0101]");
}

}  // namespace
}  // namespace tern::cli::cli_diff_test
