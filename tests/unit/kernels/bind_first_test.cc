// SPDX-License-Identifier: Apache-2.0
// The operators of image classifiers, and what every operator does with bad arguments.

#include "core/base/strings.h"
#include "core/ops/ops.h"
#include "core/ops/winograd_weights.h"
#include "tests/unit/kernels/bind_test.h"

namespace tern::kernels::bind_first_test {
namespace {

TEST(BindTest, EveryBindingIsAnOperatorThatCanBeRegisteredOnce) {
  Registry registry;
  EXPECT_TRUE(RegisterOperators(&registry).ok());
  EXPECT_TRUE(registry.Contains("conv2d{strides=2,2}"));
  EXPECT_FALSE(RegisterOperators(&registry).ok());
}

TEST(BindTest, EveryOperatorHasAKernel) {
  for (const ops::OpInfo& op : ops::AllOps()) EXPECT_TRUE(HasOperator(op.name)) << op.name;
}

TEST(BindTest, RefusesUnknownOperatorsAndAttributes) {
  EXPECT_EQ(MakeOperator("no_such_operator").status().code(), StatusCode::kNotFound);
  EXPECT_FALSE(MakeOperator("softmax{axes=1}").ok());
  EXPECT_FALSE(MakeOperator("softmax{axis=one}").ok());
  EXPECT_FALSE(MakeOperator("conv2d{strides=0,1}").ok());
  EXPECT_FALSE(MakeOperator("softmax{").ok());
}

TEST(BindTest, RefusesWrongCountsAndKindsOfArguments) {
  ExpectError("softmax", {}, {"softmax", "got 0"});
  ExpectError("softmax", {F({1}, {1}), F({1}, {1})}, {"softmax", "got 2"});
  ExpectError("softmax", {3}, {"softmax", "x (argument 0)", "int", "tensor"});
  ExpectError("softmax", {I({1}, {1})}, {"softmax", "x (argument 0)", "i64[1]", "f32"});
  ExpectError("add", {AnyView(nullptr), F({1}, {1})}, {"add", "a (argument 0)", "missing"});
}

TEST(BindTest, TakesStridedArguments) {
  TensorPtr x = Iota({2, 3});
  TensorPtr transposed =
      x->View(Dims(Shape::Make({3, 2})->dims()), Dims(Shape::Make({1, 3})->dims()), 0).value();
  EXPECT_EQ(RunText("neg", {transposed}), "f32[3, 2] {0 -3 -1 -4 -2 -5}");
}

TEST(ConvTest, AddsBiasAndActivation) {
  TensorPtr x = Iota({1, 1, 3, 3}), w = F({1, 1, 2, 2}, {1, 0, 0, 1});
  EXPECT_EQ(RunText("conv2d", {x, w}), "f32[1, 1, 2, 2] {4 6 10 12}");
  EXPECT_EQ(RunText("conv2d{activation=relu}", {x, w, F({1}, {-5})}), "f32[1, 1, 2, 2] {0 1 5 7}");
  EXPECT_EQ(RunText("conv2d{strides=2,2 pads=1,1,0,0}", {x, w}), "f32[1, 1, 2, 2] {0 2 6 12}");
}

TEST(ConvTest, LayoutsAndGroupsAgree) {
  TensorPtr x = Iota({1, 4, 3, 3}, 0.1f), w = Iota({4, 2, 2, 2}, 0.05f);
  TensorPtr last = RunTensor("transpose{perm=0,2,3,1}", {x});
  TensorPtr y = RunTensor("conv2d{groups=2 pads=1,0,0,1}", {x, w});
  TensorPtr y_last = RunTensor("conv2d{layout=nhwc groups=2 pads=1,0,0,1}", {last, w});
  EXPECT_EQ(Text(*RunTensor("transpose{perm=0,3,1,2}", {y_last})), Text(*y));
}

TEST(ConvTest, DepthwiseAndOneDimensional) {
  EXPECT_EQ(RunText("conv2d{groups=2}", {Iota({1, 2, 2, 2}), F({2, 1, 1, 2}, {1, 1, 1, -1})}),
            "f32[1, 2, 2, 1] {1 5 -1 -1}");
  EXPECT_EQ(RunText("conv2d{pads=1,1}", {F({1, 1, 3}, {1, 2, 3}), F({1, 1, 3}, {1, 1, 1})}),
            "f32[1, 1, 3] {3 6 5}");
}

TEST(ConvTest, ResidualBeforeOrAfterTheActivation) {
  TensorPtr x = F({1, 1, 1, 2}, {1, -1}), w = F({1, 1, 1, 1}, {2}), r = F({1, 1, 1, 2}, {-3, 3});
  EXPECT_EQ(RunText("conv2d{activation=relu}", {x, w, nullptr, r}), "f32[1, 1, 1, 2] {0 1}");
  EXPECT_EQ(RunText("conv2d{activation=relu residual_after=1}", {x, w, nullptr, r}),
            "f32[1, 1, 1, 2] {-1 3}");
}

TEST(ConvTest, RefusesWhatDoesNotFit) {
  TensorPtr x = Iota({1, 2, 3, 3}), w = Iota({4, 2, 2, 2});
  ExpectError("conv2d", {x, Iota({4, 3, 2, 2})}, {"conv2d", "axis 1", "2", "3"});
  ExpectError("conv2d", {Iota({3, 3}), w}, {"conv2d", "x", "rank"});
  ExpectError("conv2d", {x, w, F({3}, {1, 2, 3})}, {"conv2d", "bias", "[3]", "[4]"});
  ExpectError("conv2d{groups=3}", {x, w}, {"conv2d", "groups"});
  ExpectError("conv2d", {x, w, nullptr, x}, {"conv2d", "residual"});
  ExpectError("conv2d{packed=1 kernel=2,2 channels=4}", {x, w}, {"conv2d", "packed w"});
  ExpectError("conv2d{packed=1 kernel=3,3 channels=4 winograd=1}", {x, Iota({1, 1, 18, 16})},
              {"conv2d", "packed w", "[36, 1, 2, 16]"});
  ExpectError("conv2d", {x, I({1, 1, 1, 1}, {1})}, {"conv2d", "w (argument 1)", "i64"});
}

// By Winograd's algorithm as by taps, in both layouts.
TEST(ConvTest, TransformedWeights) {
  TensorPtr x = Iota({1, 2, 5, 6}), w = Iota({3, 2, 3, 3}), bias = F({3}, {1, 2, 3});
  TensorPtr points = Tensor::New(kF32, ops::WinogradExtents(3, 2).span()).value();
  ops::PackWinograd(3, 2, w->data_as<float>(), points->data_as<float>());
  for (const char* layout : {"", " layout=nhwc"}) {
    TensorPtr image = *layout == 0 ? x : Iota({1, 5, 6, 2});
    const std::string attrs = StrCat(" pads=1,1,1,1 activation=relu", layout, "}");
    const TensorPtr expected = RunTensor(StrCat("conv2d{", attrs), {image, w, bias});
    const TensorPtr y = RunTensor(StrCat("conv2d{packed=1 kernel=3,3 channels=3 winograd=1", attrs),
                                  {image, points, bias});
    ASSERT_EQ(y->element_count(), expected->element_count());
    for (int64_t i = 0; i < y->element_count(); ++i) {
      EXPECT_NEAR(y->data_as<float>()[i], expected->data_as<float>()[i], 0.5f) << layout << i;
    }
  }
}

TEST(ConvTest, TransposedConvolution) {
  TensorPtr x = F({1, 1, 2, 2}, {1, 2, 3, 4}), w = F({1, 1, 2, 2}, {1, 10, 100, 1000});
  EXPECT_EQ(RunText("conv_transpose2d{strides=2,2}", {x, w}),
            "f32[1, 1, 4, 4] {1 10 2 20 100 1000 200 2000 3 30 4 40 300 3000 400 4000}");
  ExpectError("conv_transpose2d", {x, Iota({2, 1, 2, 2})}, {"conv_transpose2d", "w", "axis 0"});
}

TEST(PoolTest, MaximaAndMeans) {
  TensorPtr x = Iota({1, 1, 3, 3});
  EXPECT_EQ(RunText("max_pool{kernel=2,2}", {x}), "f32[1, 1, 2, 2] {4 5 7 8}");
  EXPECT_EQ(RunText("average_pool{kernel=2,2 strides=2,2 ceil_mode=1}", {x}),
            "f32[1, 1, 2, 2] {2 3.5 6.5 8}");
  EXPECT_EQ(RunText("average_pool{kernel=2,2 strides=2,2 pads=1,1,0,0 count_include_pad=1}", {x}),
            "f32[1, 1, 2, 2] {0 0.75 2.25 6}");
  EXPECT_EQ(RunText("global_average_pool", {x}), "f32[1, 1, 1, 1] {4}");
  EXPECT_EQ(RunText("global_max_pool{layout=nhwc}", {Iota({1, 2, 2, 2})}), "f32[1, 1, 1, 2] {6 7}");
  ExpectError("max_pool{kernel=2,2}", {Iota({3, 3})}, {"max_pool", "x"});
  ExpectError("average_pool{kernel=1,1}", {I({1, 1, 1, 1}, {1})}, {"average_pool", "i64", "f32"});
}

TEST(PoolTest, PlainLoopsTakeWhatIsLeft) {
  EXPECT_EQ(RunText("max_pool{kernel=2,2}", {T_<uint8_t>({1, 1, 2, 2}, {1, 9, 3, 4})}),
            "u8[1, 1, 1, 1] {9}");
  EXPECT_EQ(RunText("max_pool{kernel=2,2,2}", {Iota({1, 1, 2, 2, 2})}), "f32[1, 1, 1, 1, 1] {7}");
  EXPECT_EQ(RunText("average_pool{kernel=1,1,2 pads=0,0,1,0,0,0 count_include_pad=1}",
                    {Iota({1, 1, 1, 1, 2})}),
            "f32[1, 1, 1, 1, 2] {0 0.5}");
  EXPECT_EQ(RunText("max_pool_indices{kernel=2,2}", {Iota({1, 2, 2, 3})}),
            "f32[1, 2, 1, 2] {4 5 10 11} i64[1, 2, 1, 2] {4 5 10 11}");
  EXPECT_EQ(RunText("max_pool_indices{kernel=2,2 column_major=1}", {Iota({1, 1, 2, 3})}),
            "f32[1, 1, 1, 2] {4 5} i64[1, 1, 1, 2] {3 5}");
  EXPECT_EQ(RunText("lp_pool{kernel=1,2}", {F({1, 1, 1, 2}, {3, -4})}), "f32[1, 1, 1, 1] {5}");
  ExpectError("average_pool{kernel=2,2}", {T_<uint8_t>({1, 1, 2, 2}, {1, 9, 3, 4})},
              {"average_pool", "u8", "f32"});
  ExpectError("max_pool_indices{kernel=2,2 layout=nhwc}", {Iota({1, 2, 2, 1})}, {"layout=nchw"});
  ExpectError("lp_pool{kernel=1,2 p=0}", {Iota({1, 1, 1, 2})}, {"lp_pool", "p"});
}

TEST(ConvTest, ThreeSpatialAxes) {
  EXPECT_EQ(RunText("conv3d{activation=relu}",
                    {Iota({1, 1, 2, 2, 2}), F({1, 1, 1, 1, 2}, {1, 1}), F({1}, {-5})}),
            "f32[1, 1, 2, 2, 1] {0 0 4 8}");
  EXPECT_EQ(RunText("conv3d{groups=2 pads=1,0,0,0,0,0}",
                    {Iota({1, 2, 1, 1, 2}), F({2, 1, 2, 1, 1}, {1, 2, 3, 4})}),
            "f32[1, 2, 1, 1, 2] {0 2 8 12}");
  ExpectError("conv3d{layout=nhwc}", {Iota({1, 2, 2, 2, 1}), Iota({1, 1, 1, 1, 2})}, {"conv3d"});
  ExpectError("conv3d", {Iota({1, 1, 2, 2}), Iota({1, 1, 1, 1, 2})}, {"conv3d", "w"});
}

TEST(QuantizeTest, ThereAndBack) {
  TensorPtr x = F({2, 2}, {-1, 0.5f, 1.5f, 300}), zero = T_<uint8_t>({}, {10});
  EXPECT_EQ(RunText("quantize_linear", {x, F({}, {1}), zero}), "u8[2, 2] {9 10 12 255}");
  EXPECT_EQ(RunText("quantize_linear{axis=1 to=i8}", {x, F({2}, {0.5f, 100})}),
            "i8[2, 2] {-2 0 3 3}");
  EXPECT_EQ(RunText("dequantize_linear", {T_<uint8_t>({2}, {9, 12}), F({}, {0.5f}), zero}),
            "f32[2] {-0.5 1}");
  EXPECT_EQ(
      RunText("dequantize_linear{axis=0 block=2}", {T_<int8_t>({3}, {1, 1, 1}), F({2}, {1, 2})}),
      "f32[3] {1 1 2}");
  EXPECT_EQ(RunText("dynamic_quantize_linear", {F({2}, {-1, 1.55f})}),
            "u8[2] {0 255} f32[] {0.01} u8[] {100}");
  ExpectError("quantize_linear{axis=0}", {x, F({3}, {1, 1, 1})}, {"quantize_linear", "[3]", "[2]"});
  ExpectError("quantize_linear{to=f32}", {x, F({}, {1})}, {"quantize_linear", "f32"});
  ExpectError("dequantize_linear", {x, F({}, {1})}, {"dequantize_linear", "f32[2, 2]", "u8"});
  ExpectError("quantize_linear", {x, F({}, {1}), T_<uint8_t>({2}, {1, 2})}, {"zero_point"});
}

TEST(QuantizeTest, SumsAndProducts) {
  TensorPtr a = T_<uint8_t>({2, 2}, {9, 10, 12, 255}), b = T_<int8_t>({2}, {-4, 3});
  // 0.5 (a - 10) + 0.25 (b + 2), in steps of 0.5 around 100: halves to even.
  EXPECT_EQ(
      RunText("add_quantized{a_scale=0.5 a_zero=10 b_scale=0.25 b_zero=-2 scale=0.5 zero=100}",
              {a, b}),
      "u8[2, 2] {98 102 101 255}");
  EXPECT_EQ(RunText("add_quantized{a_zero=10 b_zero=-2 zero=100 relu=1}", {a, b}),
            "u8[2, 2] {100 105 100 255}");
  EXPECT_EQ(RunText("mul_quantized{a_scale=0.5 a_zero=10 to=i8}", {a, F({1, 1}, {3})}),
            "i8[2, 2] {-2 0 3 127}");
  EXPECT_EQ(RunText("mul_quantized{b_zero=-2 scale=2 to=i8}", {F({}, {5}), b}), "i8[2] {-5 12}");
  ExpectError("add_quantized", {a, I({2}, {1, 2})}, {"add_quantized", "b is i64", "u8, i8 or f32"});
  ExpectError("add_quantized{b_zero=200}", {a, b}, {"b_zero is 200", "i8"});
  ExpectError("mul_quantized{a_scale=2}", {F({}, {5}), b}, {"a_scale", "a is f32"});
  ExpectError("mul_quantized", {a, T_<uint8_t>({3}, {1, 2, 3})},
              {"mul_quantized", "[2, 2]", "[3]"});
}

TEST(MatMulTest, MatricesVectorsAndBatches) {
  TensorPtr a = F({2, 3}, {1, 2, 3, 4, 5, 6}), b = F({3, 2}, {1, 0, 0, 1, 1, 1});
  EXPECT_EQ(RunText("matmul", {a, b}), "f32[2, 2] {4 5 10 11}");
  EXPECT_EQ(RunText("matmul{trans_b=1}", {a, a}), "f32[2, 2] {14 32 32 77}");
  EXPECT_EQ(RunText("matmul{trans_a=1}", {b, b}), "f32[2, 2] {2 1 1 2}");
  EXPECT_EQ(RunText("matmul", {a, F({3}, {1, 1, 1})}), "f32[2] {6 15}");
  EXPECT_EQ(RunText("matmul", {F({3}, {1, 1, 1}), b}), "f32[2] {2 2}");
  EXPECT_EQ(RunText("matmul", {F({3}, {1, 1, 1}), F({3}, {1, 2, 3})}), "f32[] {6}");
  EXPECT_EQ(RunText("matmul", {Iota({2, 1, 2}), F({2, 1}, {1, 1})}), "f32[2, 1, 1] {1 5}");
  EXPECT_EQ(RunText("matmul", {Iota({2, 1, 1, 2}), Iota({3, 2, 1})}),
            "f32[2, 3, 1, 1] {1 3 5 3 13 23}");
}

TEST(MatMulTest, AlphaBetaAndBiasOfAnyShape) {
  TensorPtr a = F({2, 1}, {1, 2}), b = F({1, 2}, {1, 10});
  EXPECT_EQ(RunText("matmul", {a, b, F({2}, {1, 2})}), "f32[2, 2] {2 12 3 22}");
  EXPECT_EQ(RunText("matmul{activation=relu}", {a, b, F({2, 1}, {0, -5})}),
            "f32[2, 2] {1 10 0 15}");
  EXPECT_EQ(RunText("matmul{alpha=2 beta=0.5}", {a, b, F({1}, {2})}), "f32[2, 2] {3 21 5 41}");
}

TEST(MatMulTest, PackedWeights) {
  TensorPtr panels = Tensor::New(kF32, {1, 2, 16}).value();
  for (float& value : panels->values<float>()) value = 0;
  panels->data_as<float>()[0] = 1;   // b[0, 0]
  panels->data_as<float>()[17] = 2;  // b[1, 1]
  EXPECT_EQ(RunText("matmul{packed=1 columns=2}", {Iota({2, 1, 2}), panels}),
            "f32[2, 1, 2] {0 2 2 6}");
  ExpectError("matmul{packed=1 columns=20}", {Iota({2, 2}), panels}, {"matmul", "packed"});
}

TEST(MatMulTest, RefusesWhatDoesNotFit) {
  ExpectError("matmul", {Iota({2, 3}), Iota({2, 3})},
              {"matmul", "axis 1 of a", "3", "axis 0 of b"});
  ExpectError("matmul", {Iota({2, 1, 1}), Iota({3, 1, 1})}, {"matmul", "broadcast"});
  ExpectError("matmul", {F({}, {1}), F({1}, {1})}, {"matmul", "a", "rank"});
  ExpectError("matmul", {Iota({1, 1}), Iota({1, 1}), F({2}, {1, 2})}, {"matmul", "bias"});
}

TEST(NormTest, SoftmaxAndBatchNorm) {
  EXPECT_EQ(RunText("softmax", {F({1, 2}, {0, 0})}), "f32[1, 2] {0.5 0.5}");
  EXPECT_EQ(RunText("softmax{axis=0}", {F({2, 2}, {0, 1000, 0, 0})}), "f32[2, 2] {0.5 1 0.5 0}");
  EXPECT_EQ(RunText("log_softmax", {F({2}, {0, 0})}), "f32[2] {-0.69315 -0.69315}");
  TensorPtr one = F({2}, {1, 1}), two = F({2}, {2, 3});
  EXPECT_EQ(RunText("batch_norm{epsilon=0}", {Iota({1, 2, 2}), two, one, one, one}),
            "f32[1, 2, 2] {-1 1 4 7}");
  ExpectError("softmax{axis=2}", {F({1, 2}, {0, 0})}, {"softmax", "axis 2"});
  ExpectError("batch_norm", {Iota({1, 3, 2}), two, one, one, one}, {"batch_norm", "scale", "[3]"});
}

}  // namespace
}  // namespace tern::kernels::bind_first_test
