// SPDX-License-Identifier: Apache-2.0
// Kernels: operators that are defined by loop programs. The text between a kernel's braces is the
// body of a `te` definition (core/loop), whose head is the kernel's. The parser of core/loop reads
// both where they stand, so that its places are those of the program's file.
#ifndef TERN_CORE_LANG_KERNEL_H_
#define TERN_CORE_LANG_KERNEL_H_

#include "core/lang/program.h"

namespace tern::lang {

// Fills KernelDecl::definition of every kernel that has no mistake. Types are inferred already;
// about a kernel whose head was complained about nothing more is said.
void ReadKernels(Program* program, text::Diagnostics* diagnostics);

}  // namespace tern::lang

#endif  // TERN_CORE_LANG_KERNEL_H_
