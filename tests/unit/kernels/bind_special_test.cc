// SPDX-License-Identifier: Apache-2.0
// Small element types, texts and patterns, trees, tables, weights of 4 bits, random numbers.
#include <string>
#include <vector>

#include "core/kernels/bind/regex.h"
#include "core/object/graph/print.h"
#include "core/object/small_numbers.h"
#include "tests/unit/kernels/bind_test.h"

namespace tern::kernels::bind_special_test {
namespace {

TensorPtr S(std::initializer_list<int64_t> dims, std::initializer_list<std::string_view> values) {
  return Tensor::FromStrings(std::vector<std::string_view>(values), dims).value();
}
TensorPtr D(std::initializer_list<int64_t> dims, std::initializer_list<double> values) {
  return T_<double>(dims, values);
}
TensorPtr U8(std::initializer_list<int64_t> dims, std::initializer_list<uint8_t> values) {
  return T_<uint8_t>(dims, values);
}

std::string Printed(std::string_view op, std::initializer_list<AnyView> args) {
  const Result<Any> result = Run(op, args);
  if (!result.ok()) return result.status().ToString();
  return PrintValue(*result, {.max_elements = 40, .max_depth = 4});
}

// There, and back to f32.
std::string Through(std::string_view attributes, const TensorPtr& x) {
  const TensorPtr small = RunTensor("cast{" + std::string(attributes) + "}", {AnyView(x)});
  return Text(*RunTensor("cast{to=f32}", {AnyView(small)}));
}

// --- small element types

TEST(SmallTypes, CastSaturatesOrNot) {
  const TensorPtr x = F({5}, {0.48f, -1.05f, 300, 1e6f, -1e6f});
  EXPECT_EQ(Through("to=f8e4m3", x), "f32[5] {0.46875 -1 288 448 -448}");
  EXPECT_EQ(Through("to=f8e4m3fnuz", x), "f32[5] {0.46875 -1 240 240 -240}");
  EXPECT_EQ(Through("to=f8e5m2", x), "f32[5] {0.5 -1 320 57344 -57344}");
  EXPECT_EQ(Through("to=f8e5m2fnuz saturate=0", x), "f32[5] {0.5 -1 320 nan nan}");
  EXPECT_EQ(Through("to=f8e5m2 saturate=0", x), "f32[5] {0.5 -1 320 inf -inf}");
  EXPECT_EQ(Through("to=f4e2m1", x), "f32[5] {0.5 -1 6 6 -6}");
  EXPECT_EQ(Through("to=f8e8m0", F({3}, {1.25f, 1.5f, 4})), "f32[3] {2 2 4}");
  EXPECT_EQ(Through("to=f8e8m0 round_mode=nearest", F({3}, {1.25f, 1.5f, 4})), "f32[3] {1 2 4}");
}

TEST(BitCastTest, KeepsBits) {
  EXPECT_EQ(Printed("bit_cast{to=i32}", {F({2}, {1, -0.0f})}), "i32[2] [1065353216, -2147483648]");
  EXPECT_EQ(Printed("bit_cast{to=u8}", {T_<int8_t>({1, 2}, {-1, 1})}), "u8[1, 2] [255, 1]");
  EXPECT_EQ(Printed("bit_cast{to=f64}", {I({0}, {})}), "f64[0] []");
  // Bytes that no bool has become true.
  const TensorPtr truths = RunTensor("bit_cast{to=bool}", {U8({4}, {0, 1, 2, 255})});
  EXPECT_EQ(Printed("cast{to=i64}", {truths}), "i64[4] [0, 1, 1, 1]");
  // Three packed elements in two bytes.
  const TensorPtr packed = RunTensor("cast{to=u4}", {I({3}, {15, 7, 8})});
  EXPECT_EQ(Printed("bit_cast{to=i4}", {packed}), "i4[3] [-1, 7, -8]");
}

TEST(BitCastTest, RefusesOtherWidths) {
  ExpectError("bit_cast{to=f64}", {F({1}, {1})}, {"bit_cast", "f32 of 32 bits", "f64 has 64"});
  ExpectError("bit_cast{to=string}", {F({1}, {1})}, {"bit_cast", "texts"});
  ExpectError("bit_cast", {F({1}, {1})}, {"bit_cast", "to", "required"});
}

TEST(SmallTypes, PackedIntegersKeepTheirLowBits) {
  EXPECT_EQ(Printed("cast{to=i4}", {I({5}, {-9, -8, 7, 8, 200})}), "i4[5] [7, -8, 7, -8, -8]");
  EXPECT_EQ(Printed("cast{to=u4}", {F({3}, {15, 3.9f, -1})}), "u4[3] [15, 3, 15]");
  EXPECT_EQ(Printed("cast{to=i2}", {I({5}, {-2, -1, 0, 1, 2})}), "i2[5] [-2, -1, 0, 1, -2]");
  EXPECT_EQ(Printed("constant_of_shape{dtype=i4 value=-3}", {I({1}, {3})}), "i4[3] [-3, -3, -3]");
}

TEST(SmallTypes, QuantizeToFourBitsInBlocks) {
  const TensorPtr x = F({2, 4}, {-1.25f, 0.5f, -0.5f, 1.25f, 0.25f, -0.75f, 1, 0});
  const TensorPtr scale = F({2, 2}, {0.25f, 0.5f, 0.125f, 1});
  const TensorPtr q = RunTensor("quantize_linear{axis=1 block=2 to=i4}", {x, scale});
  EXPECT_EQ(PrintValue(Any(q)), "i4[2, 4] [-5, 2, -1, 2, 2, -6, 1, 0]");
  EXPECT_EQ(RunText("dequantize_linear{axis=1 block=2}", {q, scale}),
            "f32[2, 4] {-1.25 0.5 -0.5 1 0.25 -0.75 1 0}");
  EXPECT_EQ(Printed("quantize_linear{to=f8e4m3}", {F({2}, {3, 2000}), F({}, {2})}),
            "f8e4m3[2] [1.5, 448]");
  EXPECT_EQ(Printed("dequantize_linear{to=f64}", {U8({2}, {3, 5}), F({}, {2}), U8({}, {1})}),
            "f64[2] [4, 8]");
}

TEST(SmallTypesBad, WhatIsNoNumber) {
  ExpectError("cast{to=f8e4m3}", {S({1}, {"three"})}, {"element 0 is no number", "three"});
  ExpectError("cast{to=f8e8m0 round_mode=sideways}", {F({}, {1})},
              {"round_mode", "sideways", "nearest"});
  ExpectError("quantize_linear{to=i64}", {F({1}, {1}), F({}, {1})}, {"quantizing to i64"});
  ExpectError("dequantize_linear", {U8({1}, {1}), F({}, {1}), I({}, {1})},
              {"zero_point", "element type u8"});
  ExpectError("quantize_linear{precision=i32}", {F({1}, {1}), F({}, {1})},
              {"precision", "float type"});
}

TEST(Widening, HalfAndDoubleRunThroughF32) {
  const TensorPtr x = RunTensor("cast{to=f16}", {F({1, 2}, {1, 2})});
  EXPECT_EQ(Printed("softmax", {x}), "f16[1, 2] [0.26904297, 0.73095703]");
  EXPECT_EQ(Printed("matmul", {D({1, 2}, {1, 2}), D({2, 1}, {3, 4})}), "f64[1, 1] [11]");
  EXPECT_EQ(Printed("cumsum", {x}).substr(0, 9), "f16[1, 2]");
}

// --- texts

TEST(Strings, ConcatBroadcastsAndSplitCuts) {
  EXPECT_EQ(Printed("string_concat", {S({2, 1}, {"a", "b"}), S({2}, {"x", "y"})}),
            "string[2, 2] [\"ax\", \"ay\", \"bx\", \"by\"]");
  EXPECT_EQ(Printed("string_split", {S({2}, {"a,b,c", ",d"}), S({1}, {","})}),
            "(string[2, 3] [\"a\", \"b\", \"c\", \"\", \"d\", \"\"], i64[2] [3, 2])");
  EXPECT_EQ(Printed("string_split{most=1}", {S({2}, {"  a  b c ", " "}), S({1}, {""})}),
            "(string[2, 2] [\"a\", \"b c \", \"\", \"\"], i64[2] [2, 0])");
}

TEST(Strings, CutByPatterns) {
  EXPECT_EQ(Printed("string_split{at=parts}", {S({2}, {"ababa", "-"}), S({1}, {"a|ab|aba"})}),
            "(string[2, 2] [\"aba\", \"a\", \"\", \"\"], i64[2] [2, 0])");
  EXPECT_EQ(Printed("string_split{at=parts least=2}", {S({1}, {"b é éé xyz"}), S({1}, {"[^ ]+"})}),
            "(string[1, 2] [\"éé\", \"xyz\"], i64[1] [2])");
  // A place knows what is before it: only the first a begins the text, both x begin a word.
  EXPECT_EQ(Printed("string_split{at=parts}", {S({1}, {"aa xy x"}), S({1}, {"^a|\\bx"})}),
            "(string[1, 3] [\"a\", \"x\", \"x\"], i64[1] [3])");
  // One pattern after the other; a match of nothing cuts nowhere.
  EXPECT_EQ(Printed("string_split{at=patterns}", {S({1}, {"aXbYYc"}), S({2}, {"Y", "XbY"})}),
            "(string[1, 2] [\"aXb\", \"c\"], i64[1] [2])");
  EXPECT_EQ(Printed("string_split{at=patterns}", {S({1}, {"a1b"}), S({1}, {"1*"})}),
            "(string[1, 2] [\"a\", \"b\"], i64[1] [2])");
}

bool Matches(std::string_view pattern, std::string_view text) {
  const Result<bind::Regex> regex = bind::Regex::Compile(pattern);
  EXPECT_TRUE(regex.ok()) << regex.status().ToString();
  return regex.ok() && regex->MatchesWhole(text);
}

TEST(Strings, PatternsMatchWholeTexts) {
  EXPECT_TRUE(Matches("www\\.[\\w.-]+\\.\\bcom\\b", "www.google.com"));
  EXPECT_FALSE(Matches("www\\.[\\w.-]+\\.\\bcom\\b", "www.google.comx"));
  const std::string_view mail = R"((\W|^)[\w.\-]{0,25}@(yahoo|gmail)\.com(\W|$))";
  EXPECT_TRUE(Matches(mail, "account@gmail.com"));
  EXPECT_FALSE(Matches(mail, "account@hotmail.com"));
  EXPECT_TRUE(Matches("(a|bc)*?d{2,3}", "abcadd"));
  EXPECT_FALSE(Matches("(a|bc)*d{2,3}", "abcad"));
  EXPECT_TRUE(Matches("(?i)[a-c]+(?-i)X", "AbCX"));
  EXPECT_FALSE(Matches("(?i)[a-c]+(?-i)X", "AbCx"));
  EXPECT_TRUE(Matches("[^[:digit:]\\s]+", "äöü"));
  EXPECT_TRUE(Matches("(?P<year>\\d{4})-\\x30?\\x{31}", "2024-01"));
  EXPECT_TRUE(Matches("\\Qa.b\\E+", "a.bb"));
  EXPECT_TRUE(Matches("", "") && Matches("a||b", "") && Matches("(a*)*", "aaa"));
  EXPECT_FALSE(Matches(".", "\n"));
  EXPECT_TRUE(Matches("(?s).", "\n"));
  EXPECT_TRUE(Matches("x{,2}", "x{,2}")) << "no counts, so letters";
  // Where backtracking would take a time of two to the power of the length.
  EXPECT_FALSE(Matches("(a*)*b", std::string(2000, 'a')));
}

TEST(StringsBad, PatternsThatAreNone) {
  const TensorPtr x = S({1}, {"a"});
  ExpectError("regex_match", {x, S({1}, {"(a"})}, {"'(a'", "'(' without its ')'", "byte 2"});
  ExpectError("regex_match", {x, S({1}, {"a)"})}, {"')' without its '('"});
  ExpectError("regex_match", {x, S({1}, {"[b-a]"})}, {"range whose end is before"});
  ExpectError("regex_match", {x, S({1}, {"*"})}, {"repeats nothing"});
  ExpectError("regex_match", {x, S({1}, {"a**"})}, {"repeats a repetition"});
  ExpectError("regex_match", {x, S({1}, {"a{2000}"})}, {"number of times"});
  ExpectError("regex_match", {x, S({1}, {"\\pL"})}, {"Unicode class"});
  ExpectError("regex_match", {x, S({1}, {"(((a{500}){500}){500})"})}, {"more states"});
  ExpectError("regex_match", {x, S({1}, {"[a"})}, {"'[' without its ']'"});
  ExpectError("string_concat", {x, F({1}, {1})}, {"element type string"});
  ExpectError("string_split{at=parts}", {x, S({1}, {"(a"})}, {"'(' without its ')'"});
  ExpectError("string_split{at=parts}", {x, S({2}, {"a", "b"})}, {"one text"});
  ExpectError("string_split{at=patterns}", {x, S({0}, {})}, {"one text"});
  ExpectError("string_split{least=0}", {x, S({1}, {","})}, {"least", "1"});
  ExpectError("string_split{at=words}", {x, S({1}, {","})}, {"words"});
  ExpectError("string_split{most=-2}", {x, S({1}, {","})}, {"most", "-1"});
}

// --- tables and trees

TEST(Trees, LookUpTakesTheLastKeyAndNaN) {
  const float nan = std::nanf("");
  EXPECT_EQ(RunText("look_up", {F({4}, {1, nan, 3, 2}), F({4}, {1, 2, nan, 1}),
                                I({4}, {10, 20, 30, 40}), I({}, {-1})}),
            "i64[4] {40 30 -1 20}");
  EXPECT_EQ(Printed("look_up",
                    {S({2}, {"b", "c"}), S({2}, {"a", "b"}), S({2}, {"x", "y"}), S({1}, {"none"})}),
            "string[2] [\"y\", \"none\"]");
}

// x0 <= 1 ? (x1 is one of 2, 4 ? leaf 0 : leaf 1) : leaf 2; and a tree of leaf 1 alone.
Result<Any> RunTree(std::string_view attrs, std::vector<int64_t> nodes, const TensorPtr& x) {
  const int64_t dims[] = {static_cast<int64_t>(nodes.size()) / 7, 7};
  const TensorPtr table = Tensor::FromValues<int64_t>(nodes, dims).value();
  return Run("tree_ensemble{" + std::string(attrs) + "}",
             {x, table, D({2}, {1, 0}), I({2}, {0, -2}), I({4}, {0, 1, 2, 4}), I({4}, {0, 1, 0, 1}),
              F({4}, {1, 2, 3, 4}), D({2}, {2, 4})});
}
const std::vector<int64_t> kNodes = {0, 0, 1, -3, 1, 0, 0, 1, 6, -1, -2, 0, 0, 2};

TEST(Trees, LeavesAreSummedByTarget) {
  const TensorPtr x = F({4, 2}, {0, 4, 1, 3, 2, 2, std::nanf(""), 2});
  const Result<Any> sums = RunTree("targets=2", kNodes, x);
  ASSERT_TRUE(sums.ok()) << sums.status().ToString();
  EXPECT_EQ(PrintValue(*sums), "f32[4, 2] [1, 2, 0, 4, 3, 6, 1, 2]");
  EXPECT_EQ(PrintValue(*RunTree("targets=2 aggregate=max", kNodes, x)),
            "f32[4, 2] [1, 2, 0, 2, 3, 4, 1, 2]");
}

TEST(TreesBad, TablesThatLeadNowhere) {
  const TensorPtr x = F({1, 2}, {0, 0});
  const auto error = [&](size_t at, int64_t value) {
    std::vector<int64_t> nodes = kNodes;
    nodes[at] = value;
    return RunTree("targets=2", nodes, x).status().ToString();
  };
  EXPECT_NE(error(2, 0).find("node 0 leads to 0"), std::string::npos) << "a circle";
  EXPECT_NE(error(10, -9).find("of the 3 leaves"), std::string::npos) << error(10, -9);
  EXPECT_NE(error(0, 2).find("feature 2 of 2"), std::string::npos);
  EXPECT_NE(error(13, 3).find("members 0 to 3 of 2"), std::string::npos);
  EXPECT_NE(error(1, 7).find("comparison 7"), std::string::npos);
  EXPECT_NE(RunTree("", kNodes, x).status().ToString().find("target 1 of 1"), std::string::npos);
}

Result<Any> Couple(std::string_view op, const TensorPtr& pairs) { return Run(op, {pairs}); }

TEST(CouplePairs, FindsTheChancesOfEachClass) {
  // What comes from chances of 0.5, 0.3 and 0.2 leads back to them: r_ij = p_i / (p_i + p_j).
  const Result<Any> result =
      Couple("couple_pairs{classes=3}", F({2, 3}, {0.625f, 5.0f / 7, 0.6f, 0.5f, 0.5f, 0.5f}));
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  const Tensor& chances = *result->TryCast<Tensor>();
  ASSERT_EQ(chances.TypeText(), "f32[2, 3]");
  const float expected[] = {0.5f, 0.3f, 0.2f, 1.0f / 3, 1.0f / 3, 1.0f / 3};
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(chances.data_as<float>()[i], expected[i], 2e-3) << i;
  // Two classes have the chances of their pair.
  EXPECT_EQ(RunText("couple_pairs", {F({1, 1}, {0.25})}), "f32[1, 2] {0.25 0.75}");
  EXPECT_EQ(RunText("couple_pairs{classes=3}", {F({0, 3}, {})}), "f32[0, 3] {}");
}

TEST(CouplePairs, StaysAmongNumbers) {
  const float nan = std::nanf("");
  for (const float chance : {0.0f, 1.0f, nan, INFINITY, -INFINITY}) {
    const Result<Any> result =
        Couple("couple_pairs{classes=3}", F({1, 3}, {chance, 1 - chance, chance}));
    ASSERT_TRUE(result.ok());
    float sum = 0;
    for (const float value : result->TryCast<Tensor>()->values<float>()) sum += value;
    EXPECT_NEAR(sum, 1, 1e-5) << chance;
  }
  ExpectError("couple_pairs{classes=3}", {F({1, 2}, {0, 0})}, {"axis 1", "expected 3", "2"});
  ExpectError("couple_pairs", {Iota({1})}, {"rank 1"});
  ExpectError("couple_pairs{classes=1001}", {F({0, 500500}, {})}, {"classes", "at most 1000"});
  ExpectError("couple_pairs{classes=1}", {F({1, 0}, {})}, {"classes"});
}

// --- places that are data

TEST(Deformed, SamplesBetweenPixels) {
  // One tap, moved half a pixel down and to the right: the mean of four pixels.
  EXPECT_EQ(RunText("deform_conv", {Iota({1, 1, 3, 3}), F({1, 1, 1, 1}, {2}),
                                    Tensor::FromValues<float>(std::vector<float>(18, 0.5f),
                                                              std::vector<int64_t>{1, 2, 3, 3})
                                        .value(),
                                    F({1}, {1})}),
            "f32[1, 1, 3, 3] {5 7 4.5 11 13 7.5 7.5 8.5 5}");
  ExpectError("deform_conv", {Iota({1, 1, 3, 3}), F({1, 1, 1, 1}, {2}), Iota({1, 3, 3, 3})},
              {"offset", "axis 1", "expected 2"});
  ExpectError("deform_conv{offset_groups=2}",
              {Iota({1, 1, 3, 3}), F({1, 1, 1, 1}, {2}), Iota({1, 4, 3, 3})}, {"offset_groups=2"});
}

TEST(Deformed, MaxRoiPoolTakesTheLargestOfEachPart) {
  EXPECT_EQ(RunText("max_roi_pool{height=2 width=2}",
                    {Iota({1, 1, 4, 4}), F({2, 5}, {0, 0, 0, 3, 3, 0, 1, 1, 1, 1})}),
            "f32[2, 1, 2, 2] {5 7 13 15 5 5 5 5}");
  ExpectError("max_roi_pool", {Iota({1, 1, 4, 4}), F({1, 5}, {1, 0, 0, 3, 3})},
              {"image 1", "there are 1"});
}

TEST(PackedBits, HalvesOfBytesAreWeights) {
  // Weights 0 … 15 less 8, times 2.
  const TensorPtr b = U8({1, 1, 8}, {0x10, 0x32, 0x54, 0x76, 0x98, 0xBA, 0xDC, 0xFE});
  EXPECT_EQ(RunText("matmul_bits{columns=1 depth=16 block=16}", {Iota({1, 16}), b, F({1}, {2})}),
            "f32[1, 1] {560}");
  EXPECT_EQ(RunText("matmul_bits{columns=1 depth=3 block=16}",
                    {F({1, 3}, {1, 1, 1}), b, F({1}, {2}), U8({1}, {1})}),
            "f32[1, 1] {0}");
  // Zero points that are floats, and rows enough to be multiplied by unpacked weights.
  EXPECT_EQ(
      RunText("matmul_bits{columns=1 depth=2 block=16}",
              {F({6, 2}, {1, 0, 0, 1, 1, 1, 2, 0, 0, 2, 2, 2}), b, F({1}, {2}), F({1}, {0.5})}),
      "f32[6, 1] {-1 1 0 -2 2 0}");
  ExpectError("matmul_bits{columns=1 depth=16 block=16}",
              {Iota({1, 16}), b, F({1}, {2}), U8({2}, {1, 1})}, {"zeros", "u8 of 1 elements"});
  ExpectError("matmul_bits{columns=1 depth=16 block=16}",
              {Iota({1, 16}), b, F({1}, {2}), I({1}, {1})}, {"zeros", "floats of 1"});
  ExpectError("matmul_bits{columns=1 depth=16 block=24}", {Iota({1, 16}), b, F({1}, {2})},
              {"block", "power of two"});
  ExpectError("matmul_bits{columns=1 depth=16 block=-9223372036854775808}",
              {Iota({1, 16}), b, F({1}, {2})}, {"block", "at least 16"});
  ExpectError("matmul_bits{columns=2 depth=16 block=16}", {Iota({1, 16}), b, F({1}, {2})},
              {"axis 0 of b", "expected 2"});
  ExpectError("matmul_bits{columns=1 depth=16 block=16}", {Iota({1, 16}), b, F({2}, {2, 2})},
              {"scales", "1 elements"});
}

// numpy.random.RandomState(7).random_sample(3) and .randn(3).
TEST(RandomNumbers, ThoseOfNumPyForTheSeed) {
  EXPECT_EQ(RunText("random_uniform{seed=7}", {I({1}, {3})}), "f32[3] {0.07631 0.77992 0.43841}");
  EXPECT_EQ(RunText("random_normal{seed=7}", {I({1}, {3})}), "f32[3] {1.69053 -0.46594 0.03282}");
  ExpectError("random_uniform", {F({1}, {3})}, {"shape", "integers"});
}

}  // namespace
}  // namespace tern::kernels::bind_special_test
