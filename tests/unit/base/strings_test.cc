// SPDX-License-Identifier: Apache-2.0
// StrCat, integers, splitting, suggestions.
#include "core/base/strings.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace tern::strings_test {
namespace {

TEST(Strings, StrCatTakesEveryKind) {
  EXPECT_EQ(StrCat(), "");
  EXPECT_EQ(StrCat("a", std::string("b"), std::string_view("c"), 'd', 1, -2L, 3u, 0.25, 0.1f, true),
            "abcd1-230.250.1true");
  EXPECT_EQ(StrCat(INT64_MIN, " ", UINT64_MAX), "-9223372036854775808 18446744073709551615");
  EXPECT_EQ(StrCat(int8_t{-5}, uint8_t{200}), "-5200");
  EXPECT_EQ(StrCat(-1.7976931348623157e308, -2.2250738585072014e-308),
            "-1.7976931348623157e+308-2.2250738585072014e-308");
}

TEST(Strings, StrAppendKeepsWhatIsThere) {
  std::string text = "x";
  for (int i = 0; i < 3; ++i) StrAppend(&text, i, ",");
  EXPECT_EQ(text, "x0,1,2,");
}

TEST(Strings, Integers) {
  EXPECT_EQ(ParseInt64("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(ParseInt64("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(ParseUint64("18446744073709551615"), UINT64_MAX);
}

TEST(StringsBad, NotIntegers) {
  for (const char* text :
       {"", "-", "+1", " 1", "1 ", "1.0", "0x1", "9223372036854775808", "1e3", "a"}) {
    EXPECT_FALSE(ParseInt64(text).has_value()) << text;
  }
  EXPECT_FALSE(ParseUint64("-1").has_value());
  EXPECT_FALSE(ParseUint64("18446744073709551616").has_value());
}

TEST(Strings, Formats) {
  EXPECT_EQ(FormatHex(0), "0x0");
  EXPECT_EQ(FormatHex(UINT64_MAX), "0xffffffffffffffff");
  EXPECT_EQ(FormatGrouped(0), "0");
  EXPECT_EQ(FormatGrouped(999), "999");
  EXPECT_EQ(FormatGrouped(10000000), "10 000 000");
  EXPECT_EQ(FormatGrouped(-123456), "-123 456");
  EXPECT_EQ(FormatGrouped(-123), "-123");
  EXPECT_EQ(FormatBytes(1023), "1023 B");
  EXPECT_EQ(FormatBytes(1024), "1 KiB");
  EXPECT_EQ(FormatBytes(1536), "1.5 KiB");
  EXPECT_EQ(FormatBytes(1024 * 1024 - 1), "1 MiB");
  EXPECT_EQ(FormatBytes(UINT64_MAX), "16 EiB");
  const int64_t dims[] = {2, -1};
  EXPECT_EQ(FormatDims(dims), "[2, -1]");
  EXPECT_EQ(FormatDims({}), "[]");
}

TEST(Strings, SplitTrimJoin) {
  EXPECT_EQ(StrSplit("", ',').size(), 1u);
  const auto parts = StrSplit("a,,b,", ',');
  ASSERT_EQ(parts.size(), 4u);
  EXPECT_EQ(parts[1], "");
  EXPECT_EQ(parts[2], "b");
  EXPECT_EQ(StrJoin(parts, ";"), "a;;b;");
  EXPECT_EQ(StrTrim(" \t a b\n"), "a b");
  EXPECT_EQ(StrTrim(" \n"), "");
}

TEST(Strings, EditDistance) {
  EXPECT_EQ(EditDistance("", ""), 0);
  EXPECT_EQ(EditDistance("abc", ""), 3);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3);
  EXPECT_EQ(EditDistance("dim", "dmi"), 1);  // neighbours swapped
  EXPECT_EQ(EditDistance("conv2d", "conv2"), 1);
}

TEST(Strings, DidYouMean) {
  const std::string_view names[] = {"strides", "pads", "dilations"};
  EXPECT_EQ(DidYouMean("stride", names), "strides");
  EXPECT_EQ(DidYouMean("pad", names), "pads");
  EXPECT_EQ(DidYouMean("zzz", names), "");
  EXPECT_EQ(DidYouMean("x", std::span<const std::string_view>()), "");
}

// Most candidates are given up after a few letters, but never the nearest.
TEST(Strings, DidYouMeanGivesTheFirstOfTheNearest) {
  uint32_t seed = 1;
  const auto name = [&seed] {
    std::string made;
    for (size_t i = 0, size = 2 + (seed >> 20) % 6; i < size; ++i) {
      seed = seed * 1664525 + 1013904223;
      made += static_cast<char>('a' + (seed >> 28) % 3);
    }
    return made;
  };
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::string> known;
    for (int i = 0; i < 5; ++i) known.push_back(name());
    const std::string given = name();
    std::string_view nearest;
    int best = std::max(1, static_cast<int>(given.size() / 3)) + 1;
    for (const std::string& each : known) {
      if (EditDistance(given, each) >= best) continue;
      best = EditDistance(given, each);
      nearest = each;
    }
    EXPECT_EQ(DidYouMean(given, std::span<const std::string>(known)), nearest) << given;
  }
}

// Texts that came instead of a name are not compared letter by letter.
TEST(Strings, NobodyMeantAPage) {
  const std::string page(1 << 20, 'a'), other = page + "b";
  const std::string_view names[] = {other};
  EXPECT_EQ(DidYouMean(page, names), "");
  const std::string_view close[] = {std::string_view(page).substr(0, 91)};
  EXPECT_EQ(DidYouMean(close[0].substr(1), close), close[0]);
}

}  // namespace
}  // namespace tern::strings_test
