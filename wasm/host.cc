// SPDX-License-Identifier: Apache-2.0
// What every module asks of its JavaScript host and offers it: the last words of a failed check,
// and aligned memory.
#include <stdlib.h>

#include "core/base/platform.h"

extern "C" {

// Imported: shows the message as an exception and does not return.
__attribute__((import_module("tern"), import_name("host_abort"))) void tern_host_abort(
    const char* file, int32_t line, const char* message);

// 64-byte aligned, so that constants of an executable placed here are used where they lie. NULL
// when full.
void* tern_wasm_aligned_alloc(size_t bytes) {
  return aligned_alloc(64, (bytes + 63) & ~size_t{63});
}

}  // extern "C"

namespace {

[[maybe_unused]] const TernAbortHook g_previous_hook =
    tern_set_abort_hook([](const char* file, int32_t line, const char* message) {
      tern_host_abort(file, line, message);
    });

}  // namespace
