// SPDX-License-Identifier: Apache-2.0
// DType: names both ways, words, sizes.
#include "core/object/dtype.h"

#include <gtest/gtest.h>

namespace tern::dtype_test {
namespace {

TEST(DTypeTest, NamesRoundTrip) {
  for (const char* name :
       {"f64",        "f32",    "f16",    "bf16", "i64",    "i32",    "i16",
        "i8",         "u64",    "u32",    "u16",  "u8",     "bool",   "i4",
        "u4",         "string", "c64",    "c128", "f8e4m3", "f8e5m2", "f8e4m3fnuz",
        "f8e5m2fnuz", "f8e8m0", "f4e2m1", "i2",   "u2",     "f32x4",  "u8x16"}) {
    const Result<DType> dtype = DType::Parse(name);
    ASSERT_TRUE(dtype.ok()) << name;
    EXPECT_EQ(dtype->ToString(), name);
    EXPECT_EQ(DType::FromWord(dtype->ToWord()), *dtype);
  }
  EXPECT_EQ(*DType::Parse("float32"), kF32);
  EXPECT_EQ(*DType::Parse("bfloat16"), kBf16);
  EXPECT_EQ(*DType::Parse("uint8"), kU8);
  EXPECT_EQ(*DType::Parse("float8_e4m3fn"), kF8E4M3);
  EXPECT_EQ(*DType::Parse("complex64"), *DType::Parse("c64"));
  EXPECT_EQ(*DType::Parse("complex128"), *DType::Parse("c128"));
  EXPECT_EQ(DType::Parse("complex64x2")->ToString(), "c64x2");
}

TEST(DTypeTestBad, UnknownNames) {
  for (const char* name : {"", "f", "f33", "F32", "float", "f32x", "f32x1", "f32x0", "f32x-2",
                           "f32x70000", "x4", "stringx2", "f32 ", "i128"}) {
    EXPECT_FALSE(DType::Parse(name).ok()) << name;
  }
  const Status status = DType::Parse("fp32").status();
  EXPECT_EQ(status.message(), "unknown dtype 'fp32'");
  EXPECT_EQ(status.code(), StatusCode::kTypeError);
}

TEST(DTypeTestBad, UnknownWords) {
  EXPECT_FALSE(DType::FromWord(0).has_value());
  EXPECT_FALSE(DType::FromWord(UINT32_MAX).has_value());
  EXPECT_FALSE(DType::FromWord(DType(TERN_DTYPE_FLOAT, 32, 0).ToWord()).has_value());
  EXPECT_FALSE(DType(TERN_DTYPE_INT, 7).IsKnown());
  EXPECT_EQ(DType(9, 7).ToString(), "dtype(code 9, 7 bits)");
}

TEST(DTypeTest, Sizes) {
  EXPECT_EQ(kF32.bytes_for(3), 12);
  EXPECT_EQ(kI4.bytes_for(3), 2);
  EXPECT_EQ(kU4.bytes_for(0), 0);
  EXPECT_EQ(DType(TERN_DTYPE_FLOAT, 32, 4).size(), 16);
  EXPECT_FALSE(kF64.bytes_for(INT64_MAX / 4).has_value());
  EXPECT_FALSE(kI4.bytes_for(INT64_MAX / 2).has_value());
  EXPECT_EQ(kU8.bytes_for(INT64_MAX), INT64_MAX);
  EXPECT_EQ(kDTypeOf<int16_t>, kI16);
}

}  // namespace
}  // namespace tern::dtype_test
