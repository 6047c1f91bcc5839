// SPDX-License-Identifier: Apache-2.0
// How far two floats are apart in units in the last place.
#ifndef TERN_CORE_BASE_ULP_H_
#define TERN_CORE_BASE_ULP_H_

#include <cstddef>
#include <cstdint>

namespace tern {

// Steps from one float of a format to the other; the two zeros are the same number. `a` and `b` are
// the bits of IEEE 754 numbers, or of others whose sign stands first, in `bytes` bytes: 1, 2, 4, 8.
constexpr uint64_t UlpDistance(uint64_t a, uint64_t b, size_t bytes) {
  const uint64_t sign = uint64_t{1} << (8 * bytes - 1);
  const uint64_t x = a & (sign - 1), y = b & (sign - 1);
  if (((a ^ b) & sign) != 0) return x + y;
  return x > y ? x - y : y - x;
}

}  // namespace tern

#endif  // TERN_CORE_BASE_ULP_H_
