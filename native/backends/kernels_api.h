/* SPDX-License-Identifier: Apache-2.0 */
/* How the loop kernels of a program run in this process, for hosts that use the C interface
 * (core/api/c_api.h). Link the library tern_native_backends_api. */
#ifndef TERN_NATIVE_BACKENDS_KERNELS_API_H_
#define TERN_NATIVE_BACKENDS_KERNELS_API_H_

#include <stddef.h>
#include <stdint.h>

#include "core/api/c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tern_kernel_options {
  size_t struct_size;
  const char* policy; /* "auto", "operators", "interpreter" or "compiled"; NULL is "auto" */
  /* 1: native code that the executable brings along is run, where this processor can. Such code can
   * do whatever this process can: say so only of files whose maker you trust. 0: it is not looked
   * at. */
  int32_t allow_native_code;
  /* 1: "auto" finds out now whether LLVM is there, which takes tens of milliseconds, so that
   * tern_program_kernels tells; 0: when the first kernel is to be compiled. */
  int32_t look_for_llvm;
} tern_kernel_options;

/* Gives each kernel of the program the best backend that the options let it have; machines made
 * afterwards take it. Without this call they run the bytecode. A kernel that is no good is no
 * error: it gets another backend, and tern_program_kernels has the reason. options may be NULL. */
tern_status* tern_program_prepare_kernels(tern_program* program,
                                          const tern_kernel_options* options);

/* -- Kernels in a shared library */

/* One function that programs call by name. Its arguments are those of the call in the bytecode; of
 * one with tensors that the caller made (invoke_packed) these follow, and are written to. The
 * signature (docs/vm.md) is checked before each call, and the result behind it: "(x: f32[n], y:
 * f32[n])", or "(n: int) -> int". `self` is of no use here. */
typedef struct tern_library_kernel {
  const char* name;
  const char* signature;
  TernPackedCall call;
} tern_library_kernel;

/* What a library exports as tern_kernels_of_library. */
typedef struct tern_kernel_library {
  size_t struct_size;
  uint32_t abi_major; /* TERN_ABI_MAJOR and TERN_ABI_MINOR that it was compiled with */
  uint32_t abi_minor;
  const tern_library_kernel* kernels;
  size_t count;
} tern_kernel_library;

#ifdef __cplusplus
#define TERN_KERNEL_LIBRARY_LINKAGE extern "C"
#else
#define TERN_KERNEL_LIBRARY_LINKAGE extern
#endif
/* Written once in a library, behind its table: an array of tern_library_kernel. */
#define TERN_KERNEL_LIBRARY(table)                                                              \
  TERN_KERNEL_LIBRARY_LINKAGE __attribute__((visibility("default")))                            \
  const tern_kernel_library tern_kernels_of_library;                                            \
  const tern_kernel_library tern_kernels_of_library = {sizeof(tern_kernel_library),             \
                                                       TERN_ABI_MAJOR, TERN_ABI_MINOR, (table), \
                                                       sizeof(table) / sizeof((table)[0])}

/* Gives the kernels of a shared library to the programs that this runtime loads afterwards, which
 * find them by name ahead of everything that is registered. Of a library that `tern compile
 * --native-library` made, the programs whose kernels are prepared afterwards take the code of
 * their loop kernels; it is refused then where it was made beside another version of the
 * program. allow_native_code must be 1: the
 * library's code can do whatever this process can. It stays in the process. Not to be called while
 * another thread loads a program; a library that is loaded already changes nothing. */
tern_status* tern_runtime_load_kernels(tern_runtime* runtime, const char* path,
                                       int32_t allow_native_code);

#ifdef __cplusplus
}
#endif

#endif /* TERN_NATIVE_BACKENDS_KERNELS_API_H_ */
