// SPDX-License-Identifier: Apache-2.0
// Chooses how the kernels of a program run in this process, and gives the program the backends.
//
//   policy       has operators                      has none (a `kernel` of the language)
//   auto         object, LLVM after some work,      object, LLVM after some work, meanwhile and
//                meanwhile and else operators       else the interpreter
//   operators    operators                          none
//   interpreter  interpreter, else operators        interpreter, else none
//   compiled     LLVM, else object, else operators  LLVM, else object, else interpreter, else none
//
// Object: code that was compiled ahead and fits the processor, of a library that the caller opened,
// or of the file where the caller allows that.
// None: the function fails when it is called, and says why.
//
// What a kernel costs is paid when it is needed: by `auto` nothing of a loop program is looked at
// when it is prepared, but at its first call, or once its operators had work enough, or when the
// backends are listed. The other policies look at once.
#ifndef TERN_NATIVE_BACKENDS_KERNEL_BACKENDS_H_
#define TERN_NATIVE_BACKENDS_KERNEL_BACKENDS_H_

#include "core/vm/linker.h"
#include "native/backends/kernel_policy.h"
#include "native/code/choose_code.h"

namespace tern::native {

struct KernelOptions {
  KernelPolicy policy = KernelPolicy::kAuto;
  // Native code that the file brings along is run. It can do whatever this process can.
  bool allow_native_code = false;
  // Look for LLVM now, which takes tens of milliseconds, rather than when the first kernel is to be
  // compiled. Callers set it that show the backends.
  bool look_for_llvm = false;
  // Have native code of kernels beside the executable's, and come first.
  CodeLibraries libraries = {};
};

// Chooses a backend for each kernel of the program. Any thread. A kernel that cannot be read or
// bound is no error: it gets another backend, and vm::WriteKernelsJson writes the reason. E0808: a
// library was made beside another version of the program.
Status PrepareKernels(const vm::Program& program, const KernelOptions& options);

// Each kernel of the program as text: its loops, those lowered for this processor, and the LLVM IR
// that is compiled; or why not.
std::string KernelListings(const vm::Program& program);

}  // namespace tern::native

#endif  // TERN_NATIVE_BACKENDS_KERNEL_BACKENDS_H_
