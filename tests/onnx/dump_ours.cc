// SPDX-License-Identifier: Apache-2.0
// Our structs as canonical text.
#include "tests/onnx/dump_model.h"
#include "tests/onnx/dump_text.h"

namespace tern::test {
namespace {

using onnx::Dimension;

void Dump(const onnx::StringPair& pair, DumpText* out) {
  out->Text("key", pair.key);
  out->Text("value", pair.value);
}

void Dump(const onnx::OpsetImport& import, DumpText* out) {
  out->Text("domain", import.domain);
  out->Number("version", import.version);
}

void Dump(const onnx::Tensor& tensor, DumpText* out);
void Dump(const onnx::SparseTensor& tensor, DumpText* out);
void Dump(const onnx::Type& type, DumpText* out);
void Dump(const onnx::Graph& graph, DumpText* out);
void Dump(const onnx::Attribute& attribute, DumpText* out);
void Dump(const onnx::Node& node, DumpText* out);
void Dump(const onnx::ValueInfo& info, DumpText* out);
void Dump(const onnx::Function& function, DumpText* out);

template <typename T>
void NestedStruct(std::string_view name, const T& value, DumpText* out) {
  out->Open(name);
  Dump(value, out);
  out->Close();
}

template <typename T>
void All(std::string_view name, const std::vector<T>& list, DumpText* out) {
  for (const T& value : list) NestedStruct(name, value, out);
}

template <typename T>
void Maybe(std::string_view name, const std::unique_ptr<T>& value, DumpText* out) {
  if (value != nullptr) NestedStruct(name, *value, out);
}

void DumpShape(const onnx::Shape& shape, DumpText* out) {
  out->Open("shape");
  for (const Dimension& dim : shape.dims) {
    out->Open("dim");
    if (dim.kind == Dimension::Kind::kValue) out->Number("value", dim.value);
    if (dim.kind == Dimension::Kind::kSymbol) out->Text("symbol", dim.symbol);
    out->Close();
  }
  out->Close();
}

void Dump(const onnx::Type& type, DumpText* out) {
  out->Number("kind", static_cast<int>(type.kind));
  out->Number("elem_type", type.elem_type);
  if (type.shape != nullptr) DumpShape(*type.shape, out);
  Maybe("contents", type.contents, out);
}

void Dump(const onnx::ValueInfo& info, DumpText* out) {
  out->Text("name", info.name);
  NestedStruct("type", info.type, out);
}

template <typename T>
std::vector<T> WordsOf(const onnx::WordList<T>& list) {
  std::vector<T> words(list.size());
  list.CopyTo(words.data());
  return words;
}

void Dump(const onnx::Tensor& tensor, DumpText* out) {
  out->Text("name", tensor.name);
  out->Numbers("dims", tensor.dims);
  out->Number("data_type", tensor.data_type);
  out->Number("has_raw", tensor.has_raw_data);
  out->Text("raw", tensor.raw_data);
  out->Number("external", tensor.is_external);
  out->Words("float", WordsOf(tensor.float_data));
  out->Numbers("int32", tensor.int32_data);
  out->Numbers("int64", tensor.int64_data);
  out->Numbers("uint64", tensor.uint64_data);
  out->Words("double", WordsOf(tensor.double_data));
  out->Texts("string", tensor.string_data);
  All("external_data", tensor.external_data, out);
}

void Dump(const onnx::SparseTensor& tensor, DumpText* out) {
  NestedStruct("values", tensor.values, out);
  NestedStruct("indices", tensor.indices, out);
  out->Numbers("dims", tensor.dims);
}

void Dump(const onnx::Attribute& attribute, DumpText* out) {
  out->Text("name", attribute.name);
  out->Text("reference", attribute.reference);
  out->Number("type", static_cast<int>(attribute.type));
  out->Bits("f", &attribute.f, sizeof(attribute.f));
  out->Number("i", attribute.i);
  out->Text("s", attribute.s);
  Maybe("t", attribute.tensor, out);
  Maybe("g", attribute.graph, out);
  Maybe("sparse", attribute.sparse_tensor, out);
  Maybe("tp", attribute.type_proto, out);
  out->Words("floats", attribute.floats);
  out->Numbers("ints", attribute.ints);
  out->Texts("strings", attribute.strings);
  All("tensors", attribute.tensors, out);
  All("graphs", attribute.graphs, out);
  All("sparse_tensors", attribute.sparse_tensors, out);
  All("type_protos", attribute.type_protos, out);
}

void Dump(const onnx::Node& node, DumpText* out) {
  out->Texts("input", node.inputs);
  out->Texts("output", node.outputs);
  out->Text("name", node.name);
  out->Text("op_type", node.op_type);
  out->Text("domain", node.domain);
  All("attribute", node.attributes, out);
}

void Dump(const onnx::Graph& graph, DumpText* out) {
  out->Text("name", graph.name);
  All("node", graph.nodes, out);
  All("initializer", graph.initializers, out);
  All("sparse_initializer", graph.sparse_initializers, out);
  All("input", graph.inputs, out);
  All("output", graph.outputs, out);
  All("value_info", graph.value_infos, out);
}

void Dump(const onnx::Function& function, DumpText* out) {
  out->Text("name", function.name);
  out->Text("domain", function.domain);
  out->Texts("input", function.inputs);
  out->Texts("output", function.outputs);
  out->Texts("attribute", function.attributes);
  All("node", function.nodes, out);
  All("opset", function.opset_imports, out);
}

}  // namespace

std::string DumpModel(const onnx::Model& model) {
  DumpText out;
  out.Number("ir_version", model.ir_version);
  All("opset", model.opset_imports, &out);
  out.Text("producer", model.producer_name);
  out.Text("producer_version", model.producer_version);
  out.Text("domain", model.domain);
  out.Text("doc", model.doc_string);
  out.Number("model_version", model.model_version);
  out.Number("has_graph", model.has_graph);
  NestedStruct("graph", model.graph, &out);
  All("function", model.functions, &out);
  All("metadata", model.metadata, &out);
  return out.Take();
}

}  // namespace tern::test
