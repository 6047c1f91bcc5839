// SPDX-License-Identifier: Apache-2.0
// InlineVector: a vector whose first kInline elements need no allocation, for the few values of one
// call. Grows like a vector beyond; is neither copied nor moved.
#ifndef TERN_CORE_BASE_INLINE_VECTOR_H_
#define TERN_CORE_BASE_INLINE_VECTOR_H_

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace tern {

template <typename T, size_t kInline>
class InlineVector {
 public:
  InlineVector() = default;
  InlineVector(const InlineVector&) = delete;
  InlineVector& operator=(const InlineVector&) = delete;
  ~InlineVector() {
    std::destroy_n(data_, size_);
    if (data_ != local()) Free();
  }

  template <typename... A>
  T& emplace_back(A&&... args) {
    // Made first: the arguments may lie in this vector.
    if (size_ == capacity_) return EmplaceGrown(T(std::forward<A>(args)...));
    return *new (data_ + size_++) T(std::forward<A>(args)...);
  }
  void push_back(T value) { emplace_back(std::move(value)); }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& operator[](size_t index) { return data_[index]; }
  const T& operator[](size_t index) const { return data_[index]; }
  T& back() { return data_[size_ - 1]; }

 private:
  static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  T* local() { return reinterpret_cast<T*>(memory_); }
  void Free() { ::operator delete(static_cast<void*>(data_)); }

  T& EmplaceGrown(T value) {
    const size_t capacity = 2 * capacity_;
    T* grown = static_cast<T*>(::operator new(capacity * sizeof(T)));
    std::uninitialized_move_n(data_, size_, grown);
    std::destroy_n(data_, size_);
    if (data_ != local()) Free();
    data_ = grown;
    capacity_ = capacity;
    return *new (data_ + size_++) T(std::move(value));
  }

  alignas(T) unsigned char memory_[kInline * sizeof(T)];
  T* data_ = local();
  size_t size_ = 0, capacity_ = kInline;
};

}  // namespace tern

#endif  // TERN_CORE_BASE_INLINE_VECTOR_H_
