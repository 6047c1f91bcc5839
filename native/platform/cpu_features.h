// SPDX-License-Identifier: Apache-2.0
// What the processor this process runs on can do, as far as kernels ask.
#ifndef TERN_NATIVE_PLATFORM_CPU_FEATURES_H_
#define TERN_NATIVE_PLATFORM_CPU_FEATURES_H_

#include <string>

#include "core/kernels/choose.h"

namespace tern::native {

// Reads CPUID / HWCAP once per call; thread-safe.
kernels::CpuFeatures DetectCpuFeatures();

// Bytes of one scalable vector register (SVE), 0 where there is none.
int ScalableVectorBytes();

// A line such as "AMD EPYC" from the system, or "unknown".
std::string CpuModelName();

}  // namespace tern::native

#endif  // TERN_NATIVE_PLATFORM_CPU_FEATURES_H_
