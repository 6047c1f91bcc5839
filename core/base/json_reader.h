// SPDX-License-Identifier: Apache-2.0
// ParseJson: JSON text into a tree of values. Strict: RFC 8259, UTF-8 checked, no duplicate names.
// It reads saved object graphs, traces, tuning records and literals of the IR's text. Values own
// their text.
#ifndef TERN_CORE_BASE_JSON_READER_H_
#define TERN_CORE_BASE_JSON_READER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tern {

struct JsonValue {
  enum class Kind : uint8_t { kNull, kBool, kNumber, kString, kArray, kObject };
  Kind kind = Kind::kNull;
  bool boolean = false;
  std::string text;                // of a string; a number as it is written
  std::vector<JsonValue> items;    // of an array; the values of an object
  std::vector<std::string> names;  // of an object, as many as items

  // The value under a name, or null.
  const JsonValue* Find(std::string_view name) const;
  bool is(Kind k) const { return kind == k; }
};

// "null", "a bool", "a number", "a string", "an array", "an object".
std::string_view JsonKindName(JsonValue::Kind kind);

// Errors say where: "JSON at offset 12: expected ',' or ']', got '}'". Deeper than max_depth is an
// error, so the machine's stack is safe.
Result<JsonValue> ParseJson(std::string_view text, int max_depth = 64);

// Appends what the escape behind a backslash at text[*at - 1] means (RFC 8259, section 7) and moves
// *at behind it. Else it gives what was expected, which *at is moved to.
std::string_view ReadJsonEscape(std::string_view text, size_t* at, std::string* out);

}  // namespace tern

#endif  // TERN_CORE_BASE_JSON_READER_H_
