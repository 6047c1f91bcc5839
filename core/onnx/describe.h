// SPDX-License-Identifier: Apache-2.0
// What a model holds, told from the file alone, so that it can be told of models that cannot be
// imported, too: who made it, inputs and outputs, symbols, operators with their counts, parameters,
// and every node whose operator is not supported.
//
// Nodes inside subgraphs and inside functions that nodes call are looked at as well. Each is
// counted once, as the file has it, however often a loop or several calls would run it.
#ifndef TERN_CORE_ONNX_DESCRIBE_H_
#define TERN_CORE_ONNX_DESCRIBE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/onnx/model.h"

namespace tern {
class JsonWriter;
}

namespace tern::onnx {

struct OperatorUse {
  std::string_view domain;  // "" for the default domain
  std::string_view op_type;
  int64_t count = 0;
  bool is_function = false;  // that the model defines itself
  bool is_supported = true;
};

struct UnsupportedNode {
  std::string node;  // as diagnostics name it, after the nodes and functions that hold it
  std::string_view domain;
  std::string_view op_type;
  int64_t opset = 0;  // which the model imports of the domain; 0: none
  int64_t since = 0;  // the version that is supported, where that is a newer one
};

struct SymbolUse {
  std::string_view symbol;
  std::vector<std::string> axes;  // "image[0]": axes of inputs and outputs
};

// Extents are multiplied up to the largest int64, because a file may claim any.
struct ParameterCount {
  int64_t tensors = 0, elements = 0, bytes = 0;
  int64_t external_tensors = 0;  // of these, those whose data is in other files
};

struct ModelDescription {
  std::vector<OperatorUse> operators;  // the most frequent first, then by name
  std::vector<UnsupportedNode> unsupported;
  std::vector<SymbolUse> symbols;  // in the order of their first use
  ParameterCount parameters;
  int64_t nodes = 0;
  int64_t subgraphs = 0;
};

// The views point into the model's bytes.
ModelDescription Describe(const Model& model);

// "f32[batch, 3, ?]", "list of f32[?]"; dimensions by the file's own names.
std::string DeclaredTypeText(const Type& type);

// An object: the schema is in docs/cli.md.
void WriteModelJson(const Model& model, const ModelDescription& description, JsonWriter* json);
// The same for people. Control characters of the file are written as escapes.
std::string ModelText(const Model& model, const ModelDescription& description);
// Only what is not supported: a line for each operator, one for each of its nodes; "" for nothing.
std::string UnsupportedText(const ModelDescription& description);

}  // namespace tern::onnx

#endif  // TERN_CORE_ONNX_DESCRIBE_H_
