// SPDX-License-Identifier: Apache-2.0
// 16-bit floats: all 65536 patterns, and rounding against the definition (nearest of two
// neighbours, ties to even).
#include "core/base/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tern::half_test {
namespace {

TEST(Half, KnownValues) {
  EXPECT_EQ(F16ToF32(0x3C00), 1.0f);
  EXPECT_EQ(F16ToF32(0xC000), -2.0f);
  EXPECT_EQ(F16ToF32(0x7BFF), 65504.0f);
  EXPECT_EQ(F16ToF32(0x0001), 0x1p-24f);
  EXPECT_EQ(F16ToF32(0x7C00), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(F16ToF32(0x7E00)));
  EXPECT_TRUE(std::signbit(F16ToF32(0x8000)));
  EXPECT_EQ(Bf16ToF32(0x3F80), 1.0f);
}

TEST(Half, EveryPatternRoundTrips) {
  for (uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    if (!std::isnan(F16ToF32(half))) ASSERT_EQ(F32ToF16(F16ToF32(half)), half);
    if (!std::isnan(Bf16ToF32(half))) ASSERT_EQ(F32ToBf16(Bf16ToF32(half)), half);
  }
}

TEST(Half, RoundsToNearestEven) {
  // Between each pair of neighbours: the middle goes to the even one, a little off it to the
  // nearer.
  for (uint16_t bits = 0; bits < 0x7BFF; ++bits) {
    const auto next = static_cast<uint16_t>(bits + 1);
    const float middle = (F16ToF32(bits) + F16ToF32(next)) / 2;  // exact in f32
    ASSERT_EQ(F32ToF16(middle), bits % 2 == 0 ? bits : next);
    ASSERT_EQ(F32ToF16(std::nextafter(middle, 0.0f)), bits);
    ASSERT_EQ(F32ToF16(std::nextafter(middle, 1e9f)), next);
    ASSERT_EQ(F32ToF16(-std::nextafter(middle, 1e9f)), next | 0x8000);
  }
}

TEST(Half, OverflowAndNan) {
  EXPECT_EQ(F32ToF16(65519.996f), 0x7BFF);
  EXPECT_EQ(F32ToF16(65520.0f), 0x7C00);
  EXPECT_EQ(F32ToF16(-1e30f), 0xFC00);
  EXPECT_EQ(F32ToF16(1e-30f), 0);
  EXPECT_TRUE(std::isnan(F16ToF32(F32ToF16(std::nanf("")))));
  EXPECT_TRUE(std::isnan(Bf16ToF32(F32ToBf16(std::nanf("")))));
  EXPECT_EQ(F32ToBf16(3.4028235e38f), 0x7F80);
  EXPECT_EQ(F32ToBf16(1.00390625f), 0x3F80);  // tie to even
  EXPECT_EQ(F32ToBf16(1.01171875f), 0x3F82);  // tie to even, upwards
}

TEST(Half, FromDoublesRoundsOnce) {
  for (uint16_t bits = 0; bits < 0x7BFF; ++bits) {
    const auto next = static_cast<uint16_t>(bits + 1);
    const double middle = (double{F16ToF32(bits)} + double{F16ToF32(next)}) / 2;
    ASSERT_EQ(F32ToF16(RoundToOdd(middle)), bits % 2 == 0 ? bits : next);
    ASSERT_EQ(F32ToF16(RoundToOdd(std::nextafter(middle, 0.0))), bits);
    ASSERT_EQ(F32ToF16(RoundToOdd(std::nextafter(middle, 1e9))), next);
    ASSERT_EQ(F32ToF16(RoundToOdd(-std::nextafter(middle, 1e9))), next | 0x8000);
  }
  EXPECT_EQ(F32ToBf16(RoundToOdd(0x1.01p0)), 0x3F80);
  EXPECT_EQ(F32ToBf16(RoundToOdd(0x1.0100000000001p0)), 0x3F81);
}

TEST(Half, RoundToOddAtTheEnds) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(RoundToOdd(kInf), std::numeric_limits<float>::infinity());
  EXPECT_EQ(RoundToOdd(-1e300), -std::numeric_limits<float>::max());
  EXPECT_EQ(RoundToOdd(-1e-300), -std::numeric_limits<float>::denorm_min());
  EXPECT_TRUE(std::signbit(RoundToOdd(-0.0)));
  EXPECT_EQ(RoundToOdd(0.5), 0.5f);
  EXPECT_TRUE(std::isnan(RoundToOdd(std::nan(""))));
}

}  // namespace
}  // namespace tern::half_test
