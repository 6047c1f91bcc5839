// SPDX-License-Identifier: Apache-2.0
// The end of a process whose invariant is broken: the host's hook, or stderr, learns the place,
// then the process ends.
#include "core/base/check.h"

#include <cstdlib>

#include "core/base/platform.h"

// The WebAssembly module has no stderr, and stdio would make it larger.
#ifndef __wasm__
#include <cstdio>
#endif

namespace {
// One for the process; set by the host at its start.
TernAbortHook abort_hook = nullptr;
}  // namespace

extern "C" TernAbortHook tern_set_abort_hook(TernAbortHook hook) {
  TernAbortHook previous = abort_hook;
  abort_hook = hook;
  return previous;
}

namespace tern {

void CheckFailed(const char* file, int line, const char* message) {
  if (abort_hook != nullptr) {
    abort_hook(file, line, message);
  } else {
#ifndef __wasm__
    std::fprintf(stderr, "%s:%d: %s\n", file, line, message);
#endif
  }
  // The hook may return; the process must not go on.
  std::abort();
}

}  // namespace tern
