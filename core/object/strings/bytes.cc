// SPDX-License-Identifier: Apache-2.0
// Bytes: the copy of the bytes behind the object.
#include "core/object/strings/bytes.h"

#include <algorithm>

namespace tern {

Bytes::Bytes(ByteSpan bytes) : Object(kTypeCode, nullptr), size_(bytes.size()) {
  auto* out = reinterpret_cast<uint8_t*>(this + 1);
  std::copy(bytes.begin(), bytes.end(), out);
  // The zero is not counted by size(); it lets C code read bytes that happen to be text.
  out[bytes.size()] = 0;
}

BytesPtr Bytes::Make(ByteSpan bytes) { return MakeObjectWithExtra<Bytes>(bytes.size() + 1, bytes); }

}  // namespace tern
