// SPDX-License-Identifier: Apache-2.0
// Whole graphs of values as bytes; serialize_graph.h says what is in them and what is refused.
//
// "TOG" and the version (1), the number of nodes, the nodes, and the value: little-endian, counts
// and ints as varints (ints zigzag), floats as 8 bytes. A node is its kind and that kind's members
// in the order of NodeMember. A value is a tag byte and what the tag says (serialize_binary.cc).
// The form is the same on every target. Bytes from anywhere may be read: every mistake is an error
// of code corrupt that says where, and memory taken stays within a small multiple of their number.
#ifndef TERN_CORE_OBJECT_GRAPH_SERIALIZE_BINARY_H_
#define TERN_CORE_OBJECT_GRAPH_SERIALIZE_BINARY_H_

#include <cstdint>
#include <vector>

#include "core/base/bytes.h"
#include "core/object/any.h"

namespace tern {

// Errors name the path of what cannot be written.
Result<std::vector<uint8_t>> SerializeBinary(const AnyView& value);
Result<Any> DeserializeBinary(ByteSpan bytes);

}  // namespace tern

#endif  // TERN_CORE_OBJECT_GRAPH_SERIALIZE_BINARY_H_
