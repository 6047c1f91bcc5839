// SPDX-License-Identifier: Apache-2.0
// ParseJson.
#include "core/base/json_reader.h"

#include <gtest/gtest.h>

namespace tern::json_reader_test {
namespace {

using Kind = JsonValue::Kind;

TEST(JsonReader, ReadsEveryKind) {
  const JsonValue value =
      ParseJson(R"( {"a": [1, -2.5e+3, true, false, null], "b": {"c": ""}} )").value();
  ASSERT_TRUE(value.is(Kind::kObject));
  const JsonValue& array = *value.Find("a");
  ASSERT_EQ(array.items.size(), 5u);
  EXPECT_EQ(array.items[0].text, "1");
  EXPECT_EQ(array.items[1].text, "-2.5e+3");
  EXPECT_TRUE(array.items[2].boolean && !array.items[3].boolean);
  EXPECT_TRUE(array.items[4].is(Kind::kNull));
  EXPECT_TRUE(value.Find("b")->Find("c")->is(Kind::kString));
  EXPECT_EQ(value.Find("d"), nullptr);
  EXPECT_TRUE(ParseJson("[]").value().items.empty());
}

TEST(JsonReader, ReadsEscapes) {
  EXPECT_EQ(ParseJson(R"("\"\\\/\b\f\n\r\t")").value().text, "\"\\/\b\f\n\r\t");
  EXPECT_EQ(ParseJson(R"("\u00e9\u4f60\uD83D\uDE00é")").value().text, "é你😀é");
  EXPECT_EQ(ParseJson(R"("\u0000")").value().text, std::string_view("\0", 1));
}

TEST(JsonReader, RefusesWhatIsNotJson) {
  const auto error = [](std::string_view text) {
    const Result<JsonValue> result = ParseJson(text, 5);
    return result.ok() ? "accepted" : std::string(result.status().message());
  };
  EXPECT_EQ(error(""), "JSON at offset 0: expected a value, got the end");
  EXPECT_EQ(error("[1,]"), "JSON at offset 3: expected a value, got \"]\"");
  EXPECT_EQ(error("[1 2]"), "JSON at offset 3: expected ',' or ']', got \"2\"");
  EXPECT_EQ(error("{\"a\" 1}"), "JSON at offset 5: expected ':', got \"1\"");
  EXPECT_EQ(error("{a:1}"), "JSON at offset 1: expected a name in quotes, got \"a\"");
  EXPECT_EQ(error("{\"a\":1,\"a\":2}"), "JSON at offset 10: the name \"a\" is there twice");
  EXPECT_EQ(error("{\"a\":{\"a\":1},\"b\":[],\"b\":2}"),
            "JSON at offset 23: the name \"b\" is there twice");
  EXPECT_EQ(error("01"), "JSON at offset 1: text behind the value");
  EXPECT_EQ(error("-"), "JSON at offset 1: expected a digit, got the end");
  EXPECT_EQ(error("1."), "JSON at offset 2: expected a digit, got the end");
  EXPECT_EQ(error("\"abc"), "JSON at offset 4: expected '\"', got the end");
  EXPECT_EQ(error("\"a\nb\""), "JSON at offset 2: a control character in a string");
  EXPECT_EQ(error("\"\xff\""), "JSON at offset 1: invalid UTF-8");
  EXPECT_EQ(error(R"("\x")"), "JSON at offset 2: expected an escape, got \"x\"");
  EXPECT_EQ(error(R"("\u12g4")"), "JSON at offset 5: expected four hexadecimal digits, got \"g\"");
  EXPECT_EQ(error(R"("\ud800")"),
            "JSON at offset 7: expected the other half of a surrogate pair, got \"\\\"\"");
  EXPECT_EQ(error(R"("\udc00")"),
            "JSON at offset 7: expected the other half of a surrogate pair, got \"\\\"\"");
  EXPECT_EQ(error("[[[[[[1]]]]]]"), "JSON at offset 6: nested deeper than 5 levels");
  EXPECT_EQ(error("nul"), "JSON at offset 0: expected a value, got \"n\"");
  EXPECT_EQ(error("NaN"), "JSON at offset 0: expected a value, got \"N\"");
}

}  // namespace
}  // namespace tern::json_reader_test
