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

/* -- Looking at loop programs (.tloop text, docs/loop-ir.md) */

typedef struct tern_loop_request {
  size_t struct_size;
  const char* source_name; /* for messages; NULL is "program.tloop" */
  const char* strategies;  /* comma list; NULL is "schedule" */
  const char* stages;      /* comma list or "all"; NULL for the last */
  const char* target; /* of core/loop/targets.def; NULL is "reference", of wasm and wat "wasm32" */
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
 * {"counts": [...]} as in core/loop/report/lowering_report.h. */
TERN_API tern_status* tern_loop_counts(const char* text, size_t size,
                                       const tern_loop_request* request, tern_buffer** json);

/* How iterations are shown; all zeros: counters only. */
typedef struct tern_loop_lanes_options {
  size_t struct_size;
  int32_t head, tail;   /* of iterations whose lanes are alike, so many of the first and the last */
  int64_t first, count; /* and these, by number */
  int64_t n;            /* of every size that the request does not name; -1: those are errors */
  int64_t check_lanes;  /* up to so many lanes in all, a full run checks the counters */
} tern_loop_lanes_options;

/* What every lane does in every iteration, once per strategy and vscale: {"lanes": [...]} as in
 * core/loop/report/lane_report.h. Data are computed only where control depends on them, and
 * iterations that are alike are counted without being done, so the time does not grow with the
 * sizes there. */
TERN_API tern_status* tern_loop_lanes(const char* text, size_t size,
                                      const tern_loop_request* request,
                                      const tern_loop_lanes_options* options, tern_buffer** json);
/* form "llvm": IR text for the target; "wasm": a module; "wat": its text. With the first strategy.
 * "llvm" with vscales has comments that say what scalable types are at the first of them. */
TERN_API tern_status* tern_loop_emit(const char* text, size_t size,
                                     const tern_loop_request* request, const char* form,
                                     tern_buffer** out);

/* -- Kernels of executables */

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

/* -- The search for schedules (docs/loop-ir.md, Tuning) */

/* A search for WebAssembly code. It says what to measure next and is told what that cost; calling
 * the code and looking at a clock is the caller's:
 *
 *   next; emit CANDIDATE; run it on buffers like those of tern_loop_tuner_buffer; check each;
 *   report its time beside that of the program as written; again until next says "done".
 */
typedef struct tern_loop_tuner tern_loop_tuner;

typedef struct tern_loop_tune_request {
  size_t struct_size;
  const char* source_name; /* for messages; NULL is "program.tloop" */
  const char* function;    /* NULL for the file's only one */
  const char* sizes;       /* comma list as in "n=18,m=4"; others get usual ones */
  const char* log;         /* what was measured before, line by line; NULL for nothing */
  int32_t trials;          /* schedules at most, those of the log included; 3 or more */
  int64_t max_steps;       /* of the interpreter, which runs the program as written; 0 is 2^28 */
  uint64_t seed;           /* of the search's random choices */
  double min_gain;         /* over the program as written, to be preferred to it: 0.03 is 3 % */
} tern_loop_tune_request;

/* Lowers the program and runs it once in the reference interpreter, whose results are those that
 * candidates must give. */
TERN_API tern_status* tern_loop_tuner_create(const char* text, size_t size,
                                             const tern_loop_tune_request* request,
                                             tern_loop_tuner** tuner);
TERN_API void tern_loop_tuner_free(tern_loop_tuner* tuner);
/* {"function", "sizes": {name: size}, "slots": [bits, as decimal text], "buffers": [{"name",
 * "result": whether it is written}]}. */
TERN_API tern_status* tern_loop_tuner_describe(tern_loop_tuner* tuner, tern_buffer** json);
/* What a buffer holds before a run; NULL where there is none of that number. Not to be written. */
TERN_API const void* tern_loop_tuner_buffer(tern_loop_tuner* tuner, uint32_t index, size_t* bytes);
/* {"done", "choice", "baseline", "entries": [{"line": of the log, "known": it came from there}]}:
 * the choice to measure, whether a search may not end without it, and what was settled since the
 * last call. The same choice until one of report and fail was called. */
TERN_API tern_status* tern_loop_tuner_next(tern_loop_tuner* tuner, tern_buffer** json);

/* Which code: that of the program as written, of the choice of next, of the best so far. */
enum { TERN_TUNE_AS_WRITTEN = 0, TERN_TUNE_CANDIDATE = 1, TERN_TUNE_BEST = 2 };
/* As tern_loop_kernel_emit_wasm. Nothing is proven of the program: run it in memory of its own. */
TERN_API tern_status* tern_loop_tuner_emit_wasm(tern_loop_tuner* tuner, int32_t which,
                                                int32_t relaxed_simd, tern_buffer** module,
                                                uint32_t* scratch_bytes);
/* What code left in a buffer: E0530 where that is not what the interpreter leaves there. */
TERN_API tern_status* tern_loop_tuner_check(tern_loop_tuner* tuner, uint32_t index,
                                            const void* data, size_t bytes);
/* Of the choice of next: what it and the program as written cost, measured side by side; or why it
 * cannot be measured. */
TERN_API tern_status* tern_loop_tuner_report(tern_loop_tuner* tuner, double cost,
                                             double default_cost, const char* unit);
TERN_API tern_status* tern_loop_tuner_fail(tern_loop_tuner* tuner, const char* why);
/* {"text": the file with that schedule, "choice", "schedule", "ratio", "measured", "resumed"}, of
 * the best so far or of the program as written. */
TERN_API tern_status* tern_loop_tuner_result(tern_loop_tuner* tuner, int32_t which,
                                             tern_buffer** json);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TERN_CORE_API_LOOP_API_H_ */
