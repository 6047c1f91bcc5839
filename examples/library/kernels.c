/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels in a shared library, which programs call by name. It needs the header alone:
 *   cc -std=c11 -O2 -fPIC -shared kernels.c -o kernels.so
 *   tern run program.tasm --kernel-library kernels.so --allow-native-code … */
#include <tern/tern.h>

static const TernDLTensor* TensorOf(const TernAny* value) {
  return &((const TernTensor*)value->v.object)->dl.tensor;
}
static float* FloatsOf(const TernDLTensor* tensor) {
  return (float*)((char*)tensor->data + tensor->byte_offset);
}

/* y = x * factor. The caller has made y, and the signature has been checked: both are f32 tensors
 * of one length. */
static int32_t Scale(void* self, const TernAny* args, int32_t num_args, TernAny* result) {
  const TernDLTensor* x = TensorOf(&args[0]);
  const int64_t step = x->strides == NULL ? 1 : x->strides[0];
  float* y = FloatsOf(TensorOf(&args[2]));
  (void)self, (void)num_args, (void)result;
  for (int64_t i = 0; i < x->shape[0]; ++i) y[i] = FloatsOf(x)[i * step] * (float)args[1].v.f;
  return 0;
}

/* A result that is no tensor is returned. */
static int32_t Triangle(void* self, const TernAny* args, int32_t num_args, TernAny* result) {
  const int64_t n = args[0].v.i;
  (void)self, (void)num_args;
  if (n < 0 || n > INT32_MAX) return 1; /* a failure: any number but 0 */
  result->type_code = TERN_TYPE_INT;
  result->v.i = n * (n + 1) / 2;
  return 0;
}

static const tern_library_kernel kKernels[] = {
    {"example.scale", "(x: f32[n], factor: float, y: f32[n])", &Scale},
    {"example.triangle", "(n: int) -> int", &Triangle},
};
TERN_KERNEL_LIBRARY(kKernels);
