// SPDX-License-Identifier: Apache-2.0
// glibc lets a dynamically linked program define malloc and friends, and keeps its own under
// __libc_ names. Tests for AArch64 are linked statically, where that is a duplicate; they do not
// count.
#include "tests/support/allocation_count.h"

#include <cstddef>

#if defined(__GLIBC__) && !defined(__aarch64__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define TERN_COUNT_ALLOCATIONS 1
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#undef TERN_COUNT_ALLOCATIONS
#endif
#endif

namespace {
int64_t allocations = 0;
}  // namespace

#ifdef TERN_COUNT_ALLOCATIONS
extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* memory, size_t bytes);

void* malloc(size_t bytes) {
  __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
  return __libc_malloc(bytes);
}
void* calloc(size_t count, size_t bytes) {
  __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
  return __libc_calloc(count, bytes);
}
void* realloc(void* memory, size_t bytes) {
  __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
  return __libc_realloc(memory, bytes);
}
}  // extern "C"
#endif

namespace tern {

bool AllocationsAreCounted() {
#ifdef TERN_COUNT_ALLOCATIONS
  return true;
#else
  return false;
#endif
}

int64_t AllocationCount() { return __atomic_load_n(&allocations, __ATOMIC_RELAXED); }

}  // namespace tern
