// SPDX-License-Identifier: Apache-2.0
// Sequences and optionals of ONNX models, imported and run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/object/containers/sequence.h"
#include "tests/support/onnx_writer.h"
#include "tests/unit/driver/run_model.h"

namespace tern::driver::onnx_sequence_test {
namespace {

using ::testing::HasSubstr;
using namespace test;  // NOLINT: the makers of models

constexpr int64_t kOpset = 17;

// An input of a sequence (kind 4) or an optional (kind 9) of f32 tensors [n].
ProtoWriter ContainerInput(std::string_view name, uint32_t kind) {
  const ProtoWriter shape = ProtoWriter().Message(1, ProtoWriter().Text(2, "n"));
  const ProtoWriter tensor = ProtoWriter().Message(1, ProtoWriter().Int(1, 1).Message(2, shape));
  const ProtoWriter type = ProtoWriter().Message(kind, ProtoWriter().Message(1, tensor));
  return ProtoWriter().Message(11, ProtoWriter().Text(1, name).Message(2, type));
}

OnnxGraph Start() { return OnnxGraph().Input("x", kOnnxFloat, {"n"}).Input("i", kOnnxInt64, {}); }

TEST(OnnxSequence, ConstructInsertEraseAtAndLength) {
  const std::string model =
      Start()
          .Node({"Neg", {"x"}, {"minus"}})
          .Node({"SequenceConstruct", {"x", "minus"}, {"s"}})
          .Node({"Concat", {"x", "x"}, {"twice"}, {IntAttribute("axis", 0)}})
          .Node({"SequenceInsert", {"s", "twice", "i"}, {"longer"}})
          .Node({"SequenceAt", {"longer", "i"}, {"y"}})
          .Node({"SequenceErase", {"longer"}, {"shorter"}})
          .Node({"SequenceLength", {"longer"}, {"n"}})
          .Node({"ConcatFromSequence", {"shorter"}, {"z"}, {IntAttribute("axis", 0)}})
          .Output("y")
          .Output("n")
          .Output("z")
          .Model(kOpset);
  EXPECT_EQ(RunModel(model, {Floats({1, 2}, {2}), Number(0)}),
            "(f32[4] [1, 2, 1, 2], i64[] 3, f32[6] [1, 2, 1, 2, 1, 2])");
  EXPECT_EQ(RunModel(model, {Floats({1, 2}, {2}), Number(-1)}),
            "(f32[2] [-1, -2], i64[] 3, f32[6] [1, 2, 1, 2, 1, 2])");
  EXPECT_THAT(RunModel(model, {Floats({1}, {1}), Number(3)}),
              HasSubstr("position 3 is out of range for a list of 2 items"));
}

// A sequence that begins empty gets its type from what a loop inserts.
TEST(OnnxSequence, GrowsInALoop) {
  const OnnxGraph body = OnnxGraph()
                             .Input("turn", kOnnxInt64, {})
                             .Input("go", kOnnxBool, {})
                             .Input("s", kOnnxFloat, {})
                             .Node({"SequenceInsert", {"s", "x"}, {"t"}})
                             .Output("go")
                             .Output("t");
  const std::string model =
      Start()
          .Node({"SequenceEmpty", {}, {"empty"}})
          .Node({"Loop", {"i", "", "empty"}, {"s"}, {GraphAttribute("body", body.fields())}})
          .Node({"ConcatFromSequence",
                 {"s"},
                 {"y"},
                 {IntAttribute("axis", 0), IntAttribute("new_axis", 1)}})
          .Output("y")
          .Model(kOpset);
  EXPECT_EQ(RunModel(model, {Floats({1, 2}, {2}), Number(3)}), "f32[3, 2] [1, 2, 1, 2, 1, 2]");
  EXPECT_THAT(RunModel(model, {Floats({1, 2}, {2}), Number(0)}), HasSubstr("the list is empty"));
}

TEST(OnnxSequence, SplitsAndMaps) {
  const OnnxGraph body = OnnxGraph()
                             .Input("a", kOnnxFloat, {})
                             .Input("b", kOnnxFloat, {})
                             .Node({"Add", {"a", "b"}, {"c"}})
                             .Output("c");
  const std::string model =
      Start()
          .Initializer(OnnxTensor("two", kOnnxInt64, {}, RawBytes<int64_t>({2})))
          .Initializer(OnnxFloats("one", {1}, {1}))
          .Node({"SplitToSequence", {"x", "two"}, {"parts"}})
          .Node({"SequenceMap", {"parts", "one"}, {"y"}, {GraphAttribute("body", body.fields())}})
          .Output("y")
          .Model(kOpset);
  const Any x = Floats({1, 2, 3}, {3});
  EXPECT_EQ(RunModel(model, {x, Number(0)}), "list[f32[2] [2, 3], f32[1] [4]]");
}

TEST(OnnxSequence, SequencesAsInputs) {
  const std::string model = OnnxGraph()
                                .Append(ContainerInput("s", 4))
                                .Input("i", kOnnxInt64, {})
                                .Node({"SequenceAt", {"s", "i"}, {"a"}})
                                .Node({"Neg", {"a"}, {"y"}})
                                .Output("y")
                                .Model(kOpset);
  SequencePtr list = Sequence::Make();
  list->PushBack(Floats({1}, {1}));
  list->PushBack(Floats({2, 3}, {2}));
  EXPECT_EQ(RunModel(model, {Any(list), Number(1)}), "f32[2] [-2, -3]");
}

TEST(OnnxSequence, Optionals) {
  const std::string model = OnnxGraph()
                                .Append(ContainerInput("o", 9))
                                .Node({"OptionalHasElement", {"o"}, {"has"}})
                                .Output("has")
                                .Model(kOpset);
  EXPECT_EQ(RunModel(model, {Floats({1}, {1})}), "bool[] true");
  EXPECT_EQ(RunModel(model, {Any()}), "bool[] false");
  const std::string get = OnnxGraph()
                              .Append(ContainerInput("o", 9))
                              .Node({"OptionalGetElement", {"o"}, {"v"}})
                              .Node({"Neg", {"v"}, {"y"}})
                              .Output("y")
                              .Model(kOpset);
  EXPECT_EQ(RunModel(get, {Floats({1}, {1})}), "f32[1] [-1]");
  EXPECT_THAT(RunModel(get, {Any()}), HasSubstr("the optional is empty"));
}

TEST(OnnxSequence, RefusesWhatDoesNotFit) {
  const auto refused = [](const OnnxNode& node) {
    return RunModel(
        Start().Node({"SequenceConstruct", {"x"}, {"s"}}).Node(node).Output("y").Model(kOpset), {});
  };
  EXPECT_THAT(refused({"SequenceAt", {"x", "i"}, {"y"}}),
              HasSubstr("SequenceAt: input 0 is f32[n], expected a sequence"));
  EXPECT_THAT(refused({"SequenceInsert", {"s", "i"}, {"y"}}),
              HasSubstr("the tensor i64[] joins a sequence of f32[n], expected the same"));
  EXPECT_THAT(refused({"SequenceConstruct", {"s"}, {"y"}}),
              HasSubstr("input 0 is List[f32[n]], expected a tensor"));
  EXPECT_THAT(refused({"SequenceAt", {"s", "x"}, {"y"}}),
              HasSubstr("its position is f32[n], expected one integer"));
  EXPECT_THAT(refused({"ConcatFromSequence", {"s"}, {"y"}, {IntAttribute("axis", 3)}}),
              HasSubstr("attribute 'axis' is 3, but the result has rank 1"));
  EXPECT_THAT(refused({"ConcatFromSequence", {"s"}, {"y"}}),
              HasSubstr("attribute 'axis' is missing"));
  EXPECT_THAT(refused({"SplitToSequence", {"x"}, {"y"}, {IntAttribute("axis", 1)}}),
              HasSubstr("attribute 'axis' is 1, but the input has rank 1"));
  EXPECT_THAT(refused({"Relu", {"s"}, {"y"}}), HasSubstr("List[f32[n]], expected a tensor"));
}

TEST(OnnxSequence, RefusesItemsOfUnknownRank) {
  const std::string model =
      Start().Node({"SequenceConstruct", {"x", "i"}, {"s"}}).Output("s").Model(kOpset);
  EXPECT_THAT(RunModel(model, {}), HasSubstr("expected the same element type"));
  const std::string mixed = Start()
                                .Initializer(OnnxInts("zero", {0}))
                                .Node({"Unsqueeze", {"x", "zero"}, {"row"}})
                                .Node({"SequenceConstruct", {"x", "row"}, {"s"}})
                                .Node({"SequenceAt", {"s", "i"}, {"y"}})
                                .Output("y")
                                .Model(kOpset);
  EXPECT_THAT(RunModel(mixed, {}), HasSubstr("is not known to be of one rank"));
}

}  // namespace
}  // namespace tern::driver::onnx_sequence_test
