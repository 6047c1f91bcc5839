// SPDX-License-Identifier: Apache-2.0
// Where counts and locks need no atomic instructions.
//
// TERN_SINGLE_THREADED is defined where the target has no threads, so that they cost nothing there.
// Elsewhere OneThread() tells whether the process has had no second thread so far: the C library
// says so (std::shared_ptr asks it the same). It is false for ever once there was one, and a thread
// that sees true cannot be disturbed before it makes another itself.
#ifndef TERN_CORE_BASE_THREADS_H_
#define TERN_CORE_BASE_THREADS_H_

#if defined(__wasm__) && !defined(__wasm_atomics__)
#define TERN_SINGLE_THREADED 1
#elif defined(__has_include)
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define TERN_KNOWS_ONE_THREAD 1
#endif
#endif

namespace tern {

inline bool OneThread() {
#if defined(TERN_SINGLE_THREADED)
  return true;
#elif defined(TERN_KNOWS_ONE_THREAD)
  return __libc_single_threaded;
#else
  return false;
#endif
}

}  // namespace tern

#endif  // TERN_CORE_BASE_THREADS_H_
