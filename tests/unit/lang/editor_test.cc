// SPDX-License-Identifier: Apache-2.0
#include "core/lang/editor/editor.h"

#include <gtest/gtest.h>

#include "core/base/strings.h"
#include "tests/support/rounds.h"

namespace tern::lang::editor_test {
namespace {

constexpr std::string_view kText =
    "type Tree { Leaf, Node(int, Tree) }\n"
    "// sums\n"
    "fn total(tree: Tree) -> int {\n"
    "  match tree { Leaf => 0, Node(value, rest) => value + total(rest) }\n"
    "}\n"
    "fn scaled(x: f32[n, 4]) { let factor = 2.0; relu(x) * factor }\n";

uint32_t At(std::string_view part, uint32_t into = 0) {
  return static_cast<uint32_t>(kText.find(part)) + into;
}

bool Has(const std::string& json, std::string_view part) {
  return json.find(part) != std::string::npos;
}

TEST(Editor, TokensHaveKinds) {
  const std::string json = TokensJson("fn f(x: int) { x + 1 } // end");
  EXPECT_EQ(
      json,
      R"([{"begin":0,"end":2,"kind":"keyword"},{"begin":3,"end":4,"kind":"function"},)"
      R"({"begin":4,"end":5,"kind":"punctuation"},{"begin":5,"end":6,"kind":"parameter"},)"
      R"({"begin":6,"end":7,"kind":"punctuation"},{"begin":8,"end":11,"kind":"type"},)"
      R"({"begin":11,"end":12,"kind":"punctuation"},{"begin":13,"end":14,"kind":"punctuation"},)"
      R"({"begin":15,"end":16,"kind":"parameter"},{"begin":17,"end":18,"kind":"punctuation"},)"
      R"({"begin":19,"end":20,"kind":"number"},{"begin":21,"end":22,"kind":"punctuation"},)"
      R"({"begin":23,"end":29,"kind":"comment"}])");
}

TEST(Editor, HoverTellsTypes) {
  EXPECT_TRUE(Has(HoverJson(kText, At("total(rest)")), R"("text":"total: fn(Tree) -> int")"));
  EXPECT_TRUE(Has(HoverJson(kText, At("value + ")), R"("text":"value: int")"));
  EXPECT_TRUE(Has(HoverJson(kText, At("relu")), R"("text":"relu(x): f32[n, 4]")"));
  EXPECT_TRUE(Has(HoverJson(kText, At("factor }")), R"("text":"factor: float")"));
  EXPECT_EQ(HoverJson(kText, At("match")), "null");
  EXPECT_EQ(HoverJson(kText, 1'000'000), "null");
  EXPECT_EQ(HoverJson("", 0), "null");
}

TEST(Editor, DefinitionIsThePlaceOfTheName) {
  EXPECT_EQ(DefinitionJson(kText, At("rest) }")),
            StrCat(R"({"file":"program.tn","begin":)", At("rest) =>"), R"(,"end":)",
                   At("rest) =>") + 4, "}"));
  EXPECT_TRUE(Has(DefinitionJson("fn f(xs: List[int]) { map(xs, |x| x) }", 23), "prelude.tn"));
  EXPECT_EQ(DefinitionJson(kText, At("relu")), "null");
}

TEST(Editor, CompletesWhatIsInScope) {
  const std::string inside = CompleteJson(kText, At("factor }", 2));
  EXPECT_TRUE(Has(inside, R"({"label":"factor","kind":"variable","detail":"float"})"));
  EXPECT_FALSE(Has(inside, "total"));
  const std::string in_match = CompleteJson(kText, At("value + total", 9));
  EXPECT_TRUE(Has(in_match, R"("label":"total")"));
  EXPECT_TRUE(Has(in_match, R"("label":"tree")") && Has(in_match, R"("label":"tanh")"));
  EXPECT_FALSE(Has(in_match, R"("label":"factor")"));
}

TEST(Editor, KnowsTheNamesInKernels) {
  const std::string_view text =
      "kernel act(x: f32[n]) -> (Y: f32[n]) {\n  compute Y[i] = tanh(x[i])\n  schedule { "
      "vectorize(Y, i) }\n}\nfn main() -> f32[2] { act(f32([1, 2])) }\n";
  const auto at = [&](std::string_view part, uint32_t into = 0) {
    return static_cast<uint32_t>(text.find(part)) + into;
  };
  EXPECT_TRUE(Has(HoverJson(text, at("x[i])")), R"("text":"x: f32[n]")"));
  EXPECT_TRUE(Has(HoverJson(text, at("Y[i]")), R"("text":"Y: f32[n]")"));
  EXPECT_TRUE(Has(HoverJson(text, at("tanh")), R"("text":"tanh")"));
  EXPECT_TRUE(Has(HoverJson(text, at("vectorize")), "vectorize(T, axis"));
  EXPECT_TRUE(Has(HoverJson(text, at("act(f32(")), R"("text":"act: fn(f32[2]) -> f32[2]")"));
  EXPECT_TRUE(Has(DefinitionJson(text, at("x[i])")), StrCat(R"("begin":)", at("x: f32"))));
  EXPECT_TRUE(Has(DefinitionJson(text, at("Y, i")), StrCat(R"("begin":)", at("Y: f32"))));
  EXPECT_TRUE(Has(DefinitionJson(text, at("act(f32(")), StrCat(R"("begin":)", at("act(x"))));
  EXPECT_TRUE(
      Has(SymbolsJson(text), R"("name":"act","kind":"kernel","detail":"fn(f32[n]) -> f32[n]")"));
  EXPECT_TRUE(Has(TokensJson(text), StrCat(R"({"begin":)", at("compute"), R"(,"end":)",
                                           at("compute") + 7, R"(,"kind":"keyword"})")));
}

// A kernel that is half written is another program's text: no words of this language in it.
TEST(Editor, AnswersAboutHalfAKernel) {
  const std::string_view whole =
      "kernel act(x: f32[n]) -> (Y: f32[n]) relaxed { compute Y[i] = x[i] & 'a' << \"} }";
  for (size_t length = 0; length <= whole.size(); length += support::kMutationsShare) {
    for (const char* question : {"tokens", "hover", "definition", "complete", "symbols"})
      EXPECT_TRUE(AnswerQuestion(question, whole.substr(0, length), 12).ok());
  }
}

TEST(Editor, AnswersAboutProgramsWithMistakes) {
  const std::string_view broken = "fn f(x: f32[n]) { let y = relu(x); y +  } fn g( { }";
  EXPECT_TRUE(Has(HoverJson(broken, 36), "f32[n]"));
  EXPECT_TRUE(Has(CompleteJson(broken, 39), R"("label":"y")"));
  EXPECT_TRUE(Has(SymbolsJson(broken), R"("name":"f","kind":"function")"));
  EXPECT_FALSE(AnswerQuestion("meaning", broken, 0).ok());
  for (const char* question : {"tokens", "hover", "definition", "complete", "symbols"})
    EXPECT_TRUE(AnswerQuestion(question, broken, 3).ok());
}

}  // namespace
}  // namespace tern::lang::editor_test
