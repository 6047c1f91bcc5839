// SPDX-License-Identifier: Apache-2.0
// What a file says of itself, and values of test data.
#include "core/onnx/describe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/base/json_reader.h"
#include "core/object/containers/sequence.h"
#include "core/object/tensor.h"
#include "core/onnx/read_model.h"
#include "core/onnx/test_data.h"
#include "tests/support/onnx_writer.h"

namespace tern::test::describe_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

onnx::Model Read(const std::string& bytes) {
  onnx::Model model;
  EXPECT_TRUE(onnx::ReadModel(AsBytes(bytes), &model).ok());
  return model;
}

TEST(DescribeTest, CountsOperatorsOfSubgraphsToo) {
  const ProtoWriter branch = OnnxGraph().Node({"Relu", {"x"}, {"t"}}).Output("t").fields();
  const std::string bytes =
      OnnxGraph()
          .Input("c", kOnnxBool, {})
          .Input("x", kOnnxFloat, {"n"})
          .Node({"If",
                 {"c"},
                 {"y"},
                 {GraphAttribute("then_branch", branch), GraphAttribute("else_branch", branch)}})
          .Node({"Relu", {"y"}, {"z"}})
          .Output("z", kOnnxFloat, {"n"})
          .Model(17);
  const onnx::ModelDescription description = onnx::Describe(Read(bytes));
  EXPECT_EQ(description.nodes, 4);
  EXPECT_EQ(description.subgraphs, 2);
  ASSERT_THAT(description.operators, SizeIs(2));
  EXPECT_EQ(description.operators[0].op_type, "Relu");
  EXPECT_EQ(description.operators[0].count, 3);
  EXPECT_THAT(description.unsupported, IsEmpty());
  ASSERT_THAT(description.symbols, SizeIs(1));
  EXPECT_THAT(description.symbols[0].axes, ElementsAre("x[0]", "z[0]"));
}

TEST(DescribeTest, CountsParameters) {
  const std::string bytes =
      OnnxGraph()
          .Initializer(OnnxFloats("w", {2, 3}, {1, 2, 3, 4, 5, 6}))
          .Node({"Constant", {}, {"k"}, {TensorAttribute("value", OnnxInts("", {1, 2}))}})
          .Output("k")
          .Model(17);
  const onnx::ParameterCount parameters = onnx::Describe(Read(bytes)).parameters;
  EXPECT_EQ(parameters.tensors, 2);
  EXPECT_EQ(parameters.elements, 8);
  EXPECT_EQ(parameters.bytes, 6 * 4 + 2 * 8);
}

TEST(DescribeTest, TextsOfAFileGiveNoOrdersToATerminal) {
  const ProtoWriter docs = ProtoWriter().Text(6, "\x1b[2Jdoc\n").Text(2, "maker\r");
  const std::string bytes = OnnxGraph().Node({"Re\x07lu", {}, {"y"}}).Output("y").Model(17, docs);
  const onnx::Model model = Read(bytes);
  const onnx::ModelDescription description = onnx::Describe(model);
  const std::string text = onnx::ModelText(model, description);
  EXPECT_THAT(text, HasSubstr("doc: \\x1b[2Jdoc\\n"));
  EXPECT_THAT(text, HasSubstr("producer: maker"));
  EXPECT_THAT(onnx::UnsupportedText(description), HasSubstr("Re\\x07lu, opset 17"));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(DescribeTest, JsonOfAModelOfNothingIsWhole) {
  const std::string bytes = OnnxGraph().Model(17);
  const onnx::Model model = Read(bytes);
  JsonWriter json;
  onnx::WriteModelJson(model, onnx::Describe(model), &json);
  const Result<JsonValue> value = ParseJson(json.text());
  ASSERT_TRUE(value.ok()) << json.text();
  for (const char* member : {"producer", "opsets", "inputs", "outputs", "symbols", "operators",
                             "parameters", "unsupported"})
    EXPECT_NE(value->Find(member), nullptr) << member;
}

// --- test data

onnx::Type TypeOf(onnx::Type::Kind kind) {
  onnx::Type type;
  type.kind = kind;
  type.elem_type = kOnnxFloat;
  if (kind == onnx::Type::Kind::kTensor) return type;
  type.contents = std::make_unique<onnx::Type>();
  type.contents->kind = onnx::Type::Kind::kTensor;
  type.contents->elem_type = kOnnxFloat;
  return type;
}

Any Floats(const std::vector<float>& values) {
  const std::string bytes = OnnxFloats("", {static_cast<int64_t>(values.size())}, values).bytes();
  return onnx::ReadTestValue(AsBytes(bytes), TypeOf(onnx::Type::Kind::kTensor)).value();
}

TEST(TestDataTest, ReadsTensorsSequencesAndOptionals) {
  const ProtoWriter item = OnnxFloats("", {1}, {2});
  const std::string list = ProtoWriter().Message(3, item).Message(3, item).bytes();
  const Result<Any> sequence =
      onnx::ReadTestValue(AsBytes(list), TypeOf(onnx::Type::Kind::kSequence));
  ASSERT_TRUE(sequence.ok());
  EXPECT_EQ(sequence->TryCast<Sequence>()->size(), 2u);
  const std::string some = ProtoWriter().Message(3, item).bytes();
  EXPECT_NE(onnx::ReadTestValue(AsBytes(some), TypeOf(onnx::Type::Kind::kOptional))
                .value()
                .TryCast<Tensor>(),
            nullptr);
  EXPECT_TRUE(
      onnx::ReadTestValue(ByteSpan(), TypeOf(onnx::Type::Kind::kOptional)).value().is_none());
}

TEST(TestDataTest, RefusesDamagedValues) {
  for (const onnx::Type::Kind kind :
       {onnx::Type::Kind::kTensor, onnx::Type::Kind::kSequence, onnx::Type::Kind::kOptional}) {
    EXPECT_FALSE(onnx::ReadTestValue(AsBytes("\x1A\x7F"), TypeOf(kind)).ok());
  }
  EXPECT_FALSE(onnx::ReadTestValue(
                   AsBytes(ProtoWriter().Message(3, OnnxTensor("", kOnnxFloat, {9}, "12")).bytes()),
                   TypeOf(onnx::Type::Kind::kSequence))
                   .ok());
}

TEST(TestDataTest, FindsTheWorstElement) {
  const onnx::Tolerance tolerance = {.rtol = 0, .atol = 0.5};
  const onnx::Comparison same = onnx::CompareTestValues(Floats({1, NAN, INFINITY}),
                                                        Floats({1.25f, NAN, INFINITY}), tolerance);
  EXPECT_TRUE(same.ok());
  EXPECT_EQ(same.largest, 0.25);
  const onnx::Comparison other =
      onnx::CompareTestValues(Floats({1, 2, 9, 4}), Floats({1, 3, 4, 6}), tolerance);
  EXPECT_EQ(other.wrong, 3);
  EXPECT_EQ(other.worst, "[2]");
  EXPECT_EQ(other.actual, "9");
  EXPECT_EQ(other.expected, "4");
  const onnx::Comparison infinite =
      onnx::CompareTestValues(Floats({1, INFINITY}), Floats({100, -INFINITY}), tolerance);
  EXPECT_EQ(infinite.worst, "[1]");
}

TEST(TestDataTest, TellsOtherTypesApart) {
  const onnx::Comparison shape =
      onnx::CompareTestValues(Floats({1, 2}), Floats({1, 2, 3}), onnx::Tolerance());
  EXPECT_EQ(shape.mismatch, "is f32[2], expected f32[3]");
  EXPECT_FALSE(onnx::CompareTestValues(Any(), Floats({1}), onnx::Tolerance()).ok());
  EXPECT_TRUE(onnx::CompareTestValues(Any(), Any(), onnx::Tolerance()).ok());
  SequencePtr list = Sequence::Make();
  list->PushBack(Floats({1}));
  SequencePtr empty = Sequence::Make();
  EXPECT_EQ(onnx::CompareTestValues(Any(empty), Any(list), onnx::Tolerance()).mismatch,
            "is 0 items, expected a list of 1");
}

}  // namespace
}  // namespace tern::test::describe_test
