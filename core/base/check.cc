// SPDX-License-Identifier: Apache-2.0
// The end of a process whose invariant is broken.
#include "core/base/check.h"

#include <cstdlib>

#include "core/base/platform.h"

#ifndef __wasm__
#include <cstdio>
#endif

namespace {
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
  std::abort();
}

}  // namespace tern
