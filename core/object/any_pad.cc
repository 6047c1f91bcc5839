// SPDX-License-Identifier: Apache-2.0
// Text in place, as long as it fits.
#include "core/object/any_pad.h"

#include "core/object/strings/ucs4_string.h"

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

void StoreText(std::u32string_view text, TernAny* empty) {
  const size_t capacity = CapacityOf(*empty), bytes = text.size() * sizeof(char32_t);
  if (bytes > capacity) {
    *empty = AnyTraits<UCS4String>::Own(UCS4String(text));
    return;
  }
  empty->type_code = TERN_TYPE_SMALL_UCS4;
  empty->small_len = static_cast<int32_t>(text.size());
  std::memset(empty->v.bytes, 0, capacity);
  std::memcpy(empty->v.bytes, text.data(), bytes);
}

void StoreAny(const TernAny& value, TernAny* empty) {
  const TernAny& plain = value.type_code == TERN_TYPE_PADDED ? Resolve(value) : value;
  if (plain.type_code == TERN_TYPE_SMALL_STRING || plain.type_code == TERN_TYPE_RAW_STRING)
    return StoreText(*AnyToText(plain), empty);
  if (plain.type_code == TERN_TYPE_SMALL_UCS4) return StoreText(*AnyToUCS4(plain), empty);
  const TernAny owned = OwnAny(value);
  if (owned.type_code != TERN_TYPE_NONE) CopyWords(owned, empty);
}

}  // namespace tern::internal
