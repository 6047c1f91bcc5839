// SPDX-License-Identifier: Apache-2.0
// Floats to text and back: known cases, edges, and random values against the C library.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>

#include "core/base/strings.h"

namespace tern::float_text_test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(FloatText, KnownDoubles) {
  EXPECT_EQ(FormatDouble(0.0), "0");
  EXPECT_EQ(FormatDouble(-0.0), "-0");
  EXPECT_EQ(FormatDouble(1.0), "1");
  EXPECT_EQ(FormatDouble(-2.5), "-2.5");
  EXPECT_EQ(FormatDouble(0.1), "0.1");
  EXPECT_EQ(FormatDouble(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(FormatDouble(1e16), "10000000000000000");
  EXPECT_EQ(FormatDouble(1e17), "1e+17");
  EXPECT_EQ(FormatDouble(1.5e30), "1.5e+30");
  EXPECT_EQ(FormatDouble(0.00001), "0.00001");
  EXPECT_EQ(FormatDouble(0.0000012), "1.2e-6");
  EXPECT_EQ(FormatDouble(5e-324), "5e-324");
  EXPECT_EQ(FormatDouble(2.2250738585072014e-308), "2.2250738585072014e-308");
  EXPECT_EQ(FormatDouble(1.7976931348623157e308), "1.7976931348623157e+308");
  EXPECT_EQ(FormatDouble(9007199254740993.0), "9007199254740992");
  EXPECT_EQ(FormatDouble(9.5), "9.5");
  EXPECT_EQ(FormatDouble(1e23), "1e+23");
  EXPECT_EQ(FormatDouble(kInf), "inf");
  EXPECT_EQ(FormatDouble(-kInf), "-inf");
  EXPECT_EQ(FormatDouble(std::nan("")), "nan");
}

TEST(FloatText, KnownFloats) {
  EXPECT_EQ(FormatFloat(0.1f), "0.1");
  EXPECT_EQ(FormatFloat(16777216.0f), "16777216");
  EXPECT_EQ(FormatFloat(3.4028235e38f), "3.4028235e+38");
  EXPECT_EQ(FormatFloat(1e-45f), "1e-45");
  EXPECT_EQ(FormatFloat(1.17549435e-38f), "1.1754944e-38");
  EXPECT_EQ(FormatFloat(0.333333343f), "0.33333334");
}

TEST(FloatText, FixedDigits) {
  EXPECT_EQ(FormatDoubleDigits(3.14159265, 4), "3.142");
  EXPECT_EQ(FormatDoubleDigits(999.96, 4), "1000");
  EXPECT_EQ(FormatDoubleDigits(0.5, 1), "0.5");
  EXPECT_EQ(FormatDoubleDigits(2.5, 1), "2");  // an exact tie goes to even
  EXPECT_EQ(FormatDoubleDigits(100.0, 3), "100");
  EXPECT_EQ(FormatDoubleDigits(0.0, 3), "0");
}

uint64_t Bits(double value) { return __builtin_bit_cast(uint64_t, value); }

TEST(FloatText, ParseKnown) {
  EXPECT_EQ(ParseDouble("1"), 1.0);
  EXPECT_EQ(ParseDouble("+1.50"), 1.5);
  EXPECT_EQ(ParseDouble(".5"), 0.5);
  EXPECT_EQ(ParseDouble("5."), 5.0);
  EXPECT_EQ(ParseDouble("1E3"), 1000.0);
  EXPECT_EQ(ParseDouble("-inf"), -kInf);
  EXPECT_EQ(ParseDouble("Infinity"), kInf);
  EXPECT_TRUE(std::isnan(*ParseDouble("NaN")));
  EXPECT_EQ(Bits(*ParseDouble("-0")), Bits(-0.0));
  EXPECT_EQ(ParseDouble("1e400"), kInf);
  EXPECT_EQ(ParseDouble("1e-400"), 0.0);
  EXPECT_EQ(ParseDouble("1e99999999999"), kInf);
  EXPECT_EQ(ParseDouble("0e99999999999"), 0.0);
  // Just below and above the middle between the largest float and 2^128.
  EXPECT_EQ(ParseFloat("3.4028235677e38"), std::numeric_limits<float>::max());
  EXPECT_EQ(ParseFloat("3.4028235678e38"), std::numeric_limits<float>::infinity());
  EXPECT_EQ(ParseFloat("1e39"), std::numeric_limits<float>::infinity());
}

TEST(FloatText, ParseRoundsCorrectly) {
  // Halfway cases, and digits far beyond the precision that decide them.
  EXPECT_EQ(ParseDouble("9007199254740993"), 9007199254740992.0);
  EXPECT_EQ(ParseDouble("9007199254740993.0000000000000000000000000000001"), 9007199254740994.0);
  EXPECT_EQ(ParseDouble("2.4703282292062327e-324"), 0.0);
  EXPECT_EQ(ParseDouble("2.4703282292062328e-324"), 5e-324);
  EXPECT_EQ(ParseDouble("2.2250738585072011e-308"), 2.2250738585072011e-308);
  EXPECT_EQ(ParseDouble("1.7976931348623159e308"), kInf);
  EXPECT_EQ(ParseDouble("1.7976931348623158e308"), 1.7976931348623157e308);
  EXPECT_EQ(ParseFloat("16777217"), 16777216.0f);
  EXPECT_EQ(ParseFloat("16777217.0000001"), 16777218.0f);
  // 1000 digits.
  const std::string halfway = "9007199254740993." + std::string(1000, '0');
  EXPECT_EQ(ParseDouble(halfway), 9007199254740992.0);
  EXPECT_EQ(ParseDouble(halfway + "1"), 9007199254740994.0);
}

TEST(FloatTextBad, NotNumbers) {
  for (const char* text : {"", " ", "-", "+", ".", "e5", "1e", "1e+", "1 ", " 1", "1..2", "0x10",
                           "1f", "--1", "na", "infin", "1,5", "1e5.5", ".inf"}) {
    EXPECT_FALSE(ParseDouble(text).has_value()) << text;
    EXPECT_FALSE(ParseFloat(text).has_value()) << text;
  }
}

TEST(FloatText, RandomDoublesRoundTripAndAreShortest) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    const double value = __builtin_bit_cast(double, random());
    if (!std::isfinite(value)) continue;
    const std::string text = FormatDouble(value);
    ASSERT_EQ(Bits(std::strtod(text.c_str(), nullptr)), Bits(value)) << text;
    ASSERT_EQ(Bits(*ParseDouble(text)), Bits(value)) << text;
    // One digit less must not be enough.
    size_t digits = 0;
    for (const char c : text.substr(0, text.find('e'))) digits += c >= '0' && c <= '9' ? 1 : 0;
    if (digits < 2 || text.find('e') == std::string::npos) continue;
    char shorter[64];
    std::snprintf(shorter, sizeof shorter, "%.*e", static_cast<int>(digits) - 2, value);
    ASSERT_NE(std::strtod(shorter, nullptr), value) << text;
  }
}

TEST(FloatText, RandomFloatsRoundTrip) {
  std::mt19937 random(2);
  for (int i = 0; i < 20000; ++i) {
    const float value = __builtin_bit_cast(float, static_cast<uint32_t>(random()));
    if (!std::isfinite(value)) continue;
    const std::string text = FormatFloat(value);
    ASSERT_EQ(std::strtof(text.c_str(), nullptr), value) << text;
    ASSERT_EQ(*ParseFloat(text), value) << text;
  }
}

TEST(FloatText, RandomDecimalsParseLikeTheLibrary) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 20000; ++i) {
    const std::string text = std::to_string(random()) + std::to_string(random() % 1000) + "e" +
                             std::to_string(static_cast<int>(random() % 680) - 350);
    ASSERT_EQ(Bits(*ParseDouble(text)), Bits(std::strtod(text.c_str(), nullptr))) << text;
    ASSERT_EQ(*ParseFloat(text), std::strtof(text.c_str(), nullptr)) << text;
  }
}

TEST(FloatText, RandomFixedDigitsLikeTheLibrary) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 5000; ++i) {
    const double value = __builtin_bit_cast(double, random());
    if (!std::isfinite(value)) continue;
    const int digits = static_cast<int>(random() % 17) + 1;
    char expected[64];
    std::snprintf(expected, sizeof expected, "%.*e", digits - 1, value);
    ASSERT_EQ(ParseDouble(FormatDoubleDigits(value, digits)), ParseDouble(expected)) << expected;
  }
}

}  // namespace
}  // namespace tern::float_text_test
