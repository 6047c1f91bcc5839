/* SPDX-License-Identifier: Apache-2.0 */
/* Models compiled a step at a time, for programs that have something else to do between the steps:
 * events of a page, a bar of progress, a wish to stop. The rules of c_api.h hold here too. */
#ifndef TERN_CORE_API_COMPILATION_API_H_
#define TERN_CORE_API_COMPILATION_API_H_

#include <stddef.h>
#include <stdint.h>

#include "core/api/c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -- Compiling in steps */

/* tern_compile_onnx that can be paused; freeing it gives up what is left. One thread at a time. */
typedef struct tern_compilation tern_compilation;

/* The model's bytes, the runtime and what external_data gives must live until it is freed; the
 * texts of the options need not. Nothing is read yet. */
TERN_API tern_status* tern_compilation_create(tern_runtime* runtime, const void* bytes, size_t size,
                                              const tern_compile_options* options,
                                              tern_compilation** compilation);
/* Imports the model at first, then runs a pass of the compiler with each call. *left is how many
 * steps are left; at 0 there is none, and a call does nothing. A step takes some milliseconds, more
 * where much is packed. After an error every step and finish fail (E0705). */
TERN_API tern_status* tern_compilation_step(tern_compilation* compilation, int32_t* left);
/* The executable, once, when no step is left; before, and a second time, E0705. `stages` as in
 * tern_compile_onnx. */
TERN_API tern_status* tern_compilation_finish(tern_compilation* compilation,
                                              tern_buffer** executable, tern_buffer** stages);
TERN_API void tern_compilation_free(tern_compilation* compilation);

#ifdef __cplusplus
}
#endif

#endif /* TERN_CORE_API_COMPILATION_API_H_ */
