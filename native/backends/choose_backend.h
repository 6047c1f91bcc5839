// SPDX-License-Identifier: Apache-2.0
// The backend of one kernel by the policy's table (kernel_backends.h), found by trying.
#ifndef TERN_NATIVE_BACKENDS_CHOOSE_BACKEND_H_
#define TERN_NATIVE_BACKENDS_CHOOSE_BACKEND_H_

#include "core/vm/executable.h"
#include "core/vm/program_kernels.h"
#include "native/backends/kernel_backends.h"

namespace tern::native {

// A function that has a loop program. It holds the executable and not the program, whose backends
// may hold it.
struct BackendSource {
  vm::ExecutablePtr executable;
  uint32_t function = 0;
  bool has_operators = false;
  KernelOptions options;
};

// Reads the loop program, lays it beside the function and proves its accesses, as far as the policy
// wants it. Any thread. A kernel that cannot be read or bound gets a backend, too: the operators,
// or a function that reports the reason.
Result<vm::KernelBackend> ChooseBackend(const BackendSource& source);

}  // namespace tern::native

#endif  // TERN_NATIVE_BACKENDS_CHOOSE_BACKEND_H_
