// SPDX-License-Identifier: Apache-2.0
// A graph of values as a list of nodes, each of which refers to earlier ones only: what both
// serialized forms (serialize_json.h, serialize_binary.h) write down and read back.
//
// Small values are written where they stand; objects and text of more than 64 bytes are nodes,
// written once however often they are referred to. Since no node can refer to a later one, what is
// read has no cycles. Written are none, bools, ints, floats, dtypes, devices, text, bytes, shapes,
// lists, arrays, maps, dicts, adts, tensors of every dtype, storages, functions by the name under
// which they are registered, and types with registered fields, errors among them. Refused, with the
// path: cycles, pointers, closures (their function is a number in an executable), modules (their
// functions are code of this process), functions that are not registered, types without fields, and
// graphs deeper than kMaxGraphDepth, so that what walks over them may recurse.
#ifndef TERN_CORE_OBJECT_GRAPH_SERIALIZE_GRAPH_H_
#define TERN_CORE_OBJECT_GRAPH_SERIALIZE_GRAPH_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/bytes.h"
#include "core/object/any.h"
#include "core/object/dtype.h"

namespace tern {

inline constexpr uint32_t kMaxGraphDepth = 1000;

// Numbers are part of the binary form: never renumber.
enum class NodeKind : uint8_t {
  kText = 1,
  kUCS4 = 2,
  kBytes = 3,
  kShape = 4,
  kList = 5,
  kArray = 6,
  kMap = 7,
  kDict = 8,
  kAdt = 9,
  kFunction = 10,
  kTensor = 11,
  kStorage = 12,
  kObject = 13,
};
inline constexpr uint8_t kNodeKinds = 13;

// Which members of NodeContent a kind has, in this order.
enum NodeMember : uint8_t {
  kHasText = 1,  // characters, UTF-8
  kHasData = 2,  // raw bytes
  kHasName = 4,  // of a type or function
  kHasTag = 8,   // an int
  kHasDType = 16,
  kHasDims = 32,
  kHasValues = 64,
  kHasNames = 128,  // of the values
};
struct NodeKindInfo {
  std::string_view name;
  uint8_t members;
};
const NodeKindInfo& InfoOf(NodeKind kind);

// What a node consists of. Spans point into the objects, or into the bytes read.
struct NodeContent {
  NodeKind kind = NodeKind::kText;
  ByteSpan data;  // text or data
  std::string name;
  int64_t tag = 0;
  DType dtype;
  std::vector<int64_t> dims;
  std::vector<Any> values;
  std::vector<std::string> names;
  std::vector<Any> keep;  // what data points into, where the object itself has no such bytes
};

// Values that stand where they are referred to.
bool IsWrittenInPlace(const AnyView& value);

struct NodeGraph {
  std::vector<NodeContent> nodes;
  std::map<const Object*, uint32_t> numbers;  // of the objects that are nodes
  std::vector<Any> objects;                   // those objects, kept alive
};
// for_json: text must be UTF-8. Errors name the path.
Result<NodeGraph> CollectGraph(const AnyView& root, bool for_json);

// Makes the objects of nodes that come in order.
class GraphMaker {
 public:
  // Adds the node; its values must have come from Ref or be values in place. Errors say what is
  // wrong with it.
  Status Add(NodeContent content);
  size_t size() const { return nodes_.size(); }
  // number < size().
  Any Ref(uint64_t number);
  // Forgets what Ref has noted of depth: call before a node's values are read.
  void BeginNode() { deepest_ = 0; }

 private:
  Result<Any> Make(NodeContent* content);

  std::vector<Any> nodes_;
  std::vector<uint32_t> depths_;
  uint32_t deepest_ = 0;
};

}  // namespace tern

#endif  // TERN_CORE_OBJECT_GRAPH_SERIALIZE_GRAPH_H_
