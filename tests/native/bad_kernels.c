/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries of kernels with one mistake each, by TERN_MISTAKE (kernel_library_test.py). */
#include <tern/tern.h>

static int32_t Nothing(void* self, const TernAny* args, int32_t num_args, TernAny* result) {
  (void)self, (void)args, (void)num_args;
#if TERN_MISTAKE == 7 /* the result is not what the signature says */
  result->type_code = TERN_TYPE_FLOAT;
#else
  (void)result;
#endif
  return 0;
}

static const tern_library_kernel kKernels[] = {
#if TERN_MISTAKE == 1
    {NULL, "()", &Nothing},
#elif TERN_MISTAKE == 2
    {"example.triangle", "(n: int", &Nothing},
#elif TERN_MISTAKE == 3
    {"example.triangle", "(n: int)", NULL},
#elif TERN_MISTAKE == 4
    {"example.triangle", "(n: int)", &Nothing}, {"example.triangle", "(n: int)", &Nothing},
#elif TERN_MISTAKE == 5
    {"example.triangle", NULL, &Nothing},
#else
    {"example.triangle", "(n: int) -> int", &Nothing},
#endif
};

#if TERN_MISTAKE == 6 /* a layout of values that does not exist yet */
extern const tern_kernel_library tern_kernels_of_library;
const tern_kernel_library tern_kernels_of_library = {
    sizeof(tern_kernel_library), TERN_ABI_MAJOR + 1, 0, kKernels, 1};
#elif TERN_MISTAKE == 8
extern const tern_kernel_library tern_kernels_of_library;
const tern_kernel_library tern_kernels_of_library = {
    sizeof(size_t), TERN_ABI_MAJOR, TERN_ABI_MINOR, kKernels, 1};
#elif TERN_MISTAKE == 9
extern const tern_kernel_library tern_kernels_of_library;
const tern_kernel_library tern_kernels_of_library = {
    sizeof(tern_kernel_library), TERN_ABI_MAJOR, TERN_ABI_MINOR, kKernels, 0};
#elif TERN_MISTAKE == 10 /* a function that nobody has */
extern int32_t tern_no_such_function(void);
int32_t (*const tern_needs)(void) = &tern_no_such_function;
TERN_KERNEL_LIBRARY(kKernels);
#elif TERN_MISTAKE == 11 /* exports nothing */
const tern_library_kernel* tern_other_name(void) { return kKernels; }
#else
TERN_KERNEL_LIBRARY(kKernels);
#endif
