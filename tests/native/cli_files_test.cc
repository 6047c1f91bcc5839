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
using testing::TernCommand;

constexpr std::string_view kProgram =
    ".func @main(x: f32[n]) -> f32[n]\n  call  add in: %0, %0 dst: %1\n  ret   ret %1\n";

TEST(CliFiles, OutputGoesToADevice) {
  const ScratchFolder folder;
  const std::string program = folder.Write("a.tasm", kProgram);
  EXPECT_EQ(RunCommand(StrCat(TernCommand(), " asm ", program, " -o /dev/null")).exit_code, 0);
  EXPECT_EQ(RunCommand("test -c /dev/null").exit_code, 0);
}

TEST(CliFiles, JsonOfOutputsIsWhole) {
  const ScratchFolder folder;
  const std::string program = folder.Write("a.tasm", kProgram);
  const CommandResult run =
      RunCommand(StrCat(TernCommand(), " run ", program, " -i f32[2]:1,2 --format json"));
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_TRUE(run.output.starts_with("{\"schema\":1,\"outputs\":[{\"name\":")) << run.output;
  EXPECT_TRUE(run.output.ends_with("}]}\n")) << run.output;
}

TEST(CliFiles, OutputThatIsTheInputIsRefused) {
  const ScratchFolder folder;
  const std::string program = folder.Write("a.tasm", kProgram);
  for (const char* verb : {" asm ", " dis ", " compile "}) {
    const CommandResult run = RunCommand(StrCat(TernCommand(), verb, program, " -o ", program));
    EXPECT_EQ(run.exit_code, 2) << verb;
    EXPECT_NE(run.output.find("error[E0003]: the output"), std::string::npos) << run.output;
  }
  const CommandResult run =
      RunCommand(StrCat(TernCommand(), " run ", program, " -i f32[2]:1,2 --output @", program));
  EXPECT_EQ(run.exit_code, 2) << run.output;
}

TEST(CliFiles, OutputOverAnInputTensorIsRefused) {
  const ScratchFolder folder;
  const std::string program = folder.Write("a.tasm", kProgram), x = folder.Path("x.npy");
  const std::string run = StrCat(TernCommand(), " run ", program, " --quiet -i ");
  ASSERT_EQ(RunCommand(StrCat(run, "f32[2]:1,2 --output @", x)).exit_code, 0);
  EXPECT_EQ(RunCommand(StrCat(run, "x=@", x, " --output @", x)).exit_code, 2);
  EXPECT_EQ(RunCommand(StrCat(run, "x=@", x, " --output @", folder.Path("y.npy"))).exit_code, 0);
}

// --- limits

constexpr std::string_view kGrowing = R"(
type Tree { Leaf, Node(Tree, Tree) }
fn twice(s: string, n: int) -> string { if n == 0 { s } else { twice(s + s, n - 1) } }
fn build(n: int) -> Tree { if n == 0 { Leaf } else { Node(build(n - 1), build(n - 1)) } }
fn text(n: int) -> int { length(twice("abcd", n)) }
fn tree(n: int) -> int { match build(n) { Leaf => 0, Node(_, _) => 1 } }
fn list(n: int) -> int { length(for i in 0..n with (l: List[int] = []) { append(l, i) }) }
fn numbers(n: int) -> int { length(0..n) }
)";

void ExpectOutOfMemory(const std::string& command) {
  const CommandResult run = RunCommand(command);
  EXPECT_EQ(run.exit_code, 4) << command << "\n" << run.output;
  EXPECT_NE(run.output.find("error[E0302]: no memory"), std::string::npos) << run.output;
}

TEST(CliFilesBad, ValuesOfEveryKindAreHeldToMaxMemory) {
  const ScratchFolder folder;
  const std::string run =
      StrCat(TernCommand(), " run ", folder.Write("a.tn", kGrowing), " --max-memory 1MB -f ");
  for (const char* function : {"text", "tree", "list", "numbers"})
    EXPECT_EQ(RunCommand(StrCat(run, function, " -i 10")).exit_code, 0) << function;
  for (const char* call : {"text -i 20", "tree -i 20", "list -i 10000000", "numbers -i 10000000"})
    ExpectOutOfMemory(StrCat(run, call));
}

#if !defined(__has_feature) || !__has_feature(address_sanitizer)  // whose shadow no limit fits
// What the shell leaves is the limit of a run that has none.
TEST(CliFilesBad, MemoryThatTheShellDoesNotGive) {
  const ScratchFolder folder;
  const std::string run = StrCat("ulimit -v 300000; ", TernCommand(), " run ",
                                 folder.Write("a.tn", kGrowing), " --max-depth 100 -f ");
  for (const char* call : {"tree -i 40", "list -i 200000000", "numbers -i 200000000"})
    ExpectOutOfMemory(StrCat(run, call));
}

// Asked for before it is written: what a system promises and does not have ends the process.
TEST(CliFilesBad, InputsThatTheProcessCannotHold) {
  const ScratchFolder folder;
  const std::string run =
      StrCat("ulimit -v 300000; ", TernCommand(), " run ",
             folder.Write("a.tn", "fn main(x: f32[n]) -> f32[n] { x }"),
             " --fill -q --output output0=@", folder.Path("y.npy"), " --dim n=");
  EXPECT_EQ(RunCommand(StrCat(run, "10000")).exit_code, 0);
  const CommandResult refused = RunCommand(StrCat(run, "50000000"));
  EXPECT_EQ(refused.exit_code, 4) << refused.output;
  EXPECT_NE(refused.output.find("error[E0302]: f32[50000000] takes 190.7 MiB, twice, as it is read "
                                "and as a tensor; this process may have "),
            std::string::npos)
      << refused.output;
}
#endif

// --- outputs in files

constexpr std::string_view kResults = R"(
fn pair(x: f32[n]) -> (f32[n], List[string]) { (x, ["a", "b"]) }
fn list(x: f32[n]) -> List[f32[n]] { [x, x + x] }
fn tensor(x: f32[n]) -> f32[n] { x }
fn table(x: f32[n]) -> Map[string, f32[n]] { {"one": x, "two": x + x} }
)";

std::string FileText(const std::string& path) { return RunCommand(StrCat("cat ", path)).output; }

TEST(CliFiles, OutputsOfEveryKindAreWritten) {
  const ScratchFolder folder;
  const std::string run =
      StrCat(TernCommand(), " run ", folder.Write("a.tn", kResults), " -q -i x=f32[2]:1,2 -f ");
  const std::string json = folder.Path("a.json"), npz = folder.Path("a.npz");
  ASSERT_EQ(RunCommand(StrCat(run, "pair --output output1=@", json)).exit_code, 0);
  EXPECT_TRUE(
      FileText(json).starts_with("{\"schema\":1,\"name\":\"output1\",\"value\":{\"kind\":"
                                 "\"list\""))
      << FileText(json);
  for (const char* function : {"list", "tensor", "table"}) {
    const CommandResult written = RunCommand(StrCat(run, function, " --output @", npz));
    ASSERT_EQ(written.exit_code, 0) << function << "\n" << written.output;
    EXPECT_TRUE(FileText(npz).starts_with("PK\3\4")) << function;
    EXPECT_EQ(RunCommand(StrCat(run, function, " --expect @", npz)).exit_code, 0) << function;
  }
  const CommandResult other = RunCommand(StrCat(run, "list --expect @", npz));
  EXPECT_EQ(other.exit_code, 3) << other.output;
}

TEST(CliFiles, ABundleThatWasWrittenIsAnInput) {
  const ScratchFolder folder;
  const std::string program = folder.Write("a.tasm",
                                           ".func @main(x: f32[n]) -> x: f32[n]\n"
                                           "  ret   ret %0\n"),
                    npz = folder.Path("x.npz");
  const std::string run = StrCat(TernCommand(), " run ", program);
  ASSERT_EQ(RunCommand(StrCat(run, " -q -i x=f32[3]:1,2,3 --output x=@", npz)).exit_code, 0);
  EXPECT_EQ(RunCommand(StrCat(run, " -i @", npz)).output, "x: f32[3] [1, 2, 3]\n");
}

// --- records of runs

TEST(CliFiles, AnInterruptedRunLeavesItsRecord) {
  const ScratchFolder folder;
  const std::string program = folder.Write("a.tasm",
                                           ".func @main()\nagain:\n  goto on\non:\n"
                                           "  goto again\n"),
                    trace = folder.Path("a.terntrace");
  // On a busy machine the signal may come before the program has asked for it, which ends it (130).
  // In the background, timeout would send it to the whole group, too, and a second one ends it.
  CommandResult run;
  for (const int seconds : {1, 5, 20}) {
    run = RunCommand(StrCat("timeout --foreground --preserve-status -s INT ", seconds, " ",
                            TernCommand(), " run ", program, " --trace ", trace));
    if (run.exit_code != 130) break;
  }
  EXPECT_EQ(run.exit_code, 4) << run.output;
  EXPECT_NE(run.output.find("stopped[S0302]"), std::string::npos) << run.output;
  EXPECT_EQ(RunCommand(StrCat(TernCommand(), " trace ", trace)).exit_code, 0);
}

// --- standard input

constexpr std::string_view kSource = "fn main(n: int) -> int { n + 1 }\n";

TEST(CliFiles, EveryKindOfProgramComesFromStandardInput) {
  const ScratchFolder folder;
  const std::string text = folder.Write("a.tasm", kProgram), source = folder.Write("a.tn", kSource),
                    file = folder.Path("a.tern");
  ASSERT_EQ(RunCommand(StrCat(TernCommand(), " asm ", text, " -o ", file)).exit_code, 0);
  for (const std::string& program : {text, file}) {
    for (const char* words : {" run - -i f32[2]:1,2", " inspect -", " dis -", " check -"}) {
      const CommandResult run = RunCommand(StrCat(TernCommand(), words, " < ", program));
      EXPECT_EQ(run.exit_code, 0) << words << " < " << program << "\n" << run.output;
    }
  }
  for (const char* words : {" run - -i n=1", " inspect -", " dis -", " check -", " lower -",
                            " fmt -", " bench - -i n=1", " profile - -i n=1", " compile - -o -"}) {
    // As a pipe, which cannot be mapped.
    const CommandResult run = RunCommand(StrCat("cat ", source, " | ", TernCommand(), words));
    EXPECT_EQ(run.exit_code, 0) << words << "\n" << run.output;
  }
}

TEST(CliFiles, StandardInputHasOneReader) {
  const ScratchFolder folder;
  const std::string program = folder.Write("a.tasm", kProgram), x = folder.Path("x.npy");
  ASSERT_EQ(
      RunCommand(StrCat(TernCommand(), " run ", program, " -i f32[2]:1,2 --output @", x)).exit_code,
      0);
  const CommandResult run =
      RunCommand(StrCat("cat ", program, " | ", TernCommand(), " run - -i x=@-"));
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.output.find("E0007"), std::string::npos) << run.output;
  EXPECT_EQ(RunCommand(StrCat(TernCommand(), " run ", program, " -i x=@- < ", x)).exit_code, 0);
}

TEST(CliFiles, WhatIsCompiledFromStandardInputNeedsAName) {
  const ScratchFolder folder;
  const std::string source = folder.Write("a.tn", kSource);
  const CommandResult run =
      RunCommand(StrCat("cd ", folder.Path("."), " && ", TernCommand(), " compile - < ", source));
  EXPECT_EQ(run.exit_code, 2) << run.output;
  EXPECT_NE(RunCommand(StrCat("ls ", folder.Path("-.tern"))).exit_code, 0);
}

// What is asked for by the name '-' has standard output to itself.
TEST(CliFiles, AFileOnStandardOutputIsAlone) {
  const ScratchFolder folder;
  const std::string program = folder.Write("a.tasm", kProgram);
  const std::string run = StrCat("run ", program, " -i f32[2]:1,2 --output @");
  // Each with the file as the other name for its output.
  const std::string pairs[][2] = {
      {StrCat("convert ", program, " - --to tern"), StrCat("convert ", program, " OUT --to tern")},
      {StrCat("convert ", program, " - --to pbtxt --format json"),
       StrCat("convert ", program, " OUT --to pbtxt")},
      {StrCat("asm ", program, " -o -"), StrCat("asm ", program, " -o OUT")},
      {StrCat("dis ", program, " -o -"), StrCat("dis ", program, " -o OUT")},
      {StrCat("inspect ", program, " --svg -"), StrCat("inspect ", program, " --svg OUT")},
      {run + "-", run + "OUT"},
  };
  for (const auto& [to_output, to_file] : pairs) {
    const std::string file = folder.Path("out"), output = folder.Path("output");
    std::string words = to_file;
    words.replace(words.find("OUT"), 3, file);
    ASSERT_EQ(RunCommand(StrCat(TernCommand(), " ", words)).exit_code, 0) << words;
    ASSERT_EQ(RunCommand(StrCat(TernCommand(), " ", to_output, " > ", output)).exit_code, 0);
    EXPECT_EQ(RunCommand(StrCat("cmp ", file, " ", output)).output, "") << to_output;
    const CommandResult full = RunCommand(StrCat(TernCommand(), " ", to_output, " >/dev/full"));
    EXPECT_EQ(full.exit_code, 5) << to_output;
    EXPECT_NE(full.output.find("cannot write to standard output: "), std::string::npos)
        << full.output;
  }
}

TEST(CliFiles, StandardOutputIsRefusedWhereItCannotBe) {
  const ScratchFolder folder;
  const std::string program = folder.Write("a.tasm", kProgram);
  const std::string cases[][2] = {
      {StrCat("reduce ", program, " --check true -o -"), "--out wants a file, not '-'"},
      {"man --all -", "which '-' cannot be"},
      {StrCat("run ", program, " -i f32[2]:1,2 --output @- --trace -"),
       "one file alone can go to standard output"},
  };
  for (const auto& [words, reason] : cases) {
    const CommandResult result =
        RunCommand(StrCat("cd ", folder.Path("."), " && ", TernCommand(), " ", words));
    EXPECT_EQ(result.exit_code, 2) << words;
    EXPECT_NE(result.output.find(reason), std::string::npos) << result.output;
  }
  EXPECT_EQ(RunCommand(StrCat("ls -A ", folder.Path("."))).output, "a.tasm\n");
}

// A status that nobody sees is no status: each verb that prints.
TEST(CliFiles, AFullOutputIsAnError) {
  const ScratchFolder folder;
  const std::string program = folder.Write("a.tasm", kProgram);
  for (const std::string& words :
       {std::string("info"), std::string("--help"), std::string("--version"),
        std::string("explain E0203"), StrCat("inspect ", program), StrCat("dis ", program),
        StrCat("run ", program, " -i f32[2]:1,2")}) {
    EXPECT_EQ(RunCommand(StrCat(TernCommand(), " ", words, " >/dev/full")).exit_code, 5) << words;
    EXPECT_EQ(RunCommand(StrCat(TernCommand(), " ", words, " >&-")).exit_code, 5) << words;
  }
}

}  // namespace
}  // namespace tern::cli::cli_files_test
