// SPDX-License-Identifier: Apache-2.0
// Short text as one word, so that the strings of core/object are made and compared in a register. A
// copy of a number of bytes that only run time knows would be a call of memcpy.
#ifndef TERN_CORE_BASE_TEXT_WORD_H_
#define TERN_CORE_BASE_TEXT_WORD_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tern {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "text keeps its order in a word");

template <typename Word>
inline uint64_t LoadWord(const char* bytes) {
  Word word;
  std::memcpy(&word, bytes, sizeof word);
  return uint64_t{word};
}

// The first `size` < 8 bytes, zeros behind them. No byte past them is read: loads of fixed widths
// from both ends overlap instead, and a byte that two of them read lands in the same place.
inline uint64_t LoadTextWord(const char* bytes, size_t size) {
  if (size >= 4)
    return LoadWord<uint32_t>(bytes) | LoadWord<uint32_t>(bytes + size - 4) << (8 * (size - 4));
  if (size == 0) return 0;
  return LoadWord<uint8_t>(bytes) | LoadWord<uint8_t>(bytes + size / 2) << (8 * (size / 2)) |
         LoadWord<uint8_t>(bytes + size - 1) << (8 * (size - 1));
}

}  // namespace tern

#endif  // TERN_CORE_BASE_TEXT_WORD_H_
