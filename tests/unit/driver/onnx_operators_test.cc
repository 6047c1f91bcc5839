// SPDX-License-Identifier: Apache-2.0
// Operators that become several others, imported and run. Expected numbers were computed with NumPy
// from the standard's text (for com.microsoft: from the contributed operators' own).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "core/driver/compile.h"
#include "core/kernels/bind/bind.h"
#include "core/object/containers/adt.h"
#include "core/object/graph/print.h"
#include "core/vm/vm.h"
#include "tests/support/onnx_writer.h"

namespace tern::driver::onnx_operators_test {
namespace {

using ::testing::HasSubstr;
using namespace test;  // NOLINT: the makers of models

using Dims_ = std::vector<int64_t>;

// Numbers from -1.25 to 1.25 that repeat late; NumPy made the expected ones from the same.
TensorPtr Mixed(const Dims_& dims, int shift = 0) {
  TensorPtr x = Tensor::New(kF32, dims).value();
  for (int64_t i = 0; i < x->element_count(); ++i)
    x->data_as<float>()[i] = static_cast<float>((i * 7 + shift) % 11 - 5) / 4;
  return x;
}
template <class T>
TensorPtr Of(const Dims_& dims, const std::vector<T>& values) {
  TensorPtr x = Tensor::New(kDTypeOf<T>, dims).value();
  for (size_t i = 0; i < values.size(); ++i) x->data_as<T>()[i] = values[i];
  return x;
}
TensorPtr Bools(const Dims_& dims, const std::vector<int>& values) {
  TensorPtr x = Tensor::New(kBool, dims).value();
  for (size_t i = 0; i < values.size(); ++i) x->data_as<bool>()[i] = values[i] != 0;
  return x;
}
TensorPtr Texts(const std::vector<std::string_view>& values) {
  return Tensor::FromStrings(values, Dims_{static_cast<int64_t>(values.size())}).value();
}
std::vector<float> FloatsOf(const TensorPtr& x) {
  return {x->data_as<float>(), x->data_as<float>() + x->element_count()};
}

int OnnxType(DType dtype) {
  if (dtype == kF32) return kOnnxFloat;
  if (dtype == kI64) return kOnnxInt64;
  if (dtype == kI32) return kOnnxInt32;
  if (dtype == kI8) return 3;
  if (dtype == kU8) return kOnnxUint8;
  if (dtype == kBool) return kOnnxBool;
  return dtype == kF64 ? 11 : kOnnxString;
}

// "f32[2] 0.5 1", numbers rounded to four places; of several results one after the other.
std::string Shown(const AnyView& value) {
  if (const Adt* tuple = value.TryCast<Adt>()) {
    std::string all;
    for (const Any& field : tuple->fields()) all += (all.empty() ? "" : "; ") + Shown(field);
    return all;
  }
  const Tensor* tensor = value.TryCast<Tensor>();
  if (tensor == nullptr) return PrintValue(value);
  std::string text = tensor->TypeText();
  for (int64_t i = 0; i < tensor->element_count(); ++i) {
    if (tensor->dtype().is_string()) {
      text += " " + std::string(tensor->string_at(i));
      continue;
    }
    char part[32];
    snprintf(part, sizeof(part), " %.6g",
             std::floor(TensorElement(*tensor, i) * 1e4 + 0.5) / 1e4 + 0.0);
    text += part;
  }
  return text;
}

struct Operator {
  std::string_view type;
  std::vector<ProtoWriter> attributes = {};
  std::string_view domain = "";
  int outputs = 1;
  int64_t opset = 24;
};

// The operator on inputs of their own extents; null where one is left out.
std::string RunOperator(const Operator& op, const std::vector<TensorPtr>& inputs) {
  static constexpr std::string_view kNames[] = {"a", "b", "c", "d", "e", "f",
                                                "g", "h", "i", "j", "k", "l"};
  static constexpr std::string_view kOutputs[] = {"y0", "y1", "y2", "y3"};
  OnnxGraph graph;
  OnnxNode node{op.type, {}, {}, op.attributes, "", op.domain};
  std::vector<AnyView> args;
  for (size_t i = 0; i < inputs.size(); ++i) {
    node.inputs.push_back(inputs[i] == nullptr ? "" : kNames[i]);
    if (inputs[i] == nullptr) continue;
    std::vector<OnnxDim> dims;
    for (const int64_t dim : inputs[i]->dims()) dims.emplace_back(dim);
    graph.Input(kNames[i], OnnxType(inputs[i]->dtype()), dims);
    args.emplace_back(inputs[i]);
  }
  for (int i = 0; i < op.outputs; ++i) node.outputs.push_back(kOutputs[i]);
  graph.Node(node);
  for (const std::string_view output : node.outputs) graph.Output(output);
  const int64_t version = op.domain == "ai.onnx.ml" ? (op.type == "TreeEnsemble" ? 5 : 3) : 1;
  const ProtoWriter import =
      ProtoWriter().Message(8, ProtoWriter().Text(1, op.domain).Int(2, version));
  const std::string model = graph.Model(op.opset, op.domain.empty() ? ProtoWriter() : import);
  const Result<CompileResult> compiled =
      CompileOnnx({reinterpret_cast<const uint8_t*>(model.data()), model.size()}, {});
  if (!compiled.ok()) return compiled.status().ToString();
  static_cast<void>(kernels::RegisterOperators(&Registry::Global()));
  const Result<vm::ProgramPtr> program = vm::Program::Link(compiled->executable, {});
  if (!program.ok()) return program.status().ToString();
  const auto vm = vm::VirtualMachine::Create(*program, {});
  const Result<Any> result = (*vm)->Call("main", args);
  return result.ok() ? Shown(*result) : result.status().ToString();
}

// --- attention

TEST(OnnxAttention, GroupsOfHeadsWithAPast) {
  EXPECT_EQ(RunOperator({"Attention", {IntAttribute("is_causal", 1)}, "", 3},
                        {Mixed({1, 2, 2, 4}), Mixed({1, 1, 2, 4}, 1), Mixed({1, 1, 2, 2}, 2),
                         nullptr, Mixed({1, 1, 1, 4}, 3), Mixed({1, 1, 1, 2}, 4)}),
            "f32[1, 2, 2, 2] -0.5 -0.125 -0.1663 -0.7237 -0.5538 0.1172 -0.1298 -0.8093; "
            "f32[1, 1, 3, 4] -0.5 1.25 0.25 -0.75 -1 0.75 -0.25 -1.25 0.5 -0.5 1.25 0.25; "
            "f32[1, 1, 3, 2] -0.25 -1.25 -0.75 1 0 -1");
}

TEST(OnnxAttention, RowsThatSeeNothingAreZero) {
  EXPECT_EQ(
      RunOperator({"Attention", {IntAttribute("q_num_heads", 2), IntAttribute("kv_num_heads", 2)}},
                  {Mixed({1, 2, 4}), Mixed({1, 3, 4}, 1), Mixed({1, 3, 4}, 2),
                   Bools({2, 3}, {1, 0, 1, 0, 0, 0})}),
      "f32[1, 2, 4] -0.6333 1.1167 0.1333 -0.8667 0 0 0 0");
}

TEST(OnnxAttention, CapAndWhatIsShown) {
  const std::vector<TensorPtr> inputs = {Mixed({1, 1, 2, 4}), Mixed({1, 1, 2, 4}, 1),
                                         Mixed({1, 1, 2, 4}, 2)};
  const auto run = [&](int64_t mode) {
    Operator op{"Attention",
                {FloatAttribute("softcap", 1.5f), FloatAttribute("scale", 0.25f),
                 IntAttribute("qk_matmul_output_mode", mode)},
                "",
                4};
    const std::string all = RunOperator(op, inputs);
    return all.substr(0, all.find(';')) + all.substr(all.rfind(';'));
  };
  const std::string y =
      "f32[1, 1, 2, 4] -0.1263 0.4802 -0.5198 -0.3763 0.2484 0.168 -0.832 -0.0016";
  EXPECT_EQ(run(1), y + "; f32[1, 1, 2, 2] 0.0469 -0.2931 -0.2629 0.4255");
  EXPECT_EQ(run(3), y + "; f32[1, 1, 2, 2] 0.5842 0.4158 0.3344 0.6656");
}

TEST(OnnxAttention, KeysThatArePadding) {
  EXPECT_EQ(RunOperator({"Attention", {IntAttribute("is_causal", 1)}},
                        {Mixed({2, 1, 2, 2}), Mixed({2, 1, 4, 2}, 1), Mixed({2, 1, 4, 2}, 2),
                         nullptr, nullptr, nullptr, Of<int64_t>({2}, {2, 4})}),
            "f32[2, 1, 2, 2] -0.75 1 -0.6632 0.7684 0.418 -0.1792 0.3356 0.0798");
}

TEST(OnnxAttentionBad, WhatDoesNotFit) {
  const TensorPtr x = Mixed({1, 2, 4});
  EXPECT_THAT(RunOperator({"Attention"}, {x, x, x}), HasSubstr("q_num_heads and kv_num_heads"));
  const TensorPtr three = Mixed({1, 3, 2, 4}), two = Mixed({1, 2, 2, 4});
  EXPECT_THAT(RunOperator({"Attention"}, {three, two, two}),
              HasSubstr("its 3 heads of queries are no multiple of the 2 heads of keys"));
  EXPECT_THAT(RunOperator({"Attention"}, {two, two, two, nullptr, two}),
              HasSubstr("past_key (input 4) and past_value (input 5) come together"));
  EXPECT_THAT(
      RunOperator({"Attention", {IntAttribute("qk_matmul_output_mode", 4)}}, {two, two, two}),
      HasSubstr("'qk_matmul_output_mode' is 4"));
  EXPECT_THAT(RunOperator({"RotaryEmbedding"}, {x, x, x}), HasSubstr("'num_heads' must"));
}

TEST(OnnxAttention, Rotations) {
  const TensorPtr x = Mixed({1, 2, 2, 4}), cos = Mixed({3, 2}, 1), sin = Mixed({3, 2}, 2);
  const TensorPtr places = Of<int64_t>({1, 2}, {2, 0});
  EXPECT_EQ(RunOperator({"RotaryEmbedding"}, {x, cos, sin, places}),
            "f32[1, 2, 2, 4] -0.25 0.0625 -1.1875 -0.75 0.5 -0.5625 -1.1875 -0.75 -0.3125 -0.6875 "
            "-0.875 0.4375 0.4375 -0.625 -1.625 -0.3125");
  EXPECT_EQ(
      RunOperator({"RotaryEmbedding", {IntAttribute("interleaved", 1)}}, {x, cos, sin, places}),
      "f32[1, 2, 2, 4] -1 -0.6875 0.5625 -0.5 -0.8125 0.5625 0.75 1 -1.0625 -0.375 -0.1875 "
      "0.6875 -0.875 0.125 0.6875 1.4375");
  EXPECT_EQ(RunOperator({"RotaryEmbedding",
                         {IntAttribute("num_heads", 2), IntAttribute("rotary_embedding_dim", 2)}},
                        {Mixed({1, 2, 8}), Mixed({1, 2, 1}, 1), Mixed({1, 2, 1}, 2)}),
            "f32[1, 2, 8] 1.625 0.4375 -0.5 1.25 -0.8125 0.5625 1 0 -1.5 -0.4375 -0.25 -1.25 0.875 "
            "0.125 1.25 0.25");
}

// --- newer operators of the default domain

TEST(OnnxNewer, NormalizationAndSwish) {
  EXPECT_EQ(RunOperator({"RMSNormalization"}, {Mixed({2, 4}), Mixed({4}, 3)}),
            "f32[2, 4] 0.6565 0.6565 -0.1313 -0.9848 -0.1961 -1.4709 0.3922 0");
  EXPECT_EQ(RunOperator({"Swish", {FloatAttribute("alpha", 2)}}, {Mixed({2, 4})}),
            "f32[2, 4] -0.0948 0.3655 -0.1345 1.1552 0.1556 -0.1368 0.8808 0");
}

TEST(OnnxNewer, TensorScatterGoesRound) {
  const std::vector<TensorPtr> inputs = {Of<float>({2, 4, 1}, std::vector<float>(8, 0)),
                                         Of<float>({2, 3, 1}, {1, 2, 3, 4, 5, 6}),
                                         Of<int64_t>({2}, {2, 1})};
  EXPECT_EQ(RunOperator({"TensorScatter", {TextAttribute("mode", "circular")}}, inputs),
            "f32[2, 4, 1] 3 0 1 2 0 4 5 6");
  EXPECT_THAT(RunOperator({"TensorScatter"}, inputs), HasSubstr("index 4"));
  EXPECT_THAT(RunOperator({"TensorScatter", {IntAttribute("axis", 0)}}, inputs),
              HasSubstr("an axis behind the first is expected"));
}

TEST(OnnxNewer, GridsOfAffineMatrices) {
  const TensorPtr size = Of<int64_t>({4}, {1, 1, 2, 3});
  EXPECT_EQ(RunOperator({"AffineGrid"}, {Mixed({1, 2, 3}), size}),
            "f32[1, 2, 3, 2] 0.0833 -1.7083 -0.75 -0.875 -1.5833 -0.0417 0.5833 -1.4583 -0.25 "
            "-0.625 -1.0833 0.2083");
  EXPECT_EQ(
      RunOperator({"AffineGrid", {IntAttribute("align_corners", 1)}}, {Mixed({1, 2, 3}), size}),
      "f32[1, 2, 3, 2] 0.25 -2.25 -1 -1 -2.25 0.25 1.25 -1.75 0 -0.5 -1.25 0.75");
  EXPECT_EQ(RunOperator({"AffineGrid", {IntAttribute("align_corners", 1)}},
                        {Mixed({1, 3, 4}), Of<int64_t>({5}, {1, 1, 1, 2, 2})}),
            "f32[1, 1, 2, 2, 3] 2.5 -0.5 -0.75 0 0 -2.75 3.5 -2 0.75 1 -1.5 -1.25");
  EXPECT_THAT(RunOperator({"AffineGrid"}, {Mixed({1, 4, 3}), size}),
              HasSubstr("expected [n, 2, 3]"));
}

TEST(OnnxNewer, CenterCropPadDoesBoth) {
  const TensorPtr x = Of<float>({2, 5}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_EQ(RunOperator({"CenterCropPad"}, {x, Of<int64_t>({2}, {5, 2})}),
            "f32[5, 2] 0 0 1 2 6 7 0 0 0 0");
  EXPECT_EQ(
      RunOperator({"CenterCropPad", {IntsAttribute("axes", {-1})}}, {x, Of<int64_t>({1}, {7})}),
      "f32[2, 7] 0 0 1 2 3 4 0 0 5 6 7 8 9 0");
  EXPECT_THAT(RunOperator({"CenterCropPad"}, {x, Of<int64_t>({1}, {7})}),
              HasSubstr("1 extents (input 1) for 2 axes"));
}

TEST(OnnxNewer, DeformConv) {
  EXPECT_EQ(RunOperator({"DeformConv"},
                        {Mixed({1, 2, 3, 3}), Mixed({1, 2, 2, 2}, 1), Mixed({1, 8, 2, 2}, 2),
                         Of<float>({1}, {0.5f}), Mixed({1, 4, 2, 2}, 3)}),
            "f32[1, 1, 2, 2] -0.6572 0.4023 -0.0391 -0.0518");
}

TEST(OnnxNewer, Texts) {
  EXPECT_EQ(RunOperator({"StringSplit", {TextAttribute("delimiter", ".")}, "", 2},
                        {Texts({"a.com", "b"})}),
            "string[2, 2] a com b ; i64[2] 2 1");
  EXPECT_EQ(RunOperator({"RegexFullMatch", {TextAttribute("pattern", "[a-z]+\\.com")}},
                        {Texts({"a.com", "b"})}),
            "bool[2] 1 0");
  EXPECT_EQ(RunOperator({"StringConcat"}, {Texts({"a", "b"}), Texts({"!"})}), "string[2] a! b!");
  EXPECT_THAT(RunOperator({"RegexFullMatch"}, {Texts({"a"})}), HasSubstr("'pattern' is missing"));
}

TEST(OnnxNewer, ProductsInTheirOwnType) {
  EXPECT_EQ(
      RunOperator({"MatMul"}, {Of<int32_t>({1, 2}, {1 << 30, 3}), Of<int32_t>({2, 1}, {1, 1})}),
      "i32[1, 1] 1.07374e+09");
  EXPECT_EQ(RunOperator({"MatMul"}, {Of<double>({2}, {1e17, 3}), Of<double>({2, 1}, {1, 1})}),
            "f64[1] 1e+17");
  EXPECT_EQ(RunOperator(
                {"Gemm", {IntAttribute("transA", 1), FloatAttribute("beta", 2)}},
                {Of<int64_t>({2, 1}, {3, 4}), Of<int64_t>({2, 1}, {5, 6}), Of<int64_t>({1}, {1})}),
            "i64[1, 1] 41");
}

TEST(OnnxRandom, BySeed) {
  const Operator drop{"Dropout", {IntAttribute("seed", 0)}, "", 2, 13};
  // numpy.random.RandomState(0).uniform(0, 1, 4) is 0.5488 0.7152 0.6028 0.5449.
  EXPECT_EQ(
      RunOperator(drop, {Of<float>({4}, {1, 2, 3, 4}), Of<float>({}, {0.6f}), Bools({}, {1})}),
      "f32[4] 0 5 7.5 0; bool[4] 0 1 1 0");
  EXPECT_EQ(
      RunOperator(drop, {Of<float>({4}, {1, 2, 3, 4}), Of<float>({}, {0.6f}), Bools({}, {0})}),
      "f32[4] 1 2 3 4; bool[4] 1 1 1 1");
  EXPECT_EQ(RunOperator({"RandomUniform",
                         {IntsAttribute("shape", {2}), FloatAttribute("seed", 0),
                          FloatAttribute("low", 1), FloatAttribute("high", 3)}},
                        {}),
            "f32[2] 2.0976 2.4304");
  EXPECT_EQ(
      RunOperator({"Bernoulli", {FloatAttribute("seed", 0)}}, {Of<float>({3}, {0, 1, 0.65f})}),
      "f32[3] 0 1 1");
  EXPECT_EQ(RunOperator({"Multinomial", {IntAttribute("sample_size", 2)}},
                        {Of<float>({1, 3}, {-1e9f, 0, -1e9f})}),
            "i32[1, 2] 1 1");
  EXPECT_THAT(RunOperator({"RandomNormal"}, {}), HasSubstr("'shape' is missing"));
  EXPECT_THAT(
      RunOperator({"RandomNormal", {IntsAttribute("shape", {2}), IntAttribute("dtype", 7)}}, {}),
      HasSubstr("expected floats"));
}

// --- com.microsoft

constexpr std::string_view kContrib = "com.microsoft";

TEST(OnnxContrib, SkippedNormalizations) {
  const TensorPtr x = Mixed({1, 2, 4}), skip = Mixed({1, 2, 4}, 1);
  EXPECT_EQ(RunOperator({"SkipLayerNormalization", {FloatAttribute("epsilon", 1e-5f)}, kContrib},
                        {x, skip, Mixed({4}, 2), Mixed({4}, 3)}),
            "f32[1, 2, 4] 0.5728 2.5818 0.25 -1.0953 -0.65 -0.15 0.25 -0.55");
  EXPECT_EQ(
      RunOperator({"SkipSimplifiedLayerNormalization", {}, kContrib}, {x, skip, Mixed({4}, 2)}),
      "f32[1, 2, 4] 1.2589 0.9325 0 0 -0.4178 -0.9285 0 -0.1857");
  EXPECT_EQ(RunOperator({"EmbedLayerNormalization", {FloatAttribute("epsilon", 1e-5f)}, kContrib},
                        {Of<int32_t>({1, 2}, {1, 0}), nullptr, Mixed({3, 4}), Mixed({2, 4}, 1),
                         nullptr, Mixed({4}, 2), Mixed({4}, 3)}),
            "f32[1, 2, 4] -0.067 1.6624 0.25 0.4872 0.5062 0.8028 0.25 -2.0916");
}

TEST(OnnxContrib, Attentions) {
  EXPECT_EQ(RunOperator({"GroupQueryAttention",
                         {IntAttribute("num_heads", 2), IntAttribute("kv_num_heads", 1),
                          IntAttribute("do_rotary", 1)},
                         kContrib,
                         3},
                        {Mixed({1, 1, 8}), Mixed({1, 1, 4}, 1), Mixed({1, 1, 4}, 2),
                         Mixed({1, 1, 1, 4}, 3), Mixed({1, 1, 1, 4}, 4), Of<int32_t>({1}, {1}),
                         Of<int32_t>({}, {2}), Mixed({4, 2}, 1), Mixed({4, 2}, 2)}),
            "f32[1, 1, 8] -0.2852 -1.0915 0.4648 -0.5352 -0.382 -0.656 0.368 -0.632; "
            "f32[1, 1, 2, 4] -0.5 1.25 0.25 -0.75 0.25 -2.1875 0.0625 0.8125; "
            "f32[1, 1, 2, 4] -0.25 -1.25 0.5 -0.5 -0.75 1 0 -1");
  EXPECT_EQ(RunOperator({"MultiHeadAttention", {IntAttribute("num_heads", 2)}, kContrib},
                        {Mixed({1, 2, 4}), Mixed({1, 3, 4}, 1), Mixed({1, 3, 4}, 2), nullptr,
                         Of<int32_t>({1}, {2})}),
            "f32[1, 2, 4] -0.5313 0.8177 -0.8613 0.0335 0.325 0.1041 -0.9285 0.1142");
  EXPECT_EQ(RunOperator({"Attention",
                         {IntAttribute("num_heads", 2), IntAttribute("unidirectional", 1)},
                         kContrib,
                         2},
                        {Mixed({1, 2, 3}), Mixed({3, 12}, 1), Mixed({12}, 2)}),
            "f32[1, 2, 4] 0.9375 0.5 -0.625 1 0.913 0.5317 -0.6224 0.8888; "
            "f32[2, 1, 2, 2, 2] -0.75 0.875 0.3125 -0.75 -2.3125 -0.6875 0.9375 -0.125 0.9375 0.5 "
            "-1.1875 3.25 -0.625 1 -0.5625 -1.625");
}

TEST(OnnxContrib, WeightsOfFourBits) {
  TensorPtr b = Tensor::New(kU8, Dims_{2, 2, 8}).value();
  for (int i = 0; i < 32; ++i) b->data_as<uint8_t>()[i] = static_cast<uint8_t>(i * 37 + 11);
  const std::vector<ProtoWriter> attributes = {IntAttribute("K", 20), IntAttribute("N", 2),
                                               IntAttribute("block_size", 16)};
  const TensorPtr a = Mixed({2, 20}), scales = Mixed({4}, 5);
  EXPECT_EQ(RunOperator({"MatMulNBits", attributes, kContrib}, {a, b, scales}),
            "f32[2, 2] -1.75 11.1875 10.5 24.125");
  EXPECT_EQ(RunOperator({"MatMulNBits", attributes, kContrib},
                        {a, b, scales, Of<uint8_t>({2}, {0x37, 0x9A})}),
            "f32[2, 2] 2 10.625 1.75 25.6875");
  // An order of groups that is the usual one, and one that names a block that is not there.
  std::vector<int32_t> order(20, 0);
  std::fill(order.begin() + 16, order.end(), 1);
  EXPECT_EQ(RunOperator({"MatMulNBits", attributes, kContrib},
                        {a, b, scales, nullptr, Of<int32_t>({20}, order)}),
            "f32[2, 2] -1.75 11.1875 10.5 24.125");
  order[3] = 2;
  EXPECT_THAT(RunOperator({"MatMulNBits", attributes, kContrib},
                          {a, b, scales, nullptr, Of<int32_t>({20}, order)}),
              HasSubstr("gather"));
  TensorPtr rows = Tensor::New(kU8, Dims_{3, 8}).value();
  for (int i = 0; i < 24; ++i) rows->data_as<uint8_t>()[i] = static_cast<uint8_t>(i * 29 + 7);
  EXPECT_EQ(RunOperator({"GatherBlockQuantized", {IntAttribute("block_size", 16)}, kContrib},
                        {rows, Of<int64_t>({2}, {2, 0}), Mixed({3, 1}, 1)}),
            "f32[2, 16] 0.25 -1.25 1 -1.75 1.75 1.75 -1.5 1.5 -0.75 1 0 0.5 0.75 0 1.5 -0.5 1 8 4 "
            "6 7 4 -6 3 -3 1 0 -1 3 -3 6 -5");
}

TEST(OnnxContrib, ProductsOfBytes) {
  const TensorPtr a = Of<uint8_t>({1, 2}, {3, 5}), b = Of<int8_t>({2, 1}, {2, -4});
  EXPECT_EQ(RunOperator({"MatMulIntegerToFloat", {}, kContrib},
                        {a, b, Of<float>({}, {0.5f}), Of<float>({}, {0.25f}), Of<uint8_t>({}, {1}),
                         nullptr, Of<float>({1}, {1})}),
            "f32[1, 1] -0.5");
  // 0 and 2 are 0 and 255 of 2 / 255.
  EXPECT_EQ(RunOperator({"DynamicQuantizeMatMul", {}, kContrib},
                        {Of<float>({1, 2}, {0, 2}), b, Of<float>({}, {0.5f})}),
            "f32[1, 1] -4");
  EXPECT_EQ(RunOperator(
                {"FusedMatMul", {IntAttribute("transB", 1), FloatAttribute("alpha", 2)}, kContrib},
                {Of<float>({1, 2}, {1, 2}), Of<float>({1, 2}, {3, 4})}),
            "f32[1, 1] 22");
  EXPECT_EQ(
      RunOperator({"FusedGemm", {TextAttribute("activation", "Relu")}, kContrib},
                  {Of<float>({1, 1}, {1}), Of<float>({1, 2}, {3, -4}), Of<float>({2}, {1, 1})}),
      "f32[1, 2] 4 0");
  EXPECT_EQ(RunOperator({"FusedConv",
                         {TextAttribute("activation", "LeakyRelu"),
                          FloatsAttribute("activation_params", {0.5f})},
                         kContrib},
                        {Of<float>({1, 1, 1, 2}, {1, -1}), Of<float>({1, 1, 1, 1}, {2})}),
            "f32[1, 1, 1, 2] 2 -1");
  EXPECT_THAT(RunOperator({"FusedGemm", {TextAttribute("activation", "Relu7")}, kContrib},
                          {Of<float>({1, 1}, {1}), Of<float>({1, 1}, {3})}),
              HasSubstr("'activation' is 'Relu7'"));
}

// --- ai.onnx.ml

constexpr std::string_view kMl = "ai.onnx.ml";

ProtoWriter TextsAttribute(std::string_view name, const std::vector<std::string_view>& values) {
  ProtoWriter attribute = OnnxAttribute(name, 8);
  for (const std::string_view value : values) attribute.Text(9, value);
  return attribute;
}

TEST(OnnxMl, Encoders) {
  EXPECT_EQ(
      RunOperator({"LabelEncoder",
                   {TextsAttribute("keys_strings", {"a", "b"}),
                    IntsAttribute("values_int64s", {5, 6}), IntAttribute("default_int64", -2)},
                   kMl},
                  {Texts({"b", "x", "a"})}),
      "i64[3] 6 -2 5");
  EXPECT_EQ(RunOperator({"OneHotEncoder", {IntsAttribute("cats_int64s", {3, 7})}, kMl},
                        {Of<float>({3}, {7, 3, 4})}),
            "f32[3, 2] 0 1 1 0 0 0");
  EXPECT_EQ(RunOperator({"Imputer",
                         {FloatsAttribute("imputed_value_floats", {9}),
                          FloatAttribute("replaced_value_float", std::nanf(""))},
                         kMl},
                        {Of<float>({1, 2}, {std::nanf(""), 2})}),
            "f32[1, 2] 9 2");
  EXPECT_EQ(RunOperator({"Binarizer", {FloatAttribute("threshold", 1)}, kMl},
                        {Of<int64_t>({1, 3}, {0, 1, 2})}),
            "i64[1, 3] 0 0 1");
  EXPECT_EQ(RunOperator({"ArrayFeatureExtractor", {}, kMl},
                        {Of<float>({2, 3}, {0, 1, 2, 3, 4, 5}), Of<int64_t>({1, 2}, {2, 0})}),
            "f32[2, 2] 2 0 5 3");
  EXPECT_EQ(RunOperator(
                {"Scaler", {FloatsAttribute("offset", {1}), FloatsAttribute("scale", {2, 3})}, kMl},
                {Of<int64_t>({1, 2}, {2, 2})}),
            "f32[1, 2] 2 3");
  EXPECT_EQ(RunOperator({"Normalizer", {TextAttribute("norm", "L2")}, kMl}, {Mixed({3, 2})}),
            "f32[3, 2] -0.9285 0.3714 -0.3714 0.9285 0.3162 -0.9487");
  EXPECT_EQ(RunOperator({"FeatureVectorizer", {IntsAttribute("inputdimensions", {1, 2})}, kMl},
                        {Of<int64_t>({1, 1}, {4}), Of<float>({1, 2}, {5, 6})}),
            "f32[1, 3] 4 5 6");
}

TEST(OnnxMl, LinearModelsAndSupportVectors) {
  const TensorPtr x = Mixed({3, 2});
  EXPECT_EQ(RunOperator({"LinearClassifier",
                         {IntsAttribute("classlabels_ints", {10, 20, 30}),
                          FloatsAttribute("coefficients", FloatsOf(Mixed({6}, 1))),
                          FloatsAttribute("intercepts", FloatsOf(Mixed({3}, 2))),
                          TextAttribute("post_transform", "SOFTMAX")},
                         kMl,
                         2},
                        {x}),
            "i64[3] 10 10 20; f32[3, 3] 0.4993 0.4139 0.0868 0.6518 0.2116 0.1366 0.025 0.7782 "
            "0.1968");
  EXPECT_EQ(RunOperator({"SVMRegressor",
                         {FloatsAttribute("support_vectors", FloatsOf(Mixed({6}, 3))),
                          FloatsAttribute("coefficients", FloatsOf(Mixed({3}, 4))),
                          FloatsAttribute("rho", {0.25f}), IntAttribute("n_supports", 3),
                          TextAttribute("kernel_type", "RBF"),
                          FloatsAttribute("kernel_params", {0.5f, 0, 0})},
                         kMl},
                        {x}),
            "f32[3, 1] -0.0431 -0.0534 -0.7406");
  EXPECT_EQ(RunOperator({"SVMClassifier",
                         {FloatsAttribute("support_vectors", FloatsOf(Mixed({6}, 3))),
                          FloatsAttribute("coefficients", FloatsOf(Mixed({6}, 5))),
                          FloatsAttribute("rho", FloatsOf(Mixed({3}, 6))),
                          IntsAttribute("vectors_per_class", {1, 1, 1}),
                          IntsAttribute("classlabels_ints", {7, 8, 9})},
                         kMl,
                         2},
                        {x}),
            "i64[3] 7 7 8; f32[3, 3] 0.9375 -2 1.2344 1.3125 -1.5781 2.0781 -0.375 -0.2969 0.3438");
}

// x0 <= 1 ? leaf 1 : (x1 < 2 ? leaf 3 : leaf 4).
std::vector<ProtoWriter> OldTree(std::string_view kind) {
  const std::string prefix(kind);
  return {IntsAttribute("nodes_treeids", {0, 0, 0, 0, 0}),
          IntsAttribute("nodes_nodeids", {0, 1, 2, 3, 4}),
          IntsAttribute("nodes_featureids", {0, 0, 1, 0, 0}),
          IntsAttribute("nodes_truenodeids", {1, 0, 3, 0, 0}),
          IntsAttribute("nodes_falsenodeids", {2, 0, 4, 0, 0}),
          TextsAttribute("nodes_modes", {"BRANCH_LEQ", "LEAF", "BRANCH_LT", "LEAF", "LEAF"}),
          FloatsAttribute("nodes_values", {1, 0, 2, 0, 0}),
          IntsAttribute(prefix + "_treeids", {0, 0, 0}),
          IntsAttribute(prefix + "_nodeids", {1, 3, 4}),
          IntsAttribute(prefix + "_ids", {0, 1, 0}),
          FloatsAttribute(prefix + "_weights", {0.25f, 0.5f, 4})};
}

TEST(OnnxMl, Trees) {
  const TensorPtr x = Of<float>({3, 2}, {1, 0, 2, 1, 2, 2});
  std::vector<ProtoWriter> regressor = OldTree("target");
  regressor.push_back(IntAttribute("n_targets", 2));
  regressor.push_back(FloatsAttribute("base_values", {10, 20}));
  EXPECT_EQ(RunOperator({"TreeEnsembleRegressor", regressor, kMl}, {x}),
            "f32[3, 2] 10.25 20 10 20.5 14 20");
  std::vector<ProtoWriter> classifier = OldTree("class");
  classifier.push_back(TextsAttribute("classlabels_strings", {"no", "yes"}));
  EXPECT_EQ(RunOperator({"TreeEnsembleClassifier", classifier, kMl, 2}, {x}),
            "string[3] no yes no; f32[3, 2] 0.25 0 0 0.5 4 0");
  EXPECT_EQ(
      RunOperator(
          {"TreeEnsemble",
           {IntAttribute("n_targets", 2), IntsAttribute("nodes_featureids", {0, 1}),
            IntsAttribute("nodes_truenodeids", {0, 1}), IntsAttribute("nodes_trueleafs", {1, 1}),
            IntsAttribute("nodes_falsenodeids", {1, 2}), IntsAttribute("nodes_falseleafs", {0, 1}),
            IntsAttribute("tree_roots", {0}), IntsAttribute("leaf_targetids", {0, 1, 0}),
            TensorAttribute("nodes_modes", OnnxTensor("", kOnnxUint8, {2}, std::string("\0\6", 2))),
            TensorAttribute("nodes_splits", OnnxFloats("", {2}, {1, 0})),
            TensorAttribute("membership_values", OnnxFloats("", {3}, {1, 5, std::nanf("")})),
            TensorAttribute("leaf_weights", OnnxFloats("", {3}, {0.25f, 0.5f, 4}))},
           kMl},
          {x}),
      "f32[3, 2] 0.25 0 0 0.5 4 0");
}

TEST(OnnxMlBad, WhatDoesNotFit) {
  const TensorPtr x = Mixed({1, 2});
  EXPECT_THAT(RunOperator({"LabelEncoder", {IntsAttribute("keys_int64s", {1, 2})}, kMl},
                          {Of<int64_t>({1}, {1})}),
              HasSubstr("no attribute 'values_"));
  EXPECT_THAT(
      RunOperator({"LabelEncoder",
                   {IntsAttribute("keys_int64s", {1, 2}), IntsAttribute("values_int64s", {1})},
                   kMl},
                  {Of<int64_t>({1}, {1})}),
      HasSubstr("it has 2 keys and 1 values"));
  std::vector<ProtoWriter> circle = OldTree("target");
  circle[3] = IntsAttribute("nodes_truenodeids", {0, 0, 3, 0, 0});
  EXPECT_THAT(RunOperator({"TreeEnsembleRegressor", circle, kMl}, {x}),
              HasSubstr("two ways lead to node 0"));
  std::vector<ProtoWriter> inner = OldTree("target");
  inner[8] = IntsAttribute("target_nodeids", {2, 3, 4});
  EXPECT_THAT(RunOperator({"TreeEnsembleRegressor", inner, kMl}, {x}),
              HasSubstr("node 2 of tree 0 has a weight, but is no leaf"));
  EXPECT_THAT(RunOperator({"LinearRegressor",
                           {FloatsAttribute("coefficients", {1, 2, 3}), IntAttribute("targets", 2)},
                           kMl},
                          {x}),
              HasSubstr("3 coefficients for 2 targets"));
  EXPECT_THAT(RunOperator({"SVMRegressor", {TextAttribute("kernel_type", "RBF")}, kMl}, {x}),
              HasSubstr("'kernel_params' has 0 values"));
  EXPECT_THAT(RunOperator({"Scaler", {FloatsAttribute("scale", {2})}, kMl}, {x}),
              HasSubstr("it needs 'offset' and 'scale'"));
}

}  // namespace
}  // namespace tern::driver::onnx_operators_test
