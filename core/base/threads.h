// SPDX-License-Identifier: Apache-2.0
// Defines TERN_SINGLE_THREADED where the target has no threads, so that counts and locks cost
// nothing there.
#ifndef TERN_CORE_BASE_THREADS_H_
#define TERN_CORE_BASE_THREADS_H_

#if defined(__wasm__) && !defined(__wasm_atomics__)
#define TERN_SINGLE_THREADED 1
#endif

#endif  // TERN_CORE_BASE_THREADS_H_
