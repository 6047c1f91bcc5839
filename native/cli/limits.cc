// SPDX-License-Identifier: Apache-2.0
#include "native/cli/limits.h"

namespace tern::cli {

// 0 leaves a limit to the library, in both structs. struct_size tells it which members the caller
// knows.
tern_vm_options RunLimits::ForMachine(uint64_t bytes) const {
  return {.struct_size = sizeof(tern_vm_options),
          .max_instructions = max_steps,
          .max_bytes = bytes,
          .max_depth = max_depth,
          .reserved = 0,
          .max_time_ms = max_time_ms};
}

tern_debug_options RunLimits::ForDebugger(uint64_t bytes) const {
  return {.struct_size = sizeof(tern_debug_options),
          .max_steps = max_steps,
          .max_bytes = bytes,
          .max_time_ms = max_time_ms,
          .max_depth = max_depth,
          .reserved = 0,
          .trace_bytes = 0,
          .trace_steps = 0};
}

void AddCompileLimit(CLI::App* app, uint64_t* max_bytes) {
  AddSize(app, "--max-memory", max_bytes, "stop when compiling takes more bytes than this");
}

std::vector<CLI::Option*> AddRunLimits(CLI::App* app, RunLimits* limits) {
  CLI::Option* const steps =
      AddCount(app, "--max-steps", &limits->max_steps, "stop after so many instructions");
  AddSize(app, "--max-memory", &limits->max_bytes,
          "stop when compiling, or inputs and what the run makes, take more bytes than this");
  CLI::Option* const depth =
      AddCount(app, "--max-depth", &limits->max_depth, "stop at more frames (default 10000)");
  CLI::Option* const time =
      AddCount(app, "--timeout", &limits->max_time_ms, "stop after so many milliseconds");
  // Without --max-memory, which compiling takes as well: callers ask for these to say which have no
  // effect without a run.
  return {steps, depth, time};
}

}  // namespace tern::cli
