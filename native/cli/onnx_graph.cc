// SPDX-License-Identifier: Apache-2.0
// Field numbers are those of onnx.proto: ModelProto, GraphProto, NodeProto, AttributeProto,
// TensorProto, ValueInfoProto, TypeProto and TensorShapeProto.
#include "native/cli/onnx_graph.h"

#include <algorithm>
#include <map>

#include "core/base/bytes.h"
#include "core/base/strings.h"
#include "core/onnx/wire.h"

namespace tern::cli {
namespace {

// Fields that are not listed are kept as bytes and written back as they were, so that a reduced
// model loses nothing that was not taken out on purpose.
constexpr uint32_t kModelGraph = 7, kModelFunctions = 25;
constexpr uint32_t kGraphNode = 1, kGraphInitializer = 5, kGraphInput = 11, kGraphOutput = 12,
                   kGraphValueInfo = 13;
constexpr uint32_t kNodeInput = 1, kNodeOutput = 2, kNodeOp = 4, kNodeAttribute = 5;
constexpr uint32_t kAttributeGraph = 6, kAttributeGraphs = 11;
constexpr uint32_t kTensorDims = 1, kTensorType = 2, kTensorFloats = 4, kTensorName = 8,
                   kTensorRaw = 9;
constexpr uint32_t kInfoName = 1, kInfoType = 2, kTypeTensor = 1, kTensorShape = 2, kShapeDim = 1,
                   kDimValue = 1;
constexpr int kMaxSubgraphs = 50;  // in each other

// --- the wire format, read by the reader of core/onnx

// Calls each(field, reader) for the fields of a message, with the reader at the field; false where
// the bytes are no message.
template <typename F>
bool ForEachField(std::string_view bytes, const F& each) {
  onnx::WireError error;
  onnx::WireReader reader(AsBytes(bytes), &error);
  size_t begin = 0;
  while (reader.Next()) {
    WireField field{reader.field(), reader.is_message(), {}, {}};
    reader.Get(&field.bytes);
    field.whole = bytes.substr(begin, reader.offset() - begin);
    begin = reader.offset();
    each(field, reader);
  }
  // Groups, which ONNX does not have and the reader passes over, go with the field behind them; at
  // the end there is none.
  if (error.message == nullptr && begin < bytes.size())
    each(WireField{0, false, {}, bytes.substr(begin)}, reader);
  return error.message == nullptr;
}

// nullopt for bytes that are no message.
std::optional<std::vector<WireField>> FieldsOf(std::string_view bytes) {
  std::vector<WireField> fields;
  const auto add = [&](const WireField& field, onnx::WireReader&) { fields.push_back(field); };
  if (!ForEachField(bytes, add)) return std::nullopt;
  return fields;
}

void PutVarint(uint64_t value, std::string* out) {
  ByteWriter writer;
  writer.Varint(value);
  *out += AsText(writer.span());
}

void PutNumber(uint32_t number, uint64_t value, std::string* out) {
  PutVarint(uint64_t{number} << 3, out);
  PutVarint(value, out);
}

void PutBytes(uint32_t number, std::string_view bytes, std::string* out) {
  PutVarint(uint64_t{number} << 3 | 2, out);
  PutVarint(bytes.size(), out);
  *out += bytes;
}

std::string WithFields(const std::vector<WireField>& fields) {
  std::string out;
  for (const WireField& field : fields) out += field.whole;
  return out;
}

std::string_view TextField(const std::vector<WireField>& fields, uint32_t number) {
  std::string_view text;
  for (const WireField& field : fields)
    // The last one counts, as Protobuf says.
    if (field.number == number && field.has_length) text = field.bytes;
  return text;
}

// --- reading

// Names that nodes of a subgraph read. Those that it defines itself are among them, which keeps
// more than is needed, never less.
void CollectNames(std::string_view graph, int depth, std::set<std::string>* names);

void CollectOfAttribute(std::string_view attribute, int depth, std::set<std::string>* names) {
  const auto fields = FieldsOf(attribute);
  if (!fields) return;
  for (const WireField& field : *fields) {
    if (field.has_length && (field.number == kAttributeGraph || field.number == kAttributeGraphs))
      CollectNames(field.bytes, depth + 1, names);
  }
}

void CollectNames(std::string_view graph, int depth, std::set<std::string>* names) {
  const auto fields = FieldsOf(graph);
  // Deeper ones, which no model has, lose names: a candidate that misses them fails its check.
  if (!fields || depth > kMaxSubgraphs) return;
  for (const WireField& field : *fields) {
    if (!field.has_length) continue;
    // An output of a subgraph may be a value of the graph around it.
    if (field.number == kGraphOutput) {
      if (const auto info = FieldsOf(field.bytes)) names->emplace(TextField(*info, kInfoName));
    }
    if (field.number != kGraphNode) continue;
    const auto node = FieldsOf(field.bytes);
    if (!node) continue;
    for (const WireField& part : *node) {
      if (part.has_length && part.number == kNodeInput) names->emplace(part.bytes);
      if (part.has_length && part.number == kNodeAttribute)
        CollectOfAttribute(part.bytes, depth, names);
    }
  }
}

std::optional<GraphNode> ParseNode(std::string_view bytes) {
  const auto fields = FieldsOf(bytes);
  if (!fields) return std::nullopt;
  GraphNode node;
  for (const WireField& field : *fields) {
    if (field.has_length && field.number == kNodeInput) {
      node.inputs.emplace_back(field.bytes);
    } else if (field.has_length && field.number == kNodeOutput) {
      node.outputs.emplace_back(field.bytes);
    } else {
      if (field.number == kNodeOp) node.op = field.bytes;
      if (field.number == kNodeAttribute) CollectOfAttribute(field.bytes, 0, &node.captured);
      node.fields.push_back(field);
    }
  }
  return node;
}

Status NotAModel(std::string_view what) {
  return Corrupt("the file is no ONNX model that can be reduced: ", what).SetErrorCode("E0502");
}

std::vector<GraphPart>* PartsOf(OnnxGraph* graph, uint32_t number) {
  switch (number) {
    case kGraphInitializer: return &graph->initializers;
    case kGraphInput: return &graph->inputs;
    case kGraphOutput: return &graph->outputs;
    case kGraphValueInfo: return &graph->types;
    default: return nullptr;
  }
}

Status ReadGraphField(const WireField& field, OnnxGraph* graph) {
  if (field.has_length && field.number == kGraphNode) {
    std::optional<GraphNode> node = ParseNode(field.bytes);
    if (!node) return NotAModel("a node is damaged");
    graph->nodes.push_back(*std::move(node));
    return OkStatus();
  }
  std::vector<GraphPart>* const parts = PartsOf(graph, field.number);
  if (!field.has_length || parts == nullptr) {
    graph->graph_fields.push_back(field);
    return OkStatus();
  }
  const auto fields = FieldsOf(field.bytes);
  if (!fields) return NotAModel("an initializer, input or output is damaged");
  // A tensor has its name in another field than a value.
  const uint32_t name = field.number == kGraphInitializer ? kTensorName : kInfoName;
  parts->push_back({std::string(TextField(*fields, name)), std::string(field.bytes)});
  return OkStatus();
}

// --- extents

// The bytes of an element by TensorProto.DataType; 0 for types that are packed or texts.
size_t BytesOfType(int64_t type) {
  switch (type) {
    case 2:
    case 3:
    case 9: return 1;
    case 4:
    case 5:
    case 10:
    case 16: return 2;
    case 1:
    case 6:
    case 12: return 4;
    case 7:
    case 11:
    case 13: return 8;
    default: return 0;
  }
}

struct TensorParts {
  std::vector<WireField> others;  // all but dims and data
  std::vector<int64_t> dims;
  std::string_view data;
  size_t element = 0;  // bytes; 0: the data cannot be cut
};

std::optional<TensorParts> PartsOfTensor(std::string_view bytes) {
  TensorParts parts;
  int64_t type = 0;
  const auto read = [&](const WireField& field, onnx::WireReader& reader) {
    if (field.number == kTensorDims) return reader.Append(&parts.dims);
    if (field.has_length && (field.number == kTensorRaw || field.number == kTensorFloats)) {
      parts.data = field.bytes;
      return;
    }
    if (field.number == kTensorType) reader.Get(&type);
    parts.others.push_back(field);
  };
  if (!ForEachField(bytes, read)) return std::nullopt;
  parts.element = BytesOfType(type);
  uint64_t expected = parts.element;
  for (const int64_t dim : parts.dims) {
    // A bound of 2^40 bytes, far above any file, keeps the product from overflowing.
    if (dim < 0 || (dim > 0 && expected > (uint64_t{1} << 40) / static_cast<uint64_t>(dim)))
      return std::nullopt;
    expected *= static_cast<uint64_t>(dim);
  }
  // Data in a list of another type, or in another file.
  if (parts.data.size() != expected) parts.element = 0;
  return parts;
}

// The leading elements of each axis.
std::string CutData(const TensorParts& parts, const std::vector<int64_t>& dims) {
  std::string cut;
  std::vector<int64_t> index(dims.size(), 0);
  uint64_t count = 1;
  for (const int64_t dim : dims) count *= static_cast<uint64_t>(dim);
  for (uint64_t i = 0; i < count; ++i) {
    size_t at = 0;
    for (size_t axis = 0; axis < dims.size(); ++axis)
      at = at * static_cast<size_t>(parts.dims[axis]) + static_cast<size_t>(index[axis]);
    cut += parts.data.substr(at * parts.element, parts.element);
    for (size_t axis = dims.size(); axis-- > 0;) {
      if (++index[axis] < dims[axis]) break;
      index[axis] = 0;
    }
  }
  return cut;
}

std::string CutTensor(const std::string& bytes, int64_t from, int64_t to) {
  const std::optional<TensorParts> parts = PartsOfTensor(bytes);
  if (!parts || parts->element == 0) return bytes;
  std::vector<int64_t> dims = parts->dims;
  std::replace(dims.begin(), dims.end(), from, to);
  if (dims == parts->dims) return bytes;
  std::string out = WithFields(parts->others);
  for (const int64_t dim : dims) PutNumber(kTensorDims, static_cast<uint64_t>(dim), &out);
  // Also where they were in float_data, whose packed form has the same bytes.
  PutBytes(kTensorRaw, CutData(*parts, dims), &out);
  return out;
}

// Calls change(value) for the extents of a type; the bytes with what it gives.
template <typename F>
std::string MapExtents(std::string_view info, std::span<const uint32_t> path, const F& change) {
  std::string out;
  const auto map = [&](const WireField& field, const onnx::WireReader& reader) {
    int64_t extent = 0;
    if (field.number == path.front() && path.size() > 1 && field.has_length) {
      PutBytes(field.number, MapExtents(field.bytes, path.subspan(1), change), &out);
    } else if (field.number == path.front() && path.size() == 1 && reader.is_varint()) {
      reader.Get(&extent);
      PutNumber(field.number, static_cast<uint64_t>(change(extent)), &out);
    } else {
      out += field.whole;
    }
  };
  return ForEachField(info, map) ? out : std::string(info);
}

constexpr uint32_t kExtentPath[] = {kInfoType, kTypeTensor, kTensorShape, kShapeDim, kDimValue};

}  // namespace

Result<OnnxGraph> ParseGraph(std::string_view model) {
  const auto fields = FieldsOf(model);
  if (!fields) return NotAModel("it is no Protobuf message");
  OnnxGraph graph;
  bool has_graph = false;
  for (const WireField& field : *fields) {
    // Functions are kept apart, since a reduction may try the model without them.
    if (field.number == kModelFunctions) {
      graph.functions.push_back(field);
    } else if (field.number != kModelGraph || !field.has_length) {
      graph.model_fields.push_back(field);
    } else {
      has_graph = true;
      const auto parts = FieldsOf(field.bytes);
      if (!parts) return NotAModel("its graph is damaged");
      for (const WireField& part : *parts) TERN_TRY(ReadGraphField(part, &graph));
    }
  }
  if (!has_graph) return NotAModel("it has no graph");
  return graph;
}

void OnnxGraph::RemoveUnused() {
  std::set<std::string> needed;
  for (const GraphPart& output : outputs) needed.insert(output.name);
  // Nodes stand in an order in which values come before their uses.
  std::vector<GraphNode> kept;
  for (size_t i = nodes.size(); i-- > 0;) {
    const auto is_needed = [&](const std::string& name) { return needed.count(name) > 0; };
    if (!std::any_of(nodes[i].outputs.begin(), nodes[i].outputs.end(), is_needed)) continue;
    needed.insert(nodes[i].inputs.begin(), nodes[i].inputs.end());
    needed.insert(nodes[i].captured.begin(), nodes[i].captured.end());
    kept.push_back(std::move(nodes[i]));
  }
  std::reverse(kept.begin(), kept.end());
  nodes = std::move(kept);
  for (std::vector<GraphPart>* parts : {&initializers, &inputs}) {
    std::erase_if(*parts, [&](const GraphPart& part) { return needed.count(part.name) == 0; });
  }
  std::set<std::string> made;
  for (const GraphNode& node : nodes) made.insert(node.outputs.begin(), node.outputs.end());
  std::erase_if(types, [&](const GraphPart& part) { return made.count(part.name) == 0; });
}

std::string OnnxGraph::Serialize() const {
  std::string graph;
  for (const GraphNode& node : nodes) {
    std::string bytes;
    for (const std::string& input : node.inputs) PutBytes(kNodeInput, input, &bytes);
    for (const std::string& output : node.outputs) PutBytes(kNodeOutput, output, &bytes);
    PutBytes(kGraphNode, bytes + WithFields(node.fields), &graph);
  }
  graph += WithFields(graph_fields);
  for (const GraphPart& part : initializers) PutBytes(kGraphInitializer, part.bytes, &graph);
  for (const GraphPart& part : inputs) PutBytes(kGraphInput, part.bytes, &graph);
  for (const GraphPart& part : outputs) PutBytes(kGraphOutput, part.bytes, &graph);
  for (const GraphPart& part : types) PutBytes(kGraphValueInfo, part.bytes, &graph);
  // Protobuf lets fields stand in any order.
  std::string model = WithFields(model_fields);
  PutBytes(kModelGraph, graph, &model);
  return model + WithFields(functions);
}

std::vector<int64_t> ExtentsOf(const OnnxGraph& graph) {
  std::set<int64_t, std::greater<>> extents;
  const auto note = [&](int64_t extent) {
    // Nothing is to be gained from extents of 0 and 1.
    if (extent > 1) extents.insert(extent);
    return extent;
  };
  for (const GraphPart& part : graph.initializers) {
    const std::optional<TensorParts> tensor = PartsOfTensor(part.bytes);
    if (tensor && tensor->element != 0)
      for (const int64_t dim : tensor->dims) note(dim);
  }
  for (const auto* parts : {&graph.inputs, &graph.outputs, &graph.types})
    for (const GraphPart& part : *parts) MapExtents(part.bytes, kExtentPath, note);
  return {extents.begin(), extents.end()};
}

OnnxGraph WithExtent(const OnnxGraph& graph, int64_t from, int64_t to) {
  OnnxGraph changed = graph;
  for (GraphPart& part : changed.initializers) part.bytes = CutTensor(part.bytes, from, to);
  const auto change = [&](int64_t extent) { return extent == from ? to : extent; };
  for (auto* parts : {&changed.inputs, &changed.outputs, &changed.types})
    for (GraphPart& part : *parts) part.bytes = MapExtents(part.bytes, kExtentPath, change);
  return changed;
}

}  // namespace tern::cli
