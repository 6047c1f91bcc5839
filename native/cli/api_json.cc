// SPDX-License-Identifier: Apache-2.0
#include "native/cli/api_json.h"

#include <utility>

#include "core/base/check.h"
#include "core/base/strings.h"

namespace tern::cli {

JsonValue ParseAnswer(std::string_view json) {
  Result<JsonValue> value = ParseJson(json);
  TERN_CHECK(value.ok(), "the library answers with JSON");
  return *std::move(value);
}

const JsonValue& Member(const JsonValue& object, std::string_view name) {
  const JsonValue* member = object.Find(name);
  TERN_CHECK(member != nullptr, "the answer has the members that c_api.h promises");
  return *member;
}

// A reference into `object`, which the caller keeps alive.
const std::string& TextOf(const JsonValue& object, std::string_view name) {
  return Member(object, name).text;
}

std::string OptionalTextOf(const JsonValue& object, std::string_view name) {
  const JsonValue* member = object.Find(name);
  return member == nullptr ? std::string() : member->text;
}

void WriteJson(const JsonValue& value, JsonWriter* out) {
  switch (value.kind) {
    case JsonValue::Kind::kNull: out->Null(); break;
    case JsonValue::Kind::kBool: out->Bool(value.boolean); break;
    // Numbers stay text, so that none loses digits on its way through.
    case JsonValue::Kind::kNumber: out->Raw(value.text); break;
    case JsonValue::Kind::kString: out->String(value.text); break;
    case JsonValue::Kind::kArray:
      out->BeginArray();
      for (const JsonValue& item : value.items) WriteJson(item, out);
      out->EndArray();
      break;
    case JsonValue::Kind::kObject:
      out->BeginObject();
      for (size_t i = 0; i < value.items.size(); ++i) {
        out->Key(value.names[i]);
        WriteJson(value.items[i], out);
      }
      out->EndObject();
      break;
  }
}

JsonWriter BeginAnswer() {
  JsonWriter json;
  json.BeginObject().Field("schema", kJsonSchema);
  return json;
}

// Splices text, because parsing and printing again would cost as much as the answer itself.
std::string AnswerOf(std::string_view object) {
  TERN_CHECK(object.starts_with('{'), "an answer is an object");
  const std::string_view rest = StrTrim(object.substr(1));
  return StrCat("{\"schema\":", kJsonSchema, rest.starts_with('}') ? "" : ",", rest, "\n");
}

std::string AnswerOfFile(std::string_view path, size_t bytes) {
  JsonWriter json = BeginAnswer();
  json.Field("output", path).Field("bytes", uint64_t{bytes}).EndObject();
  return StrCat(json.text(), "\n");
}

// In JSON lines each item is an answer that can be read alone, so each has the schema.
std::string AnswerOfItems(std::string_view name, const JsonValue& items, bool by_line) {
  std::string lines;
  for (const JsonValue& item : items.items) {
    if (!by_line) break;
    JsonWriter json;
    WriteJson(item, &json);
    lines += AnswerOf(json.text());
  }
  if (by_line) return lines;
  JsonWriter json = BeginAnswer();
  WriteJson(items, &json.Key(name));
  json.EndObject();
  return StrCat(json.text(), "\n");
}

}  // namespace tern::cli
