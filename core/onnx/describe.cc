// SPDX-License-Identifier: Apache-2.0
// One walk over the nodes with a list of what is still to be visited: functions may call each other
// in chains of any length, which must not end the stack. Subgraphs nest as deep as messages do.
#include "core/onnx/describe.h"

#include <algorithm>
#include <map>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/base/json.h"
#include "core/base/strings.h"
#include "core/object/dtype.h"
#include "core/object/shape.h"
#include "core/onnx/graph_scope.h"
#include "core/onnx/import_state.h"
#include "core/onnx/node_context.h"
#include "core/onnx/tensor_data.h"

namespace tern::onnx {
namespace {

using FunctionTable = std::unordered_map<std::string, const Function*>;

// Counts are of what a file claims, which may be anything: they stop at the greatest number.
int64_t AddUpTo(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

// Says what is in a model without importing it, so that a model with operators that do not exist
// here is described as well as any other.
class Describer {
 public:
  explicit Describer(const Model& model) : model_(model) {
    // Of two functions with one name the first is called, as in the importer.
    for (const Function& function : model.functions)
      functions_.emplace(FunctionKey(function.domain, function.name, function.overload), &function);
  }

  ModelDescription Run() {
    VisitGraph(model_.graph, model_.opset_imports, "");
    while (!to_visit_.empty()) {
      const Function* function = to_visit_.back();
      to_visit_.pop_back();
      // A function says which versions its operators have; old files leave that to the model.
      const bool own = !function->opset_imports.empty();
      VisitNodes(function->nodes, own ? function->opset_imports : model_.opset_imports,
                 StrCat("function ", function->name.substr(0, 200), "/"));
    }
    for (const ValueInfo& input : model_.graph.inputs) AddSymbols(input);
    for (const ValueInfo& output : model_.graph.outputs) AddSymbols(output);
    for (const auto& [key, use] : operators_) out_.operators.push_back(use);
    std::sort(out_.operators.begin(), out_.operators.end(),
              [](const OperatorUse& a, const OperatorUse& b) {
                // The most frequent first: they tell what kind of model it is.
                if (a.count != b.count) return a.count > b.count;
                return a.domain != b.domain ? a.domain < b.domain : a.op_type < b.op_type;
              });
    return std::move(out_);
  }

 private:
  using Imports = std::span<const OpsetImport>;

  void VisitGraph(const Graph& graph, Imports imports, const std::string& prefix) {
    for (const Tensor& tensor : graph.initializers) AddParameter(tensor);
    for (const SparseTensor& tensor : graph.sparse_initializers) AddParameter(tensor.values);
    VisitNodes(graph.nodes, imports, prefix);
  }

  // A Constant's tensor is counted as a parameter: exporters write weights in both ways.
  void VisitNodes(std::span<const Node> nodes, Imports imports, const std::string& prefix) {
    for (const Node& node : nodes) {
      ++out_.nodes;
      Count(node, imports, prefix);
      for (const Attribute& attribute : node.attributes) {
        if (attribute.tensor != nullptr && node.op_type == "Constant")
          AddParameter(*attribute.tensor);
        if (attribute.graph != nullptr) VisitSubgraph(node, *attribute.graph, imports, prefix);
        for (const Graph& graph : attribute.graphs) VisitSubgraph(node, graph, imports, prefix);
      }
    }
  }

  // Names of any length inside each other must not make a text of any length.
  void VisitSubgraph(const Node& node, const Graph& graph, Imports imports,
                     const std::string& prefix) {
    constexpr size_t kLongestPrefix = 1000;
    ++out_.subgraphs;
    const std::string inner = StrCat(prefix, OriginOf(node), "/");
    VisitGraph(graph, imports, inner.size() > kLongestPrefix ? "…/" : inner);
  }

  // A function of the model hides an operator of its name, as in the importer. It is visited once,
  // however often it is called.
  void Count(const Node& node, Imports imports, const std::string& prefix) {
    const std::string_view domain = PlainDomain(node.domain);
    OperatorUse& use = operators_[{domain, node.op_type}];
    use.domain = domain;
    use.op_type = node.op_type;
    ++use.count;
    const auto called = functions_.find(FunctionKey(domain, node.op_type, node.overload));
    if (called != functions_.end()) {
      use.is_function = true;
      if (visited_.insert(called->second).second) to_visit_.push_back(called->second);
      return;
    }
    Scope scope;
    scope.imports = imports;
    const int64_t opset = scope.OpsetOf(domain);
    const OperatorInfo* newer = nullptr;
    if (FindOperator(domain, node.op_type, opset, &newer) != nullptr) return;
    use.is_supported = false;
    out_.unsupported.push_back({.node = StrCat(prefix, OriginOf(node)),
                                .domain = domain,
                                .op_type = node.op_type,
                                .opset = opset,
                                .since = newer == nullptr || opset == 0 ? 0 : newer->since});
  }

  // By its declared dimensions, because the data may be in another file.
  void AddParameter(const Tensor& tensor) {
    ParameterCount& count = out_.parameters;
    // Extents below zero are told when the model is imported. Here they count as nothing.
    const bool is_sound =
        std::none_of(tensor.dims.begin(), tensor.dims.end(), [](int64_t dim) { return dim < 0; });
    const int64_t elements = is_sound ? ElementCount(tensor.dims).value_or(INT64_MAX) : int64_t{0};
    // In bits, because four elements of 2 bits share a byte; the end is rounded up.
    const int64_t bits = DataTypeBits(tensor.data_type);
    int64_t bytes = 0;
    if (__builtin_mul_overflow(elements, bits, &bytes)) bytes = INT64_MAX;
    ++count.tensors;
    count.external_tensors += tensor.is_external ? 1 : 0;
    count.elements = AddUpTo(count.elements, elements);
    count.bytes = AddUpTo(count.bytes, bytes / 8 + (bytes % 8 != 0 ? 1 : 0));
  }

  // Where each named dimension stands in the inputs and outputs, in the order of the file.
  void AddSymbols(const ValueInfo& info) {
    const Type* type = &info.type;
    // Of a list of tensors the dimensions of a tensor.
    while (type->contents != nullptr) type = type->contents.get();
    if (type->shape == nullptr) return;
    for (size_t axis = 0; axis < type->shape->dims.size(); ++axis) {
      const Dimension& dim = type->shape->dims[axis];
      if (dim.kind != Dimension::Kind::kSymbol || dim.symbol.empty()) continue;
      const auto [place, is_new] = symbols_.emplace(dim.symbol, out_.symbols.size());
      if (is_new) out_.symbols.push_back({dim.symbol, {}});
      out_.symbols[place->second].axes.push_back(StrCat(info.name, "[", axis, "]"));
    }
  }

  const Model& model_;
  FunctionTable functions_;
  std::unordered_set<const Function*> visited_;
  std::vector<const Function*> to_visit_;
  // Ordered, so that equal counts are listed by name.
  std::map<std::pair<std::string_view, std::string_view>, OperatorUse> operators_;
  std::unordered_map<std::string_view, size_t> symbols_;
  ModelDescription out_;
};

std::string DimensionText(const Dimension& dim) {
  if (dim.kind == Dimension::Kind::kValue) return StrCat(dim.value);
  return dim.symbol.empty() ? "?" : std::string(dim.symbol);
}

// Numbers that the standard does not have are shown too: this is a description, not a check.
std::string ElementTypeText(int32_t data_type) {
  const Result<DType> dtype = MakeDType(data_type);
  if (dtype.ok()) return dtype->ToString();
  const std::string_view name = DataTypeName(data_type);
  return name.empty() ? StrCat("type ", data_type) : std::string(name);
}

void WriteValues(std::string_view key, std::span<const ValueInfo> values, JsonWriter* json) {
  json->Key(key).BeginArray();
  for (const ValueInfo& value : values) {
    json->BeginObject().Field("name", value.name).Field("type", DeclaredTypeText(value.type));
    if (!value.doc_string.empty()) json->Field("doc", value.doc_string);
    json->EndObject();
  }
  json->EndArray();
}

void WriteOrigin(const Model& model, JsonWriter* json) {
  json->Field("producer", model.producer_name)
      .Field("producer_version", model.producer_version)
      .Field("domain", model.domain)
      .Field("ir_version", model.ir_version)
      .Field("model_version", model.model_version)
      .Field("graph", model.graph.name)
      .Field("doc", model.doc_string)
      .Field("graph_doc", model.graph.doc_string);
  json->Key("opsets").BeginArray();
  for (const OpsetImport& import : model.opset_imports) {
    json->BeginObject()
        .Field("domain", ShownDomain(PlainDomain(import.domain)))
        .Field("version", import.version)
        .EndObject();
  }
  json->EndArray().Key("metadata").BeginArray();
  for (const StringPair& entry : model.metadata)
    json->BeginObject().Field("key", entry.key).Field("value", entry.value).EndObject();
  json->EndArray();
}

void WriteUnsupported(const ModelDescription& description, JsonWriter* json) {
  json->Key("unsupported").BeginArray();
  for (const UnsupportedNode& node : description.unsupported) {
    json->BeginObject()
        .Field("node", node.node)
        .Field("domain", ShownDomain(node.domain))
        .Field("operator", node.op_type)
        .Field("opset", node.opset);
    if (node.since > 0) json->Field("supported_from", node.since);
    json->EndObject();
  }
  json->EndArray();
}

// Texts come from the file, so that control characters are escaped wherever they are printed.
void AppendValues(std::string_view title, std::span<const ValueInfo> values, std::string* text) {
  StrAppend(text, title, "\n");
  for (const ValueInfo& value : values) {
    StrAppend(text, "  ", EscapeControls(value.name), ": ",
              EscapeControls(DeclaredTypeText(value.type)));
    if (!value.doc_string.empty()) StrAppend(text, "  (", EscapeControls(value.doc_string), ")");
    *text += '\n';
  }
}

void AppendField(std::string_view name, std::string_view value, std::string* text) {
  if (!value.empty()) StrAppend(text, "  ", name, ": ", EscapeControls(value), "\n");
}

void AppendOrigin(const Model& model, std::string* text) {
  *text += "model\n";
  AppendField("graph", model.graph.name, text);
  AppendField("producer", StrTrim(StrCat(model.producer_name, " ", model.producer_version)), text);
  AppendField("domain", model.domain, text);
  StrAppend(text, "  ir version: ", model.ir_version, "\n");
  if (model.model_version != 0) StrAppend(text, "  model version: ", model.model_version, "\n");
  for (const OpsetImport& import : model.opset_imports) {
    StrAppend(text, "  opset: ", EscapeControls(ShownDomain(PlainDomain(import.domain))), " ",
              import.version, "\n");
  }
  AppendField("doc", model.doc_string, text);
  AppendField("graph doc", model.graph.doc_string, text);
  for (const StringPair& entry : model.metadata)
    StrAppend(text, "  ", EscapeControls(entry.key), " = ", EscapeControls(entry.value), "\n");
}

std::string OperatorText(std::string_view domain, std::string_view op_type) {
  return EscapeControls(domain.empty() ? std::string(op_type) : StrCat(domain, ".", op_type));
}

}  // namespace

ModelDescription Describe(const Model& model) { return Describer(model).Run(); }

std::string DeclaredTypeText(const Type& type) {
  std::string prefix;
  const Type* inner = &type;
  // Types nest as deep as messages do, which the reader has bounded.
  for (; inner->contents != nullptr; inner = inner->contents.get()) {
    StrAppend(&prefix, inner->kind == Type::Kind::kSequence   ? "list of "
                       : inner->kind == Type::Kind::kOptional ? "optional "
                                                              : "map to ");
  }
  if (inner->kind != Type::Kind::kTensor && inner->kind != Type::Kind::kSparseTensor)
    return StrCat(prefix, "unknown");
  StrAppend(&prefix, inner->kind == Type::Kind::kSparseTensor ? "sparse " : "",
            ElementTypeText(inner->elem_type));
  // Without a shape the rank is open. A shape without dimensions is a scalar's: "[]".
  if (inner->shape == nullptr) return StrCat(prefix, "[…]");
  std::vector<std::string> dims;
  for (const Dimension& dim : inner->shape->dims) dims.push_back(DimensionText(dim));
  return StrCat(prefix, "[", StrJoin(dims, ", "), "]");
}

void WriteModelJson(const Model& model, const ModelDescription& description, JsonWriter* json) {
  json->BeginObject();
  WriteOrigin(model, json);
  WriteValues("inputs", model.graph.inputs, json);
  WriteValues("outputs", model.graph.outputs, json);
  json->Key("symbols").BeginArray();
  for (const SymbolUse& use : description.symbols) {
    json->BeginObject().Field("name", use.symbol).Key("axes").BeginArray();
    for (const std::string& axis : use.axes) json->String(axis);
    json->EndArray().EndObject();
  }
  json->EndArray().Field("nodes", description.nodes).Field("subgraphs", description.subgraphs);
  json->Key("operators").BeginArray();
  for (const OperatorUse& use : description.operators) {
    json->BeginObject()
        .Field("domain", ShownDomain(use.domain))
        .Field("name", use.op_type)
        .Field("count", use.count)
        .Field("function", use.is_function)
        .Field("supported", use.is_supported)
        .EndObject();
  }
  json->EndArray();
  const ParameterCount& parameters = description.parameters;
  json->Key("parameters")
      .BeginObject()
      .Field("tensors", parameters.tensors)
      .Field("elements", parameters.elements)
      .Field("bytes", parameters.bytes)
      .Field("external", parameters.external_tensors)
      .EndObject();
  WriteUnsupported(description, json);
  json->EndObject();
}

std::string ModelText(const Model& model, const ModelDescription& description) {
  std::string text;
  AppendOrigin(model, &text);
  AppendValues("inputs", model.graph.inputs, &text);
  AppendValues("outputs", model.graph.outputs, &text);
  if (!description.symbols.empty()) text += "symbols\n";
  for (const SymbolUse& use : description.symbols)
    StrAppend(&text, "  ", EscapeControls(use.symbol), ": ",
              EscapeControls(StrJoin(use.axes, ", ")), "\n");
  StrAppend(&text, "operators: ", description.nodes, " nodes");
  if (description.subgraphs > 0) StrAppend(&text, ", ", description.subgraphs, " subgraphs");
  text += '\n';
  for (const OperatorUse& use : description.operators) {
    StrAppend(&text, "  ", OperatorText(use.domain, use.op_type), ": ", use.count,
              use.is_function    ? "  (function of the model)"
              : use.is_supported ? ""
                                 : "  (not supported)",
              "\n");
  }
  const ParameterCount& parameters = description.parameters;
  StrAppend(&text, "parameters: ", FormatGrouped(parameters.elements), " in ", parameters.tensors,
            " tensors, ", FormatBytes(static_cast<uint64_t>(parameters.bytes)));
  if (parameters.external_tensors > 0)
    StrAppend(&text, ", ", parameters.external_tensors, " of them in other files");
  return text += '\n';
}

// Nodes by operator and reason, because one missing operator often is in many nodes.
std::string UnsupportedText(const ModelDescription& description) {
  std::map<std::string, std::vector<const UnsupportedNode*>> by_operator;
  for (const UnsupportedNode& node : description.unsupported) {
    std::string title = StrCat(OperatorText(node.domain, node.op_type), ", opset ", node.opset);
    // Without an import there is no version to name.
    if (node.opset == 0)
      title = StrCat(OperatorText(node.domain, node.op_type),
                     ": the model imports no version of its domain");
    if (node.since > 0) StrAppend(&title, "; it is supported from opset ", node.since, " on");
    by_operator[std::move(title)].push_back(&node);
  }
  std::string text;
  for (const auto& [title, nodes] : by_operator) {
    StrAppend(&text, title, "\n");
    for (const UnsupportedNode* node : nodes)
      StrAppend(&text, "  ", EscapeControls(node->node), "\n");
  }
  return text;
}

}  // namespace tern::onnx
