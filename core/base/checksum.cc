// SPDX-License-Identifier: Apache-2.0
// CRC-32C, eight bytes at a time ("slicing by 8", Kounavis and Berry 2005: one table per byte
// position), or by the processor's own instruction.
#include "core/base/checksum.h"

#include <array>
#include <cstddef>
#include <cstring>

namespace tern {
namespace {

constexpr uint32_t kPolynomial = 0x82F63B78;  // Castagnoli, bits reversed
using Tables = std::array<std::array<uint32_t, 256>, 8>;

// Table 0 advances the register by one byte. Table t is table t - 1 followed by a zero byte, so
// that eight look-ups which do not depend on each other replace eight that do.
constexpr Tables MakeTables() {
  Tables tables{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    tables[0][i] = crc;
  }
  for (size_t i = 0; i < 256; ++i) {
    for (size_t t = 1; t < 8; ++t) {
      tables[t][i] = (tables[t - 1][i] >> 8) ^ tables[0][tables[t - 1][i] & 0xFF];
    }
  }
  return tables;
}

#if defined(__wasm__)
// Made at the first use, by the one thread there is: tables do not compress, and these would be a
// fortieth of what a page fetches.
const Tables& CrcTables() {
  static Tables tables;
  static bool made = false;
  if (!made) tables = MakeTables();
  made = true;
  return tables;
}
#else
const Tables& CrcTables() {
  static constexpr Tables kTables = MakeTables();
  return kTables;
}
#endif

uint32_t LoadWord(const uint8_t* p) {
  uint32_t word;
  std::memcpy(&word, p, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap32(word);
#endif
  return word;
}

#if defined(__x86_64__)
// The processor's own instruction for this polynomial, where there is one.
__attribute__((target("sse4.2"))) uint32_t HardwareCrc(ByteSpan bytes, uint32_t crc) {
  const uint8_t* p = bytes.data();
  size_t left = bytes.size();
  uint64_t wide = crc;
  for (; left >= 8; left -= 8, p += 8) {
    uint64_t word;
    std::memcpy(&word, p, sizeof word);
    wide = __builtin_ia32_crc32di(wide, word);
  }
  auto narrow = static_cast<uint32_t>(wide);
  for (; left > 0; --left, ++p) narrow = __builtin_ia32_crc32qi(narrow, *p);
  return narrow;
}
// Asked once, before main.
const bool kHasHardwareCrc = __builtin_cpu_supports("sse4.2") != 0;
#endif

}  // namespace

uint32_t Crc32c(ByteSpan bytes, uint32_t previous) {
  // The register is inverted before and after, so that leading zeros count; inverting `previous`
  // again goes on where it stopped.
  uint32_t crc = ~previous;
#if defined(__x86_64__)
  if (kHasHardwareCrc) return ~HardwareCrc(bytes, crc);
#endif
  const Tables& tables = CrcTables();
  const uint8_t* p = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; left -= 8, p += 8) {
    // The register reaches into the first four bytes only; the other four are looked up as they
    // are.
    const uint32_t low = crc ^ LoadWord(p);
    const uint32_t high = LoadWord(p + 4);
    crc = tables[7][low & 0xFF] ^ tables[6][(low >> 8) & 0xFF] ^ tables[5][(low >> 16) & 0xFF] ^
          tables[4][low >> 24] ^ tables[3][high & 0xFF] ^ tables[2][(high >> 8) & 0xFF] ^
          tables[1][(high >> 16) & 0xFF] ^ tables[0][high >> 24];
  }
  for (; left > 0; --left, ++p) crc = (crc >> 8) ^ tables[0][(crc ^ *p) & 0xFF];
  return ~crc;
}

}  // namespace tern
