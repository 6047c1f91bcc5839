// SPDX-License-Identifier: Apache-2.0
// A 64-bit hash of bytes for tables in memory. The same on every target; not for files, not against
// malice.
#ifndef TERN_CORE_BASE_HASH_H_
#define TERN_CORE_BASE_HASH_H_

#include <cstdint>
#include <string_view>

#include "core/base/bytes.h"

namespace tern {

uint64_t HashBytes(ByteSpan bytes, uint64_t seed = 0);
inline uint64_t HashText(std::string_view text, uint64_t seed = 0) {
  return HashBytes(AsBytes(text), seed);
}

// Mixes one word into a running hash: two rounds of multiplying by an odd constant and folding the
// high half onto the low one, so that tables may use the low bits.
constexpr uint64_t HashCombine(uint64_t hash, uint64_t value) {
  uint64_t mixed = (hash ^ value) * 0x9E3779B97F4A7C15u;
  mixed ^= mixed >> 32;
  mixed *= 0xD6E8FEB86659FD93u;
  return mixed ^ (mixed >> 32);
}

// For unordered_map<std::string, V, TextHash, std::equal_to<>>: look-up by string_view without a
// copy.
struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return static_cast<size_t>(HashText(text)); }
};

}  // namespace tern

#endif  // TERN_CORE_BASE_HASH_H_
