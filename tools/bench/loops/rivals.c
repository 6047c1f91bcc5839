/* SPDX-License-Identifier: Apache-2.0 */
/* The loops as one writes them in C, for a compiler's own vectorizer; compiled, as C or as C++,
 * when the benchmark runs. All have one signature, used or not. There are no headers for some of
 * the targets. */
typedef long long Size;
#ifdef __cplusplus
#define LINKAGE extern "C"
#else
#define LINKAGE
#endif
#define RIVAL(name, T)                                                    \
  LINKAGE __attribute__((visibility("default"))) void name(               \
      const T* __restrict__ a, T* __restrict__ b, T* __restrict__ c, Size n, double scalar)

RIVAL(add, float) {
  (void)scalar;
  for (Size i = 0; i < n; ++i) c[i] = a[i] + b[i];
}

RIVAL(daxpy, double) {
  for (Size i = 0; i < n; ++i) c[i] = scalar * a[i] + b[i];
}

RIVAL(relu, float) {
  (void)c, (void)scalar;
  for (Size i = 0; i < n; ++i) b[i] = a[i] > 0 ? a[i] : 0;
}

/* Its additions may be reordered, as ours are. */
RIVAL(dot, float) {
#pragma clang fp reassociate(on)
  (void)scalar;
  float sum = 0;
  for (Size i = 0; i < n; ++i) sum += a[i] * b[i];
  *c = sum;
}
