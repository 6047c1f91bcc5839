// SPDX-License-Identifier: Apache-2.0
// ByteReader against what ByteWriter writes, and against every way bytes can be wrong.
#include "core/base/bytes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tern::bytes_test {
namespace {

TEST(Bytes, RoundTripOfEveryKind) {
  ByteWriter writer;
  writer.U8(0xAB);
  writer.U16(0xBEEF);
  writer.U32(0xDEADBEEF);
  writer.U64(0x0123456789ABCDEF);
  writer.I32(-5);
  writer.I64(std::numeric_limits<int64_t>::min());
  writer.F32(-0.5f);
  writer.F64(1e300);
  writer.PrefixedText("añ");
  writer.Align(16);
  const std::vector<uint8_t> bytes = writer.Take();
  ByteReader reader(bytes);
  EXPECT_EQ(reader.U8(), 0xAB);
  EXPECT_EQ(reader.U16(), 0xBEEF);
  EXPECT_EQ(reader.U32(), 0xDEADBEEF);
  EXPECT_EQ(reader.U64(), 0x0123456789ABCDEF);
  EXPECT_EQ(reader.I32(), -5);
  EXPECT_EQ(reader.I64(), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(reader.F32(), -0.5f);
  EXPECT_EQ(reader.F64(), 1e300);
  EXPECT_EQ(reader.PrefixedText(), "añ");
  reader.Align(16);
  EXPECT_TRUE(reader.AtEnd());
  EXPECT_TRUE(reader.ok());
}

TEST(Bytes, LittleEndianOnEveryHost) {
  ByteWriter writer;
  writer.U32(0x01020304);
  EXPECT_EQ(writer.span()[0], 4);
  EXPECT_EQ(writer.span()[3], 1);
}

TEST(Bytes, Varints) {
  const uint64_t values[] = {0,         1, 127, 128, 300, 1u << 20, UINT32_MAX, uint64_t{1} << 63,
                             UINT64_MAX};
  ByteWriter writer;
  for (const uint64_t value : values) writer.Varint(value);
  const int64_t signed_values[] = {0, -1, 1, -64, 64, INT64_MIN, INT64_MAX};
  for (const int64_t value : signed_values) writer.SignedVarint(value);
  ByteReader reader(writer.span());
  for (const uint64_t value : values) EXPECT_EQ(reader.Varint(), value);
  for (const int64_t value : signed_values) EXPECT_EQ(reader.SignedVarint(), value);
  EXPECT_TRUE(reader.ok() && reader.AtEnd());
}

TEST(Bytes, SmallVarintsAreShort) {
  ByteWriter writer;
  writer.Varint(127);
  writer.SignedVarint(-64);
  EXPECT_EQ(writer.size(), 2u);
}

TEST(Bytes, PatchOverwrites) {
  ByteWriter writer;
  writer.U32(0);
  writer.U64(0);
  writer.PatchU32(0, 7);
  writer.PatchU64(4, 9);
  ByteReader reader(writer.span());
  EXPECT_EQ(reader.U32(), 7u);
  EXPECT_EQ(reader.U64(), 9u);
}

TEST(BytesBad, TruncatedIsStickyAndReadsZero) {
  const uint8_t bytes[] = {1, 2, 3};
  ByteReader reader(bytes, "section 'code'");
  EXPECT_EQ(reader.U16(), 0x0201);
  EXPECT_EQ(reader.U32(), 0u);
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.U8(), 0);  // one byte was left, but the first error ends the reading
  EXPECT_TRUE(reader.AtEnd());
  EXPECT_EQ(reader.TakeStatus().message(),
            "section 'code' at offset 2: ends too early: 4 bytes are needed, 1 is left");
}

TEST(BytesBad, HugeLengthDoesNotOverflow) {
  ByteWriter writer;
  writer.Varint(UINT64_MAX);
  ByteReader reader(writer.span());
  EXPECT_TRUE(reader.PrefixedBytes().empty());
  EXPECT_FALSE(reader.ok());
  ByteReader other(writer.span());
  other.U8();
  EXPECT_TRUE(other.Bytes(SIZE_MAX).empty());
  EXPECT_FALSE(other.ok());
}

TEST(BytesBad, VarintTooLong) {
  const uint8_t eleven[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01};
  ByteReader reader(eleven);
  EXPECT_EQ(reader.Varint(), 0u);
  EXPECT_FALSE(reader.ok());
  const uint8_t bit65[] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02};
  ByteReader other(bit65);
  other.Varint();
  EXPECT_FALSE(other.ok());
}

TEST(BytesBad, VarintEndsInTheMiddle) {
  const uint8_t bytes[] = {0x80};
  ByteReader reader(bytes);
  reader.Varint();
  EXPECT_FALSE(reader.ok());
}

TEST(BytesBad, BoundedVarintNamesWhatAndLimit) {
  ByteWriter writer;
  writer.Varint(12);
  ByteReader reader(writer.span(), "file");
  EXPECT_EQ(reader.BoundedVarint(5, "register count"), 0u);
  EXPECT_EQ(reader.TakeStatus().message(),
            "file at offset 1: register count is 12, at most 5 is possible here");
}

TEST(BytesBad, InvalidUtf8) {
  ByteWriter writer;
  writer.PrefixedBytes(AsBytes("ok\xFF"));
  ByteReader reader(writer.span());
  EXPECT_EQ(reader.PrefixedText(), "");
  EXPECT_FALSE(reader.ok());
}

TEST(BytesBad, SeekAndPadding) {
  const uint8_t bytes[] = {1, 2, 3, 4};
  ByteReader reader(bytes);
  reader.Seek(4);
  EXPECT_TRUE(reader.ok() && reader.AtEnd());
  reader.Seek(5);
  EXPECT_FALSE(reader.ok());
  ByteReader padded(bytes);
  padded.U8();
  padded.Align(4);
  EXPECT_EQ(padded.status().code(), StatusCode::kCorrupt);
}

TEST(BytesBad, FirstErrorIsKept) {
  ByteReader reader({});
  reader.Fail("first");
  reader.Fail("second");
  EXPECT_EQ(reader.TakeStatus().message(), "input at offset 0: first");
}

}  // namespace
}  // namespace tern::bytes_test
