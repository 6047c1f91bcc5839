// SPDX-License-Identifier: Apache-2.0
// Bytes.
#include "core/object/strings/bytes.h"

#include <algorithm>

namespace tern {

Bytes::Bytes(ByteSpan bytes) : Object(kTypeCode, nullptr), size_(bytes.size()) {
  auto* out = reinterpret_cast<uint8_t*>(this + 1);
  std::copy(bytes.begin(), bytes.end(), out);
  out[bytes.size()] = 0;
}

BytesPtr Bytes::Make(ByteSpan bytes) { return MakeObjectWithExtra<Bytes>(bytes.size() + 1, bytes); }

}  // namespace tern
