// SPDX-License-Identifier: Apache-2.0
// The packed form of 3x3 weights for convolutions by Winograd's algorithm (ConvAttrs::winograd in
// image_attrs.h), which only the pass that packs constants writes.
#ifndef TERN_CORE_OPS_WINOGRAD_WEIGHTS_H_
#define TERN_CORE_OPS_WINOGRAD_WEIGHTS_H_

#include <cstdint>

#include "core/base/unaligned.h"
#include "core/ops/dims.h"

namespace tern::ops {

// [36, ceil(out / 16), in, 16], saturated: extents may come from a file.
Dims<int64_t> WinogradExtents(int64_t out, int64_t in);
// How far apart the elements of [out, in, taps] lie: 0 along what repeats them.
struct FilterSteps {
  int64_t out, in, tap;
};
// [out, in, 3, 3] to these extents; columns that no filter fills are zeros.
void PackWinograd(int64_t out, int64_t in, Unaligned<float> from, const FilterSteps& steps,
                  float* to);
inline void PackWinograd(int64_t out, int64_t in, const float* from, float* to) {
  PackWinograd(out, in, Unaligned<float>(from), {in * 9, 9, 1}, to);
}

}  // namespace tern::ops

#endif  // TERN_CORE_OPS_WINOGRAD_WEIGHTS_H_
