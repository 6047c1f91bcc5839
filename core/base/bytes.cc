// SPDX-License-Identifier: Apache-2.0
// ByteReader and ByteWriter: the parts that are not one line. Bytes are put together by shifts, so
// they are little-endian whatever the host is.
#include "core/base/bytes.h"

#include "core/base/check.h"
#include "core/base/utf8.h"

namespace tern {

float ByteReader::F32() { return __builtin_bit_cast(float, U32()); }
double ByteReader::F64() { return __builtin_bit_cast(double, U64()); }

uint64_t ByteReader::Varint() {
  uint64_t value = 0;
  // Seven bits per byte, lowest first; the high bit says that another byte follows (LEB128, as in
  // DWARF and WebAssembly).
  for (int shift = 0; shift < 64; shift += 7) {
    if (remaining() == 0) [[unlikely]]
      return FailShort(1);
    const uint8_t byte = bytes_[offset_++];
    // The tenth byte has room for one bit only. Without this test larger numbers would silently
    // lose their high bits.
    if (shift == 63 && byte > 1) break;
    value |= uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return value;
  }
  Fail("a variable-length integer of more than 64 bits");
  return 0;
}

int64_t ByteReader::SignedVarint() {
  const uint64_t zigzag = Varint();
  // Undoes zigzag: 0, 1, 2, 3 stand for 0, -1, 1, -2. The second operand is all ones for odd
  // numbers.
  return static_cast<int64_t>((zigzag >> 1) ^ (~(zigzag & 1) + 1));
}

uint64_t ByteReader::BoundedVarint(uint64_t limit, std::string_view what) {
  const uint64_t value = Varint();
  if (value <= limit) return value;
  // The result is 0, so that a loop over the count does not run.
  Fail(StrCat(what, " is ", value, ", at most ", limit, " is possible here"));
  return 0;
}

ByteSpan ByteReader::Bytes(size_t length) {
  // Compared with what is left, and not as a sum, which could overflow.
  if (length > remaining()) [[unlikely]] {
    FailShort(length);
    return {};
  }
  ByteSpan result = bytes_.subspan(offset_, length);
  offset_ += length;
  return result;
}

ByteSpan ByteReader::PrefixedBytes() {
  const uint64_t length = Varint();
  // Compared in 64 bits: on a 32-bit host the length may not fit size_t.
  if (length > remaining()) [[unlikely]] {
    Fail(StrCat("a length of ", length, " bytes where ", remaining(), " are left"));
    return {};
  }
  return Bytes(static_cast<size_t>(length));
}

std::string_view ByteReader::PrefixedText() {
  const std::string_view text = AsText(PrefixedBytes());
  const size_t bad = FindInvalidUtf8(text);
  if (bad == std::string_view::npos) return text;
  Fail(StrCat("text that is not valid UTF-8 (byte ", bad, " of ", text.size(), ")"));
  return {};
}

void ByteReader::Seek(size_t offset) {
  if (!ok()) return;
  if (offset <= bytes_.size()) {
    offset_ = offset;
  } else {
    Fail(StrCat("a jump to offset ", offset, ", past the end at ", bytes_.size()));
  }
}

void ByteReader::Align(size_t alignment) {
  // Padding must be zero; otherwise two files of one content could differ.
  const size_t rest = (alignment - offset_ % alignment) % alignment;
  for (const uint8_t byte : Bytes(rest)) {
    if (byte != 0) return Fail("padding that is not zero");
  }
}

void ByteReader::Fail(std::string_view message) {
  if (!ok()) return;
  status_ = Corrupt(name_, " at offset ", offset_, ": ", message);
  // At the end every reader of a list stops.
  offset_ = bytes_.size();
}

uint64_t ByteReader::FailShort(size_t wanted) {
  Fail(StrCat("ends too early: ", wanted, wanted == 1 ? " byte is" : " bytes are", " needed, ",
              remaining(), remaining() == 1 ? " is" : " are", " left"));
  return 0;
}

void ByteWriter::F32(float value) { U32(__builtin_bit_cast(uint32_t, value)); }
void ByteWriter::F64(double value) { U64(__builtin_bit_cast(uint64_t, value)); }

void ByteWriter::Varint(uint64_t value) {
  // A number of n bits takes (n + 6) / 7 bytes, at least one.
  for (; value >= 0x80; value >>= 7) U8(static_cast<uint8_t>(value | 0x80));
  U8(static_cast<uint8_t>(value));
}

void ByteWriter::SignedVarint(int64_t value) {
  // The right shift of a negative number is arithmetic: all ones.
  Varint((static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63));
}

void ByteWriter::PrefixedBytes(ByteSpan bytes) {
  Varint(bytes.size());
  Bytes(bytes);
}

void ByteWriter::Align(size_t alignment) {
  // resize fills with zeros.
  bytes_.resize((bytes_.size() + alignment - 1) / alignment * alignment);
}

void ByteWriter::Fixed(uint64_t value, int count) {
  for (int i = 0; i < count; ++i) U8(static_cast<uint8_t>(value >> (8 * i)));
}

void ByteWriter::Patch(size_t offset, uint64_t value, size_t count) {
  // Only bytes that were reserved before are patched; anything else is our own bug.
  TERN_CHECK(count <= bytes_.size() && offset <= bytes_.size() - count, "patch past the end");
  for (size_t i = 0; i < count; ++i) bytes_[offset + i] = static_cast<uint8_t>(value >> (8 * i));
}

}  // namespace tern
