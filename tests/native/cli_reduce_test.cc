// SPDX-License-Identifier: Apache-2.0
// What `tern reduce` leaves of programs and models, as the program.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

#include "core/base/strings.h"
#include "native/cli/minimize.h"
#include "native/cli/onnx_graph.h"
#include "native/cli/reduce_model.h"
#include "native/cli/reduce_text.h"
#include "tests/support/commands.h"
#include "tests/support/onnx_writer.h"
#include "tests/support/read_file.h"

namespace tern::cli::cli_reduce_test {
namespace {

using testing::CommandResult;
using testing::RunCommand;
using testing::ScratchFolder;
using testing::TernCommand;

std::string Digits() {
  return ReadFile(StrCat(TERN_SOURCE_DIR, "/tests/models/digits/model.onnx"));
}

TEST(Minimize, KeepsWhatIsNeededAndNothingElse) {
  const auto kept = MinimizeList(100, [](const std::vector<size_t>& subset) {
    const std::set<size_t> has(subset.begin(), subset.end());
    return has.count(3) > 0 && has.count(57) > 0;
  });
  EXPECT_EQ(kept, (std::vector<size_t>{3, 57}));
}

TEST(Minimize, KeepsAllWhereNothingCanGo) {
  EXPECT_EQ(MinimizeList(3, [](const auto&) { return false; }).size(), 3u);
  EXPECT_TRUE(MinimizeList(3, [](const auto&) { return true; }).empty());
  EXPECT_TRUE(MinimizeList(0, [](const auto&) { return true; }).empty());
}

TEST(ReduceText, LeavesTheLineThatIsNeeded) {
  const std::string text = "fn f() -> int {\n  1\n}\nfn g() -> int {\n  if true {\n    2\n  }\n}\n";
  EXPECT_EQ(ReduceText(
                text, [](std::string_view t) { return t.find("    2") != std::string_view::npos; }),
            "    2\n");
}

TEST(OnnxGraph, IsTheSameModelAgain) {
  const std::string model = Digits();
  const Result<OnnxGraph> graph = ParseGraph(model);
  ASSERT_TRUE(graph.ok()) << graph.status().ToString();
  const std::string once = graph->Serialize();
  const Result<OnnxGraph> again = ParseGraph(once);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->Serialize(), once);
  EXPECT_EQ(again->nodes.size(), graph->nodes.size());
  EXPECT_EQ(once.size(), model.size());
}

TEST(OnnxGraph, EveryCutOfAModelIsReadOrRefused) {
  const std::string model = Digits();
  for (size_t size = 0; size < model.size(); size += 97) {
    const Result<OnnxGraph> graph = ParseGraph(std::string_view(model).substr(0, size));
    if (graph.ok()) graph->Serialize();
  }
}

// The reader of core/onnx takes what libprotobuf takes, groups too, which ONNX does not have.
TEST(OnnxGraph, KeepsGroupsThatItDoesNotKnow) {
  test::ProtoWriter node, graph, model;
  node.Text(1, "x").Text(2, "y").Text(4, "Relu");
  graph.Message(1, node).Tag(41, 3).Int(1, 7).Tag(41, 4);
  model.Int(1, 8).Message(7, graph).Tag(42, 3).Text(2, "kept").Tag(42, 4);
  const Result<OnnxGraph> read = ParseGraph(model.bytes());
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  ASSERT_EQ(read->nodes.size(), 1u);
  EXPECT_EQ(read->nodes[0].op, "Relu");
  EXPECT_EQ(read->Serialize().size(), model.bytes().size());
}

TEST(OnnxGraph, RefusesWhatIsNoMessage) {
  test::ProtoWriter open, crossed, unknown, zero;
  open.Int(1, 8).Tag(42, 3).Int(1, 7);
  crossed.Tag(42, 3).Tag(43, 4);
  unknown.Tag(1, 6);
  zero.Int(0, 1);
  for (const test::ProtoWriter& bytes : {open, crossed, unknown, zero}) {
    const Result<OnnxGraph> read = ParseGraph(bytes.bytes());
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.status().error_code(), "E0502");
  }
}

TEST(OnnxGraph, ExtentsAreCutWithTheirData) {
  const std::string model = Digits();
  const Result<OnnxGraph> graph = ParseGraph(model);
  ASSERT_TRUE(graph.ok());
  const std::vector<int64_t> extents = ExtentsOf(*graph);
  ASSERT_FALSE(extents.empty());
  const OnnxGraph smaller = WithExtent(*graph, extents[0], 1);
  EXPECT_LT(smaller.Serialize().size(), graph->Serialize().size());
  for (const int64_t extent : ExtentsOf(smaller)) EXPECT_NE(extent, extents[0]);
}

TEST(ReduceModel, LeavesTheNodeThatIsNeeded) {
  const std::string model = Digits();
  const Result<OnnxGraph> graph = ParseGraph(model);
  ASSERT_TRUE(graph.ok());
  ASSERT_GT(graph->nodes.size(), 2u);
  const std::string op = graph->nodes[1].op;
  const OnnxGraph reduced = ReduceModel(*graph, [&](std::string_view bytes) {
    const Result<OnnxGraph> candidate = ParseGraph(bytes);
    if (!candidate.ok()) return false;
    for (const GraphNode& node : candidate->nodes)
      if (node.op == op) return true;
    return false;
  });
  ASSERT_EQ(reduced.nodes.size(), 1u);
  EXPECT_EQ(reduced.nodes[0].op, op);
}

// --- the verb

constexpr std::string_view kFaulty = R"(fn fine(x: f32[n]) -> f32[n] { exp(x) }
fn wrong(x: f32[n]) -> f32[n] {
  let y = tanh(x);
  missing(y)
}
fn main(x: f32[n]) -> f32[n] { fine(x) }
)";

TEST(CliReduce, KeepsTheFaultOfAProgram) {
  const ScratchFolder folder;
  const std::string program = folder.Write("a.tn", kFaulty), small = folder.Path("small.tn");
  const CommandResult run =
      RunCommand(StrCat(TernCommand(), " reduce ", program, " -o ", small, " --check \"",
                        TernCommand(), " check {} 2>&1 | grep -q 'missing'\""));
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_NE(run.output.find("of 6 lines"), std::string::npos) << run.output;
  const std::string text = ReadFile(small);
  EXPECT_NE(text.find("missing(y)"), std::string::npos) << text;
  EXPECT_EQ(text.find("fine"), std::string::npos) << text;
}

TEST(CliReduce, CutsAModelToOneNode) {
  const ScratchFolder folder;
  const std::string small = folder.Path("small.onnx");
  const CommandResult run = RunCommand(StrCat(
      TernCommand(), " reduce ", testing::Quoted(TERN_SOURCE_DIR "/tests/models/digits/model.onnx"),
      " -o ", small, " --check \"", TernCommand(), " inspect {} | grep -q Conv\" --format json"));
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_NE(run.output.find("\"unit\":\"nodes\""), std::string::npos) << run.output;
  EXPECT_NE(run.output.find("\"parts\":1}"), std::string::npos) << run.output;
}

TEST(CliReduce, RefusesACheckThatDoesNotHold) {
  const ScratchFolder folder;
  const std::string program = folder.Write("a.tn", kFaulty);
  const CommandResult run =
      RunCommand(StrCat(TernCommand(), " reduce ", program, " --check false"));
  EXPECT_EQ(run.exit_code, 2) << run.output;
  EXPECT_NE(run.output.find("error[E0014]"), std::string::npos) << run.output;
  EXPECT_EQ(RunCommand(StrCat("test -e ", folder.Path("a.reduced.tn"))).exit_code, 1);
}

TEST(CliReduce, EndsAtItsLimitsWithWhatItHas) {
  const ScratchFolder folder;
  const std::string program = folder.Write("a.tn", kFaulty);
  const CommandResult run =
      RunCommand(StrCat(TernCommand(), " reduce ", program, " --max-checks 3 --check true"));
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_NE(run.output.find("ended by --max-checks 3"), std::string::npos) << run.output;
  const CommandResult slow =
      RunCommand(StrCat(TernCommand(), " reduce ", program, " --check-time 1 --check 'sleep 60'"));
  EXPECT_EQ(slow.exit_code, 2) << slow.output;
}

TEST(CliReduce, RefusesWhatItCannotReduce) {
  const ScratchFolder folder;
  const std::string model = folder.Write("a.onnx", std::string_view("no model"));
  EXPECT_EQ(RunCommand(StrCat(TernCommand(), " reduce ", model, " --check true")).exit_code, 5);
  EXPECT_EQ(RunCommand(StrCat(TernCommand(), " reduce - --check true < ", model)).exit_code, 2);
  EXPECT_EQ(RunCommand(StrCat(TernCommand(), " reduce ", model, " -o ", model, " --check true"))
                .exit_code,
            2);
}

}  // namespace
}  // namespace tern::cli::cli_reduce_test
