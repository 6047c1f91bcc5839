// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/graph_json.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/strings.h"
#include "core/onnx/describe.h"
#include "core/onnx/graph_scope.h"
#include "core/onnx/import_state.h"
#include "core/onnx/tensor_data.h"

namespace tern::onnx {
namespace {

// The page shows these; a file may have lists and texts of any length.
constexpr size_t kMostItems = 64;
constexpr size_t kLongestText = 2000;

std::string Cut(std::string_view text) {
  if (text.size() <= kLongestText) return std::string(text);
  return StrCat(text.substr(0, kLongestText), "… (", text.size(), " bytes)");
}

template <typename T>
std::string ListText(const std::vector<T>& items) {
  std::string text = "[";
  for (size_t i = 0; i < std::min(items.size(), kMostItems); ++i)
    StrAppend(&text, i == 0 ? "" : ", ", items[i]);
  if (items.size() > kMostItems) StrAppend(&text, ", … (", items.size(), " items)");
  return Cut(text += ']');
}

// As the file says it: the tensor is not read, and its type may be one that is not known here.
std::string ConstantType(const Tensor& tensor) {
  const Result<DType> dtype = MakeDType(tensor.data_type);
  std::vector<std::string> dims;
  for (const int64_t dim : tensor.dims) dims.push_back(StrCat(dim));
  return StrCat(dtype.ok() ? dtype->ToString() : std::string(DataTypeName(tensor.data_type)), "[",
                StrJoin(dims, ", "), "]");
}

std::string AttributeText(const Attribute& attribute) {
  switch (attribute.type) {
    case AttributeType::kFloat: return StrCat(attribute.f);
    case AttributeType::kInt: return StrCat(attribute.i);
    case AttributeType::kString: return Cut(attribute.s);
    case AttributeType::kTensor:
      return attribute.tensor == nullptr ? std::string() : ConstantType(*attribute.tensor);
    case AttributeType::kGraph:
      return attribute.graph == nullptr ? std::string()
                                        : StrCat(attribute.graph->nodes.size(), " nodes");
    case AttributeType::kFloats: return ListText(attribute.floats);
    case AttributeType::kInts: return ListText(attribute.ints);
    case AttributeType::kStrings: return ListText(attribute.strings);
    case AttributeType::kTensors: return StrCat(attribute.tensors.size(), " tensors");
    case AttributeType::kGraphs: return StrCat(attribute.graphs.size(), " graphs");
    // Nothing that a reader of a graph would look for.
    case AttributeType::kUndefined:
    case AttributeType::kSparseTensor:
    case AttributeType::kSparseTensors:
    case AttributeType::kTypeProto:
    case AttributeType::kTypeProtos: break;
  }
  return {};
}

class Writer {
 public:
  Writer(const Model& model, const ValueTypes& types, JsonWriter* json)
      : graph_(model.graph), types_(types), json_(*json) {
    // What the file says of values is used where importing did not come so far.
    for (const ValueInfo& value : graph_.value_infos) declared_.emplace(value.name, &value.type);
    for (const ValueInfo& value : graph_.outputs) declared_.emplace(value.name, &value.type);
  }

  void Write() {
    json_.BeginObject().Field("name", Cut(graph_.name));
    WriteValues("inputs", graph_.inputs);
    WriteValues("outputs", graph_.outputs);
    json_.Key("constants").BeginArray();
    for (const Tensor& tensor : graph_.initializers) WriteNamed(tensor.name, ConstantType(tensor));
    json_.EndArray().Key("nodes").BeginArray();
    // Nodes of subgraphs are not listed: an attribute says how many there are.
    for (const Node& node : graph_.nodes) WriteNode(node);
    json_.EndArray().EndObject();
  }

 private:
  void WriteNamed(std::string_view name, std::string_view type) {
    json_.BeginObject().Field("name", name).Field("type", type).EndObject();
  }

  void WriteValues(std::string_view key, const std::vector<ValueInfo>& values) {
    json_.Key(key).BeginArray();
    for (const ValueInfo& value : values) WriteNamed(value.name, DeclaredTypeText(value.type));
    json_.EndArray();
  }

  // What importing found is more exact than what the file declares.
  std::string TypeText(std::string_view name) const {
    const auto found = types_.find(name);
    if (found != types_.end() && found->second.known()) return found->second.ToText();
    const auto declared = declared_.find(name);
    return declared == declared_.end() ? std::string() : DeclaredTypeText(*declared->second);
  }

  void WriteNode(const Node& node) {
    const std::string_view domain = PlainDomain(node.domain);
    // The name that errors and listings have for it, also where the file gives none.
    json_.BeginObject().Field("name", OriginOf(node)).Field("operator", node.op_type);
    json_.Field("domain", domain).Key("inputs").BeginArray();
    for (const std::string_view input : node.inputs) json_.String(input);
    json_.EndArray().Key("outputs").BeginArray();
    for (const std::string_view output : node.outputs) WriteNamed(output, TypeText(output));
    json_.EndArray().Key("attributes").BeginArray();
    for (const Attribute& attribute : node.attributes) {
      json_.BeginObject().Field("name", attribute.name);
      json_.Field("type", AttributeTypeName(attribute.type));
      json_.Field("value", AttributeText(attribute)).EndObject();
    }
    json_.EndArray().EndObject();
  }

  const Graph& graph_;
  const ValueTypes& types_;
  std::unordered_map<std::string_view, const Type*> declared_;
  JsonWriter& json_;
};

}  // namespace

void WriteGraphJson(const Model& model, const ValueTypes& types, JsonWriter* json) {
  Writer(model, types, json).Write();
}

}  // namespace tern::onnx
