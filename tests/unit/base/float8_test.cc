// SPDX-License-Identifier: Apache-2.0
// 8-bit floats: known values, every code there and back, rounding against a search of all codes.
#include "core/base/float8.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tern::float8_test {
namespace {

TEST(Float8Test, KnownValues) {
  EXPECT_EQ(F8E4M3ToF32(0x38), 1.0f);
  EXPECT_EQ(F8E4M3ToF32(0x7E), 448.0f);
  EXPECT_EQ(F8E4M3ToF32(0x01), 0x1p-9f);
  EXPECT_EQ(F8E4M3ToF32(0xC0), -2.0f);
  EXPECT_TRUE(std::isnan(F8E4M3ToF32(0x7F)));
  EXPECT_EQ(F8E5M2ToF32(0x3C), 1.0f);
  EXPECT_EQ(F8E5M2ToF32(0x7B), 57344.0f);
  EXPECT_EQ(F8E5M2ToF32(0x01), 0x1p-16f);
  EXPECT_TRUE(std::isinf(F8E5M2ToF32(0x7C)));
  EXPECT_TRUE(std::isnan(F8E5M2ToF32(0x7D)));
}

TEST(Float8Test, EveryCodeThereAndBack) {
  for (int code = 0; code < 256; ++code) {
    const auto bits = static_cast<uint8_t>(code);
    if (!std::isnan(F8E4M3ToF32(bits))) EXPECT_EQ(F32ToF8E4M3(F8E4M3ToF32(bits)), bits);
    if (!std::isnan(F8E5M2ToF32(bits))) EXPECT_EQ(F32ToF8E5M2(F8E5M2ToF32(bits)), bits);
  }
}

// The nearest of the finite codes 0 … last, ties to the even code.
template <typename Decode>
int NearestCode(float value, int last, Decode decode) {
  int best = 0;
  for (int code = 1; code <= last; ++code) {
    const double distance = std::fabs(double{decode(static_cast<uint8_t>(code))} - double{value});
    const double least = std::fabs(double{decode(static_cast<uint8_t>(best))} - double{value});
    if (distance < least || (distance == least && code % 2 == 0)) best = code;
  }
  return best;
}

TEST(Float8Test, RoundsToTheNearest) {
  for (float value = 0x1p-12f; value < 440.0f; value *= 1.03125f) {
    EXPECT_EQ(F32ToF8E4M3(value), NearestCode(value, 0x7E, F8E4M3ToF32)) << value;
    EXPECT_EQ(F32ToF8E4M3(-value), NearestCode(value, 0x7E, F8E4M3ToF32) | 0x80) << value;
  }
  for (float value = 0x1p-19f; value < 57000.0f; value *= 1.03125f)
    EXPECT_EQ(F32ToF8E5M2(value), NearestCode(value, 0x7B, F8E5M2ToF32)) << value;
}

TEST(Float8TestBad, WhatDoesNotFit) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(F32ToF8E4M3(464.0f), 0x7E) << "the tie goes to the even code";
  EXPECT_EQ(F32ToF8E4M3(465.0f), 0x7F);
  EXPECT_EQ(F32ToF8E4M3(infinity), 0x7F);
  EXPECT_EQ(F32ToF8E4M3(-1e30f), 0xFF);
  EXPECT_EQ(F32ToF8E5M2(61440.0f), 0x7C);
  EXPECT_EQ(F32ToF8E5M2(-infinity), 0xFC);
  EXPECT_TRUE(std::isnan(F8E4M3ToF32(F32ToF8E4M3(nan))));
  EXPECT_TRUE(std::isnan(F8E5M2ToF32(F32ToF8E5M2(nan))));
  EXPECT_EQ(F32ToF8E4M3(1e-30f), 0);
  EXPECT_EQ(F32ToF8E5M2(std::numeric_limits<float>::denorm_min()), 0);
}

}  // namespace
}  // namespace tern::float8_test
