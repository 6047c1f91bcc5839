// SPDX-License-Identifier: Apache-2.0
// Puts text and values into an AnyPad's words, as long as they fit.
#include "core/object/any_pad.h"

// `empty` is a value of code none whose small_len tells its capacity. Every function here must
// therefore read the capacity before it writes the code.
#include "core/object/strings/ucs4_string.h"

namespace tern::internal {

void StoreText(std::string_view text, TernAny* empty) {
  const size_t capacity = CapacityOf(*empty);
  // Equal is too long already, because a zero follows the text in place.
  if (text.size() >= capacity) {
    *empty = AnyTraits<std::string_view>::Own(text);
    return;
  }
  char* bytes = empty->v.bytes;
  empty->type_code = TERN_TYPE_SMALL_STRING;
  empty->small_len = static_cast<int32_t>(text.size());
  // All padding is zero, so that padded values can be compared and hashed as words.
  std::memset(bytes, 0, capacity);
  std::memcpy(bytes, text.data(), text.size());
}

void StoreText(std::u32string_view text, TernAny* empty) {
  // No zero follows code points: their readers always use small_len.
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
  // Padded values are resolved first, so that text from a larger AnyPad lands in this one's words
  // where it fits. Other indirect kinds go through OwnAny, which takes or copies them.
  const TernAny& plain = value.type_code == TERN_TYPE_PADDED ? Resolve(value) : value;
  if (plain.type_code == TERN_TYPE_SMALL_STRING || plain.type_code == TERN_TYPE_RAW_STRING)
    return StoreText(*AnyToText(plain), empty);
  if (plain.type_code == TERN_TYPE_SMALL_UCS4) return StoreText(*AnyToUCS4(plain), empty);
  const TernAny owned = OwnAny(value);
  // None is not copied: the value is empty already, and the copy would erase its capacity.
  if (owned.type_code != TERN_TYPE_NONE) CopyWords(owned, empty);
}

}  // namespace tern::internal
