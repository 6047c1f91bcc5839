// SPDX-License-Identifier: Apache-2.0
// Text in place, as long as it fits.
#include "core/object/any_pad.h"

namespace tern::internal {

void StoreText(std::string_view text, TernAny* empty) {
  const size_t capacity = CapacityOf(*empty);
  if (text.size() >= capacity) {
    *empty = AnyTraits<std::string_view>::Own(text);
    return;
  }
  char* bytes = empty->v.bytes;
  empty->type_code = TERN_TYPE_SMALL_STRING;
  empty->small_len = static_cast<int32_t>(text.size());
  std::memset(bytes, 0, capacity);
  std::memcpy(bytes, text.data(), text.size());
}

void StoreAny(const TernAny& value, TernAny* empty) {
  const TernAny& plain = value.type_code == TERN_TYPE_PADDED ? Resolve(value) : value;
  if (plain.type_code == TERN_TYPE_SMALL_STRING || plain.type_code == TERN_TYPE_RAW_STRING)
    return StoreText(*AnyToText(plain), empty);
  if (plain.type_code == TERN_TYPE_SMALL_UCS4) {
    const size_t bytes = static_cast<size_t>(plain.small_len) * sizeof(uint32_t);
    if (bytes <= CapacityOf(*empty)) {
      const size_t capacity = CapacityOf(*empty);
      empty->type_code = TERN_TYPE_SMALL_UCS4;
      empty->small_len = plain.small_len;
      std::memset(empty->v.bytes, 0, capacity);
      std::memcpy(empty->v.bytes, plain.v.bytes, bytes);
      return;
    }
  }
  const TernAny owned = OwnAny(value);
  if (owned.type_code != TERN_TYPE_NONE) CopyWords(owned, empty);
}

}  // namespace tern::internal
