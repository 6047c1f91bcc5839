/* SPDX-License-Identifier: Apache-2.0 */
/* C11: from a model's file to a result that other frameworks take, a DLPack tensor.
 *   digit MODEL IMAGE     IMAGE: 28 x 28 bytes, 0 is black */
#include <stdio.h>
#include <stdlib.h>
#include <tern/tern.h>

static void Check(tern_status* status) {
  if (status == NULL) return;
  fputs(tern_status_text(status), stderr);
  exit(1);
}

static void ReadImage(const char* path, float* image) {
  FILE* file = fopen(path, "rb");
  for (int i = 0, byte; file != NULL && i < 784 && (byte = fgetc(file)) != EOF; ++i)
    image[i] = (float)byte;
  if (file == NULL || fclose(file) != 0) exit(1);
}

int main(int argc, char** argv) {
  if (argc != 3) return fputs("usage: digit MODEL IMAGE\n", stderr), 2;
  tern_runtime* runtime;
  tern_program* program;
  tern_vm* vm;
  TernAny image = {0}, output = {0};
  void* pixels;
  TernDLManagedTensorVersioned* result;

  Check(TERN_ABI_CHECK());
  Check(tern_runtime_create(NULL, &runtime));
  Check(tern_program_load_file(runtime, argv[1], NULL, &program));
  Check(tern_vm_create(program, NULL, &vm));
  Check(tern_tensor_new(runtime, "f32", 4, (const int64_t[]){1, 1, 28, 28}, &image));
  Check(tern_tensor_view(&image, &pixels, NULL, NULL, NULL, NULL));
  ReadImage(argv[2], pixels);
  Check(tern_vm_call(vm, "main", &image, 1, &output));
  Check(tern_tensor_to_dlpack(&output, &result));

  const float* p = (const float*)result->dl_tensor.data;
  int best = 0;
  for (int i = 1; i < 10; ++i) best = p[i] > p[best] ? i : best;
  printf("digit %d (%.2f %%), f32[%d, %d]\n", best, 100 * (double)p[best],
         (int)result->dl_tensor.shape[0], (int)result->dl_tensor.shape[1]);

  result->deleter(result);
  tern_any_release(&output);
  tern_any_release(&image);
  tern_vm_free(vm);
  tern_program_free(program);
  tern_runtime_free(runtime);
  return 0;
}
