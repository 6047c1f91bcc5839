// SPDX-License-Identifier: Apache-2.0
// Operators on tensors of texts, and numbers as texts.
#include "tests/unit/kernels/bind_test.h"

namespace tern::kernels::text_test {
namespace {

TensorPtr Texts(std::vector<std::string_view> texts, std::vector<int64_t> dims = {}) {
  if (dims.empty()) dims = {static_cast<int64_t>(texts.size())};
  return Tensor::FromStrings(texts, dims).value();
}

std::string RunTexts(std::string_view op, std::initializer_list<AnyView> args) {
  const Result<Any> result = Run(op, args);
  if (!result.ok()) return result.status().ToString();
  const Tensor* tensor = result->TryCast<Tensor>();
  std::string text = tensor->TypeText();
  for (int64_t i = 0; i < tensor->element_count(); ++i)
    text += std::string(" ") + std::string(tensor->string_at(i));
  return text;
}

TEST(StringNormalizerTest, CaseAndStopwords) {
  const TensorPtr x = Texts({"Monday", "tuesday"}), none = Texts({}, {0});
  EXPECT_EQ(RunTexts("string_normalizer{change=upper}", {x, none}), "string[2] MONDAY TUESDAY");
  EXPECT_EQ(RunTexts("string_normalizer{change=lower}", {x, Texts({"MONDAY"})}),
            "string[1] tuesday");
  EXPECT_EQ(RunTexts("string_normalizer{sensitive=1}", {x, Texts({"monday"})}),
            "string[2] Monday tuesday");
  EXPECT_EQ(RunTexts("string_normalizer", {Texts({"a"}, {1, 1}), Texts({"A"})}), "string[1, 1] ");
  ExpectError("string_normalizer", {F({1}, {1}), none}, {"x", "f32[1]", "string"});
  ExpectError("string_normalizer", {Texts({"a", "b"}, {2, 1}), none}, {"[n] or [1, n]"});
}

TEST(TfIdfTest, CountsGrams) {
  // One element: 2, 3; two elements: (3, 2), (2, 2).
  const TensorPtr x = I({2, 3}, {2, 3, 2, 2, 2, 9}), pool = I({6}, {2, 3, 3, 2, 2, 2});
  const TensorPtr starts = I({2}, {0, 2}), columns = I({4}, {0, 1, 2, 3});
  EXPECT_EQ(RunText("tf_idf{most=2 columns=4}", {x, pool, starts, columns}),
            "f32[2, 4] {2 1 1 0 2 0 0 1}");
  EXPECT_EQ(RunText("tf_idf{least=2 most=2 skips=1 columns=4}", {x, pool, starts, columns}),
            "f32[2, 4] {0 0 1 1 0 0 0 1}");
  const TensorPtr weights = F({4}, {10, 20, 30, 40});
  EXPECT_EQ(RunText("tf_idf{mode=idf columns=4}", {x, pool, starts, columns, weights}),
            "f32[2, 4] {10 20 0 0 10 0 0 0}");
  EXPECT_EQ(RunText("tf_idf{mode=tfidf columns=4}", {x, pool, starts, columns, weights}),
            "f32[2, 4] {20 20 0 0 20 0 0 0}");
  EXPECT_EQ(RunText("tf_idf", {Texts({"b", "a", "b"}), Texts({"b"}), I({1}, {0}), I({1}, {0})}),
            "f32[1] {2}");
}

TEST(TfIdfTest, Refuses) {
  const TensorPtr x = I({1}, {1}), pool = I({2}, {1, 2}), zero = I({1}, {0});
  ExpectError("tf_idf", {F({1}, {1}), pool, zero, zero}, {"texts or i64", "f32[1]"});
  ExpectError("tf_idf", {x, Texts({"a"}), zero, zero}, {"pool", "i64"});
  ExpectError("tf_idf", {x, pool, zero, zero}, {"1 indices for 2 n-grams"});
  ExpectError("tf_idf", {x, pool, zero, I({2}, {0, 1})}, {"an index is 1, expected less than 1"});
  ExpectError("tf_idf", {x, pool, I({2}, {1, 0}), zero}, {"counts do not cut the pool"});
  ExpectError("tf_idf", {x, pool, I({1}, {7}), zero}, {"counts do not cut the pool"});
  ExpectError("tf_idf{columns=2}", {x, pool, zero, I({2}, {0, 1}), F({1}, {1})}, {"2 elements"});
  ExpectError("tf_idf{least=2}", {x, pool, zero, zero}, {"most"});
}

TEST(CastTextTest, NumbersAsTextsAndBack) {
  EXPECT_EQ(RunTexts("cast{to=string}", {F({2}, {1.5f, -0.25f})}), "string[2] 1.5 -0.25");
  EXPECT_EQ(RunTexts("cast{to=string}", {I({1}, {-7})}), "string[1] -7");
  EXPECT_EQ(RunText("cast{to=f32}", {Texts({"1.5", " -2e1 ", "INF", "-inf", "NaN", "+3"})}),
            "f32[6] {1.5 -20 inf -inf nan 3}");
  EXPECT_EQ(RunText("cast{to=i64}", {Texts({"42", "3.9"})}), "i64[2] {42 3}");
  ExpectError("cast{to=f32}", {Texts({"1", "one"})}, {"element 1 is no number: 'one'"});
  ExpectError("cast{to=f32}", {Texts({""})}, {"is no number"});
}

}  // namespace
}  // namespace tern::kernels::text_test
