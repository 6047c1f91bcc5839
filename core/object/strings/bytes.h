// SPDX-License-Identifier: Apache-2.0
// Bytes: immutable raw bytes as an object; never text by accident.
//
// A Bytes does not convert to a string in an Any, nor the other way round: ToString checks the
// bytes. Laid out as TernString, so a zero follows the bytes. Safe to read from several threads.
#ifndef TERN_CORE_OBJECT_STRINGS_BYTES_H_
#define TERN_CORE_OBJECT_STRINGS_BYTES_H_

#include "core/base/bytes.h"
#include "core/object/any.h"
#include "core/object/strings/string.h"

namespace tern {

class Bytes : public Object {
 public:
  static constexpr TernTypeCode kTypeCode = TERN_TYPE_BYTES;
  static constexpr bool kIsLeaf = true;
  static ObjectPtr<Bytes> Make(ByteSpan bytes);
  static ObjectPtr<Bytes> Make(std::string_view bytes) { return Make(AsBytes(bytes)); }

  ByteSpan span() const {
    return {reinterpret_cast<const uint8_t*>(this + 1), static_cast<size_t>(size_)};
  }
  std::string_view view() const { return AsText(span()); }
  size_t size() const { return static_cast<size_t>(size_); }
  // An error where the bytes are not UTF-8.
  Result<String> ToString() const { return String::FromUtf8(view()); }

 private:
  template <typename T, typename... A>
  friend auto MakeObjectWithExtra(size_t extra, A&&... args);

  size_t extra_bytes() const { return size() + 1; }
  explicit Bytes(ByteSpan bytes);
  ~Bytes() = default;

  uint64_t size_;
};
static_assert(sizeof(Bytes) == sizeof(TernString));

using BytesPtr = ObjectPtr<Bytes>;

}  // namespace tern

#endif  // TERN_CORE_OBJECT_STRINGS_BYTES_H_
