// SPDX-License-Identifier: Apache-2.0
// Converters: which calls a node becomes, by opset; and what each refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/onnx/node_context.h"
#include "tests/unit/onnx/import_text.h"

namespace tern::test::convert_test {
namespace {

using ::testing::HasSubstr;

// A node over inputs x [2, 3, 8, 8], m [4, 6], v [6], i (i64 [2]), and the given initializers.
Imported ImportNode(int64_t opset, const OnnxNode& node,
                    const std::vector<ProtoWriter>& initializers = {}) {
  OnnxGraph graph;
  graph.Input("x", kOnnxFloat, {2, 3, 8, 8})
      .Input("m", kOnnxFloat, {4, 6})
      .Input("v", kOnnxFloat, {6});
  graph.Input("s", kOnnxFloat, {2, 3, 8}).Input("i", kOnnxInt64, {2}).Input("n", kOnnxInt64, {});
  for (const ProtoWriter& initializer : initializers) graph.Initializer(initializer);
  graph.Node(node);
  for (const std::string_view output : node.outputs) graph.Output(output);
  return Import(graph.Model(opset));
}

std::string Calls(int64_t opset, const OnnxNode& node,
                  const std::vector<ProtoWriter>& initializers = {}) {
  const Imported imported = ImportNode(opset, node, initializers);
  return imported.ok ? imported.calls() : imported.messages();
}

ProtoWriter Filled(std::string_view name, const std::vector<int64_t>& dims) {
  int64_t count = 1;
  for (const int64_t dim : dims) count *= dim;
  return OnnxFloats(name, dims, std::vector<float>(static_cast<size_t>(count), 0.5f));
}

TEST(ConvertTest, ConvOfTwoAndOneSpatialAxes) {
  EXPECT_EQ(Calls(11,
                  {"Conv",
                   {"x", "w"},
                   {"y"},
                   {IntsAttribute("strides", {2, 2}), IntsAttribute("pads", {1, 1, 1, 1})}},
                  {Filled("w", {4, 3, 3, 3})}),
            "conv2d(%x, @w) {strides=2,2 pads=1,1,1,1}");
  EXPECT_EQ(Calls(11,
                  {"Conv",
                   {"s", "w"},
                   {"y"},
                   {IntsAttribute("strides", {2}), IntsAttribute("pads", {1, 2})}},
                  {Filled("w", {4, 3, 3})}),
            "unsqueeze(%s) {axes=2}\nunsqueeze(@w) {axes=2}\n"
            "conv2d(%0, %1) {strides=1,2 pads=0,1,0,2}\nsqueeze(%2) {axes=2}");
  EXPECT_EQ(Calls(11, {"Conv", {"x", "w"}, {"y"}, {TextAttribute("auto_pad", "SAME_UPPER")}},
                  {Filled("w", {4, 3, 3, 3})}),
            "conv2d(%x, @w) {auto_pad=same_upper}");
}

// How many bounds there are may be known of the starts only, and in files it may be any number.
TEST(ConvertTest, NumbersOfComputedBoundsAndAxesAreFollowedOrRefused) {
  const auto sliced = [](std::initializer_list<OnnxDim> ends, std::vector<std::string_view> in) {
    const Imported imported = Import(OnnxGraph()
                                         .Input("m", kOnnxFloat, {4, 6})
                                         .Input("e", kOnnxInt64, ends)
                                         .Initializer(OnnxInts("b", {1}))
                                         .Initializer(OnnxInts("a", {1}))
                                         .Node({"Slice", std::move(in), {"y"}, {}, "cut"})
                                         .Output("y")
                                         .Model(13));
    return imported.ok ? imported.signature() : imported.messages();
  };
  EXPECT_THAT(sliced({"k"}, {"m", "b", "e", "a"}), HasSubstr("-> f32[4, _1]"));
  EXPECT_THAT(sliced({"k"}, {"m", "e", "e", "a"}), HasSubstr("-> f32[4, _1]"));
  EXPECT_THAT(sliced({"k"}, {"m", "b", "e"}), HasSubstr("-> f32[_1, 6]"));
  EXPECT_THAT(sliced({"k"}, {"m", "e", "e"}), HasSubstr("-> f32[_1, _2]"));
  EXPECT_THAT(sliced({2}, {"m", "b", "e", "a"}), HasSubstr("slice has 1 starts, 2 ends"));
  EXPECT_THAT(sliced({1'000'000'000'000}, {"m", "e", "e"}),
              HasSubstr("slice has 1000000000000 starts or ends, at most 8 are possible"));
  const Imported wide = Import(OnnxGraph()
                                   .Input("m", kOnnxFloat, {4, 6})
                                   .Input("e", kOnnxInt64, {INT64_MAX})
                                   .Node({"Unsqueeze", {"m", "e"}, {"y"}, {}, "wide"})
                                   .Output("y")
                                   .Model(13));
  EXPECT_THAT(wide.messages(), HasSubstr("9223372036854775807 axes for an input of rank 2"));
}

TEST(ConvertTest, ConvRefusesWhatDoesNotFit) {
  const std::vector<ProtoWriter> weights = {Filled("w", {4, 3, 3, 3})};
  EXPECT_THAT(
      Calls(11, {"Conv", {"x", "w"}, {"y"}, {IntsAttribute("strides", {2, 2, 2})}}, weights),
      HasSubstr("E0403 Conv: attribute 'strides' has 3 values, expected 2"));
  EXPECT_THAT(Calls(11, {"Conv", {"x", "w"}, {"y"}, {IntsAttribute("strides", {0, 1})}}, weights),
              HasSubstr("values must be at least 1"));
  EXPECT_THAT(
      Calls(11, {"Conv", {"x", "w"}, {"y"}, {IntsAttribute("pads", {-1, 0, 0, 0})}}, weights),
      HasSubstr("values must be at least 0"));
  EXPECT_THAT(Calls(11, {"Conv", {"x", "w"}, {"y"}, {TextAttribute("strides", "2")}}, weights),
              HasSubstr("attribute 'strides' is a string, expected a list of ints"));
  EXPECT_THAT(Calls(11, {"Conv", {"x", "w"}, {"y"}, {TextAttribute("auto_pad", "SOME")}}, weights),
              HasSubstr("attribute 'auto_pad' is 'SOME'; known are NOTSET"));
  EXPECT_THAT(Calls(11, {"Conv", {"x", "w"}, {"y"}, {IntAttribute("group", 0)}}, weights),
              HasSubstr("expected at least 1"));
  EXPECT_THAT(Calls(11, {"Conv", {"s", "w"}, {"y"}}, weights),
              HasSubstr("its weights have rank 4, but the input has rank 3"));
  EXPECT_THAT(Calls(11, {"Conv", {"m", "m"}, {"y"}}), HasSubstr("its input has rank 2"));
  EXPECT_THAT(Calls(11, {"Conv", {"x"}, {"y"}}), HasSubstr("it has 1 inputs, expected 2 to 3"));
  EXPECT_THAT(Calls(11, {"Conv", {"", "w"}, {"y"}}, weights), HasSubstr("input 0 is left out"));
}

TEST(ConvertTest, Pools) {
  const ProtoWriter kernel = IntsAttribute("kernel_shape", {2, 2});
  EXPECT_EQ(Calls(12, {"MaxPool", {"x"}, {"y"}, {kernel, IntAttribute("ceil_mode", 1)}}),
            "max_pool(%x) {kernel=2,2 ceil_mode=1}");
  EXPECT_EQ(
      Calls(12, {"AveragePool", {"x"}, {"y"}, {kernel, IntAttribute("count_include_pad", 1)}}),
      "average_pool(%x) {kernel=2,2 count_include_pad=1}");
  EXPECT_EQ(Calls(12, {"GlobalAveragePool", {"x"}, {"y"}}), "global_average_pool(%x)");
  EXPECT_THAT(Calls(12, {"MaxPool", {"x"}, {"y"}}),
              HasSubstr("attribute 'kernel_shape' is missing"));
}

TEST(ConvertTest, BlocksWhoseSquareLeaves64Bits) {
  const ProtoWriter block = IntAttribute("blocksize", int64_t{1} << 32);
  EXPECT_THAT(Calls(13, {"DepthToSpace", {"x"}, {"y"}, {block}}), HasSubstr("must be at most"));
  EXPECT_THAT(Calls(13, {"SpaceToDepth", {"x"}, {"y"}, {block}}), HasSubstr("must be at most"));
}

TEST(ConvertTest, SoftmaxFlattenedBeforeOpset13) {
  EXPECT_EQ(Calls(13, {"Softmax", {"x"}, {"y"}}), "softmax(%x)");
  EXPECT_EQ(Calls(11, {"Softmax", {"m"}, {"y"}}), "softmax(%m)");
  EXPECT_EQ(Calls(11, {"Softmax", {"x"}, {"y"}}),
            "flatten(%x)\nsoftmax(%0) {axis=1}\nshape_of(%x)\nreshape(%1, %2) {allow_zero=1}");
}

TEST(ConvertTest, ClipByAttributesAndByInputs) {
  EXPECT_EQ(Calls(6, {"Clip", {"x"}, {"y"}, {FloatAttribute("min", 0), FloatAttribute("max", 6)}}),
            "clamp(%x) {beta=6}");
  EXPECT_EQ(Calls(11, {"Clip", {"x", "low", "high"}, {"y"}},
                  {OnnxFloats("low", {}, {0}), OnnxFloats("high", {}, {6})}),
            "clamp(%x) {beta=6}");
  EXPECT_EQ(Calls(11, {"Clip", {"x", "", "high"}, {"y"}}, {OnnxFloats("high", {}, {6})}),
            "clamp(%x) {alpha=-inf beta=6}");
  EXPECT_EQ(Calls(12, {"Clip", {"i", "n"}, {"y"}}), "clip(%i, %n)");
}

TEST(ConvertTest, SqueezeAndReduceTakeAxesEitherWay) {
  EXPECT_EQ(Calls(11, {"Unsqueeze", {"v"}, {"y"}, {IntsAttribute("axes", {0, 2})}}),
            "unsqueeze(%v) {axes=0,2}");
  EXPECT_EQ(Calls(13, {"Unsqueeze", {"v", "a"}, {"y"}}, {OnnxInts("a", {0})}),
            "unsqueeze(%v) {axes=0}");
  EXPECT_EQ(Calls(11, {"ReduceMean",
                       {"x"},
                       {"y"},
                       {IntsAttribute("axes", {2, 3}), IntAttribute("keepdims", 0)}}),
            "reduce_mean(%x) {axes=2,3 keep_dims=0}");
  EXPECT_EQ(Calls(18, {"ReduceMean", {"x", "a"}, {"y"}}, {OnnxInts("a", {-1})}),
            "reduce_mean(%x) {axes=-1}");
  const ProtoWriter none = IntAttribute("noop_with_empty_axes", 1);
  EXPECT_EQ(Calls(18, {"ReduceMean", {"x"}, {"y"}, {none}}), "");
  EXPECT_EQ(Calls(18, {"ReduceLogSum", {"x"}, {"y"}, {none}}),
            "reduce_log_sum(%x) {noop_if_empty=1}");
  EXPECT_THAT(Calls(11, {"Unsqueeze", {"v"}, {"y"}}), HasSubstr("attribute 'axes' is missing"));
}

TEST(ConvertTest, RunningSumsAndProducts) {
  const ProtoWriter axis = OnnxInts("a", {1});
  EXPECT_EQ(Calls(26, {"CumProd", {"m", "a"}, {"y"}, {IntAttribute("exclusive", 1)}}, {axis}),
            "cumprod(%m) {axis=1 exclusive=1}");
  EXPECT_EQ(Calls(11, {"CumSum", {"m", "a"}, {"y"}, {IntAttribute("reverse", 1)}}, {axis}),
            "cumsum(%m) {axis=1 reverse=1}");
  // Only a run tells the axis: one product for each.
  EXPECT_THAT(Calls(26, {"CumProd", {"m", "n"}, {"y"}}), HasSubstr("cumprod(%m) {axis=1}"));
  EXPECT_THAT(Calls(26, {"CumProd", {"v", "a"}, {"y"}}, {axis}), HasSubstr("axis 1"));
  EXPECT_THAT(Calls(25, {"CumProd", {"m", "a"}, {"y"}}, {axis}), HasSubstr("CumProd"));
}

TEST(ConvertTest, TransformsHaveAnAxisOfTheSignal) {
  const ProtoWriter inverse = IntAttribute("inverse", 1), half = IntAttribute("onesided", 1);
  EXPECT_THAT(Calls(20, {"DFT", {"x", "", "b"}, {"y"}, {inverse, half}}, {OnnxInts("b", {3})}),
              HasSubstr("its axis is 3 of an input of rank 4, whose last axis holds"));
  EXPECT_THAT(Calls(17, {"DFT", {"x"}, {"y"}, {inverse, half, IntAttribute("axis", -5)}}),
              HasSubstr("its axis is -5 of an input of rank 4"));
  EXPECT_THAT(Calls(12, {"Einsum", {"x", "v"}, {"y"}, {TextAttribute("equation", ",i->i")}}),
              HasSubstr("input 0 has rank 4, but its term in ',i->i' is that of a scalar"));
}

TEST(ConvertTest, ReshapeSliceAndPadTakeKnownInputsAsAttributes) {
  EXPECT_EQ(Calls(13, {"Reshape", {"m", "t"}, {"y"}}, {OnnxInts("t", {-1, 8})}),
            "reshape(%m) {shape=-1,8}");
  EXPECT_EQ(Calls(13, {"Reshape", {"m", "i"}, {"y"}}), "reshape(%m, %i)");
  EXPECT_EQ(
      Calls(9, {"Slice", {"m"}, {"y"}, {IntsAttribute("starts", {1}), IntsAttribute("ends", {3})}}),
      "slice(%m) {starts=1 ends=3}");
  EXPECT_EQ(Calls(13, {"Slice", {"m", "b", "e", "a"}, {"y"}},
                  {OnnxInts("b", {1}), OnnxInts("e", {3}), OnnxInts("a", {1})}),
            "slice(%m) {starts=1 ends=3 axes=1}");
  // Where one of the two is computed, both stay arguments.
  EXPECT_EQ(Calls(13, {"Slice", {"m", "b", "i"}, {"y"}}, {OnnxInts("b", {1, 0})}),
            "slice(%m, i64 [1, 0], %i)");
  EXPECT_EQ(Calls(13, {"Slice", {"m", "i", "e", "a"}, {"y"}},
                  {OnnxInts("e", {3, 3}), OnnxInts("a", {1, 0})}),
            "slice(%m, %i, i64 [3, 3]) {axes=1,0}");
  EXPECT_THAT(Calls(13, {"Slice", {"v", "i", "", "a"}, {"y"}}, {OnnxInts("a", {0})}),
              HasSubstr("E04"));
  EXPECT_EQ(Calls(13, {"Pad", {"v", "p", "z"}, {"y"}},
                  {OnnxInts("p", {1, 2}), OnnxFloats("z", {}, {0.5f})}),
            "pad(%v) {pads=1,2 value=0.5}");
  EXPECT_THAT(Calls(13, {"Reshape", {"m", "t"}, {"y"}}, {OnnxInts("t", {-1, -1})}),
              HasSubstr("more than one -1"));
}

TEST(ConvertTest, SplitChecksItsParts) {
  EXPECT_EQ(Calls(13, {"Split", {"v", "z"}, {"a", "b"}}, {OnnxInts("z", {2, 4})}),
            "split(%v) {sizes=2,4}\n%0.0\n%0.1");
  EXPECT_EQ(Calls(11, {"Split", {"v"}, {"a", "b"}}), "split(%v) {parts=2}\n%0.0\n%0.1");
  EXPECT_EQ(Calls(11, {"Split", {"v"}, {"a"}}), "split(%v) {parts=1}");
  EXPECT_THAT(Calls(11, {"Split", {"v"}, {"a", "b"}, {IntsAttribute("split", {1, 2, 3})}}),
              HasSubstr("it has 2 outputs, but is to be cut into 3 parts"));
  EXPECT_THAT(Calls(13, {"Split", {"v", "z"}, {"a", "b"}}, {OnnxInts("z", {-2, 8})}),
              HasSubstr("not negative"));
}

TEST(ConvertTest, ResizeByScalesAndSizes) {
  const std::vector<ProtoWriter> scales = {OnnxFloats("z", {4}, {1, 1, 2, 2})};
  EXPECT_EQ(Calls(10, {"Resize", {"x", "z"}, {"y"}}, scales),
            "resize(%x) {coordinate=asymmetric nearest=floor scales=1,1,2,2}");
  EXPECT_EQ(Calls(11, {"Resize", {"x", "", "z"}, {"y"}, {TextAttribute("mode", "linear")}}, scales),
            "resize(%x) {mode=linear scales=1,1,2,2}");
  EXPECT_EQ(Calls(13, {"Resize", {"x", "", "", "z"}, {"y"}}, {OnnxInts("z", {2, 3, 4, 4})}),
            "resize(%x) {sizes=2,3,4,4}");
  EXPECT_THAT(Calls(13, {"Resize", {"x"}, {"y"}}), HasSubstr("it has neither scales nor sizes"));
  EXPECT_THAT(Calls(10, {"Resize", {"x", "z"}, {"y"}}, {OnnxFloats("z", {4}, {1, 1, 0, -2})}),
              HasSubstr("scales are positive"));
}

TEST(ConvertTest, GemmAndEinsum) {
  EXPECT_EQ(Calls(11, {"Gemm",
                       {"m", "m", "v"},
                       {"y"},
                       {IntAttribute("transA", 1), FloatAttribute("alpha", 0.5f)}}),
            "matmul(%m, %m, %v) {trans_a=1 alpha=0.5}");
  EXPECT_THAT(Calls(11, {"Gemm", {"x", "m"}, {"y"}}),
              HasSubstr("its factors have ranks 4 and 2, expected 2"));
  EXPECT_THAT(Calls(12, {"Einsum", {"m"}, {"y"}, {TextAttribute("equation", "i{j")}}),
              HasSubstr("cannot be understood"));
  EXPECT_THAT(Calls(12, {"Einsum", {"m"}, {"y"}}), HasSubstr("attribute 'equation' is missing"));
}

TEST(ConvertTest, ConstantsOfEveryKind) {
  const auto text = [](const ProtoWriter& attribute) {
    return ImportNode(13, {"Constant", {}, {"y"}, {attribute}}).text;
  };
  EXPECT_THAT(text(IntAttribute("value_int", 5)), HasSubstr("return i64 5"));
  EXPECT_THAT(text(IntsAttribute("value_ints", {1, 2})), HasSubstr("return i64 [1, 2]"));
  EXPECT_THAT(text(FloatAttribute("value_float", 0.5f)), HasSubstr("return f32 0.5"));
  EXPECT_THAT(text(TensorAttribute("value", OnnxInts("", {3}))), HasSubstr("return i64 [3]"));
  EXPECT_THAT(text(IntAttribute("other", 5)), HasSubstr("it has no value"));
  EXPECT_THAT(text(OnnxAttribute("value", 4)), HasSubstr("said to be a tensor, but holds none"));
  EXPECT_THAT(text(TensorAttribute("value", OnnxTensor("", kOnnxFloat, {2}, "1234"))),
              HasSubstr("attribute 'value'"));
}

TEST(ConvertTest, CastAndConstantOfShape) {
  EXPECT_EQ(Calls(13, {"Cast", {"x"}, {"y"}, {IntAttribute("to", 7)}}), "cast(%x) {to=i64}");
  EXPECT_EQ(Calls(13, {"Cast", {"x"}, {"y"}, {IntAttribute("to", 1)}}), "");
  EXPECT_THAT(Calls(13, {"Cast", {"x"}, {"y"}, {IntAttribute("to", 1234)}}), HasSubstr("1234"));
  EXPECT_EQ(
      Calls(13, {"ConstantOfShape", {"i"}, {"y"}, {TensorAttribute("value", OnnxInts("", {7}))}}),
      "constant_of_shape(%i) {dtype=i64 value=7}");
  EXPECT_THAT(
      Calls(13,
            {"ConstantOfShape", {"i"}, {"y"}, {TensorAttribute("value", OnnxInts("", {7, 8}))}}),
      HasSubstr("has 2 elements, expected 1"));
}

TEST(ConvertTest, BitCastKeepsTheWidth) {
  const auto calls = [](int64_t to) {
    return Calls(26, {"BitCast", {"x"}, {"y"}, {IntAttribute("to", to)}});
  };
  EXPECT_EQ(calls(6), "bit_cast(%x) {to=i32}");
  EXPECT_THAT(calls(7), HasSubstr("both must have the same number of bits"));
  EXPECT_THAT(calls(99), HasSubstr("attribute 'to'"));
  EXPECT_THAT(Calls(26, {"BitCast", {"x"}, {"y"}}), HasSubstr("'to'"));
}

TEST(ConvertTest, DropoutIsTheIdentityUnlessItTrains) {
  EXPECT_EQ(Calls(7, {"Dropout", {"x"}, {"y"}}), "");
  EXPECT_EQ(Calls(13, {"Dropout", {"x"}, {"y", "mask"}}),
            "shape_of(%x)\nconstant_of_shape(%0) {dtype=bool value=1}");
  const std::vector<ProtoWriter> training = {OnnxFloats("r", {}, {0.5f}),
                                             OnnxTensor("t", kOnnxBool, {}, "\x01")};
  EXPECT_THAT(Calls(13, {"Dropout", {"x", "r", "t"}, {"y"}}, training),
              HasSubstr("random_uniform(%0) {seed="));
}

TEST(ConvertTest, RecurrentLayersRefuseUnknownActivations) {
  const ProtoWriter bad = OnnxAttribute("activations", 8).Text(9, "Tanh}").Text(9, "x=1");
  const std::vector<ProtoWriter> weights = {Filled("w", {1, 5, 8}), Filled("r", {1, 5, 5})};
  EXPECT_THAT(Calls(14, {"RNN", {"s", "w", "r"}, {"y"}, {bad}}, weights),
              HasSubstr("activation 'Tanh}'"));
}

TEST(ConvertTest, CausalConvolutionsKeepTheirLastPositions) {
  EXPECT_EQ(Calls(27, {"CausalConvWithState", {"s", "w"}, {"y", "p"}}, {Filled("w", {3, 1, 4})}),
            "pad(%s) {pads=0,0,3,0,0,0}\nunsqueeze(%0) {axes=2}\nunsqueeze(@w) {axes=2}\n"
            "conv2d(%1, %2) {groups=3}\nsqueeze(%3) {axes=2}\n"
            "slice(%0) {starts=-3 ends=9223372036854775807 axes=2}");
  EXPECT_THAT(Calls(27, {"CausalConvWithState", {"s", "w"}, {"y"}}, {Filled("w", {4, 1, 4})}),
              HasSubstr("its input has 3 channels, but its weight 4"));
  EXPECT_THAT(Calls(26, {"CausalConvWithState", {"s", "w"}, {"y"}}, {Filled("w", {3, 1, 4})}),
              HasSubstr("CausalConvWithState"));
}

TEST(ConvertTest, LinearAttentionIsALoopOverPositions) {
  const std::vector<ProtoWriter> heads = {IntAttribute("q_num_heads", 4),
                                          IntAttribute("kv_num_heads", 2),
                                          TextAttribute("update_rule", "linear")};
  const auto import = [&](int64_t width, const std::vector<ProtoWriter>& attributes) {
    OnnxGraph graph;
    graph.Input("q", kOnnxFloat, {-1, -1, 12}).Input("k", kOnnxFloat, {-1, -1, 6});
    graph.Input("v", kOnnxFloat, {-1, -1, width})
        .Node({"LinearAttention", {"q", "k", "v"}, {"y", "s"}, attributes});
    return Import(graph.Output("y").Output("s").Model(27));
  };
  const Imported good = import(8, heads);
  EXPECT_TRUE(good.ok) << good.messages();
  EXPECT_THAT(good.text, HasSubstr("rec %"));
  EXPECT_THAT(import(7, heads).messages(), HasSubstr("its query, key and value have 12, 6 and 7"));
  EXPECT_THAT(import(-1, heads).messages(), HasSubstr("axis 2 of its value is known only when"));
  EXPECT_THAT(import(8, {heads[0], heads[1]}).messages(), HasSubstr("takes a decay (input 4)"));
  EXPECT_THAT(Calls(27, {"LinearAttention", {"s", "s", "x"}, {"y"}, heads}),
              HasSubstr("its value has rank 4, expected 3"));
}

TEST(ConvertTest, LegacyBroadcastIsAlignedAtAnAxis) {
  const std::vector<ProtoWriter> bias = {Filled("b", {3})};
  EXPECT_EQ(
      Calls(6, {"Add", {"x", "b"}, {"y"}, {IntAttribute("broadcast", 1), IntAttribute("axis", 1)}},
            bias),
      "unsqueeze(f32 [0.5, 0.5, 0.5]) {axes=1,2}\nadd(%x, %0)");
  EXPECT_THAT(
      Calls(6, {"Add", {"x", "b"}, {"y"}, {IntAttribute("broadcast", 1), IntAttribute("axis", 9)}},
            bias),
      HasSubstr("attribute 'axis' does not fit"));
}

TEST(ConvertTest, StopwordsAndPoolsBecomeArguments) {
  EXPECT_THAT(Calls(10, {"TfIdfVectorizer",
                         {"i"},
                         {"y"},
                         {IntsAttribute("pool_int64s", {5, 6}), IntsAttribute("ngram_counts", {0}),
                          IntsAttribute("ngram_indexes", {0, 3}), TextAttribute("mode", "TF")}}),
              HasSubstr("{columns=4}"));
  EXPECT_THAT(Calls(10, {"TfIdfVectorizer", {"i"}, {"y"}, {TextAttribute("mode", "TF")}}),
              HasSubstr("it needs either 'pool_int64s' or 'pool_strings'"));
  EXPECT_THAT(
      Calls(10, {"TfIdfVectorizer",
                 {"i"},
                 {"y"},
                 {IntsAttribute("pool_int64s", {5}), IntsAttribute("ngram_indexes", {-1})}}),
      HasSubstr("attribute 'ngram_indexes' has the value -1"));
  EXPECT_THAT(Calls(10, {"StringNormalizer", {"v"}, {"y"}}),
              HasSubstr("argument 0 (x) is f32[6], expected texts"));
}

// Adam of one tensor, and what is left out or too many.
TEST(ConvertTest, StepsOfOptimizers) {
  const auto step = [](std::string_view name, std::vector<std::string_view> inputs) {
    OnnxGraph graph;
    graph.Input("r", kOnnxFloat, {}).Input("t", kOnnxInt64, {}).Input("x", kOnnxFloat, {2});
    graph.Node({name, inputs, {"y"}, {}, "", "ai.onnx.preview.training"}).Output("y");
    const ProtoWriter import = ProtoWriter().Text(1, "ai.onnx.preview.training").Int(2, 1);
    const Imported imported = Import(graph.Model(13, ProtoWriter().Message(8, import)));
    return imported.ok ? imported.signature() : imported.messages();
  };
  EXPECT_THAT(step("Adam", {"r", "t", "x", "x", "x", "x"}), HasSubstr("-> f32[2]"));
  EXPECT_THAT(step("Adagrad", {"r", "t", "x", "x", "x"}), HasSubstr("-> f32[2]"));
  EXPECT_THAT(step("Momentum", {"r", "t", "x", "x", "x"}), HasSubstr("-> f32[2]"));
  EXPECT_THAT(step("Adam", {"r", "t", "x", "x", "x", "x", "x"}),
              HasSubstr("it has 7 inputs, expected 2 and 4 for each tensor"));
  EXPECT_THAT(step("Momentum", {"r", "t", "x", "", "x"}), HasSubstr("input 3 is left out"));
}

// What is between xs and y is converted again, with other values; NumPy checks the rules
// (tests/onnx/gradient_test.py).
TEST(ConvertTest, GradientsFollowTheGraph) {
  const auto gradient = [](std::string_view op, std::string_view x, std::string_view y) {
    OnnxGraph graph;
    graph.Input("a", kOnnxFloat, {2}).Input("b", kOnnxFloat, {2}).Input("i", kOnnxInt64, {2});
    graph.Node({op, {"a"}, {"y"}});
    const ProtoWriter xs = OnnxAttribute("xs", 8).Text(9, x);
    graph.Node({"Gradient",
                {x == "i" ? "i" : "b"},
                {"d"},
                {xs, TextAttribute("y", y)},
                "",
                "ai.onnx.preview.training"});
    graph.Output("d");
    const ProtoWriter import = ProtoWriter().Text(1, "ai.onnx.preview.training").Int(2, 1);
    const Imported imported = Import(graph.Model(13, ProtoWriter().Message(8, import)));
    return imported.ok ? imported.calls() : imported.messages();
  };
  EXPECT_EQ(gradient("Exp", "a", "y"),
            "exp(%a)\nidentity(%b)\nexp(%1)\nshape_of(%2)\nexpand(f32 1, %3)\nmul(%4, %2)");
  EXPECT_THAT(gradient("Exp", "z", "y"), HasSubstr("expand("));  // y does not depend on z
  EXPECT_THAT(gradient("Exp", "i", "y"), HasSubstr("'i' holds i64, expected floats"));
  EXPECT_THAT(gradient("Exp", "a", "q"), HasSubstr("takes 'q', which nothing makes"));
  EXPECT_THAT(gradient("Shape", "a", "y"), HasSubstr("holds i64, expected floats"));
  EXPECT_THAT(gradient("Det", "a", "y"), HasSubstr("E0310"));
  EXPECT_THAT(gradient("Hardmax", "a", "y"), HasSubstr("expand(f32 0"));
  EXPECT_THAT(gradient("MeanVarianceNormalization", "a", "y"),
              HasSubstr("no derivative is known of mean_variance_norm, which node 'y'"));
}

TEST(ConvertTest, EveryOperatorOfTheTableSurvivesNonsense) {
  const std::vector<std::string_view> inputs = {"x", "m", "v", "s", "i", "n", "x", "m"};
  for (const onnx::OperatorInfo& info : onnx::AllOperators()) {
    for (size_t count = 0; count <= inputs.size(); ++count) {
      const OnnxNode node{
          info.name, {inputs.begin(), inputs.begin() + static_cast<ptrdiff_t>(count)},
          {"y"},     {TextAttribute("mode", "?"), IntAttribute("axis", 1 << 30)},
          "",        info.domain};
      const Imported imported = ImportNode(info.since, node);
      EXPECT_TRUE(imported.ok || !imported.diagnostics.ok()) << info.name;
    }
  }
}

}  // namespace
}  // namespace tern::test::convert_test
