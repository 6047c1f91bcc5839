// SPDX-License-Identifier: Apache-2.0
// The options that bound what a command takes: one memory limit for every verb that compiles, and
// the four limits of a run for every verb that runs something.
#ifndef TERN_NATIVE_CLI_LIMITS_H_
#define TERN_NATIVE_CLI_LIMITS_H_

#include "native/cli/command.h"

namespace tern::cli {

// 0: no limit of its own.
struct RunLimits {
  uint64_t max_steps = 0;
  uint64_t max_bytes = 0;
  uint64_t max_time_ms = 0;
  uint32_t max_depth = 0;

  // max_bytes: what inputs have left of the limit.
  tern_vm_options ForMachine(uint64_t bytes) const;
  tern_debug_options ForDebugger(uint64_t bytes) const;
};

void AddCompileLimit(CLI::App* app, uint64_t* max_bytes);
// The options, so that a verb that runs only at times can say when.
std::vector<CLI::Option*> AddRunLimits(CLI::App* app, RunLimits* limits);

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_LIMITS_H_
