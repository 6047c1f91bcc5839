// SPDX-License-Identifier: Apache-2.0
// libprotobuf's messages of the official onnx.proto as the same canonical text.
#include "onnx.pb.h"
#include "tests/onnx/dump_model.h"
#include "tests/onnx/dump_text.h"

namespace tern::test {
namespace {

void Dump(const ::onnx::StringStringEntryProto& pair, DumpText* out) {
  out->Text("key", pair.key());
  out->Text("value", pair.value());
}

void Dump(const ::onnx::OperatorSetIdProto& import, DumpText* out) {
  out->Text("domain", import.domain());
  out->Number("version", import.version());
}

void Dump(const ::onnx::TensorProto& tensor, DumpText* out);
void Dump(const ::onnx::SparseTensorProto& tensor, DumpText* out);
void Dump(const ::onnx::TypeProto& type, DumpText* out);
void Dump(const ::onnx::GraphProto& graph, DumpText* out);
void Dump(const ::onnx::AttributeProto& attribute, DumpText* out);
void Dump(const ::onnx::NodeProto& node, DumpText* out);
void Dump(const ::onnx::ValueInfoProto& info, DumpText* out);
void Dump(const ::onnx::FunctionProto& function, DumpText* out);

template <typename T>
void NestedMessage(std::string_view name, const T& value, DumpText* out) {
  out->Open(name);
  Dump(value, out);
  out->Close();
}

template <typename List>
void All(std::string_view name, const List& list, DumpText* out) {
  for (const auto& value : list) NestedMessage(name, value, out);
}

void DumpShape(const ::onnx::TensorShapeProto& shape, DumpText* out) {
  out->Open("shape");
  for (const auto& dim : shape.dim()) {
    out->Open("dim");
    if (dim.has_dim_value()) out->Number("value", dim.dim_value());
    if (dim.has_dim_param()) out->Text("symbol", dim.dim_param());
    out->Close();
  }
  out->Close();
}

template <typename Tensor>
void DumpTensorType(int kind, const Tensor& type, DumpText* out) {
  out->Number("kind", kind);
  out->Number("elem_type", type.elem_type());
  if (type.has_shape()) DumpShape(type.shape(), out);
}

void DumpContents(int kind, int key_type, bool present, const ::onnx::TypeProto& contents,
                  DumpText* out) {
  out->Number("kind", kind);
  out->Number("elem_type", key_type);
  if (present) NestedMessage("contents", contents, out);
}

void Dump(const ::onnx::TypeProto& type, DumpText* out) {
  using ::onnx::TypeProto;
  switch (type.value_case()) {
    case TypeProto::kTensorType: return DumpTensorType(1, type.tensor_type(), out);
    case TypeProto::kSparseTensorType: return DumpTensorType(5, type.sparse_tensor_type(), out);
    case TypeProto::kSequenceType: {
      const auto& inner = type.sequence_type();
      return DumpContents(2, 0, inner.has_elem_type(), inner.elem_type(), out);
    }
    case TypeProto::kMapType: {
      const auto& inner = type.map_type();
      return DumpContents(3, inner.key_type(), inner.has_value_type(), inner.value_type(), out);
    }
    case TypeProto::kOptionalType: {
      const auto& inner = type.optional_type();
      return DumpContents(4, 0, inner.has_elem_type(), inner.elem_type(), out);
    }
    case TypeProto::VALUE_NOT_SET: break;
  }
  DumpContents(0, 0, false, type, out);
}

void Dump(const ::onnx::ValueInfoProto& info, DumpText* out) {
  out->Text("name", info.name());
  NestedMessage("type", info.type(), out);
}

void Dump(const ::onnx::TensorProto& tensor, DumpText* out) {
  out->Text("name", tensor.name());
  out->Numbers("dims", tensor.dims());
  out->Number("data_type", tensor.data_type());
  out->Number("has_raw", tensor.has_raw_data());
  out->Text("raw", tensor.raw_data());
  out->Number("external", tensor.data_location() == ::onnx::TensorProto::EXTERNAL);
  out->Words("float", tensor.float_data());
  out->Numbers("int32", tensor.int32_data());
  out->Numbers("int64", tensor.int64_data());
  out->Numbers("uint64", tensor.uint64_data());
  out->Words("double", tensor.double_data());
  out->Texts("string", tensor.string_data());
  All("external_data", tensor.external_data(), out);
}

void Dump(const ::onnx::SparseTensorProto& tensor, DumpText* out) {
  NestedMessage("values", tensor.values(), out);
  NestedMessage("indices", tensor.indices(), out);
  out->Numbers("dims", tensor.dims());
}

void Dump(const ::onnx::AttributeProto& attribute, DumpText* out) {
  const float f = attribute.f();
  out->Text("name", attribute.name());
  out->Text("reference", attribute.ref_attr_name());
  out->Number("type", attribute.type());
  out->Bits("f", &f, sizeof(f));
  out->Number("i", attribute.i());
  out->Text("s", attribute.s());
  if (attribute.has_t()) NestedMessage("t", attribute.t(), out);
  if (attribute.has_g()) NestedMessage("g", attribute.g(), out);
  if (attribute.has_sparse_tensor()) NestedMessage("sparse", attribute.sparse_tensor(), out);
  if (attribute.has_tp()) NestedMessage("tp", attribute.tp(), out);
  out->Words("floats", attribute.floats());
  out->Numbers("ints", attribute.ints());
  out->Texts("strings", attribute.strings());
  All("tensors", attribute.tensors(), out);
  All("graphs", attribute.graphs(), out);
  All("sparse_tensors", attribute.sparse_tensors(), out);
  All("type_protos", attribute.type_protos(), out);
}

void Dump(const ::onnx::NodeProto& node, DumpText* out) {
  out->Texts("input", node.input());
  out->Texts("output", node.output());
  out->Text("name", node.name());
  out->Text("op_type", node.op_type());
  out->Text("domain", node.domain());
  All("attribute", node.attribute(), out);
}

void Dump(const ::onnx::GraphProto& graph, DumpText* out) {
  out->Text("name", graph.name());
  All("node", graph.node(), out);
  All("initializer", graph.initializer(), out);
  All("sparse_initializer", graph.sparse_initializer(), out);
  All("input", graph.input(), out);
  All("output", graph.output(), out);
  All("value_info", graph.value_info(), out);
}

void Dump(const ::onnx::FunctionProto& function, DumpText* out) {
  out->Text("name", function.name());
  out->Text("domain", function.domain());
  out->Texts("input", function.input());
  out->Texts("output", function.output());
  out->Texts("attribute", function.attribute());
  All("node", function.node(), out);
  All("opset", function.opset_import(), out);
}

}  // namespace

std::string DumpModel(const ::onnx::ModelProto& model) {
  DumpText out;
  out.Number("ir_version", model.ir_version());
  All("opset", model.opset_import(), &out);
  out.Text("producer", model.producer_name());
  out.Text("producer_version", model.producer_version());
  out.Text("domain", model.domain());
  out.Text("doc", model.doc_string());
  out.Number("model_version", model.model_version());
  out.Number("has_graph", model.has_graph());
  NestedMessage("graph", model.graph(), &out);
  All("function", model.functions(), &out);
  All("metadata", model.metadata_props(), &out);
  return out.Take();
}

}  // namespace tern::test
