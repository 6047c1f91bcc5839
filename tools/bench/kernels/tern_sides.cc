// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/kernels/tern_sides.h"

#include <cstdlib>

#include "core/ops/winograd_weights.h"

namespace tern::kernels {
namespace {

void* Scratch(void*, size_t bytes) {
  static void* block = nullptr;
  static size_t size = 0;
  if (bytes > size) {
    free(block);
    size = (bytes + 63) / 64 * 64;
    block = aligned_alloc(64, size);
  }
  return block;
}

const TernKernelContext kContext = {nullptr, nullptr, &Scratch, nullptr};

// `packed`: weights that the arguments point to and nobody else keeps, or null.
template <class Args>
Side MakeSide(Kernel<Args>* kernel, const Args& args, const Floats& packed, const Floats& output) {
  return {"Tern", [=] { kernel(&args, &kContext); }, [packed, output] { return output; }};
}

// [ceil(n / 16)][k][16] of b[k][n], whose elements lie as the strides say.
Floats Pack(const KernelTable& table, const Floats& b, int64_t n, int64_t k, int64_t k_stride,
            int64_t n_stride) {
  const int64_t panels = (n + TERN_PANEL_WIDTH - 1) / TERN_PANEL_WIDTH;
  Floats packed = MakeFloats(panels * TERN_PANEL_WIDTH * k);
  const TernPackArgs args = {n, k, b.get(), k_stride, n_stride, packed.get()};
  table.pack_panels(&args, &kContext);
  return packed;
}

Side GemmSide(const KernelTable& table, const Product& p) {
  const Floats packed = Pack(table, p.b, p.n, p.k, p.n, 1), output = MakeFloats(p.outputs());
  TernGemmArgs args{};
  args.m = p.m, args.n = p.n, args.k = p.k;
  args.a = p.a.get(), args.a_stride = p.k;
  args.b = packed.get();
  args.c = output.get(), args.c_stride = p.n;
  return MakeSide(table.gemm, args, packed, output);
}

Side MatMulSide(const KernelTable& table, const Product& p) {
  static const int64_t kZero = 0;
  const bool transposed = p.kind == ProductKind::kTransposed;
  const Floats output = MakeFloats(p.outputs());
  TernMatMulArgs args{};
  args.batches = 1, args.m = p.m, args.n = p.n, args.k = p.k;
  args.a = p.a.get(), args.a_row_stride = p.k, args.a_col_stride = 1;
  args.b = p.b.get();
  args.b_row_stride = transposed ? 1 : p.n, args.b_col_stride = transposed ? p.k : 1;
  args.c = output.get(), args.c_row_stride = p.n;
  args.a_offsets = args.b_offsets = args.c_offsets = &kZero;
  return MakeSide(table.matmul, args, nullptr, output);
}

// The weights are [out_c][tap][in_c].
Floats PackForWinograd(const Convolution& c) {
  const Floats filters = MakeFloats(c.out_c * c.in_c * 9);
  for (int64_t o = 0; o < c.out_c; ++o) {
    for (int64_t tap = 0; tap < 9; ++tap) {
      for (int64_t i = 0; i < c.in_c; ++i)
        filters[(o * c.in_c + i) * 9 + tap] = c.weights[(o * 9 + tap) * c.in_c + i];
    }
  }
  const Floats packed = MakeFloats(ops::ProductOf(ops::WinogradExtents(c.out_c, c.in_c), 0, 4));
  ops::PackWinograd(c.out_c, c.in_c, filters.get(), packed.get());
  return packed;
}

Floats PackFor(const KernelTable& table, const Convolution& c) {
  if (c.kind == ConvKind::kDepthwise) return c.weights;
  if (c.kind == ConvKind::kWinograd) return PackForWinograd(c);
  const int64_t depth = c.kernel * c.kernel * c.in_c;
  return Pack(table, c.weights, c.out_c, depth, 1, depth);
}

Side TransposedSide(const KernelTable& table, const Convolution& c) {
  const Floats output = MakeFloats(c.outputs());
  TernConvTranspose2dArgs args{};
  args.batch = 1;
  args.in_h = c.height, args.in_w = c.width, args.in_c = c.in_c;
  args.out_h = c.out_height, args.out_w = c.out_width, args.out_c = c.out_c;
  args.kernel_h = args.kernel_w = c.kernel, args.stride_h = args.stride_w = c.stride;
  args.dilation_h = args.dilation_w = 1, args.pad_top = args.pad_left = c.pad;
  args.groups = 1;
  args.input = c.input.get();
  args.weights = c.weights.get();  // of random elements in any order
  args.output = output.get();
  args.epilogue.bias = c.bias.get();
  args.epilogue.activation = c.activation;
  return MakeSide(table.conv_transpose2d, args, nullptr, output);
}

}  // namespace

Side TernSide(const KernelTable& table, const Product& product) {
  return product.kind == ProductKind::kPacked ? GemmSide(table, product)
                                              : MatMulSide(table, product);
}

Side TernSide(const KernelTable& table, const Convolution& c) {
  if (c.kind == ConvKind::kTransposed) return TransposedSide(table, c);
  const bool depthwise = c.kind == ConvKind::kDepthwise;
  const Floats weights = PackFor(table, c), output = MakeFloats(c.outputs());
  TernConv2dArgs args{};
  args.batch = 1;
  args.in_h = c.height, args.in_w = c.width, args.in_c = args.in_pixel_stride = c.in_c;
  args.out_h = c.out_height, args.out_w = c.out_width;
  args.out_c = args.out_pixel_stride = c.out_c;
  args.kernel_h = args.kernel_w = c.kernel, args.stride_h = args.stride_w = c.stride;
  args.dilation_h = args.dilation_w = 1, args.pad_top = args.pad_left = c.pad;
  args.groups = depthwise ? c.in_c : 1;
  args.input = c.input.get();
  args.weights = weights.get();
  args.output = output.get();
  args.epilogue.bias = c.bias.get();
  args.epilogue.activation = c.activation;
  Kernel<TernConv2dArgs>* kernel = depthwise                       ? table.conv2d_depthwise
                                   : c.kind == ConvKind::kWinograd ? table.conv2d_winograd
                                                                   : table.conv2d;
  return MakeSide(kernel, args, weights, output);
}

}  // namespace tern::kernels
