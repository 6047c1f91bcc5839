// SPDX-License-Identifier: Apache-2.0
// Convolutions: window, stride, dilation, padding, groups and channel counts around every lane
// count; slices of wider tensors; windows wider than the image; sides and axes that differ.

#include "tests/kernels/kernel_test.h"

namespace tern::kernels {
namespace {

struct ConvCase {
  int64_t height, width, in_c, out_c, kernel_h, kernel_w, stride = 1, pad = 0, dilation = 1;
  int64_t groups = 1, batch = 1, gap = 0;  // gap: channels of the wider tensor that are not ours
  int32_t activation = TERN_ACT_NONE;
  bool residual = false;
  // What differs from one axis or side to the other: added to what is said above.
  int64_t pad_left = 0, pad_right = 0, pad_below = 0, stride_w = 0, dilation_w = 0;
};

std::string Name(const ConvCase& c) {
  std::string name;
  for (int64_t value :
       {c.batch, c.height, c.width, c.in_c, c.out_c, c.kernel_h, c.kernel_w, c.stride, c.pad,
        c.dilation, c.groups, c.gap, static_cast<int64_t>(c.activation), c.pad_left, c.pad_right,
        c.pad_below, c.stride_w, c.dilation_w}) {
    name +=
        (name.empty() ? "conv n,h,w,ic,oc,kh,kw,s,p,d,g,gap,act,left,right,below,sw,dw " : ",") +
        std::to_string(value);
  }
  return name + (c.residual ? " residual" : "");
}

int64_t OutSize(int64_t padded, int64_t kernel, int64_t stride, int64_t dilation) {
  return std::max<int64_t>(0, (padded - (kernel - 1) * dilation - 1) / stride + 1);
}

TernConv2dArgs Geometry(const ConvCase& c) {
  TernConv2dArgs args{};
  args.batch = c.batch, args.in_h = c.height, args.in_w = c.width, args.in_c = c.in_c;
  args.out_c = c.out_c, args.kernel_h = c.kernel_h, args.kernel_w = c.kernel_w;
  args.stride_h = c.stride, args.stride_w = c.stride + c.stride_w;
  args.dilation_h = c.dilation, args.dilation_w = c.dilation + c.dilation_w;
  args.pad_top = c.pad, args.pad_left = c.pad + c.pad_left, args.groups = c.groups;
  args.out_h = OutSize(c.height + 2 * c.pad + c.pad_below, c.kernel_h, c.stride, c.dilation);
  args.out_w = OutSize(c.width + 2 * c.pad + c.pad_left + c.pad_right, c.kernel_w, args.stride_w,
                       args.dilation_w);
  args.in_pixel_stride = c.in_c + c.gap, args.out_pixel_stride = c.out_c + c.gap;
  return args;
}

int64_t WeightFloats(const ConvCase& c, bool depthwise) {
  const int64_t taps = c.kernel_h * c.kernel_w;
  if (depthwise) return taps * c.in_c;
  return c.groups * ((c.out_c / c.groups + 15) / 16 * 16) * taps * (c.in_c / c.groups);
}

void CheckConv(const KernelPair<TernConv2dArgs>& pair, const ConvCase& c, bool depthwise,
               int workers = 0) {
  TernConv2dArgs args = Geometry(c);
  Random random(static_cast<uint64_t>(c.in_c * 31 + c.out_c));
  Buffer<float> input(c.batch * c.height * c.width * args.in_pixel_stride, 1);
  Buffer<float> weights(WeightFloats(c, depthwise), depthwise ? 1 : 0), bias(c.out_c, 3);
  Buffer<float> output(c.batch * args.out_h * args.out_w * args.out_pixel_stride, 1);
  input.FillRandom(random);
  weights.FillRandom(random);
  bias.FillRandom(random);
  output.FillRandom(random);
  Buffer<float> residual(output);
  args.input = input.data(), args.weights = weights.data();
  args.epilogue = {bias.data(),
                   c.residual ? residual.data() : nullptr,
                   args.out_pixel_stride,
                   c.activation,
                   0,
                   0.0f,
                   0.7f};
  ExpectSame(pair, args, &TernConv2dArgs::output, output, Name(c), workers);
}

void CheckNoMemory(Kernel<TernConv2dArgs>* kernel, const ConvCase& c) {
  TernConv2dArgs args = Geometry(c);
  Buffer<float> input(c.height * c.width * c.in_c), weights(WeightFloats(c, false));
  Buffer<float> output(args.out_h * args.out_w * c.out_c);
  output.Fill(4.0f);
  args.input = input.Fill(0.0f).data(), args.weights = weights.Fill(0.0f).data();
  args.output = output.data();
  TestContext context(0, /*has_scratch=*/false);
  if (kernel(&args, context.get()) == TERN_KERNEL_OK) return;  // needs none
  for (int64_t i = 0; i < output.size(); ++i) ASSERT_EQ(output[i], 4.0f);
}

// What the call takes of scratch.
int64_t ScratchOf(Kernel<TernConv2dArgs>* kernel, const ConvCase& c) {
  TernConv2dArgs args = Geometry(c);
  Buffer<float> input(c.height * c.width * c.in_c), weights(WeightFloats(c, false));
  Buffer<float> output(args.out_h * args.out_w * c.out_c);
  args.input = input.Fill(0.0f).data(), args.weights = weights.Fill(0.0f).data();
  args.output = output.data();
  TestContext context;
  EXPECT_EQ(kernel(&args, context.get()), TERN_KERNEL_OK);
  return context.scratch_bytes();
}

// Panels as wide as a vector, made anew in scratch: of a window, of one pixel, of each group.
void CheckLongPanels(const KernelPair<TernConv2dArgs>& pair) {
  const int64_t width = LongWidth(pair, &KernelTable::conv2d), wide = 2 * width + 5;
  for (int32_t activation : {TERN_ACT_NONE, TERN_ACT_RELU, TERN_ACT_SILU}) {
    CheckConv(pair, {9, 8, 35, wide, 3, 3, 1, 1, 1, 1, 1, 2, activation, true}, false);
    CheckConv(pair, {9, 8, 3, wide, 3, 3, 1, 1, 1, 1, 1, 0, activation}, false, 2);
    CheckConv(pair, {9, 8, 14, 2 * wide, 3, 3, 1, 1, 1, 2, 2, 0, activation, true}, false, 2);
    CheckConv(pair, {9, 8, 35, wide, 1, 1, 1, 0, 1, 1, 1, 2, activation, true}, false);
  }
  CheckConv(pair, {4, 5, 70, 17 * width, 3, 3, 1, 1}, false, 2);
  if (width == 16) return;
  const int64_t windows = ScratchOf(pair.actual, {9, 8, 35, wide, 3, 3, 1, 1}) -
                          ScratchOf(pair.actual, {9, 8, 35, 16, 3, 3, 1, 1});
  EXPECT_EQ(windows, 3 * width * 35 * 9 * 4);
  const int64_t groups = ScratchOf(pair.actual, {9, 8, 14, 2 * wide, 3, 3, 1, 1, 1, 2}) -
                         ScratchOf(pair.actual, {9, 8, 14, 32, 3, 3, 1, 1, 1, 2});
  EXPECT_EQ(groups, 2 * 3 * width * 7 * 9 * 4);
}

// Each side and axis other than the rest, and images that windows leave on one side only.
void CheckSides(const KernelPair<TernConv2dArgs>& pair, const ConvCase& c, int workers) {
  for (int64_t ConvCase::*part :
       {&ConvCase::pad_left, &ConvCase::pad_right, &ConvCase::pad_below, &ConvCase::pad,
        &ConvCase::stride_w, &ConvCase::dilation, &ConvCase::dilation_w}) {
    for (int64_t pad : {0, 1}) {
      for (int64_t stride : {1, 2}) {
        ConvCase other = c;
        other.pad = pad, other.stride = stride;
        other.*part += 2;
        CheckConv(pair, other, false, workers);
      }
    }
  }
}

// Few input channels, where windows that reach beyond the image read copies: blocks that go over
// rows and images or stay in a row, lines that rows of the output share or not.
void CheckCopies(const KernelPair<TernConv2dArgs>& pair) {
  for (int64_t width : {1, 7, 110}) {
    for (int64_t kernel : {2, 6}) {
      for (int64_t stride : {1, 2, 7}) {
        for (int64_t pad : {0, 1, 5})
          CheckConv(pair, {3, width, kernel / 2, 5, 3, kernel, stride, pad, 1, 1, 2}, false);
      }
    }
  }
  for (int64_t size : {1, 2, 5}) CheckSides(pair, {size, size, 2, 3, 3, 3, 1, 0, 1, 1, 20}, 3);
  CheckSides(pair, {5, 90, 1, 3, 3, 3}, 0);
  CheckConv(pair, {2, 60, 2, 3, 2, 200, 1, 100}, false);
  CheckConv(pair, {3, 40, 1, 9, 100, 3, 1, 50}, false);
  CheckConv(pair, {9, 95, 31, 5, 3, 3, 1, 1}, false, 3);
  CheckConv(pair, {3, 9000, 1, 2, 3, 3, 1, 1}, false, 2);
  CheckConv(pair, {2, 30000, 1, 2, 1, 16384, 8192, 8192}, false);
}

}  // namespace

void Test_conv2d(const KernelPair<TernConv2dArgs>& pair) {
  for (int64_t channels = 1; channels <= 2 * std::max<int64_t>(TestLanes(), 17) + 1; ++channels) {
    CheckConv(pair, {5, 4, 3, channels, 3, 3, 1, 1}, false);
    CheckConv(pair, {4, 5, channels, 5, 2, 3, 1, 1}, false);
    CheckConv(pair, {3, 4, channels, 20, 1, 1}, false);
  }
  for (int64_t stride : {1, 2, 3}) {
    for (int64_t pad : {0, 1, 3}) {
      for (int64_t dilation : {1, 2}) {
        CheckConv(pair, {9, 8, 3, 18, 3, 3, stride, pad, dilation}, false);
        CheckConv(pair, {9, 8, 33, 7, 3, 3, stride, pad, dilation}, false);
        CheckConv(pair, {9, 8, 8, 12, 1, 1, stride, pad, dilation}, false);
        CheckConv(pair, {9, 8, 8, 12, 3, 1, stride, pad, dilation, 4}, false);
      }
    }
  }
  CheckConv(pair, {2, 2, 3, 4, 7, 7, 1, 3}, false);
  CheckConv(pair, {1, 1, 5, 4, 5, 5, 1, 4}, false);
  CheckConv(pair, {30, 31, 3, 64, 7, 7, 2, 3}, false);
  CheckConv(pair, {9, 9, 12, 40, 3, 3, 1, 1, 1, 2, 2, 5}, false);
  CheckConv(pair, {6, 6, 10, 9, 1, 1, 1, 0, 1, 1, 2, 3}, false);
  CheckConv(pair, {6, 6, 10, 9, 3, 3, 1, 1, 1, 1, 2, 3}, false);
  // Few columns in the last panel, of enough rows to be summed along vectors: runs of whole vectors
  // and a rest, rows that are no multiple of those that are summed together, columns too long.
  for (int64_t columns : {1, 2, 3, 4, 5, 8, 17, 20, 24}) {
    for (int64_t channels : {3, 7, 8, 21, 32, 33, 50, 1000})
      CheckConv(pair, {9, 8, channels, columns, 3, 3, 1, 1}, false);
    CheckConv(pair, {3, 60, 1, columns, 1, 37, 2, 18}, false);
    CheckConv(pair, {9, 9, 40, columns, 1, 1}, false);
    CheckConv(pair, {13, 13, 512, columns + 32, 1, 1}, false);
    CheckConv(pair, {12, 6, 70, columns * 2, 1, 1, 1, 0, 1, 2}, false);
    CheckConv(pair, {40, 40, 33, columns, 3, 3, 1, 1}, false, 3);
    for (int32_t activation = TERN_ACT_NONE; activation <= TERN_ACT_ELU; ++activation) {
      CheckConv(pair, {9, 8, 35, columns, 3, 3, 1, 1, 1, 1, 1, 0, activation}, false);
      CheckConv(pair, {9, 8, 35, columns, 3, 3, 1, 1, 1, 1, 1, 2, activation, true}, false);
    }
  }
  for (int32_t activation = TERN_ACT_NONE; activation <= TERN_ACT_ELU; ++activation) {
    CheckConv(pair, {6, 5, 3, 21, 3, 3, 1, 1, 1, 1, 1, 0, activation}, false);
    CheckConv(pair, {6, 5, 35, 21, 3, 3, 1, 1, 1, 1, 1, 2, activation, true}, false);
  }
  CheckConv(pair, {33, 32, 16, 64, 3, 3, 1, 1, 1, 1, 2}, false, 3);
  CheckConv(pair, {7, 7, 64, 530, 3, 3, 1, 1}, false, 2);
  // Groups by pixels of all, with few columns too, and by groups.
  CheckConv(pair, {40, 40, 24, 48, 3, 3, 1, 1, 1, 4, 2}, false, 2);
  CheckConv(pair, {40, 40, 64, 8, 3, 3, 1, 1, 1, 2}, false, 3);
  CheckConv(pair, {2, 2, 64, 512, 3, 3, 1, 1, 1, 4}, false, 2);
  CheckConv(pair, {0, 4, 3, 5, 1, 1}, false);
  CheckCopies(pair);
  CheckLongPanels(pair);
  CheckNoMemory(pair.actual, {5, 5, 3, 4, 3, 3, 1, 1});
  CheckNoMemory(pair.actual, {5, 5, 40, 4, 3, 3, 1, 1, 1, 2});
}

void Test_conv2d_depthwise(const KernelPair<TernConv2dArgs>& pair) {
  for (int64_t c = 1; c <= 2 * TestLanes() + 1; ++c) {
    for (int64_t stride : {1, 2}) {
      CheckConv(pair, {6, 11, c, c, 3, 3, stride, 1, 1, c}, true);
      CheckConv(pair, {7, 13, c, c, 5, 5, stride, 2, 1, c}, true);
    }
  }
  for (int64_t kernel : {1, 2, 3, 4, 5, 7}) {
    for (int64_t stride : {1, 2, 3}) {
      for (int64_t pad : {0, 1, 3}) {
        CheckConv(pair, {9, 15, 19, 19, kernel, kernel, stride, pad, 1, 19}, true);
        CheckConv(pair, {15, 16, 6, 6, kernel, kernel, stride, pad, 2, 6}, true);
      }
    }
  }
  // More rows of taps than tiles at the edges hold.
  CheckConv(pair, {11, 12, 17, 17, 7, 3, 1, 1, 1, 17}, true);
  // Tiles of four outputs at the left edge, at the right one, and both in one.
  for (int64_t width = 4; width <= 14; ++width) {
    for (int64_t stride : {1, 2}) {
      CheckConv(pair, {3, width, 20, 20, 3, 3, stride, 1, 1, 20}, true);
      CheckConv(pair, {4, width, 20, 20, 5, 5, stride, 2, 1, 20}, true);
      CheckConv(pair, {2, width, 20, 20, 5, 5, stride, 5, 1, 20}, true);
    }
  }
  CheckConv(pair, {1, 1, 40, 40, 3, 3, 1, 1, 1, 40}, true);
  CheckConv(pair, {2, 3, 40, 40, 5, 5, 1, 4, 1, 40}, true);
  CheckConv(pair, {8, 9, 40, 40, 3, 3, 1, 1, 1, 40, 2, 5}, true);
  for (int32_t activation = TERN_ACT_NONE; activation <= TERN_ACT_ELU; ++activation) {
    CheckConv(pair, {6, 9, 21, 21, 3, 3, 1, 1, 1, 21, 1, 0, activation}, true);
    CheckConv(pair, {6, 9, 21, 21, 3, 3, 1, 1, 1, 21, 1, 2, activation}, true);
    CheckConv(pair, {6, 9, 21, 21, 3, 3, 1, 1, 1, 21, 1, 2, activation, true}, true);
  }
  CheckConv(pair, {60, 61, 96, 96, 3, 3, 1, 1, 1, 96}, true, 3);
  CheckConv(pair, {0, 4, 3, 3, 1, 1, 1, 0, 1, 3}, true);
}

namespace {

struct TransposeCase {
  int64_t height, width, in_c, out_c, kernel, stride, pad = 0, dilation = 1, groups = 1, batch = 1;
  int64_t output_padding = 0;
  int32_t activation = TERN_ACT_NONE;
  bool has_residual = true, has_bias = true;
};

void CheckTranspose(const KernelPair<TernConvTranspose2dArgs>& pair, const TransposeCase& c,
                    int workers = 0) {
  TernConvTranspose2dArgs args{};
  args.batch = c.batch, args.in_h = c.height, args.in_w = c.width, args.in_c = c.in_c;
  const int64_t reach = (c.kernel - 1) * c.dilation + 1 - 2 * c.pad + c.output_padding;
  args.out_h = (c.height - 1) * c.stride + reach, args.out_w = (c.width - 1) * c.stride + reach;
  args.out_c = c.out_c, args.kernel_h = args.kernel_w = c.kernel;
  args.stride_h = args.stride_w = c.stride, args.dilation_h = args.dilation_w = c.dilation;
  args.pad_top = args.pad_left = c.pad, args.groups = c.groups;
  Random random(static_cast<uint64_t>(c.in_c * 31 + c.out_c));
  Buffer<float> input(c.batch * c.height * c.width * c.in_c, 1), bias(c.out_c, 1);
  Buffer<float> weights(c.in_c * c.kernel * c.kernel * (c.out_c / c.groups), 1);
  Buffer<float> output(c.batch * args.out_h * args.out_w * c.out_c, 1);
  input.FillRandom(random);
  weights.FillRandom(random);
  bias.FillRandom(random);
  output.FillRandom(random);
  Buffer<float> residual(output);
  args.input = input.data(), args.weights = weights.data();
  args.epilogue = {c.has_bias ? bias.data() : nullptr,
                   c.has_residual ? residual.data() : nullptr,
                   c.out_c,
                   c.activation,
                   1,
                   0.1f,
                   0.6f};
  ExpectSame(pair, args, &TernConvTranspose2dArgs::output, output,
             "transposed " + std::to_string(c.in_c) + " to " + std::to_string(c.out_c) +
                 " channels, kernel " + std::to_string(c.kernel) + " stride " +
                 std::to_string(c.stride) + " pad " + std::to_string(c.pad),
             workers);
}

}  // namespace

void Test_conv_transpose2d(const KernelPair<TernConvTranspose2dArgs>& pair) {
  for (int64_t channels = 1; channels <= 2 * std::max<int64_t>(TestLanes(), 17) + 1; ++channels) {
    CheckTranspose(pair, {3, 4, 3, channels, 3, 2, 1});
    CheckTranspose(pair, {3, 4, channels, 3, 2, 2});
  }
  for (int64_t kernel : {1, 2, 3, 4, 5}) {
    for (int64_t stride : {1, 2, 3}) {
      for (int64_t dilation : {1, 2}) {
        CheckTranspose(pair, {5, 17, 6, 20, kernel, stride, 0, dilation, 2});
        CheckTranspose(pair, {5, 6, 5, 7, kernel, stride, kernel / 2, dilation, 1, 2, stride - 1});
      }
    }
  }
  for (int32_t activation = TERN_ACT_NONE; activation <= TERN_ACT_ELU; ++activation) {
    CheckTranspose(pair, {4, 5, 6, 20, 3, 2, 1, 1, 1, 1, 0, activation});
  }
  CheckTranspose(pair, {30, 30, 32, 40, 4, 2, 1}, 2);
  CheckTranspose(pair, {3, 15, 7, 5 * std::max<int64_t>(TestLanes(), 16) + 3, 3, 2}, 2);
  // Taps that do not overlap: the phases of a row are one product.
  for (int64_t stride : {2, 3}) {
    for (int64_t channels : {1, 8, 9, 24}) {
      TransposeCase c{5, 19, 7, channels, stride, stride};
      c.has_residual = false, c.activation = TERN_ACT_RELU;
      CheckTranspose(pair, c, static_cast<int>(channels % 2) * 2);
      c.has_bias = false, c.batch = 2;
      CheckTranspose(pair, c);
      c.output_padding = 1, c.has_bias = true;
      CheckTranspose(pair, c);
    }
  }
  CheckTranspose(pair, {0, 3, 2, 2, 3, 1});
}

}  // namespace tern::kernels
