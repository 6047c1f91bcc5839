// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/cpu.h"

#include "core/kernels/cpu_features.h"

namespace tern::kernels {

int64_t TestLanes() {
  const CpuFeatures features = DetectCpuFeatures();
  if (features.sve_bytes > 16) return features.sve_bytes / 4;
  return (features.bits & kCpuAvx512) ? 16 : (features.bits & kCpuAvx2) ? 8 : 4;
}

}  // namespace tern::kernels
