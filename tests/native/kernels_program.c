/* SPDX-License-Identifier: Apache-2.0 */
/* A program in C99 that prepares the kernels of an executable with native code for two processors
 * (tests/compat), with and without leave to run it. Exit code 0: everything is as it should be. */
#include "native/backends/kernels_api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void Check(int condition, const char* what) {
  if (condition) return;
  fprintf(stderr, "kernels_program: %s\n", what);
  exit(1);
}

static void Ok(tern_status* status) {
  Check(status == NULL, status == NULL ? "" : tern_status_text(status));
}

static tern_program* Load(tern_runtime* runtime) {
  static char bytes[1 << 16];
  FILE* file = fopen(TERN_SOURCE_DIR "/tests/compat/1.0-kernels.tern", "rb");
  tern_program* program = NULL;
  size_t size;
  Check(file != NULL, "the file is missing");
  size = fread(bytes, 1, sizeof(bytes), file);
  fclose(file);
  Ok(tern_program_load(runtime, bytes, size, NULL, NULL, &program));
  return program;
}

/* Whether the list of kernels, which is short, has some words. */
static int Says(tern_program* program, const char* words) {
  tern_buffer* list = NULL;
  int found;
  Ok(tern_program_kernels(program, &list));
  found = strstr((const char*)tern_buffer_data(list), words) != NULL;
  tern_buffer_free(list);
  return found;
}

static void Run(tern_runtime* runtime, tern_program* program) {
  const int64_t shape[] = {1000};
  TernAny x, y;
  void* from = NULL;
  void* to = NULL;
  int i;
  tern_vm* machine = NULL;
  memset(&x, 0, sizeof(x));
  memset(&y, 0, sizeof(y));
  Ok(tern_vm_create(program, NULL, &machine));
  Ok(tern_tensor_new(runtime, "f32", 1, shape, &x));
  Ok(tern_tensor_view(&x, &from, NULL, NULL, NULL, NULL));
  for (i = 0; i < 1000; ++i) ((float*)from)[i] = (float)i;
  Ok(tern_vm_call(machine, "main", &x, 1, &y));
  Ok(tern_tensor_view(&y, &to, NULL, NULL, NULL, NULL));
  Check(memcmp(from, to, 1000 * sizeof(float)) == 0, "another result");
  tern_any_release(&x);
  tern_any_release(&y);
  tern_vm_free(machine);
}

int main(void) {
  tern_kernel_options options;
  tern_runtime* runtime = NULL;
  tern_program* program;
  tern_status* wrong;
  memset(&options, 0, sizeof(options));
  options.struct_size = sizeof(options);
  Ok(tern_runtime_create(NULL, &runtime));
  program = Load(runtime);

  Ok(tern_program_prepare_kernels(program, NULL));
  Check(Says(program, "is present, not allowed"), "native code has to be allowed");
  Run(runtime, program);

  options.allow_native_code = 1;
  Ok(tern_program_prepare_kernels(program, &options));
  Check(!Says(program, "not allowed"), "native code was allowed");
  Run(runtime, program);

  options.policy = "fastest";
  wrong = tern_program_prepare_kernels(program, &options);
  Check(wrong != NULL && strcmp(tern_status_code(wrong), "E0003") == 0, "no such policy");
  tern_status_free(wrong);
  tern_program_free(program);
  tern_runtime_free(runtime);
  return 0;
}
