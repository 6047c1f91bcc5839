// SPDX-License-Identifier: Apache-2.0
// An ONNX model as plain structs: what the file says, unchecked, nothing more. Converters see only
// these.
//
// Every string_view points into the bytes the model was read from, tensors' raw data too: keep the
// bytes alive as long as the model. Numbers of enumerations are those of the standard.
#ifndef TERN_CORE_ONNX_MODEL_H_
#define TERN_CORE_ONNX_MODEL_H_

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/onnx/word_list.h"

namespace tern::onnx {

enum class DataType : int32_t {
  kUndefined = 0,
  kFloat = 1,
  kUint8 = 2,
  kInt8 = 3,
  kUint16 = 4,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kString = 8,
  kBool = 9,
  kFloat16 = 10,
  kDouble = 11,
  kUint32 = 12,
  kUint64 = 13,
  kComplex64 = 14,
  kComplex128 = 15,
  kBfloat16 = 16,
  kFloat8E4M3FN = 17,
  kFloat8E4M3FNUZ = 18,
  kFloat8E5M2 = 19,
  kFloat8E5M2FNUZ = 20,
  kUint4 = 21,
  kInt4 = 22,
  kFloat4E2M1 = 23,
  kFloat8E8M0 = 24,
  kUint2 = 25,
  kInt2 = 26,
};

struct StringPair {
  std::string_view key;
  std::string_view value;
};

struct Tensor {
  std::string_view name;
  std::vector<int64_t> dims;
  int32_t data_type = 0;  // a DataType, or whatever number the file has
  // One of these holds the elements: raw (little-endian), a typed list, or a description of another
  // file.
  std::string_view raw_data;
  bool has_raw_data = false;
  bool is_external = false;
  WordList<float> float_data;
  std::vector<int32_t>
      int32_data;  // also the narrower integers, bool and the bits of 16-bit floats
  std::vector<int64_t> int64_data;
  std::vector<uint64_t> uint64_data;  // also uint32
  WordList<double> double_data;
  std::vector<std::string_view> string_data;
  std::vector<StringPair> external_data;  // location, offset, length, checksum
};

struct SparseTensor {
  Tensor values;  // its name is the tensor's
  Tensor indices;
  std::vector<int64_t> dims;
};

struct Dimension {
  enum class Kind : uint8_t { kUnknown, kValue, kSymbol };
  Kind kind = Kind::kUnknown;
  int64_t value = 0;
  std::string_view symbol;
};

struct Shape {
  std::vector<Dimension> dims;
};

struct Type {
  enum class Kind : uint8_t { kNone, kTensor, kSequence, kMap, kOptional, kSparseTensor };
  Kind kind = Kind::kNone;
  int32_t elem_type = 0;           // a DataType: of a tensor's elements, of a map's keys
  std::unique_ptr<Shape> shape;    // of a tensor; null: not even the rank is known
  std::unique_ptr<Type> contents;  // of a sequence, an optional, a map's values
};

struct ValueInfo {
  std::string_view name;
  Type type;
  std::string_view doc_string;
};

enum class AttributeType : int32_t {
  kUndefined = 0,
  kFloat = 1,
  kInt = 2,
  kString = 3,
  kTensor = 4,
  kGraph = 5,
  kFloats = 6,
  kInts = 7,
  kStrings = 8,
  kTensors = 9,
  kGraphs = 10,
  kSparseTensor = 11,
  kSparseTensors = 12,
  kTypeProto = 13,
  kTypeProtos = 14,
};

struct Graph;

struct Attribute {
  std::string_view name;
  std::string_view reference;  // inside a function: the name of the function's attribute to use
  AttributeType type = AttributeType::kUndefined;
  float f = 0;
  int64_t i = 0;
  std::string_view s;
  std::unique_ptr<Tensor> tensor;
  std::unique_ptr<Graph> graph;
  std::unique_ptr<SparseTensor> sparse_tensor;
  std::unique_ptr<Type> type_proto;
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<std::string_view> strings;
  std::vector<Tensor> tensors;
  std::vector<Graph> graphs;
  std::vector<SparseTensor> sparse_tensors;
  std::vector<Type> type_protos;
};

struct Node {
  std::vector<std::string_view> inputs;  // "" where an optional input is left out
  std::vector<std::string_view> outputs;
  std::string_view name;
  std::string_view op_type;
  std::string_view domain;
  std::string_view overload;
  std::vector<Attribute> attributes;
};

struct Graph {
  std::string_view name;
  std::string_view doc_string;
  std::vector<Node> nodes;
  std::vector<Tensor> initializers;
  std::vector<SparseTensor> sparse_initializers;
  std::vector<ValueInfo> inputs;
  std::vector<ValueInfo> outputs;
  std::vector<ValueInfo> value_infos;
};

struct OpsetImport {
  std::string_view domain;  // "" and "ai.onnx" are the default domain
  int64_t version = 0;
};

struct Function {
  std::string_view name;
  std::string_view domain;
  std::string_view overload;
  std::vector<std::string_view> inputs;
  std::vector<std::string_view> outputs;
  std::vector<std::string_view> attributes;   // that a caller must give
  std::vector<Attribute> default_attributes;  // and those with a default
  std::vector<Node> nodes;
  std::vector<OpsetImport> opset_imports;
};

struct Model {
  int64_t ir_version = 0;
  std::vector<OpsetImport> opset_imports;
  std::string_view producer_name;
  std::string_view producer_version;
  std::string_view domain;
  std::string_view doc_string;
  int64_t model_version = 0;
  bool has_graph = false;
  Graph graph;
  std::vector<Function> functions;
  std::vector<StringPair> metadata;
};

// "float32", "int64", …, or "" for a number the standard does not know.
std::string_view DataTypeName(int32_t data_type);
// Bits of one element; 0 for strings and unknown types.
int DataTypeBits(int32_t data_type);
std::string_view AttributeTypeName(AttributeType type);

}  // namespace tern::onnx

#endif  // TERN_CORE_ONNX_MODEL_H_
