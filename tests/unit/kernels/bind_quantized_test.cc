// SPDX-License-Identifier: Apache-2.0
// conv2d_quantized against the operators that it stands for: the same bits, whatever the layout,
// the packing and the types.
#include <cstdint>
#include <limits>

#include "core/ops/quantized_weights.h"
#include "tests/unit/kernels/bind_test.h"

namespace tern::kernels::quantized_test {
namespace {

// The same numbers on every machine, all of T's.
template <class T>
TensorPtr Noise(std::initializer_list<int64_t> dims, DType dtype, uint32_t seed) {
  TensorPtr tensor = Tensor::New(dtype, dims).value();
  for (int64_t i = 0; i < tensor->element_count(); ++i) {
    seed = seed * 1664525 + 1013904223;
    tensor->data_as<T>()[i] = static_cast<T>(seed >> 24);
  }
  return tensor;
}

// quantize_linear(cast(conv_integer + bias) * scale), with a scalar zero point that gives the type.
TensorPtr InSteps(std::string_view conv, const TensorPtr& x, const TensorPtr& w,
                  const TensorPtr& x_zero, const TensorPtr& bias, const TensorPtr& scale,
                  const TensorPtr& zero) {
  const TensorPtr sum = RunTensor(conv, {x, w, x_zero});
  const TensorPtr biased = RunTensor("add", {sum, RunTensor("reshape{shape=1,-1,1,1}", {bias})});
  const TensorPtr steps = RunTensor(
      "mul", {RunTensor("cast{to=f32}", {biased}), RunTensor("reshape{shape=1,-1,1,1}", {scale})});
  return RunTensor("quantize_linear", {steps, F({}, {1}), zero});
}

TEST(QuantizedConv, IsWhatItStandsFor) {
  const TensorPtr x = Noise<uint8_t>({2, 6, 7, 5}, kU8, 1);
  const TensorPtr w = Noise<int8_t>({4, 3, 3, 2}, kI8, 2);
  const TensorPtr bias = T_<int32_t>({4}, {-1000, 0, 77, 2147480000});
  const TensorPtr scale = F({4}, {0.01f, 0.5f, 0.001f, 0.0371f});
  const TensorPtr expected = InSteps("conv_integer{groups=2 strides=2,1 pads=1,0,1,1}", x, w,
                                     T_<uint8_t>({}, {101}), bias, scale, T_<uint8_t>({}, {9}));
  EXPECT_EQ(Text(*RunTensor("conv2d_quantized{groups=2 strides=2,1 pads=1,0,1,1 x_zero=101 zero=9}",
                            {x, w, bias, scale})),
            Text(*expected));
  const TensorPtr last = RunTensor("transpose{perm=0,2,3,1}", {x});
  EXPECT_EQ(Text(*RunTensor("conv2d_quantized{layout=nhwc groups=2 strides=2,1 pads=1,0,1,1 "
                            "x_zero=101 zero=9}",
                            {last, w, bias, scale})),
            Text(*RunTensor("transpose{perm=0,2,3,1}", {expected})));
}

TEST(QuantizedConv, SignedImages) {
  const TensorPtr x = Noise<int8_t>({1, 5, 4, 4}, kI8, 3);
  const TensorPtr w = Noise<int8_t>({20, 5, 1, 1}, kI8, 4);
  const TensorPtr bias = Noise<int32_t>({20}, kI32, 5);
  TensorPtr scale = Iota({20}, 0.001f);
  const TensorPtr expected =
      InSteps("conv_integer", x, w, T_<int8_t>({}, {-77}), bias, scale, T_<int8_t>({}, {-128}));
  EXPECT_EQ(Text(*RunTensor("conv2d_quantized{x_zero=-77 zero=-128 to=i8}", {x, w, bias, scale})),
            Text(*expected));
}

TEST(QuantizedConv, DepthwiseAndRelu) {
  const TensorPtr x = Noise<uint8_t>({1, 19, 6, 6}, kU8, 6);
  const TensorPtr w = Noise<int8_t>({19, 1, 3, 3}, kI8, 7);
  const TensorPtr bias = Noise<int32_t>({19}, kI32, 8);
  const TensorPtr scale = Iota({19}, 0.002f);
  const TensorPtr expected = InSteps("conv_integer{groups=19 pads=1,1,1,1}", x, w,
                                     T_<uint8_t>({}, {128}), bias, scale, T_<uint8_t>({}, {50}));
  const TensorPtr got = RunTensor(
      "conv2d_quantized{groups=19 pads=1,1,1,1 x_zero=128 zero=50 relu=1}", {x, w, bias, scale});
  ASSERT_EQ(got->element_count(), expected->element_count());
  for (int64_t i = 0; i < got->element_count(); ++i) {
    const int plain = expected->data_as<uint8_t>()[i];
    EXPECT_EQ(got->data_as<uint8_t>()[i], plain < 50 ? 50 : plain) << i;
  }
}

TEST(QuantizedConv, PackedWeights) {
  const TensorPtr x = Noise<uint8_t>({1, 4, 4, 6}, kU8, 9);
  const TensorPtr w = Noise<int8_t>({18, 6, 2, 2}, kI8, 10);
  const TensorPtr bias = Noise<int32_t>({18}, kI32, 11);
  const TensorPtr scale = Iota({18}, 0.001f);
  const ops::FilterExtents filters{1, 18, 6, 4};
  TensorPtr packed = Tensor::New(kI8, ops::QuadExtents(filters).span()).value();
  TensorPtr rows = Tensor::New(kI32, std::initializer_list<int64_t>{2, 18}).value();
  ops::PackQuads(filters, w->data_as<int8_t>(), packed->data_as<int8_t>());
  ops::SumFilters(filters, w->data_as<int8_t>(), rows->data_as<int32_t>() + 18);
  for (int64_t i = 0; i < 18; ++i) rows->data_as<int32_t>()[i] = bias->data_as<int32_t>()[i];
  EXPECT_EQ(
      Text(*RunTensor("conv2d_quantized{layout=nhwc kernel=2,2 packed=1 channels=18 x_zero=3}",
                      {x, packed, rows, scale})),
      Text(*RunTensor("conv2d_quantized{layout=nhwc x_zero=3}", {x, w, bias, scale})));
}

TEST(QuantizedConv, Refusals) {
  const TensorPtr x = Noise<uint8_t>({1, 2, 3, 3}, kU8, 1), w = Noise<int8_t>({2, 2, 1, 1}, kI8, 2);
  const TensorPtr bias = T_<int32_t>({2}, {1, 2}), scale = F({2}, {1, 1});
  ExpectError("conv2d_quantized", {F({1, 2, 1, 1}, {1, 2}), w, bias, scale},
              {"conv2d_quantized", "u8 or i8", "f32[1, 2, 1, 1]"});
  ExpectError("conv2d_quantized", {x, x, bias, scale}, {"conv2d_quantized", "i8"});
  ExpectError("conv2d_quantized", {x, w, T_<int32_t>({1}, {1}), scale}, {"bias", "[1]", "[2]"});
  ExpectError("conv2d_quantized", {x, w, bias, F({3}, {1, 1, 1})}, {"scale", "[3]", "[2]"});
  ExpectError("conv2d_quantized", {x, w, bias, F({2}, {1, std::numeric_limits<float>::infinity()})},
              {"scale", "inf", "finite"});
  ExpectError("conv2d_quantized{x_zero=-1}", {x, w, bias, scale}, {"x_zero is -1", "u8"});
  ExpectError("conv2d_quantized{zero=128 to=i8}", {x, w, bias, scale}, {"zero"});
  ExpectError("conv2d_quantized{to=f32}", {x, w, bias, scale}, {"to", "u8 or i8"});
  ExpectError("conv2d_quantized{kernel=1,1 packed=1 channels=2}", {x, w, bias, scale},
              {"packed w", "[2, 2, 1, 1]", "[1, 1, 1, 16, 4]"});
  ExpectError("conv2d_quantized", {x, Noise<int8_t>({2, 3, 1, 1}, kI8, 2), bias, scale},
              {"channels", "[1, 2, 3, 3]"});
}

TEST(QuantizedConv, LargestOfBytes) {
  const TensorPtr x = T_<int8_t>({1, 1, 2, 4}, {-128, -3, 5, 127, -128, -128, 4, 6});
  EXPECT_EQ(RunText("max_pool{kernel=2,2 strides=2,2}", {x}), "i8[1, 1, 1, 2] {-3 127}");
  EXPECT_EQ(RunText("max_pool{kernel=1,1 pads=1,0,0,0}", {T_<uint8_t>({1, 1, 1, 2}, {255, 0})}),
            "u8[1, 1, 2, 2] {0 0 255 0}");
}

}  // namespace
}  // namespace tern::kernels::quantized_test
