// SPDX-License-Identifier: Apache-2.0
// ReadModel on models made by the test writer, and what it says about bytes that are no model.
#include "core/onnx/read_model.h"

#include <gtest/gtest.h>

#include "tests/support/onnx_writer.h"

namespace tern::onnx::read_model_test {
namespace {

using test::OnnxGraph;
using test::ProtoWriter;

std::string SmallModel() {
  return OnnxGraph()
      .Input("x", test::kOnnxFloat, {"batch", 3, ""})
      .Initializer(test::OnnxFloats("w", {3, 1}, {1, 2, 3}))
      .Node({"MatMul", {"x", "w"}, {"y"}, {test::IntAttribute("flag", -1)}, "product"})
      .Output("y")
      .Model(13,
             ProtoWriter().Text(2, "tester").Message(14, ProtoWriter().Text(1, "k").Text(2, "v")));
}

TEST(ReadModelTest, ReadsGraphValuesAndMetadata) {
  const std::string bytes = SmallModel();
  Model model;
  ASSERT_TRUE(ReadModel(AsBytes(bytes), &model).ok());
  EXPECT_EQ(model.ir_version, 8);
  EXPECT_EQ(model.producer_name, "tester");
  ASSERT_EQ(model.opset_imports.size(), 1u);
  EXPECT_EQ(model.opset_imports[0].version, 13);
  ASSERT_EQ(model.metadata.size(), 1u);
  EXPECT_EQ(model.metadata[0].value, "v");
  ASSERT_EQ(model.graph.nodes.size(), 1u);
  const Node& node = model.graph.nodes[0];
  EXPECT_EQ(node.op_type, "MatMul");
  EXPECT_EQ(node.name, "product");
  EXPECT_EQ(node.inputs, (std::vector<std::string_view>{"x", "w"}));
  ASSERT_EQ(node.attributes.size(), 1u);
  EXPECT_EQ(node.attributes[0].type, AttributeType::kInt);
  EXPECT_EQ(node.attributes[0].i, -1);
}

TEST(ReadModelTest, ReadsSymbolicDimensions) {
  const std::string bytes = SmallModel();
  Model model;
  ASSERT_TRUE(ReadModel(AsBytes(bytes), &model).ok());
  ASSERT_EQ(model.graph.inputs.size(), 1u);
  const Type& type = model.graph.inputs[0].type;
  ASSERT_EQ(type.kind, Type::Kind::kTensor);
  ASSERT_NE(type.shape, nullptr);
  ASSERT_EQ(type.shape->dims.size(), 3u);
  EXPECT_EQ(type.shape->dims[0].symbol, "batch");
  EXPECT_EQ(type.shape->dims[1].value, 3);
  EXPECT_EQ(type.shape->dims[2].kind, Dimension::Kind::kUnknown);
}

TEST(ReadModelTest, RawDataPointsIntoTheFile) {
  const std::string bytes = SmallModel();
  Model model;
  ASSERT_TRUE(ReadModel(AsBytes(bytes), &model).ok());
  const Tensor& weights = model.graph.initializers.at(0);
  EXPECT_EQ(weights.dims, (std::vector<int64_t>{3, 1}));
  ASSERT_EQ(weights.raw_data.size(), 12u);
  EXPECT_GE(weights.raw_data.data(), bytes.data());
  EXPECT_LE(weights.raw_data.data() + 12, bytes.data() + bytes.size());
}

TEST(ReadModelTest, MergesRepeatedSingularMessages) {
  const ProtoWriter first = ProtoWriter().Text(2, "first").Message(12, ProtoWriter().Text(1, "a"));
  const ProtoWriter second =
      ProtoWriter().Text(2, "second").Message(12, ProtoWriter().Text(1, "b"));
  const std::string bytes = ProtoWriter().Int(1, 8).Message(7, first).Message(7, second).bytes();
  Model model;
  ASSERT_TRUE(ReadModel(AsBytes(bytes), &model).ok());
  EXPECT_EQ(model.graph.name, "second");
  ASSERT_EQ(model.graph.outputs.size(), 2u);
}

TEST(ReadModelTest, TheLastMemberOfAOneofStays) {
  const ProtoWriter dim = ProtoWriter().Int(1, 5).Text(2, "n");
  const ProtoWriter tensor = ProtoWriter().Int(1, 1).Message(2, ProtoWriter().Message(1, dim));
  const ProtoWriter type = ProtoWriter().Message(4, ProtoWriter()).Message(1, tensor);
  const ProtoWriter info = ProtoWriter().Text(1, "x").Message(2, type);
  const std::string bytes =
      ProtoWriter().Int(1, 8).Message(7, ProtoWriter().Message(11, info)).bytes();
  Model model;
  ASSERT_TRUE(ReadModel(AsBytes(bytes), &model).ok());
  const Type& read = model.graph.inputs.at(0).type;
  EXPECT_EQ(read.kind, Type::Kind::kTensor);
  ASSERT_NE(read.shape, nullptr);
  EXPECT_EQ(read.shape->dims.at(0).kind, Dimension::Kind::kSymbol);
  EXPECT_EQ(read.shape->dims.at(0).value, 0);
}

TEST(ReadModelTest, ReadsEveryKindOfAttribute) {
  const ProtoWriter tensor = test::OnnxInts("t", {1});
  const ProtoWriter graph = ProtoWriter().Text(2, "inner");
  ProtoWriter node;
  node.Text(4, "Op")
      .Message(5, test::FloatAttribute("f", 0.5f))
      .Message(5, test::TextAttribute("s", "v"));
  node.Message(5, test::TensorAttribute("t", tensor)).Message(5, test::GraphAttribute("g", graph));
  node.Message(5, test::IntsAttribute("is", {1, 2}))
      .Message(5, test::FloatsAttribute("fs", {1, 2, 3}));
  node.Message(5, test::OnnxAttribute("ss", 8).Text(9, "a").Text(9, "b"));
  node.Message(5, test::OnnxAttribute("ts", 9).Message(10, tensor));
  node.Message(
      5, test::OnnxAttribute("sp", 11).Message(22, ProtoWriter().Message(1, tensor).Int(3, 9)));
  node.Message(5,
               test::OnnxAttribute("tp", 13).Message(14, ProtoWriter().Message(9, ProtoWriter())));
  const std::string bytes =
      ProtoWriter().Int(1, 8).Message(7, ProtoWriter().Message(1, node)).bytes();
  Model model;
  ASSERT_TRUE(ReadModel(AsBytes(bytes), &model).ok());
  const std::vector<Attribute>& attributes = model.graph.nodes.at(0).attributes;
  ASSERT_EQ(attributes.size(), 10u);
  EXPECT_EQ(attributes[0].f, 0.5f);
  EXPECT_EQ(attributes[1].s, "v");
  EXPECT_EQ(attributes[2].tensor->name, "t");
  EXPECT_EQ(attributes[3].graph->name, "inner");
  EXPECT_EQ(attributes[4].ints, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(attributes[5].floats.size(), 3u);
  EXPECT_EQ(attributes[6].strings.at(1), "b");
  EXPECT_EQ(attributes[7].tensors.size(), 1u);
  EXPECT_EQ(attributes[8].sparse_tensor->dims.at(0), 9);
  EXPECT_EQ(attributes[9].type_proto->kind, Type::Kind::kOptional);
}

TEST(ReadModelTest, SaysWhatForeignBytesAre) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"<!DOCTYPE html><html><body>404</body></html>", "HTML"},
      {"<html><head></head></html>", "HTML"},
      {std::string_view("\x89PNG\r\n\x1A\n\0\0\0\rIHDR", 16), "PNG"},
      {"PK\x03\x04rest of an archive", "ZIP"},
      {"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"},
      {"Dear reader,\nthis is a letter.\n", "plain text"},
      {"\x1F\x8B\x08rest", "gzip"},
      {"\x89TERN\r\n\x1A\n", "a Tern executable"},
      {"{\"model\": 1}", "JSON"},
  };
  for (const auto& [bytes, word] : cases) {
    Model model;
    const Status status = ReadModel(AsBytes(bytes), &model);
    ASSERT_FALSE(status.ok()) << word;
    EXPECT_EQ(status.code(), StatusCode::kCorrupt);
    EXPECT_NE(status.message().find(word), std::string_view::npos) << status.message();
  }
}

TEST(ReadModelTest, RefusesAnEmptyFile) {
  Model model;
  const Status status = ReadModel({}, &model);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find("empty"), std::string_view::npos);
}

TEST(ReadModelTest, RefusesProtobufWithoutAGraph) {
  const std::string bytes = ProtoWriter().Int(1, 8).Text(2, "producer").bytes();
  Model model;
  const Status status = ReadModel(AsBytes(bytes), &model);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find("without a graph"), std::string_view::npos) << status.message();
}

TEST(ReadModelTest, NamesThePlaceOfTheDamage) {
  std::string bytes = SmallModel();
  bytes.resize(bytes.size() - 3);
  Model model;
  const Status status = ReadModel(AsBytes(bytes), &model);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find("at byte"), std::string_view::npos) << status.message();
}

}  // namespace
}  // namespace tern::onnx::read_model_test
