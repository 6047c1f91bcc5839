// SPDX-License-Identifier: Apache-2.0
// Kernels: operators that are defined by loop programs. The text between a kernel's braces is the
// body of a `te` definition (core/loop), whose head is the kernel's; it is checked here, with
// places in the program's own file, and kept as text for the IR.
#ifndef TERN_CORE_LANG_KERNEL_H_
#define TERN_CORE_LANG_KERNEL_H_

#include "core/lang/program.h"

namespace tern::lang {

// Fills KernelDecl::loop_text of every kernel that has no mistake. Types are inferred already;
// about a kernel whose head was complained about nothing more is said.
void ReadKernels(Program* program, text::Diagnostics* diagnostics);

}  // namespace tern::lang

#endif  // TERN_CORE_LANG_KERNEL_H_
