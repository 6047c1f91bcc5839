// SPDX-License-Identifier: Apache-2.0
// Convolutions by Winograd's algorithm: images that squares of 4x4 pixels do not fill, channel
// counts around every lane count, blocks of squares, slices of wider tensors. Besides the plain
// loops of the same algorithm, whose weights are transformed, the sum over taps must come out.

#include <algorithm>

#include "core/kernels/cpu_features.h"
#include "core/ops/winograd_weights.h"
#include "tests/kernels/kernel_test.h"

namespace tern::kernels {
namespace {

struct SquareCase {
  int64_t height, width, in_c, out_c, pad = 1, batch = 1;
  int64_t gap = 0;  // channels of the wider tensor that are not ours
  int32_t activation = TERN_ACT_NONE;
  bool residual = false, after = false;
};

std::string Name(const SquareCase& c) {
  std::string name;
  for (int64_t value : {c.batch, c.height, c.width, c.in_c, c.out_c, c.pad, c.gap,
                        static_cast<int64_t>(c.activation)}) {
    name += (name.empty() ? "winograd n,h,w,ic,oc,p,gap,act " : ",") + std::to_string(value);
  }
  return name + (c.residual ? " residual" : "") + (c.after ? " after" : "");
}

TernConv2dArgs Geometry(const SquareCase& c) {
  TernConv2dArgs args{};
  args.batch = c.batch, args.in_h = c.height, args.in_w = c.width, args.in_c = c.in_c;
  args.out_h = std::max<int64_t>(c.height + 2 * c.pad - 2, 0);
  args.out_w = std::max<int64_t>(c.width + 2 * c.pad - 2, 0);
  args.out_c = c.out_c, args.kernel_h = args.kernel_w = 3;
  args.stride_h = args.stride_w = args.dilation_h = args.dilation_w = args.groups = 1;
  args.pad_top = args.pad_left = c.pad;
  args.in_pixel_stride = c.in_c + c.gap, args.out_pixel_stride = c.out_c + c.gap;
  return args;
}

// [out][in][3][3] to [ceil(out / 16)][(tap, in)][16].
void PackTaps(const SquareCase& c, const float* from, float* to) {
  for (int64_t o = 0; o < c.out_c; ++o) {
    for (int64_t i = 0; i < c.in_c; ++i) {
      for (int64_t tap = 0; tap < 9; ++tap)
        to[((o / 16 * 9 + tap) * c.in_c + i) * 16 + o % 16] = *from++;
    }
  }
}

void CheckSquares(const KernelPair<TernConv2dArgs>& pair, const SquareCase& c, int workers = 0) {
  TernConv2dArgs args = Geometry(c);
  Random random(static_cast<uint64_t>(c.in_c * 31 + c.out_c));
  const int64_t panels = (c.out_c + 15) / 16;
  Buffer<float> input(c.batch * c.height * c.width * args.in_pixel_stride, 1), bias(c.out_c, 3);
  Buffer<float> filters(c.out_c * c.in_c * 9), taps(panels * 9 * c.in_c * 16);
  Buffer<float> weights(36 * panels * c.in_c * 16);
  Buffer<float> output(c.batch * args.out_h * args.out_w * args.out_pixel_stride, 1);
  input.FillRandom(random);
  filters.FillRandom(random);
  bias.FillRandom(random);
  output.FillRandom(random);
  Buffer<float> residual(output);
  ops::PackWinograd(c.out_c, c.in_c, filters.data(), weights.data());
  PackTaps(c, filters.data(), taps.Fill(0.0f).data());
  args.input = input.data(), args.weights = weights.data();
  args.epilogue = {bias.data(),
                   c.residual ? residual.data() : nullptr,
                   args.out_pixel_stride,
                   c.activation,
                   c.after ? 1 : 0,
                   0.0f,
                   0.7f};
  ExpectSame(pair, args, &TernConv2dArgs::output, output, Name(c), workers);
  Buffer<float> by_squares(output), by_taps(output);
  TestContext context;
  args.output = by_squares.data();
  ASSERT_EQ(pair.actual(&args, context.get()), TERN_KERNEL_OK);
  args.output = by_taps.data(), args.weights = taps.data();
  ReferenceTable().conv2d(&args, context.get());
  EXPECT_TRUE(Close(by_taps.data(), by_squares.data(), output.size(), pair.bound,
                    Name(c) + " against taps"));
}

// Enough squares for panels as wide as a vector, made anew in scratch.
void CheckLongSquares(const KernelPair<TernConv2dArgs>& pair) {
  const int64_t width = LongWidth(pair, &KernelTable::conv2d_winograd), wide = 3 * width + 5;
  CheckSquares(pair, {17, 14, width + 3, width + 5, 1, 1, 3});
  CheckSquares(pair, {9, 14, 20, wide, 1, 2}, 2);
  CheckSquares(pair, {14, 15, 3, 17 * width}, 2);
  for (int32_t activation : {TERN_ACT_RELU, TERN_ACT_SILU, TERN_ACT_TANH}) {
    CheckSquares(pair, {14, 15, 5, wide, 1, 1, 2, activation, true});
    CheckSquares(pair, {14, 15, 5, wide, 1, 1, 0, activation, true, true});
  }
  if (width == 16) return;
  // Few squares keep a file's panels, and take the same of scratch for one column and another.
  const auto scratch = [&](int64_t extent, int64_t columns) {
    const SquareCase c{extent, extent, width, columns};
    TernConv2dArgs args = Geometry(c);
    Buffer<float> input(extent * extent * width), weights(36 * (columns + 15) / 16 * 16 * width);
    Buffer<float> output(extent * extent * columns);
    args.input = input.Fill(0.0f).data(), args.weights = weights.Fill(0.0f).data();
    args.output = output.data();
    TestContext context;
    EXPECT_EQ(pair.actual(&args, context.get()), TERN_KERNEL_OK);
    return context.scratch_bytes();
  };
  EXPECT_EQ(scratch(6, 16), scratch(6, wide));
  EXPECT_GE(scratch(17, wide) - scratch(17, 16), 36 * 4 * width * width * 4);
}

void CheckNoScratch(Kernel<TernConv2dArgs>* kernel) {
  const SquareCase c{6, 6, 5, 4};
  TernConv2dArgs args = Geometry(c);
  Buffer<float> input(6 * 6 * 5), weights(36 * 5 * 16), output(6 * 6 * 4);
  output.Fill(4.0f);
  args.input = input.Fill(0.0f).data(), args.weights = weights.Fill(0.0f).data();
  args.output = output.data();
  TestContext context(0, /*has_scratch=*/false);
  if (kernel(&args, context.get()) == TERN_KERNEL_OK) return;  // the plain loops need none
  for (int64_t i = 0; i < output.size(); ++i) ASSERT_EQ(output[i], 4.0f);
}

}  // namespace

void Test_conv2d_winograd(const KernelPair<TernConv2dArgs>& pair) {
  for (int64_t channels = 1; channels <= 2 * std::max<int64_t>(TestLanes(), 17) + 1;
       channels += channels < 5 ? 1 : 4) {
    CheckSquares(pair, {5, 7, 3, channels});
    CheckSquares(pair, {7, 5, channels, 5});
  }
  for (int64_t extent = 1; extent <= 10; ++extent) {
    CheckSquares(pair, {extent, 11 - extent, 6, 9, 1, 2});
    CheckSquares(pair, {extent, extent, 3, 4, 2});
  }
  CheckSquares(pair, {9, 6, 7, 20, 0});
  CheckSquares(pair, {9, 6, 7, 20, 3, 2, 5});
  CheckSquares(pair, {2, 30, 5, 7, 0});  // nothing comes out
  CheckSquares(pair, {0, 4, 5, 7, 0});
  // More squares than a block has, more panels than are computed at once, rows of 1 KiB.
  CheckSquares(pair, {33, 35, 3, 4});
  CheckSquares(pair, {9, 9, 40, 75});
  CheckSquares(pair, {4, 6, 256, 17});
  for (int32_t activation = TERN_ACT_NONE; activation <= TERN_ACT_ELU; ++activation) {
    CheckSquares(pair, {6, 5, 5, 37, 1, 1, 2, activation});
    CheckSquares(pair, {6, 5, 5, 37, 1, 1, 2, activation, true});
    CheckSquares(pair, {6, 5, 5, 37, 1, 1, 0, activation, true, true});
  }
  CheckSquares(pair, {30, 30, 24, 32, 1, 2}, 3);
  CheckSquares(pair, {4, 4, 64, 1000}, 2);
  CheckLongSquares(pair);
  CheckNoScratch(pair.actual);
}

}  // namespace tern::kernels
