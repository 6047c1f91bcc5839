/* SPDX-License-Identifier: Apache-2.0 */
/* What a native program has of an operating system through the library: threads, a clock, files.
 * The rules of c_api.h hold here too. */
#ifndef TERN_NATIVE_LIBRARY_NATIVE_API_H_
#define TERN_NATIVE_LIBRARY_NATIVE_API_H_

#include <stddef.h>
#include <stdint.h>

#include "core/api/c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -- The operating system */

/* Memory, worker threads, a monotonic clock, and messages on standard error: what
 * tern_runtime_options.platform asks for. Without one a runtime has a single thread and no clock,
 * so that max_time_ms cannot be kept. May be shared by runtimes and threads; must outlive them and
 * all values made by them. */
typedef struct tern_platform tern_platform;

typedef struct tern_platform_options {
  size_t struct_size;
  int32_t
      threads; /* that compute, the caller's included; 0: one for each processor; at most 1024 */
  int32_t reserved; /* 0 */
} tern_platform_options;

/* options may be NULL. */
TERN_API tern_status* tern_platform_create(const tern_platform_options* options,
                                           tern_platform** platform);
TERN_API void tern_platform_free(tern_platform* platform);
/* Lives as long as the platform. */
TERN_API const TernPlatform* tern_platform_get(const tern_platform* platform);
TERN_API int32_t tern_platform_threads(const tern_platform* platform);

/* -- Files */

/* Loads the program of a file: an executable as it is (mapped, its constants used in place), an
 * ONNX model, assembly (.tasm) or a program (.tn) compiled first. Compilation takes its options
 * from `options`, which may be NULL; a model's external data comes from its own folder unless they
 * say otherwise. Executables and models, whose constants stay in their files, must not be changed
 * while their programs live. */
TERN_API tern_status* tern_program_load_file(tern_runtime* runtime, const char* path,
                                             const tern_compile_options* options,
                                             tern_program** program);
/* Writes the bytes, such as those of a compiled model, to a file: whole, or not at all. */
TERN_API tern_status* tern_buffer_write_file(const tern_buffer* buffer, const char* path);

#ifdef __cplusplus
}
#endif

#endif /* TERN_NATIVE_LIBRARY_NATIVE_API_H_ */
