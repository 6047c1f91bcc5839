// SPDX-License-Identifier: Apache-2.0
// Nodes as bytes, by the order of NodeMember in both directions, so that writer and reader cannot
// drift apart silently.
#include "core/object/graph/serialize_binary.h"

#include <optional>
#include <string>
#include <utility>

#include "core/base/strings.h"
#include "core/object/graph/serialize_graph.h"
#include "core/object/strings/string.h"
#include "core/object/strings/ucs4_string.h"

namespace tern {
namespace {

constexpr std::string_view kMagic = "TOG\x01";

// The tag of a value, and what follows it: nothing for none and bools, a zigzag varint, 8 bytes,
// length and bytes, a word, two ints, or a node's number. Numbers are part of the format, so a new
// tag goes to the end.
enum Tag : uint8_t {
  kNone,
  kFalse,
  kTrue,
  kInt,
  kFloat,
  kString,
  kUCS4,  // as UTF-8
  kDTypeWord,
  kDevice,
  kRef,
  kTags,
};

class BinaryGraphWriter {
 public:
  explicit BinaryGraphWriter(const NodeGraph& graph) : graph_(graph) {}

  std::vector<uint8_t> Write(const AnyView& root) {
    out_.Text(kMagic);
    out_.Varint(graph_.nodes.size());
    for (const NodeContent& node : graph_.nodes) Node(node);
    Value(root);
    return out_.Take();
  }

 private:
  // Only the members of the kind are written; InfoOf says which, for the reader too.
  void Node(const NodeContent& node) {
    const uint8_t members = InfoOf(node.kind).members;
    out_.U8(static_cast<uint8_t>(node.kind));
    if (members & (kHasText | kHasData)) out_.PrefixedBytes(node.data);
    if (members & kHasName) out_.PrefixedText(node.name);
    if (members & kHasTag) out_.SignedVarint(node.tag);
    if (members & kHasDType) out_.U32(node.dtype.ToWord());
    if (members & kHasDims) {
      out_.Varint(node.dims.size());
      for (const int64_t dim : node.dims) out_.SignedVarint(dim);
    }
    if (members & kHasValues) {
      out_.Varint(node.values.size());
      for (const Any& value : node.values) Value(value);
    }
    // As many names as values, so their number is not written again.
    if (members & kHasNames) {
      for (const std::string& name : node.names) out_.PrefixedText(name);
    }
  }

  void Value(const AnyView& value) {
    // Nodes were numbered children first (serialize_graph.cc), so the number is smaller than that
    // of the node that is being written.
    if (!IsWrittenInPlace(value)) {
      out_.U8(kRef);
      return out_.Varint(graph_.numbers.at(value.object()));
    }
    const TernAny& any = value.c_any();
    switch (value.type_code()) {
      case TERN_TYPE_NONE: return out_.U8(kNone);
      case TERN_TYPE_BOOL: return out_.U8(any.v.i != 0 ? kTrue : kFalse);
      case TERN_TYPE_INT: out_.U8(kInt); return out_.SignedVarint(any.v.i);
      case TERN_TYPE_FLOAT: out_.U8(kFloat); return out_.F64(any.v.f);
      case TERN_TYPE_DTYPE: out_.U8(kDTypeWord); return out_.U32(DType(any.v.dtype).ToWord());
      case TERN_TYPE_DEVICE:
        out_.U8(kDevice);
        out_.I32(any.v.device.device_type);
        return out_.I32(any.v.device.device_id);
      default: break;
    }
    // What is written in place and is none of the above is text, in one of two encodings.
    if (const auto text = internal::AnyToText(any)) {
      out_.U8(kString);
      return out_.PrefixedText(*text);
    }
    out_.U8(kUCS4);
    // CollectGraph has refused text that has no UTF-8, so the conversion cannot fail.
    out_.PrefixedText(value.TryCast<UCS4String>()->ToUtf8().value().view());
  }

  const NodeGraph& graph_;
  ByteWriter out_;
};

// Reads hostile bytes: `in_` keeps the first error and gives zeros afterwards, so loops test
// in_.ok() and each node is finished before the next begins.
class BinaryGraphReader {
 public:
  explicit BinaryGraphReader(ByteSpan bytes) : in_(bytes, "object graph") {}

  Result<Any> Read() {
    if (in_.Text(kMagic.size()) != kMagic) in_.Fail("not a serialized object graph of version 1");
    const uint64_t count = Count("nodes");
    for (uint64_t i = 0; i < count && in_.ok(); ++i) Node(i);
    Any root = Value();
    // Bytes behind the value would be lost when the graph is written again, so they are an error.
    if (in_.ok() && !in_.AtEnd()) in_.Fail("bytes behind the value");
    if (!in_.ok()) return in_.TakeStatus();
    return root;
  }

 private:
  // Everything that is counted takes at least a byte, so counts cannot make us allocate more than a
  // small multiple of what was sent.
  uint64_t Count(std::string_view what) { return in_.BoundedVarint(in_.remaining(), what); }

  void Node(uint64_t number) {
    const uint8_t kind = in_.U8();
    // Without this test an exhausted reader would report kind 0 instead of the end of the bytes.
    if (!in_.ok()) return;
    if (kind == 0 || kind > kNodeKinds) return in_.Fail(StrCat("unknown kind ", kind, " of node"));
    NodeContent node;
    node.kind = static_cast<NodeKind>(kind);
    // Depth is tracked by what Ref is asked for while this node's values are read.
    maker_.BeginNode();
    Members(InfoOf(node.kind).members, &node);
    if (!in_.ok()) return;
    Status status = maker_.Add(std::move(node));
    if (!status.ok()) in_.Fail(StrCat("node ", number, ": ", status.message()));
  }

  void Members(uint8_t members, NodeContent* node) {
    if (members & (kHasText | kHasData)) node->data = in_.PrefixedBytes();
    if (members & kHasName) node->name = in_.PrefixedText();
    if (members & kHasTag) node->tag = in_.SignedVarint();
    if (members & kHasDType) node->dtype = ReadDType();
    if (members & kHasDims) {
      const uint64_t count = Count("dimensions");
      for (uint64_t i = 0; i < count && in_.ok(); ++i) node->dims.push_back(in_.SignedVarint());
    }
    if (members & kHasValues) {
      const uint64_t count = Count("values");
      for (uint64_t i = 0; i < count && in_.ok(); ++i) node->values.push_back(Value());
    }
    if (members & kHasNames) {
      for (size_t i = 0; i < node->values.size() && in_.ok(); ++i)
        node->names.emplace_back(in_.PrefixedText());
    }
  }

  DType ReadDType() {
    // Words of unknown types are refused here: code behind assumes known types.
    const std::optional<DType> dtype = DType::FromWord(in_.U32());
    if (!dtype.has_value()) in_.Fail("unknown dtype");
    return dtype.value_or(DType());
  }

  Any Value() {
    const uint8_t tag = in_.U8();
    switch (tag) {
      case kNone: return Any();
      case kFalse: return Any(false);
      case kTrue: return Any(true);
      case kInt: return Any(in_.SignedVarint());
      case kFloat: return Any(in_.F64());
      // Text of a String need not be UTF-8, so its bytes are taken as they are.
      case kString: return Any(AsText(in_.PrefixedBytes()));
      case kUCS4: {
        // The reader has checked UTF-8 and failed where it is damaged; then the value does not
        // matter.
        Result<UCS4String> text = UCS4String::FromUtf8(in_.PrefixedText());
        return text.ok() ? Any(std::move(text).value()) : Any();
      }
      case kDTypeWord: return Any(ReadDType());
      case kDevice: {
        TernAny any = internal::MakeAny(TERN_TYPE_DEVICE);
        any.v.device.device_type = in_.I32();
        any.v.device.device_id = in_.I32();
        return Any(AnyView(any));
      }
      case kRef: {
        const uint64_t number = in_.Varint();
        // Only earlier nodes can be referred to, which is why no cycle can be read.
        if (in_.ok() && number < maker_.size()) return maker_.Ref(number);
        in_.Fail(StrCat("a reference to node ", number, " where there are ", maker_.size()));
        return Any();
      }
      default: in_.Fail(StrCat("unknown tag ", tag, " of a value")); return Any();
    }
  }

  ByteReader in_;
  GraphMaker maker_;
};

}  // namespace

Result<std::vector<uint8_t>> SerializeBinary(const AnyView& value) {
  TERN_TRY_ASSIGN(const NodeGraph graph, CollectGraph(value, /*for_json=*/false));
  return BinaryGraphWriter(graph).Write(value);
}

Result<Any> DeserializeBinary(ByteSpan bytes) { return BinaryGraphReader(bytes).Read(); }

}  // namespace tern
