// SPDX-License-Identifier: Apache-2.0
// ByteReader and ByteWriter: little-endian bytes on every host.
//
// The reader is sticky: the first error is kept, the cursor jumps to the end and every later read
// gives zero, so dense decoders test ok() at the head of their loops and once at the end. All
// bounds are written as `length > size - offset`, which cannot overflow. Spans it returns point
// into the input.
#ifndef TERN_CORE_BASE_BYTES_H_
#define TERN_CORE_BASE_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"

namespace tern {

using ByteSpan = std::span<const uint8_t>;

inline std::string_view AsText(ByteSpan bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline ByteSpan AsBytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

class ByteReader {
 public:
  // `name` says what is being read, for messages ("section 'code'"); it must outlive the reader, as
  // must bytes.
  explicit ByteReader(ByteSpan bytes, std::string_view name = "input")
      : bytes_(bytes), name_(name) {}

  bool ok() const { return status_.ok(); }
  size_t offset() const { return offset_; }
  size_t size() const { return bytes_.size(); }
  size_t remaining() const { return bytes_.size() - offset_; }
  bool AtEnd() const { return offset_ == bytes_.size(); }

  uint8_t U8() { return static_cast<uint8_t>(Fixed<1>()); }
  uint16_t U16() { return static_cast<uint16_t>(Fixed<2>()); }
  uint32_t U32() { return static_cast<uint32_t>(Fixed<4>()); }
  uint64_t U64() { return Fixed<8>(); }
  int32_t I32() { return static_cast<int32_t>(U32()); }
  int64_t I64() { return static_cast<int64_t>(U64()); }
  float F32();
  double F64();
  // LEB128, at most 10 bytes; the last may not carry bits past the 64th.
  uint64_t Varint();
  // Zigzag: small magnitudes of either sign stay short.
  int64_t SignedVarint();
  // A varint that must be <= limit: counts and indices. `what` names it in the message.
  uint64_t BoundedVarint(uint64_t limit, std::string_view what);

  ByteSpan Bytes(size_t length);
  std::string_view Text(size_t length) { return AsText(Bytes(length)); }
  // A varint length, then as many bytes.
  ByteSpan PrefixedBytes();
  // The same, which must be valid UTF-8.
  std::string_view PrefixedText();

  void Skip(size_t length) { Bytes(length); }
  void Seek(size_t offset);
  // Skips to a multiple of alignment (a power of two) from the start; the bytes between must be
  // zero.
  void Align(size_t alignment);

  // Keeps the first error, whose text gets "name at offset N: " in front, and ends the reading.
  void Fail(std::string_view message);
  // The first error, or ok.
  Status TakeStatus() { return std::move(status_); }
  const Status& status() const { return status_; }

 private:
  template <int kBytes>
  uint64_t Fixed() {
    if (kBytes > remaining()) [[unlikely]]
      return FailShort(kBytes);
    uint64_t value = 0;
    for (int i = 0; i < kBytes; ++i)
      value |= uint64_t{bytes_[offset_ + static_cast<size_t>(i)]} << (8 * i);
    offset_ += kBytes;
    return value;
  }
  uint64_t FailShort(size_t wanted);

  ByteSpan bytes_;
  size_t offset_ = 0;
  std::string_view name_;
  Status status_;
};

class ByteWriter {
 public:
  size_t size() const { return bytes_.size(); }
  ByteSpan span() const { return bytes_; }
  std::vector<uint8_t> Take() { return std::move(bytes_); }

  void U8(uint8_t value) { bytes_.push_back(value); }
  void U16(uint16_t value) { Fixed(value, 2); }
  void U32(uint32_t value) { Fixed(value, 4); }
  void U64(uint64_t value) { Fixed(value, 8); }
  void I32(int32_t value) { U32(static_cast<uint32_t>(value)); }
  void I64(int64_t value) { U64(static_cast<uint64_t>(value)); }
  void F32(float value);
  void F64(double value);
  void Varint(uint64_t value);
  void SignedVarint(int64_t value);
  void Bytes(ByteSpan bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  void Text(std::string_view text) { Bytes(AsBytes(text)); }
  void PrefixedBytes(ByteSpan bytes);
  void PrefixedText(std::string_view text) { PrefixedBytes(AsBytes(text)); }
  // Zeros up to a multiple of alignment (a power of two).
  void Align(size_t alignment);
  // Overwrites what is already there.
  void PatchU32(size_t offset, uint32_t value) { Patch(offset, value, 4); }
  void PatchU64(size_t offset, uint64_t value) { Patch(offset, value, 8); }

 private:
  void Fixed(uint64_t value, int count);
  void Patch(size_t offset, uint64_t value, size_t count);

  std::vector<uint8_t> bytes_;
};

}  // namespace tern

#endif  // TERN_CORE_BASE_BYTES_H_
