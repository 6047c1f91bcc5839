// SPDX-License-Identifier: Apache-2.0
// Writes ONNX models for tests without a Protobuf library: ProtoWriter for any message, and short
// makers for the usual ones. Field numbers are those of onnx.proto. Header-only, so that every test
// binary can use it.
#ifndef TERN_TESTS_SUPPORT_ONNX_WRITER_H_
#define TERN_TESTS_SUPPORT_ONNX_WRITER_H_

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern::test {

class ProtoWriter {
 public:
  ProtoWriter& Tag(uint32_t field, uint32_t wire_type) {
    return Raw(uint64_t{field} << 3 | wire_type);
  }
  ProtoWriter& Raw(uint64_t varint) {
    for (; varint >= 0x80; varint >>= 7) bytes_.push_back(static_cast<char>(varint | 0x80));
    bytes_.push_back(static_cast<char>(varint));
    return *this;
  }
  ProtoWriter& Int(uint32_t field, int64_t value) {
    return Tag(field, 0).Raw(static_cast<uint64_t>(value));
  }
  ProtoWriter& Float(uint32_t field, float value) {
    Tag(field, 5);
    char word[4];
    std::memcpy(word, &value, 4);
    bytes_.append(word, 4);
    return *this;
  }
  ProtoWriter& Text(uint32_t field, std::string_view text) {
    Tag(field, 2).Raw(text.size());
    bytes_.append(text);
    return *this;
  }
  ProtoWriter& Message(uint32_t field, const ProtoWriter& message) {
    return Text(field, message.bytes_);
  }
  ProtoWriter& Append(const ProtoWriter& more) {
    bytes_ += more.bytes_;
    return *this;
  }

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

inline constexpr int kOnnxFloat = 1;
inline constexpr int kOnnxUint8 = 2;
inline constexpr int kOnnxInt32 = 6;
inline constexpr int kOnnxInt64 = 7;
inline constexpr int kOnnxString = 8;
inline constexpr int kOnnxBool = 9;

// The bytes of a list of numbers, as raw_data holds them.
template <typename T>
std::string RawBytes(const std::vector<T>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

inline ProtoWriter OnnxTensor(std::string_view name, int data_type,
                              const std::vector<int64_t>& dims, std::string_view raw_data) {
  ProtoWriter tensor;
  for (const int64_t dim : dims) tensor.Int(1, dim);
  return tensor.Int(2, data_type).Text(8, name).Text(9, raw_data);
}
inline ProtoWriter OnnxInts(std::string_view name, const std::vector<int64_t>& values) {
  return OnnxTensor(name, kOnnxInt64, {static_cast<int64_t>(values.size())}, RawBytes(values));
}
inline ProtoWriter OnnxFloats(std::string_view name, const std::vector<int64_t>& dims,
                              const std::vector<float>& values) {
  return OnnxTensor(name, kOnnxFloat, dims, RawBytes(values));
}

// Attributes.
inline ProtoWriter OnnxAttribute(std::string_view name, int type) {
  return ProtoWriter().Text(1, name).Int(20, type);
}
inline ProtoWriter IntAttribute(std::string_view name, int64_t value) {
  return OnnxAttribute(name, 2).Int(3, value);
}
inline ProtoWriter FloatAttribute(std::string_view name, float value) {
  return OnnxAttribute(name, 1).Float(2, value);
}
inline ProtoWriter TextAttribute(std::string_view name, std::string_view value) {
  return OnnxAttribute(name, 3).Text(4, value);
}
inline ProtoWriter IntsAttribute(std::string_view name, const std::vector<int64_t>& values) {
  ProtoWriter attribute = OnnxAttribute(name, 7);
  for (const int64_t value : values) attribute.Int(8, value);
  return attribute;
}
inline ProtoWriter FloatsAttribute(std::string_view name, const std::vector<float>& values) {
  ProtoWriter attribute = OnnxAttribute(name, 6);
  for (const float value : values) attribute.Float(7, value);
  return attribute;
}
inline ProtoWriter TensorAttribute(std::string_view name, const ProtoWriter& tensor) {
  return OnnxAttribute(name, 4).Message(5, tensor);
}
inline ProtoWriter GraphAttribute(std::string_view name, const ProtoWriter& graph) {
  return OnnxAttribute(name, 5).Message(6, graph);
}
// Inside a function: the value of the function's attribute `of`.
inline ProtoWriter ReferenceAttribute(std::string_view name, int type, std::string_view of) {
  return OnnxAttribute(name, type).Text(21, of);
}

struct OnnxNode {
  std::string_view op_type;
  std::vector<std::string_view> inputs;
  std::vector<std::string_view> outputs;
  std::vector<ProtoWriter> attributes = {};
  std::string_view name = "";
  std::string_view domain = "";

  ProtoWriter Write() const {
    ProtoWriter node;
    for (const std::string_view input : inputs) node.Text(1, input);
    for (const std::string_view output : outputs) node.Text(2, output);
    if (!name.empty()) node.Text(3, name);
    node.Text(4, op_type);
    for (const ProtoWriter& attribute : attributes) node.Message(5, attribute);
    if (!domain.empty()) node.Text(7, domain);
    return node;
  }
};

// A dimension is a number, a symbol, or "" for unknown.
struct OnnxDim {
  OnnxDim(int64_t number) : value(number) {}                          // NOLINT: implicit by design
  OnnxDim(int number) : value(number) {}                              // NOLINT
  OnnxDim(const char* text) : value(0), symbol(text), named(true) {}  // NOLINT
  int64_t value;
  std::string_view symbol;
  bool named = false;
};

inline ProtoWriter OnnxValueInfo(std::string_view name, int data_type,
                                 const std::vector<OnnxDim>& dims) {
  ProtoWriter shape;
  for (const OnnxDim& dim : dims) {
    ProtoWriter one;
    if (!dim.named) one.Int(1, dim.value);
    if (!dim.symbol.empty()) one.Text(2, dim.symbol);
    shape.Message(1, one);
  }
  const ProtoWriter type = ProtoWriter().Int(1, data_type).Message(2, shape);
  return ProtoWriter().Text(1, name).Message(2, ProtoWriter().Message(1, type));
}

// A graph in the making; Model() gives the bytes of a whole file.
class OnnxGraph {
 public:
  OnnxGraph& Input(std::string_view name, int data_type, const std::vector<OnnxDim>& dims) {
    graph_.Message(11, OnnxValueInfo(name, data_type, dims));
    return *this;
  }
  OnnxGraph& Output(std::string_view name) {
    graph_.Message(12, ProtoWriter().Text(1, name));
    return *this;
  }
  OnnxGraph& Output(std::string_view name, int data_type, const std::vector<OnnxDim>& dims) {
    graph_.Message(12, OnnxValueInfo(name, data_type, dims));
    return *this;
  }
  OnnxGraph& Initializer(const ProtoWriter& tensor) {
    graph_.Message(5, tensor);
    return *this;
  }
  OnnxGraph& Node(const OnnxNode& node) {
    graph_.Message(1, node.Write());
    return *this;
  }
  OnnxGraph& Append(const ProtoWriter& fields) {
    graph_.Append(fields);
    return *this;
  }

  const ProtoWriter& fields() const { return graph_; }
  // `more` are further fields of the ModelProto, such as functions and imports of other domains.
  std::string Model(int64_t opset, const ProtoWriter& more = {}) const {
    const ProtoWriter import = ProtoWriter().Text(1, "").Int(2, opset);
    return ProtoWriter().Int(1, 8).Message(7, graph_).Message(8, import).Append(more).bytes();
  }

 private:
  ProtoWriter graph_ = ProtoWriter().Text(2, "graph");
};

}  // namespace tern::test

#endif  // TERN_TESTS_SUPPORT_ONNX_WRITER_H_
