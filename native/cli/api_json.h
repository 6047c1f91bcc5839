// SPDX-License-Identifier: Apache-2.0
// Reads the JSON that the C API answers with, and begins the command line's own answers. The form
// of the library's JSON is its own promise (core/api/c_api.h), so an answer without a promised
// member is a bug and ends in a CHECK. Every command uses this; it keeps no state.
#ifndef TERN_NATIVE_CLI_API_JSON_H_
#define TERN_NATIVE_CLI_API_JSON_H_

#include <string>
#include <string_view>

#include "core/base/json.h"
#include "core/base/json_reader.h"

namespace tern::cli {

JsonValue ParseAnswer(std::string_view json);

const JsonValue& Member(const JsonValue& object, std::string_view name);

// The text of a string or number; "" where it may be missing and is.
const std::string& TextOf(const JsonValue& object, std::string_view name);
std::string OptionalTextOf(const JsonValue& object, std::string_view name);

void WriteJson(const JsonValue& value, JsonWriter* out);

// Every answer of the command line is an object that says by which schema: docs/cli.md.
inline constexpr int kJsonSchema = 1;

// Begins {"schema": 1, …}; the caller writes further members and the end.
JsonWriter BeginAnswer();
// Makes an answer of an object of the library's: the schema is put in front, a line end behind.
std::string AnswerOf(std::string_view object);
// {"schema", "output", "bytes"}: a file that was written.
std::string AnswerOfFile(std::string_view path, size_t bytes);
// {"schema", NAME: [items]} on a line; by_line: each item, an object, as an answer of its own.
std::string AnswerOfItems(std::string_view name, const JsonValue& items, bool by_line);

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_API_JSON_H_
