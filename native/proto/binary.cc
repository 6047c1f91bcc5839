// SPDX-License-Identifier: Apache-2.0
// The binary form: Protobuf's wire format, read strictly, because what is passed over would be
// lost.
#include <bit>
#include <limits>
#include <optional>

#include "core/base/strings.h"
#include "core/onnx/wire.h"
#include "native/proto/tree.h"

namespace tern::proto {
namespace {

using onnx::WireReader;

enum WireType : uint32_t { kVarint = 0, kFixed = 1, kLength = 2 };

// Protobuf's sint64: the sign goes into the lowest bit, so that small negative numbers are short.
uint64_t ZigZag(uint64_t value) { return (value << 1) ^ (0 - (value >> 63)); }
uint64_t UnZigZag(uint64_t value) { return (value >> 1) ^ (0 - (value & 1)); }

class BinaryReader {
 public:
  explicit BinaryReader(ByteSpan bytes) : bytes_(bytes) {}

  Result<Tree> Read() {
    WireReader reader(bytes_, &error_);
    TERN_TRY(ReadMessage(&reader, kProgramMessage, &tree_.root));
    if (error_.message != nullptr)
      return Damaged(StrCat("Program at byte ", error_.offset), error_.message);
    return std::move(tree_);
  }

 private:
  static Status Damaged(const std::string& where, std::string_view what) {
    return Corrupt(where, ": ", what).SetErrorCode("E0105");
  }

  Status ReadMessage(WireReader* reader, const MessageSpec& message, Node* node) {
    while (reader->Next()) {
      const size_t offset = reader->offset();
      const FieldSpec* field = message.Find(reader->field());
      if (field == nullptr)
        // Other readers keep unknown fields. Here they would be lost when the program is written
        // again.
        return Damaged(tree_.Where(message, "", offset),
                       StrCat("there is no field with the number ", reader->field()));
      if (!field->repeated)
        for (const Node& other : node->children)
          if (other.field == field)
            return Damaged(tree_.Where(message, field->name, offset),
                           "the field is given a second time");
      Node child;
      child.field = field;
      child.offset = offset;
      TERN_TRY(ReadValue(reader, message, &child));
      node->children.push_back(std::move(child));
    }
    return OkStatus();
  }

  Status ReadValue(WireReader* reader, const MessageSpec& message, Node* node) {
    const FieldSpec& field = *node->field;
    const bool has_length = reader->is_message();
    switch (field.kind) {
      case FieldKind::kMessage: {
        if (!has_length) break;
        WireReader inner = reader->Message();
        return ReadMessage(&inner, *field.message, node);
      }
      case FieldKind::kString:
      case FieldKind::kBytes:
        if (!has_length) break;
        reader->Get(&node->bytes);
        return OkStatus();
      case FieldKind::kUint32:
      case FieldKind::kSint64:
      case FieldKind::kBool:
      case FieldKind::kFixed64:
        // Repeated numbers may come packed or one by one, as a reader has to take both.
        if (has_length ? !field.repeated : !reader->is_scalar(IsFixed(field))) break;
        return ReadNumbers(reader, message, node);
    }
    return Damaged(tree_.Where(message, field.name, node->offset),
                   "the field has another wire type than its declaration");
  }

  static bool IsFixed(const FieldSpec& field) { return field.kind == FieldKind::kFixed64; }

  Status ReadNumbers(WireReader* reader, const MessageSpec& message, Node* node) {
    const FieldSpec& field = *node->field;
    if (IsFixed(field)) {
      onnx::WordList<double> words;  // their bits are what counts
      reader->Append(&words);
      const size_t before = node->numbers.size();
      node->numbers.resize(before + words.size());
      words.CopyTo(node->numbers.data() + before);
      return OkStatus();
    }
    reader->Append(&node->numbers);
    for (uint64_t& number : node->numbers) {
      if (field.kind == FieldKind::kSint64) number = UnZigZag(number);
      // Protobuf would cut the number off; that is another program.
      const uint64_t highest = field.kind == FieldKind::kBool ? 1 : UINT32_MAX;
      if (field.kind != FieldKind::kSint64 && number > highest)
        return Damaged(tree_.Where(message, field.name, node->offset),
                       StrCat(number, " is above ", highest));
    }
    return OkStatus();
  }

  ByteSpan bytes_;
  Tree tree_;
  onnx::WireError error_;
};

// --- writing

// Seven bits a byte; 0 takes one, too.
uint64_t VarintBytes(uint64_t value) {
  return (static_cast<uint64_t>(std::bit_width(value | 1)) + 6) / 7;
}

uint64_t OnWire(const FieldSpec& field, uint64_t number) {
  return field.kind == FieldKind::kSint64 ? ZigZag(number) : number;
}

bool HasLength(const Node& node) {
  return node.field->kind >= FieldKind::kString || node.field->repeated;
}

uint64_t Bytes(const Node& node);

// Without tag and length.
uint64_t ContentBytes(const Node& node) {
  if (node.field == nullptr || node.field->kind == FieldKind::kMessage) {
    uint64_t sum = 0;
    for (const Node& child : node.children) sum += Bytes(child);
    return sum;
  }
  if (node.field->kind >= FieldKind::kString) return node.bytes.size();
  uint64_t sum = 0;
  for (const uint64_t number : node.numbers)
    sum += node.field->kind == FieldKind::kFixed64 ? 8 : VarintBytes(OnWire(*node.field, number));
  return sum;
}

uint64_t Bytes(const Node& node) {
  const uint64_t content = ContentBytes(node);
  return VarintBytes(uint64_t{node.field->number} << 3) + content +
         (HasLength(node) ? VarintBytes(content) : 0);
}

void Write(const Node& node, ByteWriter* out) {
  if (node.field != nullptr) {
    const bool is_fixed = node.field->kind == FieldKind::kFixed64;
    out->Varint(uint64_t{node.field->number} << 3 | (HasLength(node) ? kLength
                                                     : is_fixed      ? kFixed
                                                                     : kVarint));
    // Computed anew at each level: trees are five deep, so it is not worth a table.
    if (HasLength(node)) out->Varint(ContentBytes(node));
    for (const uint64_t number : node.numbers)
      is_fixed ? out->U64(number) : out->Varint(OnWire(*node.field, number));
    out->Bytes(AsBytes(node.bytes));
  }
  for (const Node& child : node.children) Write(child, out);
}

}  // namespace

Result<Tree> ReadBinary(ByteSpan bytes) { return BinaryReader(bytes).Read(); }

std::vector<uint8_t> WriteBinary(const Tree& tree) {
  ByteWriter out;
  Write(tree.root, &out);
  return out.Take();
}

}  // namespace tern::proto
