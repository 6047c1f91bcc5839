// SPDX-License-Identifier: Apache-2.0
// Elements that may lie at any address, as in a file that aligns nothing. A plain pointer to them
// would promise the compiler more than is so.
#ifndef TERN_CORE_BASE_UNALIGNED_H_
#define TERN_CORE_BASE_UNALIGNED_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tern {

template <typename T>
class Unaligned {
 public:
  explicit Unaligned(const void* first) : first_(static_cast<const uint8_t*>(first)) {}

  T operator[](int64_t index) const {
    T element;
    std::memcpy(&element, At(index), sizeof(T));
    return element;
  }
  void CopyTo(T* to, int64_t count) const {
    std::memcpy(to, first_, static_cast<size_t>(count) * sizeof(T));
  }
  Unaligned operator+(int64_t count) const { return Unaligned(At(count)); }
  Unaligned& operator+=(int64_t count) { return *this = *this + count; }

 private:
  const uint8_t* At(int64_t index) const { return first_ + index * int64_t{sizeof(T)}; }

  const uint8_t* first_;
};

}  // namespace tern

#endif  // TERN_CORE_BASE_UNALIGNED_H_
