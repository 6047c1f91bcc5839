// SPDX-License-Identifier: Apache-2.0
// HashBytes: eight bytes per step through HashCombine, read as little-endian words, so that the
// result is the same on every target.
#include "core/base/hash.h"

namespace tern {

uint64_t HashBytes(ByteSpan bytes, uint64_t seed) {
  uint64_t hash = HashCombine(seed, bytes.size());
  size_t i = 0;
  for (; bytes.size() - i >= 8; i += 8) {
    uint64_t word = 0;
    for (size_t b = 0; b < 8; ++b) word |= uint64_t{bytes[i + b]} << (8 * b);
    hash = HashCombine(hash, word);
  }
  // What is left, padded with zeros; the length went in at the start, so the padding is no
  // ambiguity.
  uint64_t tail = 0;
  for (int shift = 0; i < bytes.size(); ++i, shift += 8) tail |= uint64_t{bytes[i]} << shift;
  return HashCombine(hash, tail);
}

}  // namespace tern
