// SPDX-License-Identifier: Apache-2.0
// 8-bit kernels: bytes are compared, since every target gives the same bits. Scales that make
// halves, values past every limit, NaN; windows, groups and channels around every lane count.

#include <algorithm>

#include "tests/kernels/kernel_test.h"

namespace tern::kernels {
namespace {

template <class T>
void ExpectEqualBuffers(const Buffer<T>& expected, const Buffer<T>& actual,
                        const std::string& what) {
  for (int64_t i = 0; i < expected.size(); ++i) {
    if (memcmp(&expected[i], &actual[i], sizeof(T)) == 0) continue;
    FAIL() << what << ": element " << i << " is " << +actual[i] << ", expected " << +expected[i];
  }
  EXPECT_TRUE(actual.CanariesIntact()) << what << ": wrote outside of its output";
}

template <class Args, class T>
void ExpectSameElements(const KernelPair<Args>& pair, Args args, T* Args::*output, int64_t size,
                        const std::string& what, int workers = 0) {
  Buffer<T> expected(size, 3), actual(size, 3);
  expected.Fill(T{7});
  actual.Fill(T{7});
  TestContext expected_context, actual_context(workers);
  args.*output = expected.data();
  ASSERT_EQ(pair.expected(&args, expected_context.get()), TERN_KERNEL_OK) << what;
  args.*output = actual.data();
  ASSERT_EQ(pair.actual(&args, actual_context.get()), TERN_KERNEL_OK) << what;
  ExpectEqualBuffers(expected, actual, what);
}

// --- convolutions

struct QuantizedCase {
  int64_t height, width, in_c, out_c, kernel, stride = 1, pad = 0, dilation = 1, groups = 1;
  int64_t batch = 1;
};

std::string Name(const QuantizedCase& c) {
  std::string name = "n,h,w,ic,oc,k,s,p,d,g";
  for (int64_t value : {c.batch, c.height, c.width, c.in_c, c.out_c, c.kernel, c.stride, c.pad,
                        c.dilation, c.groups}) {
    name += " " + std::to_string(value);
  }
  return name;
}

int64_t OutSize(int64_t size, const QuantizedCase& c) {
  return (size + 2 * c.pad - (c.kernel - 1) * c.dilation - 1) / c.stride + 1;
}

TernQuantizedConvArgs Geometry(const QuantizedCase& c) {
  TernQuantizedConvArgs args{};
  args.batch = c.batch, args.in_h = c.height, args.in_w = c.width, args.in_c = c.in_c;
  args.out_h = OutSize(c.height, c), args.out_w = OutSize(c.width, c), args.out_c = c.out_c;
  args.kernel_h = args.kernel_w = c.kernel, args.stride_h = args.stride_w = c.stride;
  args.dilation_h = args.dilation_w = c.dilation, args.pad_top = args.pad_left = c.pad;
  args.groups = c.groups;
  return args;
}

int64_t WeightBytes(const QuantizedCase& c, bool depthwise) {
  const int64_t taps = c.kernel * c.kernel;
  if (depthwise) return taps * c.in_c;
  const int64_t quads = (c.in_c / c.groups + 3) / 4;
  return c.groups * ((c.out_c / c.groups + 15) / 16) * taps * quads * 64;
}

// Padding of the packed form is zero, as the contract says; the rest is drawn from all of i8.
void FillWeights(const QuantizedCase& c, bool depthwise, Random& random, Buffer<int8_t>& weights) {
  const int64_t in = c.in_c / c.groups, quads = (in + 3) / 4, out = c.out_c / c.groups;
  const int64_t depth = c.kernel * c.kernel * quads, panels = (out + 15) / 16;
  for (int64_t i = 0; i < weights.size(); ++i) {
    const int64_t channel = i / 64 % quads * 4 + i % 4;
    const int64_t column = i / 64 / depth % panels * 16 + i / 4 % 16;
    const auto value = static_cast<int8_t>(static_cast<int>(random.Below(256)) - 128);
    weights[i] = depthwise || (channel < in && column < out) ? value : int8_t{0};
  }
}

// Sums of the filters, as reference/ reads them: what a pixel of ones gives.
Buffer<int32_t> SumsOf(const QuantizedCase& c, bool depthwise, const Buffer<int8_t>& weights) {
  Buffer<int32_t> sums(c.out_c);
  sums.Fill(0);
  const int64_t in = c.in_c / c.groups, quads = (in + 3) / 4, out = c.out_c / c.groups;
  const int64_t depth = c.kernel * c.kernel * quads, panels = (out + 15) / 16;
  for (int64_t i = 0; i < weights.size(); ++i) {
    if (depthwise) {
      sums[i % c.in_c] += weights[i];
      continue;
    }
    const int64_t panel = i / 64 / depth, column = panel % panels * 16 + i / 4 % 16;
    if (column < out) sums[panel / panels * out + column] += weights[i];
  }
  return sums;
}

void CheckQuantized(const KernelPair<TernQuantizedConvArgs>& pair, const QuantizedCase& c,
                    bool depthwise, int workers = 0) {
  TernQuantizedConvArgs args = Geometry(c);
  Random random(static_cast<uint64_t>(c.in_c * 31 + c.out_c + c.pad));
  Buffer<uint8_t> input(c.batch * c.height * c.width * c.in_c, 1);
  Buffer<int8_t> weights(WeightBytes(c, depthwise), 0);
  Buffer<int32_t> bias(c.out_c, 1);
  Buffer<float> scale(c.out_c, 1);
  FillBytes(input, random);
  FillWeights(c, depthwise, random, weights);
  bias.FillRandom(random, -3000.0f, 3000.0f);
  scale.FillRandom(random, 0.0001f, 0.01f);
  bias[0] = 0x7FFFFF00;  // wraps around
  scale[c.out_c - 1] = 0.5f;
  const Buffer<int32_t> sums = SumsOf(c, depthwise, weights);
  args.input = input.data(), args.weights = weights.data(), args.bias = bias.data();
  args.sums = sums.data(), args.scale = scale.data();
  const int64_t size = c.batch * args.out_h * args.out_w * c.out_c;
  args.x_zero = static_cast<int32_t>(random.Below(256));
  args.zero = 17, args.low = 0, args.high = 255;
  ExpectSameElements(pair, args, &TernQuantizedConvArgs::output, size, Name(c), workers);
  args.zero = -5, args.low = -128, args.high = 127;
  ExpectSameElements(pair, args, &TernQuantizedConvArgs::output, size, Name(c) + " i8", workers);
}

void CheckWithoutScratch(Kernel<TernQuantizedConvArgs>* kernel, const QuantizedCase& c,
                         bool depthwise) {
  TernQuantizedConvArgs args = Geometry(c);
  Buffer<uint8_t> input(c.height * c.width * c.in_c), output(args.out_h * args.out_w * c.out_c);
  Buffer<int8_t> weights(WeightBytes(c, depthwise));
  Buffer<int32_t> bias(c.out_c);
  Buffer<float> scale(c.out_c);
  args.input = input.Fill(0).data(), args.weights = weights.Fill(0).data();
  args.bias = args.sums = bias.Fill(0).data(), args.scale = scale.Fill(1).data();
  args.output = output.Fill(4).data();
  TestContext context(0, /*has_scratch=*/false);
  if (kernel(&args, context.get()) == TERN_KERNEL_OK) return;  // needs none
  for (int64_t i = 0; i < output.size(); ++i) ASSERT_EQ(output[i], 4);
}

}  // namespace

void Test_conv2d_quantized(const KernelPair<TernQuantizedConvArgs>& pair) {
  for (int64_t channels = 1; channels <= 2 * std::max<int64_t>(TestLanes(), 17) + 1; ++channels) {
    CheckQuantized(pair, {5, 4, 3, channels, 3, 1, 1}, false);
    CheckQuantized(pair, {4, 5, channels, 5, 3, 1, 1}, false);
    CheckQuantized(pair, {3, 4, channels, 20, 1}, false);
    CheckQuantized(pair, {1, 1, 21, channels, 1}, false);
  }
  for (int64_t stride : {1, 2, 3}) {
    for (int64_t pad : {0, 1, 3}) {
      for (int64_t dilation : {1, 2}) {
        CheckQuantized(pair, {9, 8, 3, 18, 3, stride, pad, dilation}, false);
        CheckQuantized(pair, {9, 8, 8, 12, 1, stride, pad, dilation}, false);
        CheckQuantized(pair, {9, 8, 20, 12, 3, stride, pad, dilation, 4}, false);
      }
    }
  }
  CheckQuantized(pair, {2, 2, 3, 4, 7, 1, 3}, false);
  CheckQuantized(pair, {9, 9, 12, 40, 3, 1, 1, 1, 2, 2}, false);
  CheckQuantized(pair, {6, 6, 6, 6, 3, 1, 1, 1, 6}, false);
  CheckQuantized(pair, {20, 20, 70, 96, 3, 1, 1}, false, 3);
  // Tiles of neighbours in long lines, with strides and groups; images that are one line.
  for (int64_t stride : {1, 2, 3}) {
    CheckQuantized(pair, {4, 60, 3, 6, 3, stride, 1}, false);
    CheckQuantized(pair, {5, 67, 10, 6, 3, stride, 2, 2, 2, 2}, false);
  }
  CheckQuantized(pair, {5, 7, 13, 20, 1, 1, 0, 1, 1, 3}, false);
  CheckQuantized(pair, {2, 2, 300, 400, 1}, false, 3);
  CheckQuantized(pair, {1, 1, 40, 40, 1, 1, 0, 1, 1, 0}, false);
  CheckWithoutScratch(pair.actual, {6, 6, 5, 9, 3, 1, 1}, false);
}

void Test_conv2d_quantized_depthwise(const KernelPair<TernQuantizedConvArgs>& pair) {
  for (int64_t c = 1; c <= 2 * std::max<int64_t>(TestLanes(), 17) + 1; ++c) {
    CheckQuantized(pair, {5, 4, c, c, 3, 1, 1, 1, c}, true);
    CheckQuantized(pair, {7, 5, c, c, 3, 2, 1, 1, c}, true);
  }
  CheckQuantized(pair, {22, 22, 3, 3, 22, 1, 21, 1, 3}, true);  // 484 taps, every product at most
  CheckQuantized(pair, {9, 9, 35, 35, 5, 1, 2, 2, 35, 2}, true);
  // Images of several strips, whose windows reach into each other's rows.
  CheckQuantized(pair, {30, 31, 72, 72, 5, 1, 2, 1, 72}, true, 3);
  CheckQuantized(pair, {41, 40, 64, 64, 3, 2, 1, 1, 64, 2}, true, 3);
  CheckQuantized(pair, {40, 40, 48, 48, 3, 3, 4, 3, 48}, true);
  CheckQuantized(pair, {1, 1, 20, 20, 1, 1, 3, 1, 20}, true);  // rows that read nothing
  CheckWithoutScratch(pair.actual, {6, 6, 9, 9, 3, 1, 1, 1, 9}, true);
}

// --- elements

void Test_quantize(const KernelPair<TernQuantizeArgs>& pair) {
  for (int64_t size : {0, 1, 3, 15, 16, 17, 63, 64, 65, 130, 1000, 300000}) {
    Random random(static_cast<uint64_t>(size));
    Buffer<float> x(size, 1);
    x.FillRandom(random, -40.0f, 40.0f);
    const float odd[] = {0.5f, -0.5f, 1.5f, NAN, INFINITY, -INFINITY, 3e38f, -3e38f, -0.0f, 1e-45f};
    for (int64_t i = 0; i < std::min<int64_t>(size, 10); ++i) x[size - 1 - i] = odd[i];
    for (float scale : {0.25f, 1.0f, 0.0371f, 0.0f}) {
      TernQuantizeArgs args{size, x.data(), nullptr, scale, 128, 0, 255};
      ExpectSameElements(pair, args, &TernQuantizeArgs::y, size, std::to_string(size), 3);
      args.zero = -3, args.low = -128, args.high = 127;
      ExpectSameElements(pair, args, &TernQuantizeArgs::y, size, std::to_string(size) + " i8");
    }
  }
}

void Test_dequantize(const KernelPair<TernDequantizeArgs>& pair) {
  for (int64_t size : {0, 1, 3, 15, 16, 17, 63, 64, 65, 130, 1000, 300000}) {
    Random random(static_cast<uint64_t>(size));
    Buffer<uint8_t> x(size, 1);
    FillBytes(x, random);
    TernDequantizeArgs args{size, x.data(), nullptr, 0.0371f, 130, 0};
    ExpectSameElements(pair, args, &TernDequantizeArgs::y, size, std::to_string(size), 3);
    args.zero = -100, args.is_signed = 1;
    ExpectSameElements(pair, args, &TernDequantizeArgs::y, size, std::to_string(size) + " i8");
  }
}

// --- sums and products

namespace {

int64_t CountOf(const std::vector<int64_t>& extents) {
  int64_t count = 1;
  for (int64_t extent : extents) count *= extent;
  return count;
}

// An operand of `extents`, broadcast to `out`, of one element type.
struct QuantizedOperand {
  int32_t type;
  Buffer<uint8_t> bytes;
  Buffer<float> floats;
  int64_t strides[TERN_MAX_RANK] = {};

  QuantizedOperand(int32_t type, const std::vector<int64_t>& extents,
                   const std::vector<int64_t>& out, Random& random)
      : type(type), bytes(CountOf(extents), 1), floats(CountOf(extents), 1) {
    int64_t size = 1;
    for (size_t i = extents.size(); i-- > 0;) {
      strides[i] = extents[i] == 1 && out[i] != 1 ? 0 : size;
      size *= extents[i];
    }
    // The innermost stride is 0 or 1, also where there is one element.
    const size_t inner = extents.size() - 1;
    strides[inner] = strides[inner] == 0 ? 0 : 1;
    FillBytes(bytes, random);
    floats.FillRandom(random, -3.0f, 3.0f);
    if (size > 3) floats[1] = NAN, floats[2] = INFINITY;
  }
  const void* data() const {
    return type == TERN_QUANTIZED_F32 ? static_cast<const void*>(floats.data()) : bytes.data();
  }
};

void CheckQuantizedBinary(const KernelPair<TernQuantizedBinaryArgs>& pair,
                          const std::vector<int64_t>& a, const std::vector<int64_t>& b,
                          int workers = 0) {
  std::vector<int64_t> out;
  for (size_t i = 0; i < a.size(); ++i) out.push_back(a[i] == 1 ? b[i] : a[i]);
  const int64_t size = CountOf(out);
  for (int32_t types = 0; types < TERN_QUANTIZED_COUNT * TERN_QUANTIZED_COUNT; ++types) {
    Random random(static_cast<uint64_t>(size + types));
    const QuantizedOperand left(types / TERN_QUANTIZED_COUNT, a, out, random);
    const QuantizedOperand right(types % TERN_QUANTIZED_COUNT, b, out, random);
    TernQuantizedBinaryArgs args{};
    args.op = types % 2 == 0 ? TERN_BINARY_add : TERN_BINARY_mul;
    args.rank = static_cast<int32_t>(out.size());
    std::copy(out.begin(), out.end(), args.shape);
    std::copy(left.strides, left.strides + out.size(), args.a_strides);
    std::copy(right.strides, right.strides + out.size(), args.b_strides);
    args.a = left.data(), args.b = right.data();
    args.a_type = left.type, args.b_type = right.type;
    args.a_scale = 0.25f, args.b_scale = 0.0371f, args.scale = types % 3 == 0 ? 0.5f : 0.031f;
    args.a_zero = left.type == TERN_QUANTIZED_I8 ? -7 : 128, args.b_zero = 3;
    const bool is_signed = types % 4 == 1;
    args.zero = is_signed ? -5 : 100, args.high = is_signed ? 127 : 255;
    args.low = types % 5 == 0 ? args.zero : is_signed ? -128 : 0;
    ExpectSameElements(pair, args, &TernQuantizedBinaryArgs::y, size,
                       "types " + std::to_string(types) + " size " + std::to_string(size), workers);
  }
}

}  // namespace

void Test_quantized_binary(const KernelPair<TernQuantizedBinaryArgs>& pair) {
  for (int64_t size = 1; size <= 2 * TestLanes() + 1; ++size) {
    CheckQuantizedBinary(pair, {size}, {size});
    CheckQuantizedBinary(pair, {size}, {1});
    CheckQuantizedBinary(pair, {1}, {size});
    CheckQuantizedBinary(pair, {5, size}, {1, size});
    CheckQuantizedBinary(pair, {5, 1}, {5, size});
  }
  CheckQuantizedBinary(pair, {3, 1, 4}, {1, 5, 4});
  CheckQuantizedBinary(pair, {2, 3, 1, 5}, {1, 3, 4, 1});
  CheckQuantizedBinary(pair, {0}, {1});
  CheckQuantizedBinary(pair, {300000}, {300000}, 3);
  CheckQuantizedBinary(pair, {300, 700}, {300, 1}, 4);
}

}  // namespace tern::kernels
