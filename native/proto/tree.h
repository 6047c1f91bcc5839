// SPDX-License-Identifier: Apache-2.0
// The Protobuf form of an executable (docs/tern.proto) as a tree: what the binary form, the text
// form and the executable itself are all read into and written from. One table of fields,
// kProgramMessage, drives every direction.
#ifndef TERN_NATIVE_PROTO_TREE_H_
#define TERN_NATIVE_PROTO_TREE_H_

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/vm/executable.h"

namespace tern::proto {

enum class FieldKind : uint8_t { kUint32, kSint64, kBool, kFixed64, kString, kBytes, kMessage };

struct MessageSpec;
struct FieldSpec {
  uint32_t number = 0;
  std::string_view name;
  FieldKind kind = FieldKind::kMessage;
  bool repeated = false;
  const MessageSpec* message = nullptr;  // of kMessage
};
struct MessageSpec {
  std::string_view name;
  std::span<const FieldSpec> fields;
  bool is_choice = false;  // holds exactly one of its fields, also where that is 0 or empty

  const FieldSpec* Find(uint32_t number) const;
  const FieldSpec* Find(std::string_view field_name) const;
};
extern const MessageSpec kProgramMessage;

// One field of a message, with what it holds. Repeated numbers that are written together are one
// node; other repeated fields are a node each.
struct Node {
  const FieldSpec* field = nullptr;  // null of the outermost message
  size_t offset = 0;                 // in what was read
  std::vector<uint64_t> numbers;     // of kSint64 as two's complement
  std::string_view bytes;            // of kString and kBytes
  std::vector<Node> children;        // of kMessage
};

struct Tree {
  Node root;
  std::deque<std::string> kept;  // what nodes' bytes point into, beside what was read
  std::string_view text;         // of a tree that was read from the text form: all of it

  std::string_view Keep(std::string value) { return kept.emplace_back(std::move(value)); }
  // "Constant.tensor at byte 12", "Constant.tensor at 3:7".
  std::string Where(const MessageSpec& message, std::string_view field, size_t offset) const;
};

// Each of these keeps views into what it is given.
Result<Tree> ReadBinary(ByteSpan bytes);
Result<Tree> ReadText(std::string_view text);
Tree TreeOf(const vm::Executable& executable);

std::vector<uint8_t> WriteBinary(const Tree& tree);
std::string WriteText(const Tree& tree);
// Verified, as an executable always is. What is wrong is told with its field and offset where a
// field is, else as the verifier tells it.
Result<vm::ExecutablePtr> ExecutableOf(const Tree& tree);

}  // namespace tern::proto

#endif  // TERN_NATIVE_PROTO_TREE_H_
