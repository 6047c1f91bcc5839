// SPDX-License-Identifier: Apache-2.0
// The kernels of the target that this file is compiled for, as a table. CMake compiles the sources
// of the kernels once per target, each time in another namespace; choose.cc picks one table.

#include "core/kernels/kernel_table.h"

namespace tern::kernels::TERN_TARGET_NAME {

// Of one size for all targets, and no literal that the linker merges with others that end alike:
// WebAssembly's modules have the same addresses with either target (wasm/split_module.py).
constexpr char kLabel[16] = TERN_TARGET_LABEL;

const KernelTable kTable = {
    kLabel,
#define TERN_KERNEL(name, Args, bound, phrase) &name,
#include "core/kernels/kernels.def"
#undef TERN_KERNEL
};

}  // namespace tern::kernels::TERN_TARGET_NAME
