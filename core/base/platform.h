/* SPDX-License-Identifier: Apache-2.0 */
/* What the core borrows from an operating system: memory, workers, a clock, a log and a last word.
 *
 * native/ and wasm/ each fill in one TernPlatform and pass it to the C API; the core holds no other
 * tie to the machine. Every member but struct_size may be null: the core then uses malloc, runs
 * serially, has no clock and logs nowhere. Plain C, so that the C API can hand it on unchanged.
 */
#ifndef TERN_CORE_BASE_PLATFORM_H_
#define TERN_CORE_BASE_PLATFORM_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct TernParallel; /* core/kernels/kernel.h: a worker pool */

enum {
  TERN_LOG_DEBUG = 0,
  TERN_LOG_INFO = 1,
  TERN_LOG_WARNING = 2,
  TERN_LOG_ERROR = 3,
  TERN_LOG_OUTPUT = 4, /* a line that a program prints: no message about anything */
};

typedef struct TernPlatform {
  size_t struct_size; /* sizeof(TernPlatform) as the caller was built */
  void* context;      /* first argument of every call below */
  /* >= bytes of memory aligned to alignment (a power of two), or NULL. bytes > 0. */
  void* (*allocate)(void* context, size_t bytes, size_t alignment);
  /* Gives back what allocate returned, with the same bytes and alignment. */
  void (*free)(void* context, void* pointer, size_t bytes, size_t alignment);
  const struct TernParallel* parallel; /* NULL: everything runs on the calling thread */
  int64_t (*clock_ns)(void* context);  /* monotonic */
  void (*log)(void* context, int32_t level, const char* text, size_t length);
  /* What a run may have in tensors, objects and texts where its options name no limit: less than
   * the process can get, since running out of memory elsewhere ends it. 0: no limit. */
  uint64_t memory_limit;
} TernPlatform;

/* Called once when a CHECK fails, before the process is ended; `message` is zero-terminated. */
typedef void (*TernAbortHook)(const char* file, int32_t line, const char* message);

/* Installs the hook and returns the one before. NULL is the default, which writes to stderr
 * (in WebAssembly it only traps). */
TernAbortHook tern_set_abort_hook(TernAbortHook hook);

#ifdef __cplusplus
}
#endif

#endif /* TERN_CORE_BASE_PLATFORM_H_ */
