// SPDX-License-Identifier: Apache-2.0
// A lock for a few instructions' work on tables that threads of the host may share (types, keys,
// registered functions); nothing where TERN_SINGLE_THREADED is defined (wasm without threads). It
// does not nest, so it is never held across calls into user code.
#ifndef TERN_CORE_BASE_SPIN_LOCK_H_
#define TERN_CORE_BASE_SPIN_LOCK_H_

#include "core/base/threads.h"

#ifndef TERN_SINGLE_THREADED
#include <atomic>
#endif

namespace tern {

#ifdef TERN_SINGLE_THREADED
class SpinLock {
 public:
  void Lock() {}
  void Unlock() {}
};
#else
class SpinLock {
 public:
  void Lock() {
    // The inner loop only reads, so that waiting threads do not take the cache line from the owner.
    while (flag_.test_and_set(std::memory_order_acquire)) {
      while (flag_.test(std::memory_order_relaxed)) {
      }
    }
  }
  void Unlock() { flag_.clear(std::memory_order_release); }

 private:
  std::atomic_flag flag_;
};
#endif

class SpinLockGuard {
 public:
  explicit SpinLockGuard(SpinLock* lock) : lock_(lock) { lock_->Lock(); }
  ~SpinLockGuard() { lock_->Unlock(); }
  SpinLockGuard(const SpinLockGuard&) = delete;
  SpinLockGuard& operator=(const SpinLockGuard&) = delete;

 private:
  SpinLock* lock_;
};

}  // namespace tern

#endif  // TERN_CORE_BASE_SPIN_LOCK_H_
