// SPDX-License-Identifier: Apache-2.0
// Small files that ask for much: each ends in an error, soon, whatever the importer and the
// description of a model do with it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <string>
#include <vector>

#include "core/onnx/describe.h"
#include "core/onnx/read_model.h"
#include "tests/support/rounds.h"
#include "tests/unit/onnx/import_text.h"

namespace tern::test::bombs_test {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr int64_t kOpset = 17;
// Of processor time, because others may share the processor. Far above what any of these takes,
// sanitizers and emulators included, and far below what a square of the nodes would take.
constexpr double kLongestSeconds = 60;

class BombsTest : public testing::Test {
 protected:
  ~BombsTest() override {
    EXPECT_LT(static_cast<double>(std::clock() - begin_) / CLOCKS_PER_SEC, kLongestSeconds);
  }

 private:
  std::clock_t begin_ = std::clock();
};

std::string Name(int64_t i) { return "v" + std::to_string(i); }

// Described from the bytes: the views of the model point into them.
onnx::ModelDescription DescribeBytes(const std::string& bytes) {
  onnx::Model model;
  EXPECT_TRUE(onnx::ReadModel(AsBytes(bytes), &model).ok());
  return onnx::Describe(model);
}

// Relu of the value before, `count` times.
OnnxGraph Chain(int64_t count, bool is_reversed) {
  OnnxGraph graph;
  graph.Input("v0", kOnnxFloat, {2});
  for (int64_t k = 1; k <= count; ++k) {
    const int64_t i = is_reversed ? count + 1 - k : k;
    const std::string from = Name(i - 1), to = Name(i);
    graph.Node({"Relu", {from}, {to}});
  }
  const std::string last = Name(count);
  return graph.Output(last);
}

TEST_F(BombsTest, FarMoreNodesThanAllowed) {
  constexpr int64_t kNodes = 200000 + support::Rounds(800000);
  const std::string bytes = Chain(kNodes, false).Model(kOpset);
  EXPECT_THAT(Import(bytes).text, HasSubstr("E0404 the model has more than 200000 nodes"));
  EXPECT_EQ(DescribeBytes(bytes).nodes, kNodes);
}

TEST_F(BombsTest, ALongChainFromItsEnd) {
  const Imported imported = Import(Chain(support::Rounds(100000), true).Model(kOpset));
  EXPECT_TRUE(imported.ok) << imported.text.substr(0, 1000);
}

TEST_F(BombsTest, ALongCircle) {
  constexpr int64_t kNodes = support::Rounds(100000);
  OnnxGraph graph;
  for (int64_t i = 0; i < kNodes; ++i) {
    const std::string from = Name(i), to = Name((i + 1) % kNodes);
    graph.Node({"Relu", {from}, {to}});
  }
  EXPECT_THAT(Import(graph.Output("v0").Model(kOpset)).text,
              HasSubstr("E0405 nodes depend on each other in a circle"));
}

TEST_F(BombsTest, ManyUnsupportedNodes) {
  constexpr int64_t kNodes = support::Rounds(200000);
  OnnxGraph graph;
  graph.Input("x", kOnnxFloat, {2});
  for (int64_t i = 0; i < kNodes; ++i) {
    const std::string to = Name(i);
    graph.Node({"Nothing", {"x"}, {to}});
  }
  const std::string bytes = graph.Output("v0").Model(kOpset);
  EXPECT_THAT(Import(bytes).text, HasSubstr("E0402 operator Nothing"));
  EXPECT_THAT(DescribeBytes(bytes).unsupported, SizeIs(kNodes));
}

TEST_F(BombsTest, ExtentsBeyondAnyMemory) {
  constexpr int64_t kHuge = int64_t{1} << 40;
  const std::string bytes = OnnxGraph()
                                .Initializer(OnnxTensor("w", kOnnxFloat, {kHuge, kHuge}, "1234"))
                                .Initializer(OnnxTensor("n", kOnnxFloat, {-3}, ""))
                                .Input("x", kOnnxFloat, {kHuge, kHuge, kHuge})
                                .Node({"Add", {"x", "w"}, {"y"}})
                                .Output("y")
                                .Model(kOpset);
  EXPECT_THAT(Import(bytes).text, HasSubstr("E0405 initializer 'w'"));
  EXPECT_EQ(DescribeBytes(bytes).parameters.elements, INT64_MAX);
}

TEST_F(BombsTest, ExtentsThatConstantsAskFor) {
  const std::string bytes = OnnxGraph()
                                .Initializer(OnnxInts("shape", {1 << 20, 1 << 20, 1 << 20}))
                                .Node({"ConstantOfShape", {"shape"}, {"y"}})
                                .Node({"Exp", {"y"}, {"z"}})
                                .Output("z")
                                .Model(kOpset);
  EXPECT_FALSE(Import(bytes).text.empty());
}

// Conditionals in each other, as deep as messages may be.
ProtoWriter Nested(int depth) {
  OnnxGraph graph;
  const ProtoWriter inner = depth == 0 ? OnnxNode{"Relu", {"x"}, {"y"}}.Write()
                                       : OnnxNode{"If",
                                                  {"c"},
                                                  {"y"},
                                                  {GraphAttribute("then_branch", Nested(depth - 1)),
                                                   GraphAttribute("else_branch", Nested(0))}}
                                             .Write();
  return graph.Append(ProtoWriter().Message(1, inner)).Output("y").fields();
}

TEST_F(BombsTest, SubgraphsDeepInEachOther) {
  for (const int depth : {20, 31}) {
    OnnxGraph graph;
    graph.Input("c", kOnnxBool, {}).Input("x", kOnnxFloat, {2});
    const Imported imported = Import(graph.Append(Nested(depth)).Model(kOpset));
    EXPECT_TRUE(imported.ok) << imported.text.substr(0, 1000);
  }
  OnnxGraph graph;
  graph.Input("c", kOnnxBool, {}).Input("x", kOnnxFloat, {2});
  EXPECT_THAT(Import(graph.Append(Nested(60)).Model(kOpset)).text,
              HasSubstr("messages are nested too deeply"));
}

TEST_F(BombsTest, SubgraphsThatTakeEachOthersValues) {
  const auto choice = [](std::string_view takes, std::string_view makes) {
    const ProtoWriter branch =
        OnnxGraph().Node({"Relu", {takes}, {"inner"}}).Output("inner").fields();
    return OnnxNode{"If",
                    {"c"},
                    {makes},
                    {GraphAttribute("then_branch", branch), GraphAttribute("else_branch", branch)}};
  };
  EXPECT_THAT(Import(OnnxGraph()
                         .Input("c", kOnnxBool, {})
                         .Node(choice("b", "a"))
                         .Node(choice("a", "b"))
                         .Output("b")
                         .Model(kOpset))
                  .text,
              HasSubstr("E0405 nodes depend on each other in a circle"));
}

// f0 calls f1 `calls` times, f1 calls f2 so often, and so on.
std::string Functions(int count, int calls) {
  ProtoWriter more = ProtoWriter().Message(8, ProtoWriter().Text(1, "own").Int(2, 1));
  for (int i = 0; i < count; ++i) {
    const std::string name = "f" + std::to_string(i), next = "f" + std::to_string(i + 1);
    ProtoWriter function = ProtoWriter().Text(1, name).Text(4, "a").Text(5, "b").Text(10, "own");
    for (int k = 0; k < calls; ++k) {
      const std::string to = k + 1 == calls ? "b" : Name(k);
      function.Message(7, OnnxNode{i + 1 == count ? "Relu" : std::string_view(next),
                                   {"a"},
                                   {to},
                                   {},
                                   "",
                                   i + 1 == count ? "" : "own"}
                              .Write());
    }
    more.Message(25, function);
  }
  return OnnxGraph()
      .Input("x", kOnnxFloat, {2})
      .Node({"f0", {"x"}, {"y"}, {}, "", "own"})
      .Output("y")
      .Model(kOpset, more);
}

TEST_F(BombsTest, FunctionsThatGrowWithoutBound) {
  const std::string bytes = Functions(40, 2);
  EXPECT_THAT(Import(bytes).text, HasSubstr("more than 200000 nodes, functions inlined"));
  EXPECT_EQ(DescribeBytes(bytes).nodes, 1 + 40 * 2);
}

TEST_F(BombsTest, ALongChainOfFunctions) {
  constexpr int kNodes = support::Rounds(20000);
  const std::string bytes = Functions(kNodes, 1);
  EXPECT_THAT(Import(bytes).text, HasSubstr("functions are nested too deeply"));
  EXPECT_EQ(DescribeBytes(bytes).nodes, kNodes + 1);
}

TEST_F(BombsTest, NamesInEachOtherStayShort) {
  const std::string name(100000, 'n');
  ProtoWriter inner = OnnxGraph().Node({"Nothing", {"x"}, {"y"}}).Output("y").fields();
  for (int i = 0; i < 20; ++i) {
    inner =
        OnnxGraph()
            .Append(ProtoWriter().Message(
                1,
                OnnxNode{"If", {"c"}, {"y"}, {GraphAttribute("then_branch", inner)}, name}.Write()))
            .Output("y")
            .fields();
  }
  const std::string bytes =
      OnnxGraph().Input("c", kOnnxBool, {}).Input("x", kOnnxFloat, {2}).Append(inner).Model(kOpset);
  const onnx::ModelDescription description = DescribeBytes(bytes);
  ASSERT_THAT(description.unsupported, SizeIs(1));
  EXPECT_EQ(description.unsupported[0].node, "…/y");
}

}  // namespace
}  // namespace tern::test::bombs_test
