// SPDX-License-Identifier: Apache-2.0
#include "core/loop/data_type.h"

#include <gtest/gtest.h>

#include "core/loop/expr.h"

namespace tern::loop::data_type_test {
namespace {

TEST(DataTypeTest, E01TextsRoundTrip) {
  for (const char* text : {"float32", "int8x16", "float32xvscalex4", "boolxvscalex8", "bfloat16x2",
                           "uint64xvscalex1", "float64x1024"}) {
    const Result<DataType> type = DataType::Parse(text);
    ASSERT_TRUE(type.ok()) << text;
    EXPECT_EQ(type->ToString(), text);
  }
  EXPECT_EQ(DataType::Parse("f32xvscalex4")->ToString(), "float32xvscalex4");
}

TEST(DataTypeTest, E01OtherTextsAreRefused) {
  for (const char* text :
       {"float32x4xvscale", "float32xvscale", "float32xvscalex", "float32x1", "float32x0",
        "float32x-4", "float32xvscalex0", "float32x1025", "float31", "", "x4", "vscalex4", "string",
        "float32xvscalex4x2", "complex64", "int4", "float32 x4"}) {
    EXPECT_FALSE(DataType::Parse(text).ok()) << text;
  }
}

TEST(DataTypeTest, E01ScalableIsNotFixed) {
  const DataType fixed(TERN_DTYPE_FLOAT, 32, 4), scalable(TERN_DTYPE_FLOAT, 32, 4, true);
  EXPECT_NE(fixed, scalable);
  EXPECT_EQ(fixed.lanes(), 4);
  EXPECT_EQ(scalable.vscale_factor(), 4);
  EXPECT_EQ(scalable.lane_count().At(3), 12);
  EXPECT_DEATH_IF_SUPPORTED(scalable.lanes(), "no number of lanes");
  EXPECT_DEATH_IF_SUPPORTED(fixed.vscale_factor(), "not a scalable vector");
}

TEST(DataTypeTest, ConstantsWrapAndRoundToTheirType) {
  EXPECT_EQ(MakeInt(DataType(kI8), 200)->As<IntImm>()->value, -56);
  EXPECT_EQ(MakeInt(DataType(kU8), -1)->As<IntImm>()->value, 255);
  EXPECT_EQ(MakeFloat(DataType(kF16), 0.1)->As<FloatImm>()->value, 0.0999755859375);
  EXPECT_FALSE(FitsInt(DataType(kI8), 128));
  EXPECT_TRUE(FitsInt(DataType(kU8), 128));
}

TEST(DataTypeTest, OperandsAreChecked) {
  EXPECT_EQ(WhyNotBinary(BinaryOp::kAdd, kIndexType, kIndexType), "");
  EXPECT_NE(WhyNotBinary(BinaryOp::kAdd, kIndexType, DataType(kF32)), "");
  EXPECT_NE(WhyNotBinary(BinaryOp::kShl, DataType(kF32), DataType(kF32)), "");
  EXPECT_NE(WhyNotBinary(BinaryOp::kAdd, kBoolType, kBoolType), "");
  EXPECT_NE(WhyNotBinary(BinaryOp::kAdd, DataType(kF32, {4, false}), DataType(kF32, {4, true})),
            "");
  EXPECT_NE(WhyNotSelect(kBoolType, DataType(kF32, {4, false}), DataType(kF32, {4, false})), "");
  EXPECT_NE(WhyNotReinterpret(DataType(kF32), DataType(kI64)), "");
  EXPECT_NE(WhyNotReduce(BinaryOp::kAdd, DataType(kF32)), "");
  EXPECT_NE(WhyNotReduce(BinaryOp::kSub, DataType(kF32, {4, true})), "");
}

}  // namespace
}  // namespace tern::loop::data_type_test
