// SPDX-License-Identifier: Apache-2.0
// SourceMap: lines and columns, also past the end and in code points.
#include "core/text/source.h"

#include <gtest/gtest.h>

namespace tern::text::source_test {
namespace {

TEST(Source, LinesAndColumns) {
  SourceMap map;
  const int32_t file = map.AddFile("a.txt", "one\ntwo\r\n\nfour");
  EXPECT_EQ(map.Line(file, 1), "one");
  EXPECT_EQ(map.Line(file, 2), "two");
  EXPECT_EQ(map.Line(file, 3), "");
  EXPECT_EQ(map.Line(file, 4), "four");
  EXPECT_EQ(map.Locate(file, 0).line, 1);
  EXPECT_EQ(map.Locate(file, 5).line, 2);
  EXPECT_EQ(map.Locate(file, 5).column, 2);
  EXPECT_EQ(map.Locate(file, 3).column, 4) << "the line break belongs to its line";
  EXPECT_EQ(map.Describe({file, 10, 12}), "a.txt:4:1");
  EXPECT_EQ(map.text(Span{file, 4, 7}), "two");
}

TEST(Source, ColumnsCountCodePoints) {
  SourceMap map;
  const int32_t file = map.AddFile("a", "añ😀x");
  EXPECT_EQ(map.Locate(file, 7).column, 4);
}

TEST(Source, CoverJoinsSpans) {
  EXPECT_EQ(Cover({0, 5, 9}, {0, 2, 6}), (Span{0, 2, 9}));
  EXPECT_EQ(Cover({}, {0, 2, 6}), (Span{0, 2, 6}));
  EXPECT_EQ(Cover({0, 1, 2}, {}), (Span{0, 1, 2}));
  EXPECT_EQ(Cover({0, 1, 2}, {1, 0, 9}), (Span{0, 1, 2}));
}

TEST(Source, ViewsStayValidAsFilesAreAdded) {
  SourceMap map;
  const std::string_view text = map.text(map.AddFile("a", "short"));
  for (int i = 0; i < 100; ++i) map.AddFile("b", "x");
  EXPECT_EQ(text, "short");
}

TEST(SourceBad, PlacesThatAreNotThere) {
  SourceMap map;
  EXPECT_EQ(map.Describe({}), "");
  EXPECT_EQ(map.Describe({7, 0, 1}), "");
  EXPECT_EQ(map.Locate(3, 5).line, 0);
  const int32_t file = map.AddFile("a", "xy");
  EXPECT_EQ(map.Locate(file, 1000).column, 3);
  EXPECT_EQ(map.Line(file, 0), "");
  EXPECT_EQ(map.Line(file, 2), "");
  EXPECT_EQ(map.text(Span{file, 1, 1000}), "y");
  EXPECT_EQ(map.text(Span{file, 9, 5}), "");
  EXPECT_EQ(map.text(42), "");
}

}  // namespace
}  // namespace tern::text::source_test
