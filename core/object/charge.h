// SPDX-License-Identifier: Apache-2.0
// Charge: bytes that count for the memory account of the thread (memory_account.h) and that
// somebody else takes, such as those of the lists and texts that hang on a node.
#ifndef TERN_CORE_OBJECT_CHARGE_H_
#define TERN_CORE_OBJECT_CHARGE_H_

#include <cstddef>
#include <cstdint>
#include <utility>

namespace tern {

namespace internal {
// Memory that others take (bytes > 0) or give back.
void CountMemory(int64_t bytes);
}  // namespace internal

// Counted while it lives. A copy counts for itself.
class Charge {
 public:
  Charge() = default;
  explicit Charge(size_t bytes) : bytes_(static_cast<int64_t>(bytes)) {
    internal::CountMemory(bytes_);
  }
  Charge(const Charge& other) : Charge(static_cast<size_t>(other.bytes_)) {}
  Charge(Charge&& other) noexcept : bytes_(std::exchange(other.bytes_, 0)) {}
  Charge& operator=(Charge other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Charge() {
    if (bytes_ != 0) internal::CountMemory(-bytes_);
  }

 private:
  int64_t bytes_ = 0;
};

}  // namespace tern

#endif  // TERN_CORE_OBJECT_CHARGE_H_
