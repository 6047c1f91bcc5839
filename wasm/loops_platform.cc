// SPDX-License-Identifier: Apache-2.0
// What the side module asks of its JavaScript host: the last words of a failed check.
#include <stdlib.h>

#include "core/api/loop_api.h"
#include "core/base/platform.h"

extern "C" {

// Imported: shows the message as an exception and does not return.
__attribute__((import_module("tern"), import_name("host_abort"))) void tern_host_abort(
    const char* file, int32_t line, const char* message);

// As in the modules that run programs.
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
