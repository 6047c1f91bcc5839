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

#ifdef __cplusplus
}
#endif

#endif /* TERN_NATIVE_BACKENDS_KERNELS_API_H_ */
