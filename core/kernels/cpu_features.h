// SPDX-License-Identifier: Apache-2.0
// What the processor of this process can do, as far as kernels ask.

#ifndef TERN_CORE_KERNELS_CPU_FEATURES_H_
#define TERN_CORE_KERNELS_CPU_FEATURES_H_

#include "core/kernels/choose.h"

namespace tern::kernels {

// Thread-safe. Nothing where the system has no way to ask without rights.
CpuFeatures DetectCpuFeatures();

// Whether the processor is an AArch64 one with the instructions of FEAT_DotProd (`sdot`), which a
// kernel asks when it starts: the system keeps the answer in memory. Thread-safe.
bool HasDotProduct();

// Bytes of one scalable vector register (SVE), 0 where there is none.
int32_t ScalableVectorBytes();

}  // namespace tern::kernels

#endif  // TERN_CORE_KERNELS_CPU_FEATURES_H_
