// SPDX-License-Identifier: Apache-2.0
// An ONNX model as a list of parts that can be left out, and its bytes again: what `tern reduce`
// changes. Fields that are not looked at are kept as they are. Parts point into the file's bytes,
// which must outlive the graph and its copies.
#ifndef TERN_NATIVE_CLI_ONNX_GRAPH_H_
#define TERN_NATIVE_CLI_ONNX_GRAPH_H_

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tern::cli {

// A field of a Protobuf message.
struct WireField {
  uint32_t number = 0;
  bool has_length = false;
  std::string_view bytes;  // of one with a length: what is inside
  std::string_view whole;  // as it stands, with its number
};

struct GraphNode {
  std::vector<WireField> fields;  // all but inputs and outputs
  std::vector<std::string> inputs, outputs;
  std::set<std::string> captured;  // names that its subgraphs may take from outside
  std::string op;
};

// An initializer, an input or output, or what a graph says of a value's type.
struct GraphPart {
  std::string name;
  std::string bytes;  // TensorProto or ValueInfoProto
};

struct OnnxGraph {
  std::vector<WireField> model_fields;  // all but the graph and functions
  std::vector<WireField> functions;
  std::vector<WireField> graph_fields;  // all but those below
  std::vector<GraphNode> nodes;
  std::vector<GraphPart> initializers, inputs, outputs, types;

  // Without nodes, initializers, inputs and types that no output needs.
  void RemoveUnused();
  std::string Serialize() const;
};

// E0502 for bytes that are no model.
Result<OnnxGraph> ParseGraph(std::string_view model);

// Extents above 1 of initializers, inputs, outputs and types, each once, the largest first.
std::vector<int64_t> ExtentsOf(const OnnxGraph& graph);
// Every axis of one extent gets another, smaller one; the data of initializers is cut to it. Data
// that is not in the file or not in raw form stays, with its extents.
OnnxGraph WithExtent(const OnnxGraph& graph, int64_t from, int64_t to);

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_ONNX_GRAPH_H_
