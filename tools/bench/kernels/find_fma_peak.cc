// SPDX-License-Identifier: Apache-2.0
// From the name of a target to its measuring loop.

#include "tools/bench/kernels/fma_peak.h"

#include <string.h>

namespace tern::kernels {

#define TERN_DECLARE(target) \
  namespace target {         \
  FmaPeak fma_peak;          \
  }
TERN_DECLARE(avx512)
TERN_DECLARE(avx2)
TERN_DECLARE(sse4)
TERN_DECLARE(sve)
TERN_DECLARE(neon)
TERN_DECLARE(wasm)
#undef TERN_DECLARE

FmaPeak* FindFmaPeak(const char* target) {
#ifdef TERN_TARGET_AVX512
  if (strcmp(target, "avx512") == 0) return &avx512::fma_peak;
#endif
#ifdef TERN_TARGET_AVX2
  if (strcmp(target, "avx2") == 0) return &avx2::fma_peak;
#endif
#ifdef TERN_TARGET_SSE4
  if (strcmp(target, "sse4") == 0) return &sse4::fma_peak;
#endif
#ifdef TERN_TARGET_SVE
  if (strcmp(target, "sve") == 0) return &sve::fma_peak;
#endif
#ifdef TERN_TARGET_NEON
  if (strcmp(target, "neon") == 0) return &neon::fma_peak;
#endif
#ifdef TERN_TARGET_WASM
  if (strcmp(target, "relaxed") == 0 || strcmp(target, "simd128") == 0) return &wasm::fma_peak;
#endif
  return nullptr;
}

}  // namespace tern::kernels
