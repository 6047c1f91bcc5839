// SPDX-License-Identifier: Apache-2.0
// CRC-32C against published values and a bit-by-bit definition; hashes by their properties.
#include "core/base/checksum.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "core/base/hash.h"

namespace tern::checksum_test {
namespace {

uint32_t BitByBit(ByteSpan bytes) {
  uint32_t crc = ~0u;
  for (const uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78u : 0u);
  }
  return ~crc;
}

TEST(Checksum, PublishedValues) {
  EXPECT_EQ(Crc32c({}), 0u);
  EXPECT_EQ(Crc32c(AsBytes("123456789")), 0xE3069283u);
  EXPECT_EQ(Crc32c(std::vector<uint8_t>(32, 0)), 0x8A9136AAu);     // RFC 3720, B.4
  EXPECT_EQ(Crc32c(std::vector<uint8_t>(32, 0xFF)), 0x62A8AB43u);  // RFC 3720, B.4
}

TEST(Checksum, EveryLengthAndSplit) {
  std::vector<uint8_t> bytes(40);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 37 + 11);
  for (size_t n = 0; n <= bytes.size(); ++n) {
    const ByteSpan part = ByteSpan(bytes).first(n);
    EXPECT_EQ(Crc32c(part), BitByBit(part)) << n;
    EXPECT_EQ(Crc32c(ByteSpan(bytes).subspan(n), Crc32c(part)), Crc32c(bytes)) << n;
  }
}

TEST(Checksum, EverySingleBitMatters) {
  std::vector<uint8_t> bytes(64, 0x5A);
  const uint32_t before = Crc32c(bytes);
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] ^= static_cast<uint8_t>(1u << (bit % 8));
    EXPECT_NE(Crc32c(bytes), before);
    bytes[bit / 8] ^= static_cast<uint8_t>(1u << (bit % 8));
  }
}

TEST(Hash, DiffersByLengthSeedAndContent) {
  std::set<uint64_t> seen;
  const std::string text(40, '\0');
  for (size_t n = 0; n <= text.size(); ++n)
    seen.insert(HashText(std::string_view(text).substr(0, n)));
  EXPECT_EQ(seen.size(), 41u);
  EXPECT_NE(HashText("a"), HashText("b"));
  EXPECT_NE(HashText("a", 1), HashText("a", 2));
  EXPECT_EQ(TextHash()("abc"), TextHash()(std::string("abc")));
}

}  // namespace
}  // namespace tern::checksum_test
