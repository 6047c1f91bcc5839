// SPDX-License-Identifier: Apache-2.0
// Graphs as a whole: inputs, constants, order, functions, and everything that can be wrong with
// them.
#include "core/onnx/importer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/onnx/import_text.h"

namespace tern::test::importer_test {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kOpset = 13;

OnnxGraph Start() { return OnnxGraph().Input("x", kOnnxFloat, {2, 3}); }

// ---- what works

TEST(ImporterTest, KeepsSymbolsAndNamesTheUnnamed) {
  const Imported imported = Import(OnnxGraph()
                                       .Input("x", kOnnxFloat, {"batch size", 3, ""})
                                       .Input("y", kOnnxFloat, {"batch size", 3, -1})
                                       .Node({"Relu", {"x"}, {"a"}})
                                       .Node({"Relu", {"y"}, {"b"}})
                                       .Output("a")
                                       .Output("b")
                                       .Model(kOpset));
  ASSERT_TRUE(imported.ok) << imported.text;
  EXPECT_EQ(imported.signature(),
            "main(%x: f32[batch_size, 3, x_2], %y: f32[batch_size, 3, y_2]) -> "
            "(f32[batch_size, 3, x_2], f32[batch_size, 3, y_2])");
}

TEST(ImporterTest, PlaceholdersAreNoNames) {
  const Imported imported = Import(OnnxGraph()
                                       .Input("x", kOnnxFloat, {"?", "?", "-1"})
                                       .Input("y", kOnnxFloat, {"None", "None", "N"})
                                       .Node({"Relu", {"x"}, {"a"}})
                                       .Node({"Relu", {"y"}, {"b"}})
                                       .Output("a")
                                       .Output("b")
                                       .Model(kOpset));
  ASSERT_TRUE(imported.ok) << imported.text;
  EXPECT_EQ(imported.signature(),
            "main(%x: f32[x_0, x_1, x_2], %y: f32[y_0, y_1, N]) -> "
            "(f32[x_0, x_1, x_2], f32[y_0, y_1, N])");
}

TEST(ImporterTest, DifferentSymbolTextsStayDifferent) {
  const Imported imported = Import(OnnxGraph()
                                       .Input("x", kOnnxFloat, {"a b", "a-b"})
                                       .Node({"Relu", {"x"}, {"y"}})
                                       .Output("y")
                                       .Model(kOpset));
  EXPECT_EQ(imported.signature(), "main(%x: f32[a_b, a_b_2]) -> f32[a_b, a_b_2]");
}

TEST(ImporterTest, InitializersAreConstantsEvenIfListedAsInputs) {
  const Imported imported = Import(Start()
                                       .Input("w", kOnnxFloat, {3})
                                       .Initializer(OnnxFloats("w", {3}, {1, 2, 3}))
                                       .Node({"Add", {"x", "w"}, {"y"}})
                                       .Output("y")
                                       .Model(kOpset));
  ASSERT_TRUE(imported.ok) << imported.text;
  EXPECT_EQ(imported.signature(), "main(%x: f32[2, 3]) -> f32[2, 3]");
  EXPECT_EQ(imported.calls(), "add(%x, f32 [1, 2, 3])");
}

TEST(ImporterTest, SortsNodesThatAreOutOfOrder) {
  const Imported imported = Import(
      Start().Node({"Exp", {"a"}, {"y"}}).Node({"Relu", {"x"}, {"a"}}).Output("y").Model(kOpset));
  EXPECT_EQ(imported.calls(), "relu(%x)\nexp(%0)");
}

TEST(ImporterTest, InputsAndConstantsMayBeOutputs) {
  const Imported imported = Import(Start()
                                       .Initializer(OnnxInts("c", {1, 2}))
                                       .Node({"Identity", {"x"}, {"y"}})
                                       .Output("y")
                                       .Output("c")
                                       .Model(kOpset));
  ASSERT_TRUE(imported.ok) << imported.text;
  EXPECT_EQ(imported.calls(), "");
}

TEST(ImporterTest, KeepsMetadata) {
  text::Diagnostics diagnostics;
  const std::string bytes = Start()
                                .Node({"Relu", {"x"}, {"y"}})
                                .Output("y")
                                .Model(kOpset, ProtoWriter().Text(2, "maker").Text(3, "1.2"));
  const Result<ir::Module> module = onnx::ImportModel(AsBytes(bytes), {}, &diagnostics);
  ASSERT_TRUE(module.ok());
  const auto& metadata = module->metadata();
  const std::pair<std::string, std::string> producer{"producer", "maker 1.2"};
  EXPECT_NE(std::find(metadata.begin(), metadata.end(), producer), metadata.end());
}

// ---- functions

ProtoWriter FunctionOf(std::string_view name, const std::vector<std::string_view>& inputs,
                       std::string_view output, const std::vector<ProtoWriter>& nodes,
                       const ProtoWriter& more = {}) {
  ProtoWriter function = ProtoWriter().Text(1, name);
  for (const std::string_view input : inputs) function.Text(4, input);
  function.Text(5, output);
  for (const ProtoWriter& node : nodes) function.Message(7, node);
  function.Message(9, ProtoWriter().Text(1, "").Int(2, kOpset));
  function.Message(9, ProtoWriter().Text(1, "own").Int(2, 1));
  function.Text(10, "own").Append(more);
  return ProtoWriter().Message(25, function);
}

ProtoWriter OwnDomain() { return ProtoWriter().Message(8, ProtoWriter().Text(1, "own").Int(2, 1)); }

TEST(ImporterTest, InlinesFunctionsWithTheirAttributes) {
  const ProtoWriter leaky =
      OnnxNode{"LeakyRelu", {"a"}, {"b"}, {ReferenceAttribute("alpha", 1, "slope")}, "inner"}
          .Write();
  const ProtoWriter function =
      FunctionOf("Soft", {"a"}, "b", {leaky}, ProtoWriter().Text(6, "slope"));
  const Imported imported =
      Import(Start()
                 .Node({"Soft", {"x"}, {"y"}, {FloatAttribute("slope", 0.25f)}, "outer", "own"})
                 .Output("y")
                 .Model(kOpset, OwnDomain().Append(function)));
  ASSERT_TRUE(imported.ok) << imported.text;
  EXPECT_EQ(imported.calls(), "leaky_relu(%x) {alpha=0.25}");
}

TEST(ImporterTest, FunctionAttributesHaveDefaultsAndPassThroughFunctions) {
  const ProtoWriter leaky =
      OnnxNode{"LeakyRelu", {"a"}, {"b"}, {ReferenceAttribute("alpha", 1, "slope")}}.Write();
  const ProtoWriter with_default = ProtoWriter().Message(11, FloatAttribute("slope", 0.75f));
  const ProtoWriter soft = FunctionOf("Soft", {"a"}, "b", {leaky}, with_default);
  const ProtoWriter plain = OnnxNode{"Soft", {"c"}, {"d"}, {}, "", "own"}.Write();
  const ProtoWriter passed =
      OnnxNode{"Soft", {"d"}, {"e"}, {ReferenceAttribute("slope", 1, "outer_slope")}, "", "own"}
          .Write();
  const ProtoWriter twice = FunctionOf("Twice", {"c"}, "e", {plain, passed});
  const Imported imported =
      Import(Start()
                 .Node({"Twice", {"x"}, {"y"}, {FloatAttribute("outer_slope", 0.5f)}, "", "own"})
                 .Output("y")
                 .Model(kOpset, OwnDomain().Append(soft).Append(twice)));
  ASSERT_TRUE(imported.ok) << imported.text;
  EXPECT_EQ(imported.calls(), "leaky_relu(%x) {alpha=0.75}\nleaky_relu(%0) {alpha=0.5}");
}

TEST(ImporterTest, RefusesFunctionsThatCallThemselves) {
  const ProtoWriter self = OnnxNode{"Self", {"a"}, {"b"}, {}, "", "own"}.Write();
  const Imported imported =
      Import(Start()
                 .Node({"Self", {"x"}, {"y"}, {}, "", "own"})
                 .Output("y")
                 .Model(kOpset, OwnDomain().Append(FunctionOf("Self", {"a"}, "b", {self}))));
  EXPECT_FALSE(imported.ok);
  EXPECT_THAT(imported.messages(), HasSubstr("calls itself"));
}

// Thirty functions of two calls each would be 2^30 nodes.
TEST(ImporterTest, RefusesFunctionsThatGrowWithoutBound) {
  ProtoWriter more = OwnDomain();
  std::vector<std::string> names;
  for (int i = 0; i <= 30; ++i) names.push_back(StrCat("F", i));
  for (int i = 0; i < 30; ++i) {
    const ProtoWriter first =
        OnnxNode{names[static_cast<size_t>(i) + 1], {"a"}, {"b"}, {}, "", "own"}.Write();
    const ProtoWriter second =
        OnnxNode{names[static_cast<size_t>(i) + 1], {"b"}, {"c"}, {}, "", "own"}.Write();
    more.Append(FunctionOf(names[static_cast<size_t>(i)], {"a"}, "c", {first, second}));
  }
  more.Append(FunctionOf("F30", {"a"}, "c", {OnnxNode{"Relu", {"a"}, {"c"}}.Write()}));
  const Imported imported =
      Import(Start().Node({"F0", {"x"}, {"y"}, {}, "", "own"}).Output("y").Model(kOpset, more));
  EXPECT_FALSE(imported.ok);
  EXPECT_THAT(imported.messages(), HasSubstr("more than 200000 nodes"));
}

// ---- what is not supported

TEST(ImporterTest, NamesEveryUnsupportedOperatorAtOnce) {
  const Imported imported = Import(Start()
                                       .Node({"Frobnicate", {"x"}, {"a"}, {}, "first"})
                                       .Node({"Relu", {"a"}, {"b"}})
                                       .Node({"Magic", {"b"}, {"c"}, {}, "second", "com.example"})
                                       .Node({"Frobnicate", {"c"}, {"y"}})
                                       .Output("y")
                                       .Model(kOpset));
  EXPECT_FALSE(imported.ok);
  EXPECT_EQ(imported.messages(),
            "E0402 operator Frobnicate (domain ai.onnx, opset 13) is not supported @ first\n"
            "E0402 operator Magic (domain com.example, opset 0) is not supported @ second\n"
            "E0402 operator Frobnicate (domain ai.onnx, opset 13) is not supported @ y\n");
}

TEST(ImporterTest, NamesUnsupportedOperatorsInsideSubgraphs) {
  const ProtoWriter body =
      OnnxGraph().Node({"Frobnicate", {"x"}, {"a"}, {}, "inside"}).Output("a").fields();
  const Imported imported =
      Import(Start()
                 .Input("c", kOnnxBool, {})
                 .Node({"If", {"c"}, {"y"}, {GraphAttribute("then_branch", body)}, "choice"})
                 .Output("y")
                 .Model(kOpset));
  EXPECT_THAT(imported.messages(),
              HasSubstr("If: attribute 'else_branch' is missing, expected a graph @ choice"));
  EXPECT_THAT(imported.messages(), HasSubstr("@ inside"));
}

std::string FirstNoteOf(const Imported& imported) {
  if (imported.ok || imported.diagnostics.items()[0].notes.size() != 1) return "";
  return imported.diagnostics.items()[0].notes[0];
}

TEST(ImporterTest, SaysFromWhichOpsetAnOperatorIsKnown) {
  EXPECT_EQ(FirstNoteOf(Import(Start().Node({"HardSwish", {"x"}, {"y"}}).Output("y").Model(13))),
            "HardSwish is supported from opset 14 on");
  // Of several versions the first that would do.
  EXPECT_EQ(FirstNoteOf(Import(Start().Node({"Split", {"x"}, {"y"}}).Output("y").Model(1))),
            "Split is supported from opset 2 on");
}

TEST(ImporterTest, WarnsOfOpsetsThatAreTooNewAndOfUnknownAttributes) {
  const Imported imported = Import(
      Start().Node({"Relu", {"x"}, {"y"}, {IntAttribute("speed", 11)}}).Output("y").Model(99));
  EXPECT_TRUE(imported.ok);
  EXPECT_EQ(imported.diagnostics.warning_count(), 2u);
  EXPECT_THAT(imported.messages(), HasSubstr("opset 99"));
  EXPECT_THAT(imported.messages(), HasSubstr("attribute 'speed' is not known"));
}

TEST(ImporterTest, WarnsOfOutputsThatAreNotWhatTheyAreDeclaredAs) {
  const Imported imported =
      Import(Start().Node({"Shape", {"x"}, {"y"}}).Output("y", kOnnxFloat, {2}).Model(kOpset));
  EXPECT_TRUE(imported.ok);
  EXPECT_THAT(imported.messages(), HasSubstr("declared as float32 of rank 1, but is i64[2]"));
}

// ---- what is wrong

std::string ErrorsOf(const OnnxGraph& graph) {
  const Imported imported = Import(graph.Model(kOpset));
  EXPECT_FALSE(imported.ok);
  return imported.messages();
}

TEST(ImporterTest, RefusesCycles) {
  EXPECT_THAT(ErrorsOf(Start()
                           .Node({"Add", {"x", "b"}, {"a"}, {}, "one"})
                           .Node({"Relu", {"a"}, {"b"}, {}, "two"})
                           .Output("b")),
              HasSubstr("in a circle: 'two' -> 'one'"));
}

TEST(ImporterTest, NamesMissingValuesAndSuggests) {
  const Imported imported = Import(Start()
                                       .Initializer(OnnxFloats("weight", {3}, {1, 2, 3}))
                                       .Node({"Add", {"x", "wieght"}, {"y"}, {}, "sum"})
                                       .Output("y")
                                       .Model(kOpset));
  ASSERT_FALSE(imported.ok);
  EXPECT_THAT(imported.messages(),
              HasSubstr("E0405 node 'sum' (Add) takes 'wieght', which nothing makes"));
  EXPECT_THAT(imported.diagnostics.items()[0].help, testing::ElementsAre("did you mean 'weight'?"));
}

TEST(ImporterTest, RefusesValuesMadeTwice) {
  EXPECT_THAT(
      ErrorsOf(Start().Node({"Relu", {"x"}, {"y"}}).Node({"Exp", {"x"}, {"y"}}).Output("y")),
      HasSubstr("'y' is made a second time"));
  EXPECT_THAT(ErrorsOf(Start().Node({"Relu", {"x"}, {"x"}}).Output("x")),
              HasSubstr("'x' is made a second time"));
  EXPECT_THAT(
      ErrorsOf(Start().Input("x", kOnnxFloat, {1}).Node({"Relu", {"x"}, {"y"}}).Output("y")),
      HasSubstr("input 'x' has the name of another value"));
  const ProtoWriter weight = OnnxInts("w", {1});
  EXPECT_THAT(
      ErrorsOf(
          Start().Initializer(weight).Initializer(weight).Node({"Relu", {"x"}, {"y"}}).Output("y")),
      HasSubstr("initializer 'w' has the name of another value"));
}

TEST(ImporterTest, RefusesMissingAndRepeatedOutputs) {
  EXPECT_THAT(ErrorsOf(Start().Node({"Relu", {"x"}, {"y"}}).Output("z")),
              HasSubstr("output 'z' is made by no node"));
  EXPECT_THAT(ErrorsOf(Start().Node({"Relu", {"x"}, {"y"}}).Output("y").Output("y")),
              HasSubstr("listed twice"));
  EXPECT_THAT(ErrorsOf(Start().Node({"Relu", {"x"}, {"y"}})), HasSubstr("no outputs"));
}

TEST(ImporterTest, RefusesInputsThatAreNoTensorsOrHaveNoShape) {
  const ProtoWriter sequence = ProtoWriter().Message(
      11, ProtoWriter().Text(1, "s").Message(2, ProtoWriter().Message(4, ProtoWriter())));
  EXPECT_THAT(ErrorsOf(Start().Append(sequence).Output("x")), HasSubstr("input 's' is a sequence"));
  const ProtoWriter shapeless =
      ProtoWriter().Message(11, ProtoWriter().Text(1, "u").Message(
                                    2, ProtoWriter().Message(1, ProtoWriter().Int(1, kOnnxFloat))));
  EXPECT_THAT(ErrorsOf(Start().Append(shapeless).Output("x")), HasSubstr("input 'u' has no shape"));
}

TEST(ImporterTest, RefusesExtentsAndRanksThatCannotBe) {
  EXPECT_THAT(
      ErrorsOf(OnnxGraph().Input("x", kOnnxFloat, {-7}).Node({"Relu", {"x"}, {"y"}}).Output("y")),
      HasSubstr("axis 0 is -7"));
  const std::vector<OnnxDim> many(9, OnnxDim(1));
  EXPECT_THAT(
      ErrorsOf(OnnxGraph().Input("x", kOnnxFloat, many).Node({"Relu", {"x"}, {"y"}}).Output("y")),
      HasSubstr("rank 9"));
  EXPECT_THAT(ErrorsOf(OnnxGraph().Input("x", 77, {1}).Node({"Relu", {"x"}, {"y"}}).Output("y")),
              HasSubstr("77"));
}

TEST(ImporterTest, RefusesInitializersThatDoNotFitTheirBytes) {
  EXPECT_THAT(
      ErrorsOf(Start().Initializer(OnnxTensor("w", kOnnxFloat, {4}, "12345678")).Output("x")),
      HasSubstr("initializer 'w': its dimensions [4] of float32 need 16 bytes, but it holds 8"));
}

TEST(ImporterTest, HugeExtentsAreNoTrouble) {
  const int64_t huge = int64_t{1} << 62;
  const Imported imported = Import(OnnxGraph()
                                       .Input("x", kOnnxFloat, {huge, huge, huge})
                                       .Node({"Flatten", {"x"}, {"y"}})
                                       .Output("y")
                                       .Model(kOpset));
  EXPECT_TRUE(imported.ok) << imported.text;
}

TEST(ImporterTest, ReportsShapesThatDoNotFitWithTheNode) {
  const Imported imported = Import(Start()
                                       .Initializer(OnnxFloats("w", {4}, {1, 2, 3, 4}))
                                       .Node({"Add", {"x", "w"}, {"y"}, {}, "sum"})
                                       .Output("y")
                                       .Model(kOpset));
  ASSERT_FALSE(imported.ok);
  EXPECT_THAT(imported.messages(), HasSubstr("do not broadcast"));
  EXPECT_THAT(imported.messages(), HasSubstr("@ sum"));
}

TEST(ImporterTest, ReportsFilesThatAreNoModels) {
  const Imported imported = Import("<!DOCTYPE html><html></html>");
  ASSERT_FALSE(imported.ok);
  EXPECT_THAT(imported.messages(), HasSubstr("E0401 not an ONNX model: this is an HTML page"));
}

}  // namespace
}  // namespace tern::test::importer_test
