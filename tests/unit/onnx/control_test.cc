// SPDX-License-Identifier: Apache-2.0
// If, Loop and Scan: what they become, the types that are found for them, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/rounds.h"
#include "tests/unit/onnx/import_text.h"

namespace tern::test::control_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr int64_t kOpset = 16;

OnnxGraph Start() {
  return OnnxGraph()
      .Input("x", kOnnxFloat, {2, "n"})
      .Input("c", kOnnxBool, {})
      .Input("m", kOnnxInt64, {});
}

ProtoWriter Branch(const OnnxNode& node) {
  return OnnxGraph().Node(node).Output(node.outputs[0]).fields();
}

OnnxNode If(const ProtoWriter& yes, const ProtoWriter& no, std::string_view condition = "c") {
  return {"If",
          {condition},
          {"y"},
          {GraphAttribute("then_branch", yes), GraphAttribute("else_branch", no)},
          "choice"};
}

// A body that takes (turn, condition, s) and gives (condition, the node's first output, …).
OnnxGraph Body() {
  return OnnxGraph()
      .Input("turn", kOnnxInt64, {})
      .Input("go", kOnnxBool, {})
      .Input("s", kOnnxFloat, {})
      .Output("go");
}

OnnxNode Loop(const OnnxGraph& body, std::vector<std::string_view> inputs = {"m", "c", "x"},
              std::vector<std::string_view> outputs = {"y"}) {
  return {"Loop", inputs, outputs, {GraphAttribute("body", body.fields())}, "loop"};
}

std::string Text(const OnnxGraph& graph) { return Import(graph.Model(kOpset)).text; }

// ---- what works

TEST(ControlTest, BranchesBecomeBlocksOfTheJoinedType) {
  const std::string text =
      Text(Start()
               .Node(If(Branch({"Relu", {"x"}, {"a"}}),
                        Branch({"Concat", {"x", "x"}, {"b"}, {IntAttribute("axis", 1)}})))
               .Output("y"));
  EXPECT_THAT(text, HasSubstr("if %c {"));
  EXPECT_THAT(text, HasSubstr("relu(%x)"));
  EXPECT_THAT(text, HasSubstr("-> f32[2, _1]"));
}

TEST(ControlTest, AConditionThatFollowsFromShapesChoosesWhileImporting) {
  const std::string text =
      Text(Start()
               .Initializer(OnnxInts("zero", {0}))
               .Initializer(OnnxInts("two", {2}))
               .Node({"Shape", {"x"}, {"shape"}})
               .Node({"Gather", {"shape", "zero"}, {"rows"}})
               .Node({"Equal", {"rows", "two"}, {"is_two"}})
               .Node({"Not", {"is_two"}, {"no"}})
               .Node(If(Branch({"Relu", {"x"}, {"a"}}), Branch({"Neg", {"x"}, {"b"}}), "no"))
               .Output("y"));
  EXPECT_THAT(text, Not(HasSubstr("if ")));
  EXPECT_THAT(text, HasSubstr("neg(%x)"));
  EXPECT_THAT(text, Not(HasSubstr("relu")));
}

// A branch that is chosen while importing is the one that a run would choose: half of one is true,
// and false as an integer; so is 256, in 8 bits.
TEST(ControlTest, AConditionIsFollowedThroughConversionsThatKeepItsTruth) {
  const auto branch_of = [](const ProtoWriter& number, int first, int second) {
    const std::string text =
        Text(Start()
                 .Initializer(number)
                 .Node({"Cast", {"number"}, {"a"}, {IntAttribute("to", first)}})
                 .Node({"Cast", {"a"}, {"b"}, {IntAttribute("to", second)}})
                 .Node({"Cast", {"b"}, {"is"}, {IntAttribute("to", kOnnxBool)}})
                 .Node(If(Branch({"Relu", {"x"}, {"p"}}), Branch({"Neg", {"x"}, {"q"}}), "is"))
                 .Output("y"));
    const bool both = text.find("if ") != std::string::npos;
    return both ? "left to the run" : text.find("relu") != std::string::npos ? "true" : "false";
  };
  constexpr int kUint8 = 2, kInt64 = kOnnxInt64, kFloat = kOnnxFloat;
  const ProtoWriter half = OnnxFloats("number", {1}, {0.5f}), large = OnnxInts("number", {256});
  EXPECT_EQ(branch_of(large, kFloat, kInt64), "left to the run");
  EXPECT_EQ(branch_of(large, kInt64, kFloat), "true");
  EXPECT_EQ(branch_of(large, kUint8, kInt64), "left to the run");
  EXPECT_EQ(branch_of(half, kInt64, kFloat), "left to the run");
  EXPECT_EQ(branch_of(half, kFloat, kFloat), "true");
  EXPECT_EQ(branch_of(half, kOnnxBool, kInt64), "true");
}

TEST(ControlTest, ALoopIsALocalFunctionWhoseStateKeepsItsType) {
  const std::string text =
      Text(Start().Node(Loop(Body().Node({"Add", {"s", "x"}, {"t"}}).Output("t"))).Output("y"));
  EXPECT_THAT(text, HasSubstr("rec %"));
  EXPECT_THAT(text, HasSubstr("-> f32[2, n]"));
  EXPECT_THAT(text, Not(HasSubstr("tern.list")));
}

TEST(ControlTest, AnAxisThatGrowsIsOneThatOnlyARunCanTell) {
  const std::string text = Text(
      Start()
          .Node(Loop(
              Body().Node({"Concat", {"s", "x"}, {"t"}, {IntAttribute("axis", 1)}}).Output("t")))
          .Output("y"));
  EXPECT_THAT(text, HasSubstr("-> f32[2, _"));
}

TEST(ControlTest, GatheredValuesAreAListThatIsStackedBehindTheLoop) {
  const std::string text =
      Text(Start()
               .Node(Loop(Body().Node({"Relu", {"s"}, {"t"}}).Output("t").Output("t"),
                          {"m", "", "x"}, {"", "y"}))
               .Output("y"));
  EXPECT_THAT(text, HasSubstr("tern.list.append"));
  EXPECT_THAT(text, HasSubstr("list_stack"));
  EXPECT_THAT(text, HasSubstr(", 2, n]"));
}

TEST(ControlTest, NodesThatCaptureALaterValueAreSorted) {
  const Imported imported =
      Import(Start()
                 .Node(If(Branch({"Relu", {"later"}, {"a"}}), Branch({"Neg", {"later"}, {"b"}})))
                 .Node({"Exp", {"x"}, {"later"}})
                 .Output("y")
                 .Model(kOpset));
  EXPECT_TRUE(imported.ok) << imported.text;
}

TEST(ControlTest, AnInnerNameHidesAnOuterOne) {
  const std::string text = Text(Start()
                                    .Node({"Exp", {"x"}, {"v"}})
                                    .Node(If(OnnxGraph()
                                                 .Node({"Relu", {"x"}, {"v"}})
                                                 .Node({"Neg", {"v"}, {"a"}})
                                                 .Output("a")
                                                 .fields(),
                                             Branch({"Neg", {"v"}, {"b"}})))
                                    .Output("y"));
  EXPECT_THAT(text, HasSubstr("relu(%x)"));
  EXPECT_THAT(text, HasSubstr("neg(%0)"));  // the outer one, in the other branch
}

// What torch.squeeze of an axis is exported as: the rank of the result depends on an extent.
OnnxGraph SqueezeIfOne() {
  return Start()
      .Initializer(OnnxInts("one", {1}))
      .Node({"Shape", {"x"}, {"shape"}})
      .Node({"Gather", {"shape", "one"}, {"columns"}})
      .Node({"Equal", {"columns", "one"}, {"is_one"}})
      .Node(If(Branch({"Squeeze", {"x", "one"}, {"a"}}), Branch({"Identity", {"x"}, {"b"}}),
               "is_one"));
}

TEST(ControlTest, BranchesOfDifferentRankSplitWhatFollows) {
  const std::string text = Text(
      SqueezeIfOne().Node({"ReduceSum", {"y"}, {"z"}, {IntAttribute("keepdims", 0)}}).Output("z"));
  EXPECT_THAT(text, HasSubstr("-> f32[]"));
  EXPECT_THAT(text, Not(HasSubstr("fatal")));
}

TEST(ControlTest, ABranchThatCannotGoOnEndsTheRunThatTakesIt) {
  const Imported imported =
      Import(SqueezeIfOne()
                 .Node({"Transpose", {"y"}, {"z"}, {IntsAttribute("perm", {1, 0})}})
                 .Output("z")
                 .Model(kOpset));
  ASSERT_TRUE(imported.ok) << imported.text;
  EXPECT_THAT(imported.text, HasSubstr("fatal"));
  EXPECT_THAT(imported.messages(), HasSubstr("takes its then branch, whose result does not fit"));
}

// ---- what is refused

TEST(ControlTest, RefusesBranchesWithNothingInCommon) {
  EXPECT_THAT(Text(SqueezeIfOne().Output("y")),
              HasSubstr("E0404 If: output 0 ('y') is f32[2] in one branch and f32[2, n] in the "
                        "other; one element type and one rank are possible @ choice"));
}

TEST(ControlTest, RefusesWrongConditionsAndCounts) {
  const ProtoWriter relu = Branch({"Relu", {"x"}, {"a"}});
  EXPECT_THAT(Text(Start().Node(If(relu, relu, "x")).Output("y")),
              HasSubstr("E0403 If: its condition is f32[2, n], expected one bool @ choice"));
  EXPECT_THAT(Text(Start().Node(If(OnnxGraph().fields(), relu)).Output("y")),
              HasSubstr("its graph 'then_branch' has 0 outputs, expected 1"));
  EXPECT_THAT(Text(Start().Node(Loop(OnnxGraph().Output("c"))).Output("y")),
              HasSubstr("its graph 'body' has 1 outputs, expected at least 2"));
  EXPECT_THAT(Text(Start().Node(Loop(OnnxGraph().Output("c").Output("x"))).Output("y")),
              HasSubstr("E0403 Loop: its subgraph 'graph' has 0 inputs, expected 3 @ loop"));
  EXPECT_THAT(Text(Start().Node(Loop(Body().Output("s"), {"x", "", "x"})).Output("y")),
              HasSubstr("its trip count is f32[2, n], expected one integer"));
}

TEST(ControlTest, RefusesAStateThatChangesItsKind) {
  EXPECT_THAT(
      Text(Start()
               .Node(Loop(Body().Node({"Cast", {"s"}, {"t"}, {IntAttribute("to", 7)}}).Output("t")))
               .Output("y")),
      HasSubstr("E0404 Loop: state 0 is f32[2, n] before a turn and i64[2, n] behind it"));
}

TEST(ControlTest, NamesWhatIsWrongInsideOnce) {
  const std::string text =
      Text(Start()
               .Node(Loop(Body().Node({"Frobnicate", {"s"}, {"t"}, {}, "inside"}).Output("t")))
               .Output("y"));
  EXPECT_EQ(text,
            "E0402 operator Frobnicate (domain ai.onnx, opset 16) is not supported @ "
            "loop/inside\n");
  EXPECT_THAT(
      Text(Start()
               .Node(If(Branch({"Relu", {"nowhere"}, {"a"}}), Branch({"Frobnicate", {"x"}, {"b"}})))
               .Output("y")),
      ::testing::AllOf(HasSubstr("takes 'nowhere', which nothing makes"),
                       HasSubstr("operator Frobnicate")));
}

TEST(ControlTest, NamesWhatIsUnsupportedBehindAnUnknownInput) {
  EXPECT_THAT(Text(Start()
                       .Node({"Frobnicate", {"x"}, {"d"}})
                       .Node(If(Branch({"Defrobnicate", {"x"}, {"a"}}),
                                Branch({"Relu", {"x"}, {"b"}}), "d"))
                       .Output("y")),
              HasSubstr("operator Defrobnicate"));
}

TEST(ControlTest, RefusesACircleThroughASubgraph) {
  EXPECT_THAT(Text(Start()
                       .Node(If(Branch({"Relu", {"z"}, {"a"}}), Branch({"Relu", {"x"}, {"b"}})))
                       .Node({"Exp", {"y"}, {"z"}, {}, "exp"})
                       .Output("z")),
              HasSubstr("E0405 nodes depend on each other in a circle: 'exp' -> 'choice' @ exp"));
}

TEST(ControlTest, RefusesScansThatDoNotFit) {
  const auto scan = [](std::vector<ProtoWriter> attributes) {
    const OnnxGraph body = OnnxGraph().Input("item", kOnnxFloat, {}).Output("item");
    attributes.push_back(GraphAttribute("body", body.fields()));
    return Text(Start().Node({"Scan", {"x"}, {"y"}, attributes, "scan"}).Output("y"));
  };
  EXPECT_THAT(scan({IntAttribute("num_scan_inputs", 1)}), HasSubstr("-> f32[2, n]"));
  EXPECT_THAT(scan({}), HasSubstr("attribute 'num_scan_inputs' is missing"));
  EXPECT_THAT(scan({IntAttribute("num_scan_inputs", 2)}),
              HasSubstr("'num_scan_inputs' is 2, expected 1 to 1"));
  EXPECT_THAT(scan({IntAttribute("num_scan_inputs", 1), IntsAttribute("scan_input_axes", {5})}),
              HasSubstr("'scan_input_axes' has the value 5, but the tensor has rank 2"));
  EXPECT_THAT(
      scan({IntAttribute("num_scan_inputs", 1), IntsAttribute("scan_input_directions", {2})}),
      HasSubstr("has the value 2, expected 0 or 1"));
  EXPECT_THAT(scan({IntAttribute("num_scan_inputs", 1), IntsAttribute("scan_output_axes", {0, 1})}),
              HasSubstr("has 2 values, expected 1"));
}

// A loop in each of `depth` loops, and the innermost doubles its state.
std::string LoopsInLoops(int depth) {
  OnnxGraph body = Body().Node({"Concat", {"s", "s"}, {"t"}, {IntAttribute("axis", 0)}});
  body.Output("t");
  for (; depth > 0; --depth) {
    OnnxGraph outer = Body().Node(Loop(body, {"m", "c", "s"}, {"t"}));
    outer.Output("t");
    body = outer;
  }
  return Start().Node(Loop(body)).Output("y").Model(kOpset);
}

// Each of them converts its body again until types repeat: together that must not multiply.
TEST(ControlTest, LoopsInLoopsTakeBoundedWork) {
  const Imported imported = Import(LoopsInLoops(30));
  ASSERT_TRUE(imported.ok) << imported.messages();
  EXPECT_THAT(imported.text, HasSubstr("-> f32[_"));
  EXPECT_THAT(Import(LoopsInLoops(60)).text, HasSubstr("E0401"));
}

TEST(ControlTest, ManyNodesInASubgraph) {
  OnnxGraph yes;
  std::vector<std::string> names = {"x"};
  for (int i = 0; i < support::Rounds(20000); ++i) names.push_back("v" + std::to_string(i));
  for (size_t i = 0; i + 1 < names.size(); ++i) yes.Node({"Relu", {names[i]}, {names[i + 1]}});
  yes.Output(names.back());
  const Imported imported =
      Import(Start().Node(If(yes.fields(), yes.fields())).Output("y").Model(kOpset));
  EXPECT_TRUE(imported.ok) << imported.messages();
}

}  // namespace
}  // namespace tern::test::control_test
