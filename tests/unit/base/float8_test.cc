// SPDX-License-Identifier: Apache-2.0
// 8-bit and 4-bit floats: known values, every code there and back, rounding against a search of all
// codes.
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

TEST(Float8Test, FnuzHasOneMoreOfBiasAndOneNaN) {
  EXPECT_EQ(F8E4M3FnuzToF32(0x40), 1.0f);
  EXPECT_EQ(F8E4M3FnuzToF32(0x7F), 240.0f);
  EXPECT_EQ(F8E4M3FnuzToF32(0x01), 0x1p-10f);
  EXPECT_EQ(F8E5M2FnuzToF32(0x40), 1.0f);
  EXPECT_EQ(F8E5M2FnuzToF32(0xFF), -57344.0f);
  for (int code = 0; code < 256; ++code) {
    const auto bits = static_cast<uint8_t>(code);
    EXPECT_EQ(F32ToF8E4M3Fnuz(F8E4M3FnuzToF32(bits)), bits);
    EXPECT_EQ(F32ToF8E5M2Fnuz(F8E5M2FnuzToF32(bits)), bits);
  }
  for (float value = 0x1p-13f; value < 240.0f; value *= 1.03125f)
    EXPECT_EQ(F32ToF8E4M3Fnuz(value), NearestCode(value, 0x7F, F8E4M3FnuzToF32)) << value;
  for (float value = 0x1p-20f; value < 57000.0f; value *= 1.03125f)
    EXPECT_EQ(F32ToF8E5M2Fnuz(value), NearestCode(value, 0x7F, F8E5M2FnuzToF32)) << value;
}

TEST(Float8Test, PowersOfTwo) {
  EXPECT_EQ(F8E8M0ToF32(0x7F), 1.0f);
  EXPECT_EQ(F8E8M0ToF32(0), 0x1p-127f);
  for (int code = 0; code < 256; ++code) {
    const auto bits = static_cast<uint8_t>(code);
    EXPECT_EQ(F32ToF8E8M0(F8E8M0ToF32(bits), PowerRounding::kNearest, true), bits);
  }
  EXPECT_EQ(F32ToF8E8M0(1.25f, PowerRounding::kUp, true), 0x80);
  EXPECT_EQ(F32ToF8E8M0(1.75f, PowerRounding::kDown, true), 0x7F);
  EXPECT_EQ(F32ToF8E8M0(1.25f, PowerRounding::kNearest, true), 0x7F);
  EXPECT_EQ(F32ToF8E8M0(1.5f, PowerRounding::kNearest, true), 0x80) << "ties go up";
  // The least power is no normal float.
  for (const PowerRounding rounding :
       {PowerRounding::kUp, PowerRounding::kDown, PowerRounding::kNearest}) {
    EXPECT_EQ(F32ToF8E8M0(0x1p-127f, rounding, true), 0);
    EXPECT_EQ(F32ToF8E8M0(0x1p-127f, rounding, false), 0);
    EXPECT_EQ(F32ToF8E8M0(0x1p-130f, rounding, true), 0);
    EXPECT_EQ(F32ToF8E8M0(0x1p-130f, rounding, false), 0xFF);
    EXPECT_EQ(F32ToF8E8M0(0, rounding, true), 0);
    EXPECT_EQ(F32ToF8E8M0(0, rounding, false), 0xFF) << "no power is zero";
  }
  EXPECT_EQ(F32ToF8E8M0(0x1.2p-127f, PowerRounding::kNearest, true), 0);
  EXPECT_EQ(F32ToF8E8M0(0x1.2p-127f, PowerRounding::kUp, true), 1);
  EXPECT_EQ(F32ToF8E8M0(0x1.8p-127f, PowerRounding::kNearest, true), 1);
}

TEST(Float8Test, FourBits) {
  const float values[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
  for (int code = 0; code < 8; ++code) {
    const auto bits = static_cast<uint8_t>(code);
    EXPECT_EQ(F4E2M1ToF32(bits), values[code]);
    EXPECT_EQ(F32ToF4E2M1(-values[code]), bits | 0x8);
  }
  for (float value = 0x1p-5f; value < 6; value *= 1.03125f)
    EXPECT_EQ(F32ToF4E2M1(value), NearestCode(value, 7, F4E2M1ToF32)) << value;
}

TEST(Float8TestBad, WhatSmallerTypesCannotHold) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float value : {nan, infinity, -infinity, 1e9f}) {
    EXPECT_EQ(F32ToF8E4M3Fnuz(value), 0x80);
    EXPECT_EQ(F32ToF8E5M2Fnuz(value), 0x80);
  }
  EXPECT_EQ(F32ToF8E4M3Fnuz(-1e-9f), 0) << "there is no -0";
  EXPECT_EQ(F32ToF8E8M0(nan, PowerRounding::kUp, true), 0xFF);
  EXPECT_EQ(F32ToF8E8M0(infinity, PowerRounding::kUp, true), 0xFE);
  EXPECT_EQ(F32ToF8E8M0(3e38f, PowerRounding::kUp, false), 0xFF);
  EXPECT_EQ(F32ToF4E2M1(infinity), 0x7);
  EXPECT_EQ(F32ToF4E2M1(-7), 0xF);
  EXPECT_EQ(F4E2M1ToF32(F32ToF4E2M1(nan)), 0);
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
