// SPDX-License-Identifier: Apache-2.0
// Section names and the sum of tensor data. The sum has the structure of xxHash64 (four lanes,
// multiply and rotate), but is its own function; its results are part of the format.
#include "core/vm/file/format.h"

#include <cstring>

namespace tern::vm {
namespace {

// Odd, so that multiplication by them loses nothing.
constexpr uint64_t kPrime1 = 0x9E3779B185EBCA87u;
constexpr uint64_t kPrime2 = 0xC2B2AE3D27D4EB4Fu;

constexpr uint64_t RotateLeft(uint64_t value, int bits) {
  return value << bits | value >> (64 - bits);
}

// One step of a lane: for a fixed word a bijection of the lane, and for a fixed lane of the word.
// So a change of one word always changes the sum.
constexpr uint64_t Step(uint64_t lane, uint64_t word) {
  return RotateLeft(lane + word * kPrime2, 31) * kPrime1;
}

uint64_t LoadWord(const uint8_t* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof(word));
  return word;  // all targets are little-endian
}

constexpr uint64_t Finish(uint64_t hash) {
  hash = (hash ^ hash >> 33) * kPrime2;
  hash = (hash ^ hash >> 29) * kPrime1;
  return hash ^ hash >> 32;
}

}  // namespace

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

std::string_view SectionName(uint32_t id) {
  switch (static_cast<SectionId>(id)) {
    case SectionId::kGlobals: return "globals";
    case SectionId::kConstants: return "constants";
    case SectionId::kPrimitives: return "primitive names";
    case SectionId::kCode: return "code";
    case SectionId::kKernels: return "kernels";
    case SectionId::kMetadata: return "metadata";
    case SectionId::kDebug: return "debug info";
  }
  return "unknown";
}

uint64_t ContentSum(ByteSpan bytes) {
  // Different begins, so that exchanging two words of different lanes changes the sum.
  uint64_t lanes[4] = {kPrime1, kPrime2, kPrime1 ^ kPrime2, kPrime1 + kPrime2};
  const uint8_t* at = bytes.data();
  size_t left = bytes.size();
  // Four independent chains keep the multipliers of a processor busy.
  for (; left >= 32; left -= 32, at += 32) {
    for (size_t lane = 0; lane < 4; ++lane)
      lanes[lane] = Step(lanes[lane], LoadWord(at + 8 * lane));
  }
  // The length is part of the sum: trailing zeros are data.
  uint64_t hash = bytes.size() * kPrime1;
  for (uint64_t lane : lanes) hash = Step(hash, lane);
  // The rest goes through one lane, word by word, then byte by byte.
  for (; left >= 8; left -= 8, at += 8) hash = Step(hash, LoadWord(at));
  for (; left > 0; --left, ++at) hash = Step(hash, *at);
  return Finish(hash);
}

}  // namespace tern::vm
