/* SPDX-License-Identifier: Apache-2.0 */
/* The builder from C: (x + 10) * 3 on ints, built, loaded and run. */
#include <stdio.h>

#include "core/api/c_api.h"

static int Failed(tern_status* status) {
  if (status == NULL) return 0;
  fprintf(stderr, "%s", tern_status_text(status));
  tern_status_free(status);
  return 1;
}

static tern_operand R(int64_t index) {
  tern_operand operand = {TERN_OPERAND_REGISTER, 0, index};
  return operand;
}
static tern_operand Imm(int64_t value) {
  tern_operand operand = {TERN_OPERAND_IMMEDIATE, 0, value};
  return operand;
}

/* Registers may have any number; the file has as many as are used. */
static tern_status* Build(tern_runtime* runtime, tern_buffer** file) {
  tern_builder* ib = NULL;
  tern_status* status = tern_builder_create(runtime, &ib);
  if (status != NULL) return status;
  status = tern_builder_begin_function(ib, "main", "(x: int) -> int", 0);
  tern_operand move[2], add[3], mul[3], result = R(3);
  if (status == NULL) {
    move[0] = R(1000);
    status = tern_builder_constant_text(ib, "int 3", 1, &move[1]);
  }
  if (status == NULL) status = tern_builder_emit(ib, "load_const", move, 2);
  add[0] = R(2), add[1] = R(0), add[2] = Imm(10);
  if (status == NULL) status = tern_builder_emit(ib, "add", add, 3);
  mul[0] = R(3), mul[1] = R(2), mul[2] = R(1000);
  if (status == NULL) status = tern_builder_emit(ib, "mul", mul, 3);
  if (status == NULL) status = tern_builder_emit(ib, "ret", &result, 1);
  if (status == NULL) status = tern_builder_end_function(ib, NULL);
  if (status == NULL) status = tern_builder_finish(ib, file);
  tern_builder_free(ib);
  return status;
}

static tern_status* Run(tern_runtime* runtime, const tern_buffer* file, TernAny* result) {
  tern_program* program = NULL;
  tern_vm* vm = NULL;
  TernAny x = {0};
  tern_status* status = tern_program_load(runtime, tern_buffer_data(file), tern_buffer_size(file),
                                          NULL, NULL, &program);
  if (status == NULL) status = tern_vm_create(program, NULL, &vm);
  x.type_code = TERN_TYPE_INT;
  x.v.i = 4;
  if (status == NULL) status = tern_vm_call(vm, "main", &x, 1, result);
  tern_vm_free(vm);
  tern_program_free(program);
  return status;
}

int main(void) {
  tern_runtime* runtime = NULL;
  tern_buffer* file = NULL;
  TernAny result = {0};
  if (Failed(tern_runtime_create(NULL, &runtime))) return 1;
  if (Failed(Build(runtime, &file)) || Failed(Run(runtime, file, &result))) return 1;
  printf("(4 + 10) * 3 = %lld\n", (long long)result.v.i);
  tern_buffer_free(file);
  tern_runtime_free(runtime);
  return result.v.i == 42 ? 0 : 1;
}
