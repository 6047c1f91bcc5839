// SPDX-License-Identifier: Apache-2.0
// What `tern` does with the files that it is told to write, as the program.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

#include "core/base/strings.h"
#include "tests/support/commands.h"

namespace tern::cli::cli_files_test {
namespace {

using testing::CommandResult;
using testing::RunCommand;
using testing::ScratchFolder;

constexpr std::string_view kProgram =
    ".func @main(x: f32[n]) -> f32[n]\n  call  add in: %0, %0 dst: %1\n  ret   ret %1\n";

std::string Tern() {
  const char* path = getenv("TERN_CLI");
  return path != nullptr ? path : "build/host/tern";
}

TEST(CliFiles, OutputGoesToADevice) {
  const ScratchFolder folder;
  const std::string program = folder.Write("a.tasm", kProgram);
  EXPECT_EQ(RunCommand(StrCat(Tern(), " asm ", program, " -o /dev/null")).exit_code, 0);
  EXPECT_EQ(RunCommand("test -c /dev/null").exit_code, 0);
}

TEST(CliFiles, JsonOfOutputsIsWhole) {
  const ScratchFolder folder;
  const std::string program = folder.Write("a.tasm", kProgram);
  const CommandResult run =
      RunCommand(StrCat(Tern(), " run ", program, " -i f32[2]:1,2 --format json"));
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_TRUE(run.output.starts_with("{\"outputs\":[{\"name\":")) << run.output;
  EXPECT_TRUE(run.output.ends_with("}]}\n")) << run.output;
}

TEST(CliFiles, OutputThatIsTheInputIsRefused) {
  const ScratchFolder folder;
  const std::string program = folder.Write("a.tasm", kProgram);
  for (const char* verb : {" asm ", " dis ", " compile "}) {
    const CommandResult run = RunCommand(StrCat(Tern(), verb, program, " -o ", program));
    EXPECT_EQ(run.exit_code, 2) << verb;
    EXPECT_NE(run.output.find("error[E0003]: the output"), std::string::npos) << run.output;
  }
  const CommandResult run =
      RunCommand(StrCat(Tern(), " run ", program, " -i f32[2]:1,2 --output @", program));
  EXPECT_EQ(run.exit_code, 2) << run.output;
}

TEST(CliFiles, OutputOverAnInputTensorIsRefused) {
  const ScratchFolder folder;
  const std::string program = folder.Write("a.tasm", kProgram), x = folder.Path("x.npy");
  const std::string run = StrCat(Tern(), " run ", program, " --quiet -i ");
  ASSERT_EQ(RunCommand(StrCat(run, "f32[2]:1,2 --output @", x)).exit_code, 0);
  EXPECT_EQ(RunCommand(StrCat(run, "x=@", x, " --output @", x)).exit_code, 2);
  EXPECT_EQ(RunCommand(StrCat(run, "x=@", x, " --output @", folder.Path("y.npy"))).exit_code, 0);
}

// A status that nobody sees is no status: each verb that prints.
TEST(CliFiles, AFullOutputIsAnError) {
  const ScratchFolder folder;
  const std::string program = folder.Write("a.tasm", kProgram);
  for (const std::string& words :
       {std::string("info"), std::string("--help"), std::string("--version"),
        std::string("explain E0203"), StrCat("inspect ", program), StrCat("dis ", program),
        StrCat("run ", program, " -i f32[2]:1,2")}) {
    EXPECT_EQ(RunCommand(StrCat(Tern(), " ", words, " >/dev/full")).exit_code, 5) << words;
    EXPECT_EQ(RunCommand(StrCat(Tern(), " ", words, " >&-")).exit_code, 5) << words;
  }
}

}  // namespace
}  // namespace tern::cli::cli_files_test
