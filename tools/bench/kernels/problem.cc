// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/kernels/problem.h"

#include <cstdlib>
#include <cstring>

namespace tern::kernels {

Floats MakeFloats(int64_t count) {
  // A vector more than asked for: rivals may read beyond the end.
  const size_t bytes = (static_cast<size_t>(count) * sizeof(float) + 127) / 64 * 64;
  auto* data = static_cast<float*>(aligned_alloc(64, bytes));
  if (data == nullptr) abort();
  memset(data, 0, bytes);
  return Floats(data, [](float* p) { free(p); });
}

Floats RandomFloats(int64_t count) {
  const Floats result = MakeFloats(count);
  float* data = result.get();
  uint32_t state = 12345;
  for (int64_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    data[i] = static_cast<float>(state >> 8) * 0x1p-24f - 0.5f;
  }
  return result;
}

Product MakeProduct(const ProductCase& shape) {
  return {shape.m,
          shape.n,
          shape.k,
          shape.kind,
          RandomFloats(shape.m * shape.k),
          RandomFloats(shape.n * shape.k)};
}

Convolution MakeConvolution(const ConvCase& c, ConvKind kind) {
  const auto out_size = [&](int64_t size) {
    return kind == ConvKind::kTransposed ? (size - 1) * c.stride - 2 * c.pad + c.kernel
                                         : (size + 2 * c.pad - c.kernel) / c.stride + 1;
  };
  const int64_t filters = kind == ConvKind::kDepthwise ? 1 : c.out_c;
  return {c.height,
          c.width,
          out_size(c.height),
          out_size(c.width),
          c.in_c,
          c.out_c,
          c.kernel,
          c.stride,
          c.pad,
          c.activation,
          kind,
          RandomFloats(c.height * c.width * c.in_c),
          RandomFloats(filters * c.kernel * c.kernel * c.in_c),
          RandomFloats(c.out_c)};
}

}  // namespace tern::kernels
