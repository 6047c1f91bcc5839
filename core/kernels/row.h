// SPDX-License-Identifier: Apache-2.0
// One row times packed panels: the products of a recurrent step, of a decoder's token and of a
// classifier's end. A tile of one row would have two sums that wait for each other and one stream
// of weights; here several panels are summed at once, so that the weights' way from the cache or
// from memory is the limit. The order of the sums is that of tile.h.

#ifndef TERN_CORE_KERNELS_ROW_H_
#define TERN_CORE_KERNELS_ROW_H_

#include <string.h>

#include "core/kernels/tile.h"

// Not on SVE, whose vectors cannot be elements of an array and whose tiles of one row have four
// sums.
#if !HWY_HAVE_SCALABLE
HWY_BEFORE_NAMESPACE();
namespace tern::kernels::TERN_TARGET_NAME {

// Panels at once: eight sums, which leave half of the registers to weights on their way.
inline constexpr int kPanelVectors = TERN_PANEL_WIDTH / static_cast<int>(HWY_LANES(float));
inline constexpr int kRowPanels = 8 / kPanelVectors;

// Whether it is smaller than every normal number, and not zero.
HWY_INLINE bool IsSubnormal(const float* number) {
  uint32_t bits;
  memcpy(&bits, number, sizeof(bits));
  return (bits & 0x7fffffff) - 1 < 0x7fffff;
}

// sum[j] += lane of the group * vector j of row 0 of the panels.
template <int kPanels, int lane>
HWY_INLINE void AddLane(const Tile& tile, PanelVector group, const float* panel, PanelVector* sum) {
  for (int j = 0; j < kPanels * kPanelVectors; ++j) {
    const PanelVector b = hn::LoadU(PanelTag(), panel + PanelOffset<kPanelVectors>(tile, j));
    sum[j] = MulAddLane<lane>(b, group, sum[j]);
  }
}

// sums[kPanels * TERN_PANEL_WIDTH] = bias + row 0 of the tile times kPanels panels.
template <int kPanels>
HWY_NOINLINE void SumRow(const Tile& tile, float* sums) {
  constexpr int kVectors = kPanels * kPanelVectors;
  const PanelTag d;
  PanelVector sum[kVectors];
  for (int j = 0; j < kVectors; ++j) sum[j] = LoadBias(tile, j);
  const float* panel = tile.b;
  for (int64_t tap = 0; tap < tile.taps; ++tap) {
    const float* a = tile.rows[tap * kTileRows];
    int64_t i = 0;
    if constexpr (kMultiplyByLane) {
      for (; i + 4 <= tile.run; i += 4, panel += 4 * TERN_PANEL_WIDTH) {
        const PanelVector group = LoadGroup(a + i);
        AddLane<kPanels, 0>(tile, group, panel, sum);
        AddLane<kPanels, 1>(tile, group, panel + TERN_PANEL_WIDTH, sum);
        AddLane<kPanels, 2>(tile, group, panel + 2 * TERN_PANEL_WIDTH, sum);
        AddLane<kPanels, 3>(tile, group, panel + 3 * TERN_PANEL_WIDTH, sum);
      }
    }
    for (; i < tile.run; ++i, panel += TERN_PANEL_WIDTH) {
      // Some processors multiply for a hundred cycles where one factor is such a number, of which
      // activations that are squared or gated have many: they count as zeros. Arm's do not.
      if (!HWY_ARCH_ARM && HWY_UNLIKELY(IsSubnormal(a + i))) continue;
      const PanelVector factor = hn::Set(d, a[i]);
      // A pointer for each panel: what is a constant from it costs no addition in WebAssembly.
      const float* b = panel;
      for (int j = 0; j < kVectors; j += kPanelVectors, b += tile.panel_stride) {
        for (int v = 0; v < kPanelVectors; ++v) {
          const ptrdiff_t lane = v * static_cast<ptrdiff_t>(HWY_LANES(float));
          sum[j + v] = MulAdd(factor, hn::LoadU(d, b + lane), sum[j + v]);
        }
      }
    }
  }
  for (int j = 0; j < kVectors; ++j)
    hn::StoreU(sum[j], d, sums + j * static_cast<ptrdiff_t>(hn::Lanes(d)));
}

}  // namespace tern::kernels::TERN_TARGET_NAME
HWY_AFTER_NAMESPACE();
#endif

#endif  // TERN_CORE_KERNELS_ROW_H_
