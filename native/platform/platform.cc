// SPDX-License-Identifier: Apache-2.0
// The native TernPlatform.
#include "native/platform/platform.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "native/platform/memory_limit.h"

namespace tern::native {
namespace {

// aligned_alloc wants a multiple of the alignment; rounding up may overflow.
void* Allocate(void*, size_t bytes, size_t alignment) {
  const size_t rounded = (bytes + alignment - 1) & ~(alignment - 1);
  return rounded < bytes ? nullptr : aligned_alloc(alignment, rounded);
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
