// SPDX-License-Identifier: Apache-2.0
// JsonWriter: commas, escapes, numbers JSON does not have.
#include "core/base/json.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tern::json_test {
namespace {

TEST(Json, NestedValues) {
  JsonWriter json;
  json.BeginObject().Field("a", 1).Key("b").BeginArray().Int(-2).Bool(true).Null().EndArray();
  json.Key("c").BeginObject().EndObject().Field("d", "x").Field("e", 0.5).Key("f").BeginArray();
  json.BeginArray()
      .EndArray()
      .BeginObject()
      .Field("g", uint64_t{UINT64_MAX})
      .EndObject()
      .EndArray();
  json.EndObject();
  EXPECT_EQ(
      json.text(),
      R"({"a":1,"b":[-2,true,null],"c":{},"d":"x","e":0.5,"f":[[],{"g":18446744073709551615}]})");
}

TEST(Json, Indented) {
  JsonWriter json(2);
  const int64_t dims[] = {1, 2};
  json.BeginObject().Key("dims").Ints(dims).Key("list").BeginArray().Int(1).Int(2).EndArray();
  json.Key("none").BeginArray().EndArray().EndObject();
  EXPECT_EQ(json.text(),
            "{\n  \"dims\": [1,2],\n  \"list\": [\n    1,\n    2\n  ],\n  \"none\": []\n}");
}

TEST(Json, Escapes) {
  EXPECT_EQ(JsonQuote("a\"b\\c\n\t\r"), R"("a\"b\\c\n\t\r")");
  EXPECT_EQ(JsonQuote(std::string_view("\0\x1f", 2)), R"("\u0000\u001f")");
  EXPECT_EQ(JsonQuote("añ😀"), "\"añ😀\"");
}

TEST(JsonBad, InvalidUtf8BecomesReplacement) {
  EXPECT_EQ(JsonQuote("a\xFF"
                      "b"),
            "\"a\xEF\xBF\xBD"
            "b\"");
  EXPECT_EQ(JsonQuote("\xE2\x82"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

TEST(Json, Numbers) {
  JsonWriter json;
  json.BeginArray()
      .Double(std::nan(""))
      .Double(INFINITY)
      .Float(-INFINITY)
      .Float(0.1f)
      .Double(1e30)
      .EndArray();
  EXPECT_EQ(json.text(), R"(["nan","inf","-inf",0.1,1e+30])");
}

TEST(Json, RawIsTakenAsItIs) {
  JsonWriter json;
  json.BeginObject().Key("x").Raw("[1]").Field("y", false).EndObject();
  EXPECT_EQ(json.text(), R"({"x":[1],"y":false})");
}

}  // namespace
}  // namespace tern::json_test
