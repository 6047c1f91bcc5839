/* SPDX-License-Identifier: Apache-2.0 */
/* What functions of programs take and return, as plain structs. The rules of c_api.h hold here
 * too. */
#ifndef TERN_CORE_API_SIGNATURE_API_H_
#define TERN_CORE_API_SIGNATURE_API_H_

#include <stddef.h>
#include <stdint.h>

#include "core/api/c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -- Signatures: for programs that do not read the JSON of tern_program_info */

/* Lives until it is freed, also longer than the program. An unknown name is an error that lists
 * those there are. */
typedef struct tern_signature tern_signature;

/* A parameter, or a result, each element of a tuple that is returned being one. */
typedef struct tern_value_type {
  size_t struct_size;     /* set by the caller; what a smaller struct has no room for is left out */
  const char* name;       /* empty where it has none */
  const char* type;       /* "f32[batch, 1, 28, 28]", "int" */
  const char* dtype;      /* "f32"; NULL where it is no tensor, or one of any data type */
  int32_t rank;           /* -1 where it is no tensor, or one of any rank */
  const int64_t* extents; /* `rank` of them, -1 where a run decides */
  const char* const* symbols; /* `rank` of them: NULL for a known extent, else "batch", "2 * n", or
                                 "?". A symbol has one extent wherever it stands. */
} tern_value_type;

TERN_API tern_status* tern_program_signature(tern_program* program, const char* function,
                                             tern_signature** signature);
TERN_API void tern_signature_free(tern_signature* signature);
TERN_API int32_t tern_signature_parameters(const tern_signature* signature);
TERN_API int32_t tern_signature_results(const tern_signature* signature);
/* What they point to lives as long as the signature. */
TERN_API tern_status* tern_signature_parameter(const tern_signature* signature, int32_t index,
                                               tern_value_type* type);
TERN_API tern_status* tern_signature_result(const tern_signature* signature, int32_t index,
                                            tern_value_type* type);

#ifdef __cplusplus
}
#endif

#endif /* TERN_CORE_API_SIGNATURE_API_H_ */
