// SPDX-License-Identifier: Apache-2.0
// Values as text and JSON.
#include "core/object/graph/print.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <span>
#include <tuple>
#include <vector>

#include "core/base/half.h"
#include "core/object/containers/adt.h"
#include "core/object/containers/closure.h"
#include "core/object/containers/sequence.h"
#include "core/object/containers/table.h"
#include "core/object/error.h"
#include "core/object/function.h"
#include "core/object/strings/string.h"

namespace tern::print_test {
namespace {

TEST(Print, Scalars) {
  EXPECT_EQ(PrintValue(nullptr), "none");
  EXPECT_EQ(PrintValue(-3), "-3");
  EXPECT_EQ(PrintValue(0.1), "0.1");
  EXPECT_EQ(PrintValue(true), "true");
  EXPECT_EQ(PrintValue("a\"b"), R"("a\"b")");
  EXPECT_EQ(PrintValue(String("some longer text")), R"("some longer text")");
  EXPECT_EQ(PrintValue(kBf16), "bf16");
  int x = 0;
  EXPECT_EQ(PrintValue(static_cast<void*>(&x)), "opaque");
}

TEST(Print, Tensors) {
  EXPECT_EQ(PrintValue(Tensor::FromValues<float>({1, 2.5, 0.1f, 4}, {2, 2}).value()),
            "f32[2, 2] [1, 2.5, 0.1, 4]");
  EXPECT_EQ(PrintValue(Tensor::Scalar<int64_t>(7)), "i64[] 7");
  EXPECT_EQ(PrintValue(Tensor::FromValues<bool>({true, false}, {2}).value()),
            "bool[2] [true, false]");
  EXPECT_EQ(PrintValue(Tensor::New(kF32, {0}).value()), "f32[0] []");
  const auto many = Tensor::FromValues<uint8_t>({1, 2, 3, 4}, {4}).value();
  EXPECT_EQ(PrintValue(many, {.max_elements = 2}), "u8[4] [1, 2, …]");
  EXPECT_EQ(PrintValue(many, {.max_elements = 0}), "u8[4] […]");
  const std::string_view texts[] = {"x", "a longer one"};
  const int64_t two[] = {2};
  EXPECT_EQ(PrintValue(Tensor::FromStrings(texts, two).value()),
            R"(string[2] ["x", "a longer one"])");
  EXPECT_EQ(PrintValue(Tensor::New(kC64, {1}).value()), "c64[1] [?]");
}

TEST(Print, HalfAndFourBitElements) {
  const TensorPtr half = Tensor::New(kF16, {2}).value();
  half->values<uint16_t>()[0] = F32ToF16(1.5f);
  half->values<uint16_t>()[1] = F32ToF16(-2);
  EXPECT_EQ(PrintValue(half), "f16[2] [1.5, -2]");
  const TensorPtr nibbles = Tensor::New(kI4, {3}).value();
  static_cast<uint8_t*>(nibbles->data())[0] = 0x8F;
  static_cast<uint8_t*>(nibbles->data())[1] = 0x07;
  EXPECT_EQ(PrintValue(nibbles), "i4[3] [-1, -8, 7]");
}

TEST(Print, StridedViewsInLogicalOrder) {
  const auto tensor = Tensor::FromValues<float>({0, 1, 2, 3, 4, 5}, {2, 3}).value();
  const int64_t dims[] = {3, 2}, strides[] = {1, 3};
  EXPECT_EQ(PrintValue(tensor->View(dims, strides, 0).value()), "f32[3, 2] [0, 3, 1, 4, 2, 5]");
}

TEST(Print, Containers) {
  EXPECT_EQ(PrintValue(Shape::Make({1, 2})), "[1, 2]");
  EXPECT_EQ(PrintValue(Sequence::Make({1, "a"})), R"(list[1, "a"])");
  EXPECT_EQ(PrintValue(Adt::Tuple({1, nullptr})), "(1, none)");
  EXPECT_EQ(PrintValue(Adt::Make(2, std::vector<AnyView>{AnyView(1)})), "adt#2(1)");
  EXPECT_EQ(PrintValue(Closure::Make(3, std::vector<AnyView>(2))), "closure(#3, 2 free)");
  EXPECT_EQ(PrintValue(Function::FromTyped("f", [] {})), "function f");
  EXPECT_EQ(PrintValue(Error::Make(IoError("x"))), "error(input/output error: x)");
  EXPECT_EQ(PrintValue(Storage::New(nullptr, 5).value()), "storage(5 bytes)");
}

TEST(Print, DeepAndSelfReferentialValuesEnd) {
  auto deep = Sequence::Make();
  for (int i = 0; i < 10; ++i) deep = Sequence::Make({AnyView(deep)});
  EXPECT_EQ(PrintValue(deep), "list[list[list[list[list[…]]]]]");
  const auto cycle = Sequence::Make();
  cycle->PushBack(cycle);
  EXPECT_FALSE(PrintValue(cycle).empty());
  EXPECT_FALSE(ValueJson(cycle).empty());
  cycle->Clear();
}

TEST(Print, MapsInOrderOfInsertion) {
  const TablePtr table = Table::Make();
  table->Set("b", Any(1));
  table->Set(2, Any(Sequence::Make({1})));
  EXPECT_EQ(PrintValue(table), R"(map{"b": 1, 2: list[1]})");
  EXPECT_EQ(PrintValue(Table::Make()), "map{}");
  PrintOptions one;
  one.max_elements = 1;
  EXPECT_EQ(PrintValue(table, one), R"(map{"b": 1, …})");
  EXPECT_EQ(ValueJson(table, one),
            R"({"kind":"map","size":2,"entries":[[{"kind":"string","value":"b"},)"
            R"({"kind":"int","value":1}]]})");
  table->Set("self", Any(table));
  EXPECT_FALSE(PrintValue(table).empty());
  table->Clear();
}

TEST(Print, WhatIsLeftOutIsCounted) {
  int64_t omitted = 0;
  const PrintOptions two = {.max_elements = 2, .max_depth = 1, .omitted = &omitted};
  const auto tensor = Tensor::FromValues<float>({0, 1, 2, 3, 4}, {5}).value();
  EXPECT_EQ(PrintValue(Sequence::Make({AnyView(tensor), 1, 2}), two),
            "list[f32[5] [0, 1, …], 1, …]");
  EXPECT_EQ(omitted, 4);
  omitted = 0;
  EXPECT_EQ(PrintValue(Sequence::Make({AnyView(Sequence::Make({1, 2, 3}))}), two), "list[list[…]]");
  EXPECT_EQ(omitted, 3);
  omitted = 0;
  ValueJson(tensor, two);
  EXPECT_EQ(omitted, 3);
}

// It would have two to the power of 40 parts.
TEST(Print, SharedPartsHaveAnEnd) {
  auto shared = Sequence::Make({1});
  for (int i = 0; i < 40; ++i) shared = Sequence::Make({AnyView(shared), AnyView(shared)});
  int64_t omitted = 0;
  const PrintOptions whole = {.max_elements = 100, .max_depth = 4000, .omitted = &omitted};
  EXPECT_LT(PrintValue(shared, whole).size(), size_t{1} << 28);
  EXPECT_GT(omitted, 0);
}

class TreeNames : public ValueNames {
 public:
  std::string_view Constructor(uint32_t type, int32_t tag) const override {
    return type != 1 ? "" : tag == 0 ? "Leaf" : "Node";
  }
  uint32_t Part(uint32_t type, int32_t, size_t index) const override {
    return type == 1 && index == 0 ? 0 : 1;
  }
};

TEST(Print, ConstructorsHaveTheirNames) {
  const TreeNames names;
  const auto leaf = Adt::Make(0, std::vector<AnyView>{});
  const auto node = Adt::Make(1, std::vector<AnyView>{AnyView(7), AnyView(leaf)});
  const PrintOptions tree = {.names = &names, .type = 1};
  EXPECT_EQ(PrintValue(node, tree), "Node(7, Leaf)");
  EXPECT_EQ(ValueJson(leaf, tree),
            R"({"kind":"adt","constructor":"Leaf","tag":0,"size":0,"items":[]})");
}

TEST(PrintJson, Values) {
  EXPECT_EQ(ValueJson(nullptr), R"({"kind":"none"})");
  EXPECT_EQ(ValueJson(3), R"({"kind":"int","value":3})");
  EXPECT_EQ(ValueJson(true), R"({"kind":"bool","value":true})");
  EXPECT_EQ(ValueJson("hi"), R"({"kind":"string","value":"hi"})");
  EXPECT_EQ(ValueJson(kF32), R"({"kind":"dtype","text":"f32"})");
  EXPECT_EQ(ValueJson(Shape::Make({2, 3})), R"({"kind":"shape","value":[2,3]})");
  EXPECT_EQ(ValueJson(Adt::Tuple({1, 2.5})),
            R"({"kind":"tuple","tag":0,"size":2,"items":[{"kind":"int","value":1},)"
            R"({"kind":"float","value":2.5}]})");
}

TEST(PrintJson, Tensor) {
  const auto tensor = Tensor::FromValues<float>({1, 2, 3, 4}, {2, 2}).value();
  EXPECT_EQ(
      ValueJson(tensor, {.max_elements = 3}),
      R"({"kind":"tensor","dtype":"f32","shape":[2,2],"readOnly":false,"min":1,"mean":2.5,"max":4,)"
      R"("nan":0,"inf":0,"elements":[1,2,3]})");
}

TEST(PrintJson, NotFiniteElementsAreCountedApart) {
  const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
  const auto tensor = Tensor::FromValues<float>({nan, inf, -1, 3}, {4}).value();
  const TensorStatistics statistics = ComputeStatistics(*tensor);
  EXPECT_EQ(statistics.nan, 1);
  EXPECT_EQ(statistics.inf, 1);
  EXPECT_EQ(statistics.min, -1);
  EXPECT_EQ(statistics.max, 3);
  EXPECT_EQ(statistics.mean, 1);
  EXPECT_NE(ValueJson(tensor).find(R"("elements":["nan","inf",-1,3])"), std::string::npos);
  const auto none = Tensor::FromValues<float>({nan}, {1}).value();
  EXPECT_EQ(ValueJson(none).find("\"min\""), std::string::npos);
}

// Blocks whose elements are all finite are read in another way than those with others.
TEST(PrintJson, StatisticsOfLongTensorsAreThoseOfEveryElement) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  std::vector<float> values(1000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 37 % 101) - 50.5f;
  for (const bool finite : {true, false}) {
    if (!finite) values[300] = std::numeric_limits<float>::quiet_NaN(), values[999] = -kInf;
    const std::vector<double> wide(values.begin(), values.end());
    const std::vector<int64_t> dims{1000};
    const auto narrow = Tensor::FromValues(std::span<const float>(values), dims).value();
    const auto other = Tensor::FromValues(std::span<const double>(wide), dims).value();
    const TensorStatistics found = ComputeStatistics(*narrow);
    const TensorStatistics wanted = ComputeStatistics(*other);
    EXPECT_EQ(found.finite, finite ? 1000 : 998);
    EXPECT_EQ(std::tie(found.finite, found.nan, found.inf, found.min, found.max, found.mean),
              std::tie(wanted.finite, wanted.nan, wanted.inf, wanted.min, wanted.max, wanted.mean));
  }
}

TEST(PrintJson, StatisticsOfOtherTypes) {
  EXPECT_EQ(ComputeStatistics(*Tensor::FromValues<int64_t>({5, -7}, {2}).value()).min, -7);
  EXPECT_EQ(ComputeStatistics(*Tensor::FromValues<bool>({true, false}, {2}).value()).mean, 0.5);
  EXPECT_EQ(ComputeStatistics(*Tensor::New(kString, {2}).value()).finite, 0);
  EXPECT_EQ(TensorElement(*Tensor::FromValues<uint16_t>({9}, {1}).value(), 0), 9);
}

TEST(TensorInt, HoldsEveryIntegerExactly) {
  constexpr int64_t kOdd = (int64_t{1} << 53) + 1;  // no double
  const auto wide = Tensor::FromValues<int64_t>({kOdd, INT64_MAX, INT64_MIN}, {3}).value();
  EXPECT_EQ(TensorInt(*wide, 0), kOdd);
  EXPECT_EQ(TensorInt(*wide, 1), INT64_MAX);
  EXPECT_EQ(TensorInt(*wide, 2), INT64_MIN);
  const auto unsigned_wide = Tensor::FromValues<uint64_t>({kOdd, UINT64_MAX}, {2}).value();
  EXPECT_EQ(TensorInt(*unsigned_wide, 0), kOdd);
  EXPECT_EQ(TensorInt(*Tensor::FromValues<bool>({true}, {1}).value(), 0), 1);
}

TEST(TensorInt, TakesTheNearestOfWhatItDoesNotHold) {
  EXPECT_EQ(TensorInt(*Tensor::FromValues<uint64_t>({UINT64_MAX}, {1}).value(), 0), INT64_MAX);
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto floats = Tensor::FromValues<float>({-2.75f, inf, -inf, nan, 1e30f}, {5}).value();
  EXPECT_EQ(TensorInt(*floats, 0), -2);
  EXPECT_EQ(TensorInt(*floats, 1), INT64_MAX);
  EXPECT_EQ(TensorInt(*floats, 2), INT64_MIN);
  EXPECT_EQ(TensorInt(*floats, 3), 0);
  EXPECT_EQ(TensorInt(*floats, 4), INT64_MAX);
  EXPECT_EQ(TensorInt(*Tensor::New(kString, {1}).value(), 0), 0);
}

}  // namespace
}  // namespace tern::print_test
