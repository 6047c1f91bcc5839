// SPDX-License-Identifier: Apache-2.0
// Heap sort over elements that are known by number only, so that one copy of the algorithm serves
// every type (Williams and Floyd, 1964).
#include "core/base/sort.h"

namespace tern::internal {
namespace {

// Makes a heap, the greatest at `root`, of what are heaps below it.
void SiftDown(const void* context, size_t root, size_t count, const SortAccess& access) {
  for (;;) {
    size_t child = 2 * root + 1;
    if (child >= count) return;
    if (child + 1 < count && access.less(context, child, child + 1)) ++child;
    if (!access.less(context, root, child)) return;
    access.swap(context, root, child);
    root = child;
  }
}

}  // namespace

void HeapSort(const void* context, size_t count, const SortAccess& access) {
  // The first loop makes a heap from the lower half up, in linear time. The second moves the
  // greatest element to the end, again and again.
  for (size_t root = count / 2; root > 0; --root) SiftDown(context, root - 1, count, access);
  for (size_t last = count; last > 1; --last) {
    access.swap(context, 0, last - 1);
    SiftDown(context, 0, last - 1, access);
  }
}

}  // namespace tern::internal
