// SPDX-License-Identifier: Apache-2.0
// Protobuf wire format: a field is a key (number * 8 + type) and a varint, four bytes, or a length
// with that many bytes. The numbers are those of onnx.proto.
#include "tools/digits/onnx_file.h"

#include <cstring>
#include <initializer_list>

namespace tern::digits {
namespace {

using Names = std::initializer_list<const char*>;
using Ints = std::initializer_list<int64_t>;

class Message {
 public:
  Message& Int(int field, int64_t value) {
    Varint(static_cast<uint64_t>(field) * 8);
    Varint(static_cast<uint64_t>(value));
    return *this;
  }
  Message& Float(int field, float value) {
    Varint(static_cast<uint64_t>(field) * 8 + 5);
    char raw[4];
    std::memcpy(raw, &value, 4);
    bytes_.append(raw, 4);
    return *this;
  }
  Message& Bytes(int field, const std::string& value) {
    Varint(static_cast<uint64_t>(field) * 8 + 2);
    Varint(value.size());
    bytes_ += value;
    return *this;
  }
  Message& Sub(int field, const Message& value) { return Bytes(field, value.bytes_); }
  const std::string& bytes() const { return bytes_; }

 private:
  void Varint(uint64_t v) {
    for (; v >= 128; v >>= 7) bytes_ += static_cast<char>(v | 128);
    bytes_ += static_cast<char>(v);
  }
  std::string bytes_;
};

Message IntAttribute(const char* name, int64_t value) {
  return Message().Bytes(1, name).Int(3, value).Int(20, 2);
}

Message FloatAttribute(const char* name, float value) {
  return Message().Bytes(1, name).Float(2, value).Int(20, 1);
}

Message IntsAttribute(const char* name, Ints values) {
  Message m;
  m.Bytes(1, name);
  for (int64_t v : values) m.Int(8, v);
  return m.Int(20, 7);
}

class Graph {
 public:
  // A node named after its one output.
  void Node(const char* type, const char* output, Names inputs,
            std::initializer_list<Message> attributes = {}) {
    Message node;
    for (const char* input : inputs) node.Bytes(1, input);
    node.Bytes(2, output).Bytes(3, std::string(output) + "/" + type).Bytes(4, type);
    for (const Message& a : attributes) node.Sub(5, a);
    graph_.Sub(1, node);
  }
  void Conv(const char* output, const char* input, const char* weight, int64_t kernel,
            int64_t groups) {
    const int64_t pad = kernel / 2;
    Node("Conv", output, {input, weight},
         {IntsAttribute("kernel_shape", {kernel, kernel}), IntsAttribute("strides", {1, 1}),
          IntsAttribute("pads", {pad, pad, pad, pad}), IntAttribute("group", groups)});
  }
  void Norm(const std::string& name, const std::string& input) {
    const std::string scale = name + ".scale", bias = name + ".bias";
    const std::string mean = name + ".mean", variance = name + ".variance", relu = "relu_" + name;
    Node("BatchNormalization", name.c_str(),
         {input.c_str(), scale.c_str(), bias.c_str(), mean.c_str(), variance.c_str()},
         {FloatAttribute("epsilon", kEpsilon)});
    Node("Relu", relu.c_str(), {name.c_str()});
  }
  void Pool(const char* output, const char* input, int64_t size) {
    Node("MaxPool", output, {input},
         {IntsAttribute("kernel_shape", {size, size}), IntsAttribute("strides", {size, size})});
  }
  void Gemm(const char* output, const char* input, const char* weight, const char* bias) {
    Node("Gemm", output, {input, weight, bias}, {IntAttribute("transB", 1)});
  }
  void Initializer(const NamedTensor& t) {
    Message tensor;
    for (int64_t d : t.dims) tensor.Int(1, d);
    std::string raw(t.values.size() * sizeof(float), '\0');
    std::memcpy(raw.data(), t.values.data(), raw.size());
    graph_.Sub(5, tensor.Int(2, 1).Bytes(8, t.name).Bytes(9, raw));
  }
  // Field 11: input, 12: output. The first dimension is the batch, of any size.
  void Value(int field, const char* name, Ints dims) {
    Message shape;
    shape.Sub(1, Message().Bytes(2, "batch"));
    for (int64_t d : dims) shape.Sub(1, Message().Int(1, d));
    const Message type = Message().Sub(1, Message().Int(1, 1).Sub(2, shape));
    graph_.Sub(field, Message().Bytes(1, name).Sub(2, type));
  }
  Message& message() { return graph_; }

 private:
  Message graph_;
};

void AddNodes(Graph& g) {
  // Divided by its brightest pixel, an image may come as 0..255, 0..1 or faint. The peak is a
  // MaxPool as large as the image.
  g.Pool("peak", "image", 28);
  g.Node("Add", "divisor", {"peak", "peak_epsilon"});
  g.Node("Div", "normalized", {"image", "divisor"});
  g.Conv("conv1", "normalized", "conv1.weight", 3, 1);
  g.Norm("norm1", "conv1");
  g.Pool("pool1", "relu_norm1", 2);
  g.Conv("conv2", "pool1", "conv2.weight", 3, 1);
  g.Norm("norm2", "conv2");
  g.Pool("pool2", "relu_norm2", 2);
  g.Conv("depthwise", "pool2", "depthwise.weight", 3, kChannels2);
  g.Norm("norm3", "depthwise");
  g.Conv("pointwise", "relu_norm3", "pointwise.weight", 1, 1);
  g.Norm("norm4", "pointwise");
  g.Pool("pool3", "relu_norm4", 2);
  g.Node("Flatten", "features", {"pool3"}, {IntAttribute("axis", 1)});
  g.Gemm("dense1", "features", "dense1.weight", "dense1.bias");
  g.Node("Relu", "hidden", {"dense1"});
  g.Gemm("logits", "hidden", "dense2.weight", "dense2.bias");
  g.Node("Softmax", "probabilities", {"logits"}, {IntAttribute("axis", 1)});
}

}  // namespace

std::string OnnxBytes(const Tensors& model) {
  Graph g;
  AddNodes(g);
  g.message().Bytes(2, "digits");
  g.Initializer({"peak_epsilon", {}, {kPeakEpsilon}});
  for (const NamedTensor& t : model) g.Initializer(t);
  g.Value(11, "image", {1, 28, 28});
  g.Value(12, "probabilities", {kClasses});
  Message file;
  file.Int(1, 7).Bytes(2, "tern tools/digits").Sub(7, g.message());
  return file.Sub(8, Message().Bytes(1, "").Int(2, 13)).bytes();
}

}  // namespace tern::digits
