// SPDX-License-Identifier: Apache-2.0
// Kernels in a shared library, opened by path: a table of functions under the names of primitives
// (kernels_api.h says what the library exports), or code of a program's loop kernels that tern
// compiled (code_library.h). Its code can do whatever this process can.
#ifndef TERN_NATIVE_BACKENDS_KERNEL_LIBRARY_H_
#define TERN_NATIVE_BACKENDS_KERNEL_LIBRARY_H_

#include <memory>
#include <string>
#include <vector>

#include "core/object/function.h"
#include "native/backends/kernels_api.h"
#include "native/code/code_library.h"

namespace tern::native {

// One of the two, or both.
struct KernelLibrary {
  std::vector<FunctionPtr> functions;
  std::shared_ptr<const CodeLibrary> code;  // null if it has none
};

// The library stays in the process: what its kernels returned may be alive when they are gone.
// E0808 where it is for another processor or another layout of values, or says wrong things of its
// kernels; nothing of it is called before all of that is looked at, but for what the system's
// loader calls.
Result<KernelLibrary> OpenKernelLibrary(const std::string& path);

// The kernels of a table, each of which checks arguments and results by its signature. `path` is
// for messages.
Result<std::vector<FunctionPtr>> KernelsOf(const tern_kernel_library& library,
                                           const std::string& path);

// Of two functions that are made here: whether they are one entry of one table.
bool AreOneKernel(const Function& a, const Function& b);

}  // namespace tern::native

#endif  // TERN_NATIVE_BACKENDS_KERNEL_LIBRARY_H_
