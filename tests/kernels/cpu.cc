// SPDX-License-Identifier: Apache-2.0
// The features of the processor, read without native/: kernel tests also run where there is none.

#include "tests/kernels/cpu.h"

#ifdef __aarch64__
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

namespace tern::kernels {

CpuFeatures TestCpuFeatures() {
  CpuFeatures features;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2")) features.bits |= kCpuSse4;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) features.bits |= kCpuAvx2;
  if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd")) {
    features.bits |= kCpuAvx512;
  }
#elif defined(__aarch64__)
  constexpr unsigned long kHwcapSve = 1u << 22;
  constexpr int kGetSveLength = 51;
  features.bits |= kCpuNeon;
  if (getauxval(AT_HWCAP) & kHwcapSve) {
    features.bits |= kCpuSve;
    features.sve_bytes = prctl(kGetSveLength) & 0xFFFF;
  }
#endif
  return features;
}

int64_t TestLanes() {
  const CpuFeatures features = TestCpuFeatures();
  if (features.sve_bytes > 16) return features.sve_bytes / 4;
  return (features.bits & kCpuAvx512) ? 16 : (features.bits & kCpuAvx2) ? 8 : 4;
}

}  // namespace tern::kernels
