// SPDX-License-Identifier: Apache-2.0
// `tern compile --native-kernels`: puts native code (objects) beside the loop kernels of an
// executable, or into a library beside it, or takes it out. compile.cc calls it.
#ifndef TERN_NATIVE_CLI_NATIVE_KERNELS_H_
#define TERN_NATIVE_CLI_NATIVE_KERNELS_H_

#include <string>
#include <string_view>
#include <vector>

#include "native/cli/command.h"
#include "native/code/object_target.h"

namespace tern::cli {

struct NativeKernels {
  Buffer executable;
  std::string library;  // the file; empty if none was asked for
  std::string report;  // lines: what was made, and what was not, and why
};

// Names of targets (ParseObjectTargets), or "none".
Result<std::vector<const native::ObjectTarget*>> ParseKernelTargets(std::string_view names);

// Where native code is put.
enum class NativeCodePlace : uint8_t { kExecutable, kLibrary };

// The program's executable with objects for these targets in place of those it has, or without any
// and a library that has them; without targets or loop kernels there is no library. A kernel that a
// target cannot have is left out of it and reported; an error where nothing at all can be made.
Result<NativeKernels> SetNativeKernels(const Program& program,
                                       const std::vector<const native::ObjectTarget*>& targets,
                                       NativeCodePlace place);

}  // namespace tern::cli

#endif  // TERN_NATIVE_CLI_NATIVE_KERNELS_H_
