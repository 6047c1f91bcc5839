// SPDX-License-Identifier: Apache-2.0
#include "core/loop/tune/log.h"

#include <gtest/gtest.h>

#include <memory>

namespace tern::loop::tune::log_test {
namespace {

struct Read {
  std::vector<LogEntry> entries;
  std::string error;
  size_t whole = 0;
};
Read ReadText(std::string_view text) {
  const auto sources = std::make_shared<text::SourceMap>();
  text::Diagnostics diagnostics(sources);
  Read read;
  read.entries = ReadLog("add.log", text, sources.get(), &diagnostics, &read.whole);
  read.error = text::RenderText(diagnostics);
  return read;
}

LogEntry Entry() {
  LogEntry entry{"add", "wasm32", "0x5f", "interleave=4", "vectorize(C, i, interleave = 4)"};
  entry.cost = 812.5;
  entry.default_cost = 1024;
  entry.unit = "ns";
  return entry;
}

TEST(TuneLogTest, E20LinesAreReadAsTheyWereWritten) {
  LogEntry refused = Entry();
  refused.error = "the loop over 'i' cannot be \"vectorized\"\n";
  const Read read = ReadText(ToLine(Entry()) + "\n" + ToLine(refused));
  ASSERT_EQ(read.entries.size(), 2u) << read.error;
  EXPECT_EQ(ToLine(read.entries[0]), ToLine(Entry()));
  EXPECT_EQ(read.entries[0].ratio(), 812.5 / 1024);
  EXPECT_EQ(read.entries[1].error, refused.error);
}

TEST(TuneLogTest, E20ALastLineThatWasCutOffIsLeftOut) {
  const std::string whole = ToLine(Entry());
  const Read read = ReadText(whole + whole.substr(0, 40));
  EXPECT_EQ(read.entries.size(), 1u);
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.whole, whole.size());
}

TEST(TuneLogTest, E20MalformedLinesAreNamed) {
  const struct {
    const char *line, *message;
  } kCases[] = {
      {"{", "JSON at offset 1"},
      {"[1]", "expected an object, got an array"},
      {"{}", "'function' is missing"},
      {R"({"function": 1})", "'function' must be a string, got a number"},
      {R"({"function":"f","target":"t","program":"p","choice":"c","schedule":"s"})",
       "'cost' is missing"},
      {R"({"function":"f","target":"t","program":"p","choice":"c","schedule":"s","cost":-1,)"
       R"("default":1,"unit":"ns"})",
       "'cost' must be a number above 0, got -1"},
      {R"({"function":"f","target":"t","program":"p","choice":"c","schedule":"s","cost":1,)"
       R"("default":1e999,"unit":"ns"})",
       "'default' must be a number above 0"},
      {R"({"function":"f","target":"t","program":"p","choice":"c","schedule":"s","error":""})",
       "'error' is empty"},
      {"\xff\xfe", "JSON at offset 0"},
  };
  for (const auto& each : kCases) {
    const Read read = ReadText(ToLine(Entry()) + each.line + "\n" + ToLine(Entry()));
    EXPECT_NE(read.error.find("error[E0529]: this line of the log cannot be read: "),
              std::string::npos)
        << read.error;
    EXPECT_NE(read.error.find(each.message), std::string::npos) << read.error;
    EXPECT_NE(read.error.find("add.log:2:1"), std::string::npos) << read.error;
    EXPECT_EQ(read.entries.size(), 2u);
  }
}

}  // namespace
}  // namespace tern::loop::tune::log_test
