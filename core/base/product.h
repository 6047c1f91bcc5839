// SPDX-License-Identifier: Apache-2.0
// MultiplyChecked: a product of 64 bits that says whether it overflows.
#ifndef TERN_CORE_BASE_PRODUCT_H_
#define TERN_CORE_BASE_PRODUCT_H_

#include <cstdint>

namespace tern {

// False where a * b overflows; *product is undefined then. Factors of at most 31 bits, as extents
// nearly always are, are multiplied as they are: WebAssembly has no product that tells, and takes
// one of 128 bits by a call.
inline bool MultiplyChecked(int64_t a, int64_t b, int64_t* product) {
  if (static_cast<uint64_t>(a | b) >> 31 == 0) [[likely]] {
    *product = a * b;
    return true;
  }
  return !__builtin_mul_overflow(a, b, product);
}

}  // namespace tern

#endif  // TERN_CORE_BASE_PRODUCT_H_
