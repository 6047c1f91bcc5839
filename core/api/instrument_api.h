/* SPDX-License-Identifier: Apache-2.0 */
/* The caller's own function around the primitives that a program calls: to measure, to look at
 * tensors, to compute something in another way. The rules of c_api.h hold here too. */
#ifndef TERN_CORE_API_INSTRUMENT_API_H_
#define TERN_CORE_API_INSTRUMENT_API_H_

#include <stddef.h>
#include <stdint.h>

#include "core/api/c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -- Instruments */

/* A call of a primitive: an operator, a kernel, a function of the host. What it points to lives as
 * long as the instrument's call. */
typedef struct tern_call_event {
  size_t struct_size;  /* set by the library: what a smaller struct lacks, it does not know */
  const char* name;    /* of the primitive, with its attributes: "add", "softmax{axis=1}" */
  const TernAny* args; /* borrowed */
  int32_t num_args;
  int32_t num_outputs;   /* the last so many of args are tensors that the call writes */
  uint32_t pc;           /* of the instruction, in the whole code */
  int32_t is_after;      /* 0: before the call; 1: after it */
  const TernAny* result; /* after a call that went well: what it gave; else NULL */
  const char* error;     /* after one that failed: its message; else NULL */
} tern_call_event;

typedef enum tern_call_action {
  TERN_CALL_RUN = 0,
  TERN_CALL_SKIP = 1 /* the call is not made, and not told of again */
} tern_call_action;

/* Called before a call, where it returns a tern_call_action, and after it, where what it returns
 * does not count. Before a call *result is none: with TERN_CALL_SKIP it may get an owned value,
 * which the program goes on with instead; outputs are then the instrument's to write. After it
 * `result` is NULL. The machine may be read and cancelled in it, not run. */
typedef int32_t (*tern_instrument)(void* context, const tern_call_event* event, TernAny* result);

/* From the next run on, of this machine; NULL takes it off. Not while the machine runs. It costs
 * where it is set alone. One of this and tern_vm_set_parallel_calls: what was set before ends. A
 * profile (tern_vm_profile) is taken without it. */
TERN_API tern_status* tern_vm_set_instrument(tern_vm* vm, tern_instrument instrument,
                                             void* context);

#ifdef __cplusplus
}
#endif

#endif /* TERN_CORE_API_INSTRUMENT_API_H_ */
