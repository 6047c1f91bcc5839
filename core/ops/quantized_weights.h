// SPDX-License-Identifier: Apache-2.0
// The packed form of 8-bit weights (QuantizedConvAttrs in image_attrs.h): written by the pass that
// packs constants and, for weights that only a run knows, by the caller of the kernel.
#ifndef TERN_CORE_OPS_QUANTIZED_WEIGHTS_H_
#define TERN_CORE_OPS_QUANTIZED_WEIGHTS_H_

#include <cstdint>

#include "core/ops/dims.h"

namespace tern::ops {

// Weights [groups * out, in, taps].
struct FilterExtents {
  int64_t groups, out, in, taps;
};

// [groups, ceil(out / 16), taps * ceil(in / 4), 16, 4], saturated: extents may come from a file.
Dims<int64_t> QuadExtents(const FilterExtents& filters);
// `to` has these extents; what no weight fills is zero.
void PackQuads(const FilterExtents& filters, const int8_t* from, int8_t* to);
// [channels, taps] → [taps, channels].
void PackDepthwiseQuads(const FilterExtents& filters, const int8_t* from, int8_t* to);
// One sum per filter, which wraps around.
void SumFilters(const FilterExtents& filters, const int8_t* from, int32_t* sums);

}  // namespace tern::ops

#endif  // TERN_CORE_OPS_QUANTIZED_WEIGHTS_H_
