// SPDX-License-Identifier: Apache-2.0
// Sort: std::sort for places where the size of the code counts for more than its speed. std::sort
// is 2 to 4 KB of WebAssembly for each type and order; this is two small functions, as the rest is
// shared. Like it, not stable; heap sort, so n log n in any case.
#ifndef TERN_CORE_BASE_SORT_H_
#define TERN_CORE_BASE_SORT_H_

#include <cstddef>
#include <utility>
#include <vector>

namespace tern {
namespace internal {

// The elements by number, behind a pointer.
struct SortAccess {
  bool (*less)(const void* context, size_t a, size_t b);
  void (*swap)(const void* context, size_t a, size_t b);
};
void HeapSort(const void* context, size_t count, const SortAccess& access);

}  // namespace internal

struct Ascending {
  template <typename T>
  bool operator()(const T& a, const T& b) const {
    return a < b;
  }
};

template <typename T, typename Less = Ascending>
void Sort(std::vector<T>* items, const Less& less = {}) {
  struct Context {
    T* items;
    const Less& less;
  };
  static constexpr internal::SortAccess kAccess = {
      [](const void* raw, size_t a, size_t b) -> bool {
        const auto& context = *static_cast<const Context*>(raw);
        return context.less(context.items[a], context.items[b]);
      },
      [](const void* raw, size_t a, size_t b) {
        const auto& context = *static_cast<const Context*>(raw);
        using std::swap;
        swap(context.items[a], context.items[b]);
      }};
  const Context context = {items->data(), less};
  internal::HeapSort(&context, items->size(), kAccess);
}

}  // namespace tern

#endif  // TERN_CORE_BASE_SORT_H_
