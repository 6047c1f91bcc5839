// SPDX-License-Identifier: Apache-2.0
// CPUID through the compiler's runtime on x86-64, the auxiliary vector on AArch64.
#include "native/platform/cpu_features.h"

#include <stdio.h>
#include <string.h>

#if defined(__aarch64__)
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

namespace tern::native {

#if defined(__x86_64__)

namespace {
uint32_t DetectBits() {
  __builtin_cpu_init();
  uint32_t bits = 0;
  if (__builtin_cpu_supports("sse4.2")) bits |= kernels::kCpuSse4;
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  if (avx2) bits |= kernels::kCpuAvx2;
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (avx512) bits |= kernels::kCpuAvx512;
  return bits;
}
}  // namespace

int ScalableVectorBytes() { return 0; }

#elif defined(__aarch64__)

namespace {
constexpr unsigned long kHwcapSve = 1ul << 22;  // HWCAP_SVE of the kernel's <asm/hwcap.h>
constexpr int kPrSveGetVl = 51;                 // PR_SVE_GET_VL
constexpr int kPrSveVlMask = 0xffff;

uint32_t DetectBits() {
  const bool sve = (getauxval(AT_HWCAP) & kHwcapSve) != 0;
  return kernels::kCpuNeon | (sve ? kernels::kCpuSve : 0u);
}
}  // namespace

int ScalableVectorBytes() {
  if ((getauxval(AT_HWCAP) & kHwcapSve) == 0) return 0;
  const int length = prctl(kPrSveGetVl);
  return length < 0 ? 0 : length & kPrSveVlMask;
}

#else

namespace {
uint32_t DetectBits() { return 0; }
}  // namespace

int ScalableVectorBytes() { return 0; }

#endif

kernels::CpuFeatures DetectCpuFeatures() {
  return {.bits = DetectBits(), .sve_bytes = ScalableVectorBytes()};
}

std::string CpuModelName() {
  FILE* file = fopen("/proc/cpuinfo", "re");
  if (file == nullptr) return "unknown";
  std::string name = "unknown";
  char line[512];
  while (fgets(line, sizeof line, file) != nullptr) {
    const char* colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) != 0 || colon == nullptr) continue;
    name.assign(colon + 2, strcspn(colon + 2, "\n"));
    break;
  }
  fclose(file);
  return name;
}

}  // namespace tern::native
