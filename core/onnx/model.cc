// SPDX-License-Identifier: Apache-2.0
// Names and sizes of the standard's enumerations.
#include "core/onnx/model.h"

namespace tern::onnx {

std::string_view DataTypeName(int32_t data_type) {
  // By the numbers of onnx.proto, which has no gaps.
  static constexpr std::string_view kNames[] = {
      "undefined",      "float32",  "uint8",        "int8",           "uint16",
      "int16",          "int32",    "int64",        "string",         "bool",
      "float16",        "float64",  "uint32",       "uint64",         "complex64",
      "complex128",     "bfloat16", "float8e4m3fn", "float8e4m3fnuz", "float8e5m2",
      "float8e5m2fnuz", "uint4",    "int4",         "float4e2m1",     "float8e8m0",
      "uint2",          "int2"};
  const size_t index = static_cast<uint32_t>(data_type);
  return index < sizeof(kNames) / sizeof(kNames[0]) ? kNames[index] : "";
}

int DataTypeBits(int32_t data_type) {
  // 0 where an element has no size of its own: undefined and strings.
  static constexpr uint8_t kBits[] = {0,  32,  8,  8, 16, 16, 32, 64, 0, 8, 16, 64, 32, 64,
                                      64, 128, 16, 8, 8,  8,  8,  4,  4, 4, 8,  2,  2};
  const size_t index = static_cast<uint32_t>(data_type);
  return index < sizeof(kBits) ? kBits[index] : 0;
}

std::string_view AttributeTypeName(AttributeType type) {
  switch (type) {
    case AttributeType::kUndefined: return "nothing";
    case AttributeType::kFloat: return "a float";
    case AttributeType::kInt: return "an int";
    case AttributeType::kString: return "a string";
    case AttributeType::kTensor: return "a tensor";
    case AttributeType::kGraph: return "a graph";
    case AttributeType::kFloats: return "a list of floats";
    case AttributeType::kInts: return "a list of ints";
    case AttributeType::kStrings: return "a list of strings";
    case AttributeType::kTensors: return "a list of tensors";
    case AttributeType::kGraphs: return "a list of graphs";
    case AttributeType::kSparseTensor: return "a sparse tensor";
    case AttributeType::kSparseTensors: return "a list of sparse tensors";
    case AttributeType::kTypeProto: return "a type";
    case AttributeType::kTypeProtos: return "a list of types";
  }
  return "nothing";
}

}  // namespace tern::onnx
