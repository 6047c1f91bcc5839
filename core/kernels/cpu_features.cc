// SPDX-License-Identifier: Apache-2.0
// CPUID through the compiler's runtime on x86-64, the auxiliary vector on AArch64 under Linux. A
// module of WebAssembly holds one table, chosen by who loads it.

#include "core/kernels/cpu_features.h"

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

namespace tern::kernels {

#if defined(__x86_64__)

namespace {
// The features that the compiled tables need (choose.h); a table for AVX-512 also uses what AVX2
// has. __builtin_cpu_supports also asks whether the system saves the wide registers.
uint32_t DetectBits() {
  __builtin_cpu_init();
  uint32_t bits = 0;
  if (__builtin_cpu_supports("sse4.2")) bits |= kCpuSse4;
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  if (avx2) bits |= kCpuAvx2;
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (avx512) bits |= kCpuAvx512;
  return bits;
}
}  // namespace

bool HasDotProduct() { return false; }

int32_t ScalableVectorBytes() { return 0; }

#elif defined(__aarch64__) && defined(__linux__)

namespace {
// HWCAP_ASIMDDP and HWCAP_SVE of the kernel's <asm/hwcap.h>.
constexpr unsigned long kHwcapDotProduct = 1ul << 20, kHwcapSve = 1ul << 22;
constexpr int kPrSveGetVl = 51;                 // PR_SVE_GET_VL
constexpr int kPrSveVlMask = 0xffff;

uint32_t DetectBits() {
  const bool sve = (getauxval(AT_HWCAP) & kHwcapSve) != 0;
  return kCpuNeon | (sve ? kCpuSve : 0u);
}
}  // namespace

bool HasDotProduct() { return (getauxval(AT_HWCAP) & kHwcapDotProduct) != 0; }

// The length that this thread has, which the system may have set below the processor's. It is asked
// for at each call, and 0 without SVE.
int32_t ScalableVectorBytes() {
  if ((getauxval(AT_HWCAP) & kHwcapSve) == 0) return 0;
  const int length = prctl(kPrSveGetVl);
  return length < 0 ? 0 : length & kPrSveVlMask;
}

#else

namespace {
#if defined(__aarch64__)
uint32_t DetectBits() { return kCpuNeon; }
#else
uint32_t DetectBits() { return 0; }
#endif
}  // namespace

bool HasDotProduct() { return false; }

int32_t ScalableVectorBytes() { return 0; }

#endif

CpuFeatures DetectCpuFeatures() {
  return {.bits = DetectBits(), .sve_bytes = ScalableVectorBytes()};
}

}  // namespace tern::kernels
