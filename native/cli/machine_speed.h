// SPDX-License-Identifier: Apache-2.0
// How fast this machine is with this build: what tern info --bench measures.
#ifndef TERN_NATIVE_CLI_MACHINE_SPEED_H_
#define TERN_NATIVE_CLI_MACHINE_SPEED_H_

#include "native/cli/command.h"

namespace tern::cli {

struct MachineSpeed {
  double gflops = 0;         // of a product of two matrices of kProductExtent, in f32
  double gops = 0;           // of the same, as a profile counts: a multiply-add is one operation
  double copy_gb_per_s = 0;  // read and written, of kCopyBytes
};
inline constexpr int64_t kProductExtent = 512;
inline constexpr size_t kCopyBytes = size_t{64} << 20;

// Takes about a second, with the engine's target and threads.
Result<MachineSpeed> MeasureMachine(const Engine& engine);

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_MACHINE_SPEED_H_
