// SPDX-License-Identifier: Apache-2.0
// Twelve chains of multiply-adds that never leave their registers.

#include "tools/bench/kernels/fma_peak.h"
#include "core/kernels/simd.h"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {

#define TERN_TWELVE(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)

FmaPeak fma_peak;

int64_t fma_peak(int64_t rounds, float* sink) {
  const PanelTag d;
  const PanelVector a = hn::Set(d, 0.999f), b = hn::Set(d, sink[0]);
#define TERN_DECLARE(i) PanelVector c##i = hn::Set(d, static_cast<float>(i));
  TERN_TWELVE(TERN_DECLARE)
#define TERN_STEP(i) c##i = MulAdd(c##i, a, b);
  for (int64_t round = 0; round < rounds; ++round) {
    TERN_TWELVE(TERN_STEP)
    TERN_TWELVE(TERN_STEP)
  }
#define TERN_SUM(i) sink[i] = hn::GetLane(c##i);
  TERN_TWELVE(TERN_SUM)
  return rounds * 24 * 2 * static_cast<int64_t>(hn::Lanes(d));
}

}  // namespace tern::kernels::TERN_TARGET_NAME
HWY_AFTER_NAMESPACE();
