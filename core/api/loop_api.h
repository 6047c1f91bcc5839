/* SPDX-License-Identifier: Apache-2.0 */
/* The C interface of the loop compiler: text in; text, WebAssembly or results on copies out. It
 * needs no runtime and knows no programs; the side module tern-loops.wasm exports it, the modules
 * that run programs do not. The rules of c_api.h hold here too.
 */
#ifndef TERN_CORE_API_LOOP_API_H_
#define TERN_CORE_API_LOOP_API_H_

#include "core/api/c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -- Looking at loop programs (.tloop text, docs/loop-ir.md)
 * ------------------------------------------- */

typedef struct tern_loop_request {
  size_t struct_size;
  const char* source_name; /* for messages; NULL is "program.tloop" */
  const char* strategies;  /* comma list; NULL is "schedule" */
  const char* stages;      /* comma list or "all"; NULL for the last */
  const char* target;      /* of core/loop/targets.def; NULL is "reference", or "wasm32" for wasm */
  int32_t vl_form;         /* 1: VL in place of vscale * 4 */
  const char* function;    /* what to count; NULL for the file's first */
  const char* vscales;     /* what to count on: comma list of 1 to 16; NULL is "1" */
  const char* sizes;       /* comma list as in "n=18,m=4"; sizes without a value are errors */
  int64_t max_steps;       /* of the interpreter, each run; 0 is 2^28 */
} tern_loop_request;

/* {"stages": [{"strategy", "stage", "text"}]}. */
TERN_API tern_status* tern_loop_stages(const char* text, size_t size,
                                       const tern_loop_request* request, tern_buffer** json);
/* Runs it in the reference interpreter on made-up data, once per strategy and vscale:
 * {"counts": [...]} as in core/loop/lowering_report.h. */
TERN_API tern_status* tern_loop_counts(const char* text, size_t size,
                                       const tern_loop_request* request, tern_buffer** json);
/* form "llvm": IR text for the target; "wasm": a module. With the first strategy. */
TERN_API tern_status* tern_loop_emit(const char* text, size_t size,
                                     const tern_loop_request* request, const char* form,
                                     tern_buffer** out);

/* -- Kernels of executables
 * --------------------------------------------------------------------------- */

typedef struct tern_loop_kernel tern_loop_kernel;

/* A kernel's text, and the signature of the function that it belongs to, with which it must agree.
 * Files are not trusted: what is said to be proven has been. */
TERN_API tern_status* tern_loop_kernel_create(const char* name, const void* text, size_t size,
                                              const char* signature, tern_loop_kernel** kernel);
TERN_API void tern_loop_kernel_free(tern_loop_kernel* kernel);
/* {"signature", "results", "slots": [...], "zeroed"}: what tern_kernel_spec (c_api.h) wants for
 * its code; "unproven": empty, or why it cannot be emitted: an access that is not known to stay in
 * its buffer, or a loop that is not known to end. */
TERN_API tern_status* tern_loop_kernel_describe(tern_loop_kernel* kernel, tern_buffer** json);
/* A module that exports the kernel's one function, (buffers: i32, slots: i32) -> i32; it imports
 * env.memory and, where *scratch_bytes is not 0, the address of so many bytes, 16-byte aligned, as
 * env.scratch. An error where something is unproven. */
TERN_API tern_status* tern_loop_kernel_emit_wasm(tern_loop_kernel* kernel, int32_t relaxed_simd,
                                                 tern_buffer** module, uint32_t* scratch_bytes);

/* The reference interpreter on memory of its own: begin allocates the *buffers buffers for these
 * slots, tern_loop_kernel_buffer tells where each is, run runs, end frees them. */
TERN_API tern_status* tern_loop_kernel_begin(tern_loop_kernel* kernel, const int64_t* slots,
                                             size_t count, uint32_t* buffers);
TERN_API void* tern_loop_kernel_buffer(tern_loop_kernel* kernel, uint32_t index, size_t* bytes);
TERN_API tern_status* tern_loop_kernel_run(tern_loop_kernel* kernel);
TERN_API void tern_loop_kernel_end(tern_loop_kernel* kernel);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TERN_CORE_API_LOOP_API_H_ */
