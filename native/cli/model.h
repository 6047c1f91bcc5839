// SPDX-License-Identifier: Apache-2.0
// ONNX models of the command line: compiled from the mapped file, without a copy of it.
#ifndef TERN_NATIVE_CLI_MODEL_H_
#define TERN_NATIVE_CLI_MODEL_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/bytes.h"
#include "core/base/json.h"
#include "core/base/result.h"
#include "native/cli/command.h"

namespace tern::cli {

// Constants that no pass changes are used where the file has them.
Result<Program> LoadModel(const Engine& engine, const CompileRequest& request);

// Writes the executable to `output` as it is made, and says how many bytes it has.
// stages: JSON [{"name", "text"}], as the request asks for.
Result<uint64_t> CompileModelTo(const Engine& engine, const CompileRequest& request,
                                const std::string& output, std::string* stages);

// What a model's file says of itself (core/onnx/describe.h).
struct ModelSummary {
  std::string text;
  std::string json;         // an object
  std::string unsupported;  // text; empty: nothing
};
Result<ModelSummary> SummarizeModel(const std::string& path);

// What bytes are that are no model: "a NumPy array"; empty where that cannot be told.
std::string_view ForeignKind(ByteSpan bytes);

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_MODEL_H_
