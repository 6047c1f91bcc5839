// SPDX-License-Identifier: Apache-2.0
// The graph of a model for those who draw it: what the file says, with the types that importing it
// finds.
#ifndef TERN_CORE_ONNX_GRAPH_JSON_H_
#define TERN_CORE_ONNX_GRAPH_JSON_H_

#include <string_view>
#include <unordered_map>

#include "core/base/json.h"
#include "core/onnx/model.h"
#include "core/types/type.h"

namespace tern::onnx {

using ValueTypes = std::unordered_map<std::string_view, types::Type>;

// {"name", "inputs": [{"name", "type"}], "outputs": the same, "constants": the same of
// initializers, "nodes": [{"name": as diagnostics and instructions call it, "operator", "domain",
// "inputs": names, empty for one that is left out, "outputs": [{"name", "type"}], "attributes":
// [{"name", "type", "value": text}]}]}. A type that neither the file nor `types` tells is "".
// Long lists and texts are cut, and say so. Nodes of subgraphs are not told.
void WriteGraphJson(const Model& model, const ValueTypes& types, JsonWriter* json);

}  // namespace tern::onnx

#endif  // TERN_CORE_ONNX_GRAPH_JSON_H_
