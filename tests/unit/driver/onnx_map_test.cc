// SPDX-License-Identifier: Apache-2.0
// Maps of ai.onnx.ml, imported and run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/object/containers/map.h"
#include "core/object/strings/string.h"
#include "tests/support/onnx_writer.h"
#include "tests/unit/driver/run_model.h"

namespace tern::driver::onnx_map_test {
namespace {

using ::testing::HasSubstr;
using namespace test;  // NOLINT: the makers of models

constexpr std::string_view kMl = "ai.onnx.ml";

ProtoWriter TextsAttribute(std::string_view name, const std::vector<std::string_view>& values) {
  ProtoWriter attribute = OnnxAttribute(name, 8);
  for (const std::string_view value : values) attribute.Text(9, value);
  return attribute;
}

// "m": a map of key type to value type, both numbers of TensorProto.DataType.
ProtoWriter MapInput(int key, int value) {
  const ProtoWriter tensor = ProtoWriter().Message(1, ProtoWriter().Int(1, value));
  const ProtoWriter type = ProtoWriter().Message(5, ProtoWriter().Int(1, key).Message(2, tensor));
  return ProtoWriter().Message(11, ProtoWriter().Text(1, "m").Message(2, type));
}

std::string ModelOf(OnnxGraph graph, const OnnxNode& node) {
  const ProtoWriter import = ProtoWriter().Message(8, ProtoWriter().Text(1, kMl).Int(2, 3));
  return graph.Node(node).Output(node.outputs[0]).Model(17, import);
}

std::string ZipMap(const std::vector<ProtoWriter>& labels, const std::vector<OnnxDim>& dims) {
  return ModelOf(OnnxGraph().Input("x", kOnnxFloat, dims),
                 {"ZipMap", {"x"}, {"y"}, labels, "zip", kMl});
}

TEST(OnnxMap, ZipMapGivesAMapForEachRow) {
  const std::string named =
      ZipMap({TextsAttribute("classlabels_strings", {"cat", "dog"})}, {"n", 2});
  EXPECT_EQ(RunModel(named, {Floats({0.25, 0.75, 1, 0}, {2, 2})}),
            R"(list[map{"cat": 0.25, "dog": 0.75}, map{"cat": 1, "dog": 0}])");
  EXPECT_EQ(RunModel(named, {Floats({}, {0, 2})}), "list[]");
  EXPECT_EQ(RunModel(ZipMap({IntsAttribute("classlabels_int64s", {7, -1, 3})}, {3}),
                     {Floats({1, 2, 3}, {3})}),
            "list[map{7: 1, -1: 2, 3: 3}]");
}

TEST(OnnxMap, ZipMapRefuses) {
  const ProtoWriter two = TextsAttribute("classlabels_strings", {"a", "b"});
  EXPECT_THAT(RunModel(ZipMap({}, {"n", 2}), {}), HasSubstr("classlabels_strings"));
  EXPECT_THAT(RunModel(ZipMap({two, IntsAttribute("classlabels_int64s", {1, 2})}, {"n", 2}), {}),
              HasSubstr("either 'classlabels_strings' or 'classlabels_int64s'"));
  EXPECT_THAT(RunModel(ZipMap({two}, {"n", 3}), {}),
              HasSubstr("it has 2 class labels, but its input has 3 columns"));
  EXPECT_THAT(RunModel(ZipMap({two}, {1, "n", 2}), {}), HasSubstr("expected f32[n, 2] or f32[2]"));
  // Only a run tells how many columns there are.
  EXPECT_THAT(RunModel(ZipMap({two}, {"n", "m"}), {Floats({1, 2, 3}, {1, 3})}),
              HasSubstr("map_rows: x is f32[1, 3], expected f32[n, 2] or f32[2]"));
}

std::string CastMap(int value, const std::vector<ProtoWriter>& attributes) {
  return ModelOf(OnnxGraph().Append(MapInput(kOnnxInt64, value)),
                 {"CastMap", {"m"}, {"y"}, attributes, "cast", kMl});
}

TEST(OnnxMap, CastMapSortsByKeyOrPlacesByIt) {
  const Map<int64_t, double> numbers = {{5, 2.5}, {1, -1.0}};
  const Any map(numbers);
  EXPECT_EQ(RunModel(CastMap(kOnnxFloat, {}), {map}), "f32[1, 2] [-1, 2.5]");
  EXPECT_EQ(RunModel(CastMap(kOnnxFloat, {TextAttribute("cast_to", "TO_INT64")}), {map}),
            "i64[1, 2] [-1, 2]");
  EXPECT_EQ(RunModel(CastMap(kOnnxFloat,
                             {TextAttribute("map_form", "SPARSE"), IntAttribute("max_map", 7)}),
                     {map}),
            "f32[1, 7] [0, -1, 0, 0, 0, 2.5, 0]");
  const Map<int64_t, String> texts = {{1, "3"}, {0, "1e2"}};
  EXPECT_EQ(RunModel(CastMap(kOnnxString, {}), {Any(texts)}), "f32[1, 2] [100, 3]");
  EXPECT_EQ(RunModel(CastMap(kOnnxString,
                             {TextAttribute("cast_to", "TO_STRING"),
                              TextAttribute("map_form", "SPARSE"), IntAttribute("max_map", 3)}),
                     {Any(texts)}),
            R"(string[1, 3] ["1e2", "3", ""])");
}

TEST(OnnxMap, CastMapRefuses) {
  const Map<int64_t, double> numbers = {{5, 2.5}, {-1, 1.0}};
  const std::string sparse =
      CastMap(kOnnxFloat, {TextAttribute("map_form", "SPARSE"), IntAttribute("max_map", 5)});
  EXPECT_THAT(RunModel(sparse, {Any(numbers)}),
              HasSubstr("map_values: the map has the key 5, but 'max_map' is 5"));
  EXPECT_THAT(RunModel(CastMap(kOnnxFloat,
                               {TextAttribute("map_form", "SPARSE"), IntAttribute("max_map", 0)}),
                       {}),
              HasSubstr("attribute 'max_map' is 0, expected at least 1"));
  EXPECT_THAT(RunModel(CastMap(kOnnxFloat, {TextAttribute("cast_to", "TO_TEXT")}), {}),
              HasSubstr("cast_to"));
  const Map<int64_t, String> words = {{1, "many"}};
  EXPECT_THAT(RunModel(CastMap(kOnnxString, {}), {Any(words)}),
              HasSubstr("element 0 is no number: 'many'"));
  const Map<String, double> named = {{"a", 1.0}};
  EXPECT_THAT(RunModel(CastMap(kOnnxFloat, {}), {Any(named)}), HasSubstr("expected"));
}

std::string Vectorizer(int key, int value, const std::vector<ProtoWriter>& attributes) {
  return ModelOf(OnnxGraph().Append(MapInput(key, value)),
                 {"DictVectorizer", {"m"}, {"y"}, attributes, "vectorizer", kMl});
}

TEST(OnnxMap, DictVectorizerFillsWhatIsAbsent) {
  const ProtoWriter vocabulary = TextsAttribute("string_vocabulary", {"a", "c", "b", "z"});
  const Map<String, int64_t> counts = {{"c", 8}, {"a", 4}, {"unknown", 5}};
  EXPECT_EQ(RunModel(Vectorizer(kOnnxString, kOnnxInt64, {vocabulary}), {Any(counts)}),
            "i64[1, 4] [4, 8, 0, 0]");
  const Map<int64_t, String> names = {{2, "two"}};
  EXPECT_EQ(
      RunModel(Vectorizer(kOnnxInt64, kOnnxString, {IntsAttribute("int64_vocabulary", {1, 2})}),
               {Any(names)}),
      R"(string[1, 2] ["", "two"])");
}

TEST(OnnxMap, DictVectorizerRefuses) {
  const ProtoWriter vocabulary = TextsAttribute("string_vocabulary", {"a"});
  EXPECT_THAT(RunModel(Vectorizer(kOnnxInt64, kOnnxFloat, {vocabulary}), {}),
              HasSubstr("its vocabulary has keys that are string"));
  EXPECT_THAT(RunModel(Vectorizer(kOnnxString, kOnnxFloat, {}), {}),
              HasSubstr("string_vocabulary"));
  EXPECT_THAT(RunModel(Vectorizer(kOnnxString, 11, {vocabulary}), {}),
              HasSubstr("input 'm' is a map of string to float64"));
  EXPECT_THAT(RunModel(Vectorizer(kOnnxFloat, kOnnxFloat, {vocabulary}), {}),
              HasSubstr("expected keys that are int64 or string"));
  EXPECT_THAT(RunModel(ModelOf(OnnxGraph().Input("m", kOnnxFloat, {2}),
                               {"DictVectorizer", {"m"}, {"y"}, {vocabulary}, "", kMl}),
                       {}),
              HasSubstr("its input is f32[2], expected a map"));
}

}  // namespace
}  // namespace tern::driver::onnx_map_test
