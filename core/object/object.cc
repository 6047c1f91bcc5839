// SPDX-License-Identifier: Apache-2.0
// The heap that objects come from.
#include "core/object/object.h"

#include <cstdlib>

namespace tern {
namespace {
int64_t live_objects = 0;
}  // namespace

int64_t LiveObjectCount() { return __atomic_load_n(&live_objects, __ATOMIC_RELAXED); }

namespace internal {

void CountObject(int64_t change) {
#ifdef TERN_SINGLE_THREADED
  live_objects += change;
#else
  __atomic_fetch_add(&live_objects, change, __ATOMIC_RELAXED);
#endif
}

void* AllocateObject(size_t bytes) {
  void* memory = std::malloc(bytes);
  TERN_CHECK(memory != nullptr, "no memory for a small object");
  CountObject(1);
  return memory;
}

void FreeObject(void* memory) {
  CountObject(-1);
  std::free(memory);
}

}  // namespace internal
}  // namespace tern
