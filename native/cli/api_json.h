// SPDX-License-Identifier: Apache-2.0
// The JSON that the C API answers with, read back. Its form is the library's own promise, so an
// answer without a promised member is a bug and ends in a CHECK.
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

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_API_JSON_H_
