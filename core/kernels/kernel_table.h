// SPDX-License-Identifier: Apache-2.0
// One vector target's kernels as a table of function pointers, expanded from kernels.def.
// Every target (and reference/) defines, in its own namespace tern::kernels::<target>, one function
// per line of kernels.def, named as there, and `kTable` (table.cc). Included by the kernel sources
// too, so that a definition that differs from the contract does not compile.

#ifndef TERN_CORE_KERNELS_KERNEL_TABLE_H_
#define TERN_CORE_KERNELS_KERNEL_TABLE_H_

#include "core/kernels/kernel.h"

namespace tern::kernels {

// A kernel: TERN_KERNEL_OK or TERN_KERNEL_NO_MEMORY. Neither pointer is null.
template <class Args>
using Kernel = int32_t(const Args* args, const TernKernelContext* context);

struct KernelTable {
  const char* name;  // of the target: "avx2"
#define TERN_KERNEL(name, Args, bound, phrase) Kernel<Args>* name;
#include "core/kernels/kernels.def"
#undef TERN_KERNEL
};

}  // namespace tern::kernels

#ifdef TERN_TARGET_NAME
namespace tern::kernels::TERN_TARGET_NAME {
#define TERN_KERNEL(name, Args, bound, phrase) Kernel<Args> name;
#include "core/kernels/kernels.def"
#undef TERN_KERNEL
extern const KernelTable kTable;
}  // namespace tern::kernels::TERN_TARGET_NAME
#endif

#endif  // TERN_CORE_KERNELS_KERNEL_TABLE_H_
