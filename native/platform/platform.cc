// SPDX-License-Identifier: Apache-2.0
// The native TernPlatform.
#include "native/platform/platform.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include <algorithm>

#include "native/platform/memory_limit.h"

namespace tern::native {
namespace {

// What the kernel can map as one on x86-64 and, with pages of 4 KiB, on AArch64.
constexpr size_t kHugePage = size_t{1} << 21;

// Memory that has room for huge pages asks for them, each of which takes the place of 512 faults;
// not behind its last whole one, so that no more is taken than is asked for. A kernel without them
// says no, and gives small ones.
void* Allocate(void*, size_t bytes, size_t alignment) {
  const bool is_huge = bytes >= kHugePage && alignment <= kHugePage;
  // The C library asks for the alignment of a pointer and more.
  alignment = is_huge ? kHugePage : std::max(alignment, sizeof(void*));
  void* memory = nullptr;
  if (posix_memalign(&memory, alignment, bytes) != 0) return nullptr;
  if (is_huge) madvise(memory, bytes & ~(kHugePage - 1), MADV_HUGEPAGE);
  return memory;
}

void Free(void*, void* pointer, size_t, size_t) { free(pointer); }

int64_t ClockNs(void*) {
  // Monotonic, because durations must not jump when the clock is set.
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void Log(void*, int32_t level, const char* text, size_t length) {
  // Only warnings, errors and output: a library must not chatter.
  if (level < TERN_LOG_WARNING) return;
  FILE* const file = level == TERN_LOG_OUTPUT ? stdout : stderr;
  fwrite(text, 1, length, file);
  fputc('\n', file);
}

}  // namespace

Platform::Platform(int threads, uint64_t memory_limit)
    : pool_(threads),
      platform_{.struct_size = sizeof(TernPlatform),
                .context = nullptr,
                .allocate = &Allocate,
                .free = &Free,
                .parallel = pool_.parallel(),
                .clock_ns = &ClockNs,
                .log = &Log,
                .memory_limit = memory_limit != 0 ? memory_limit : DefaultMemoryLimit()} {}

}  // namespace tern::native
