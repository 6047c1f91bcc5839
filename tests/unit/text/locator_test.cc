// SPDX-License-Identifier: Apache-2.0
// Locator: the places that SourceMap says, at a cost that does not grow with the length of a line.
#include "core/text/locator.h"

#include <gtest/gtest.h>

namespace tern::text::locator_test {
namespace {

// Lines of any length, with characters of one to four bytes.
std::string TextOf(uint32_t seed, size_t size) {
  constexpr std::string_view kPieces[] = {"x", "é", "→", "😀", "\n", "x", "x", "x"};
  std::string text;
  while (text.size() < size) {
    seed = seed * 1664525 + 1013904223;
    // A newline only now and then.
    const size_t piece = seed >> 24 & 7;
    if (piece != 4 || (seed >> 16 & 31) == 0) text += kPieces[piece];
  }
  return text;
}

TEST(Locator, SaysWhatTheSourceMapSaysInAnyOrder) {
  SourceMap map;
  const int32_t files[] = {map.AddFile("a", TextOf(1, 3000)), map.AddFile("b", TextOf(2, 500))};
  Locator locator(map);
  uint32_t seed = 7;
  for (int i = 0; i < 20000; ++i) {
    seed = seed * 1664525 + 1013904223;
    const int32_t file = files[seed >> 31];
    const uint32_t offset = (seed >> 8) % 3100;
    const Position got = locator.Locate(file, offset), wanted = map.Locate(file, offset);
    ASSERT_EQ(got.line, wanted.line) << offset;
    ASSERT_EQ(got.column, wanted.column) << offset;
    ASSERT_EQ(locator.Describe({file, offset, offset}), map.Describe({file, offset, offset}));
  }
}

TEST(Locator, OneLineIsLookedAtOnceHoweverManyPlacesItHas) {
  SourceMap map;
  constexpr uint32_t kSize = 1'000'000;
  const int32_t file = map.AddFile("line", std::string(kSize, 'x'));
  Locator locator(map);
  for (uint32_t at = 0; at < kSize; at += 10) {
    ASSERT_EQ(locator.Locate(file, at + 5).column, static_cast<int32_t>(at) + 6);
    // A little back, as from a part of an expression to its begin.
    ASSERT_EQ(locator.Locate(file, at).column, static_cast<int32_t>(at) + 1);
  }
  EXPECT_LT(locator.work(), 4u * kSize);
}

TEST(LocatorBad, PlacesThatAreNotThere) {
  SourceMap map;
  Locator locator(map);
  EXPECT_EQ(locator.Locate(0, 0).line, 0);
  EXPECT_EQ(locator.Describe({}), "");
  // Files may come later.
  const int32_t file = map.AddFile("a", "xy\nz");
  EXPECT_EQ(locator.Locate(file, 1000).column, 2);
  EXPECT_EQ(locator.Locate(file, 1).column, 2);
  EXPECT_EQ(locator.Locate(file + 1, 1).line, 0);
  EXPECT_EQ(locator.Describe({-3, 0, 1}), "");
}

}  // namespace
}  // namespace tern::text::locator_test
