// SPDX-License-Identifier: Apache-2.0
#include "core/ops/quantized_weights.h"

#include <algorithm>
#include <cstring>

#include "core/ops/panels.h"

namespace tern::ops {

namespace {
constexpr int64_t kQuad = 4;  // TERN_QUAD of kernels/kernel.h: a fact of the file format

// The weights of one filter's tap.
void PackTap(const FilterExtents& filters, const int8_t* from, int8_t* to) {
  for (int64_t begin = 0; begin < filters.in; begin += kQuad, to += kPanel * kQuad) {
    const int64_t count = std::min(filters.in - begin, kQuad);
    for (int64_t i = 0; i < count; ++i) to[i] = from[(begin + i) * filters.taps];
  }
}
}  // namespace

// Panels of 16 filters; in a panel each row has, for every filter, 4 neighbouring input channels of
// one tap. The kernels multiply and add 4 bytes at a time. Filters and channels that are missing
// are zeros, which add nothing.
Dims<int64_t> QuadExtents(const FilterExtents& filters) {
  return {filters.groups, CeilDiv(filters.out, kPanel),
          MulDim(filters.taps, CeilDiv(filters.in, kQuad)), kPanel, kQuad};
}

// `from` is in the order of ONNX: filter, input channel, tap.
void PackQuads(const FilterExtents& filters, const int8_t* from, int8_t* to) {
  const Dims<int64_t> extents = QuadExtents(filters);
  const int64_t quads = CeilDiv(filters.in, kQuad), panel_size = extents[2] * kPanel * kQuad;
  std::memset(to, 0, static_cast<size_t>(ProductOf(extents, 0, extents.rank())));
  for (int64_t group = 0; group < filters.groups; ++group) {
    for (int64_t out = 0; out < filters.out; ++out) {
      int8_t* column = to + (group * extents[1] + out / kPanel) * panel_size + out % kPanel * kQuad;
      for (int64_t tap = 0; tap < filters.taps; ++tap)
        PackTap(filters, from + tap, column + tap * quads * kPanel * kQuad);
      from += filters.in * filters.taps;
    }
  }
}

// One input channel per filter leaves nothing to sum over but taps; channels lie next to each
// other, so that one vector holds several.
void PackDepthwiseQuads(const FilterExtents& filters, const int8_t* from, int8_t* to) {
  for (int64_t channel = 0; channel < filters.groups; ++channel) {
    for (int64_t tap = 0; tap < filters.taps; ++tap) to[tap * filters.groups + channel] = *from++;
  }
}

// The zero point of the input times these sums is what the products have too much. Unsigned,
// because a sum may wrap, as those of the kernels do.
void SumFilters(const FilterExtents& filters, const int8_t* from, int32_t* sums) {
  for (int64_t filter = 0; filter < filters.groups * filters.out; ++filter) {
    uint32_t sum = 0;
    for (int64_t i = 0; i < filters.in * filters.taps; ++i)
      sum += static_cast<uint32_t>(int32_t{*from++});
    sums[filter] = static_cast<int32_t>(sum);
  }
}

}  // namespace tern::ops
