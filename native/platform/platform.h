// SPDX-License-Identifier: Apache-2.0
// The operating system as the core sees it: a TernPlatform over malloc, a worker pool, a clock and
// stderr.
#ifndef TERN_NATIVE_PLATFORM_PLATFORM_H_
#define TERN_NATIVE_PLATFORM_PLATFORM_H_

#include "core/base/platform.h"
#include "native/platform/thread_pool.h"

namespace tern::native {

class Platform {
 public:
  // threads as for ThreadPool.
  // memory_limit: in bytes, of what is compiled or run without a limit of its own; 0: what
  // DefaultMemoryLimit says.
  explicit Platform(int threads, uint64_t memory_limit = 0);
  Platform(const Platform&) = delete;
  Platform& operator=(const Platform&) = delete;

  const TernPlatform* get() const { return &platform_; }
  const ThreadPool& pool() const { return pool_; }

 private:
  ThreadPool pool_;
  TernPlatform platform_;
};

}  // namespace tern::native

#endif  // TERN_NATIVE_PLATFORM_PLATFORM_H_
