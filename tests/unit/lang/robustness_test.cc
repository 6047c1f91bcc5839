// SPDX-License-Identifier: Apache-2.0
// Texts that are nearly programs: cut off, with pieces taken out, doubled or exchanged. Whatever
// they are, reading ends, without a crash; what is lowered verifies.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "core/base/strings.h"
#include "core/ir/verifier.h"
#include "core/lang/editor/editor.h"
#include "core/lang/editor/format.h"
#include "core/lang/lower/lower.h"
#include "core/lang/program.h"
#include "tests/support/rounds.h"

namespace tern::lang::robustness_test {
namespace {

constexpr std::string_view kProgram = R"(
type Tree[a] { Leaf, Node(Tree[a], a, Tree[a]) }
fn insert[n](tree: Tree[(int, f32[n, 4])], x: f32[n, 4]) -> Tree[(int, f32[n, 4])] {
  match tree {
    Leaf => Node(Leaf, (n, x), Leaf),
    Node(left, (k, y), right) if k < 3 && !(k == 1) => Node(insert(left, x), (k, y * 2.0), right),
    Node(_, (0, _), right) => right,
    other => other,
  }
}
fn sums(xs: List[int], m: Map[string, int]) -> (int, List[string]) {
  let f = |x: int| -> int { if x > 0 { x } else { -x } };
  fn local(i) { if i == 0 { [] } else { append(local(i - 1), string(f(i)) + "\u{20ac}") } }
  let (total, _) = loop (s = 0, i = 0) while i < length(xs) { (s + xs[i] + m["a"], i + 1) };
  (for x in 0..total with (acc = 0) { acc + x }, local(3))
}
fn net(x: f32[b, 3, 8, 8], w: f32[16, 3, 3, 3]) {
  reshape(relu(conv2d(x, w, pads = [1, 1, 1, 1])), [b, 16 * 64]) @ f32([[1.0, 2.0]])
}
)";

void Exercise(const std::string& text) {
  CheckedProgram checked = Check("test.tn", text);
  if (checked.diagnostics.ok()) {
    const ir::Module module = Lower(*checked.program, &checked.diagnostics);
    if (checked.diagnostics.ok()) {
      const Status status = ir::Verify(module);
      EXPECT_TRUE(status.ok()) << text << status.ToString();
    }
  } else {
    EXPECT_FALSE(text::RenderText(checked.diagnostics).empty());
  }
  const Result<std::string> once = FormatText("test.tn", text);
  if (!once.ok()) return;
  const Result<std::string> twice = FormatText("test.tn", *once);
  ASSERT_TRUE(twice.ok()) << *once;
  EXPECT_EQ(*once, *twice);
}

TEST(Robustness, CutOff) {
  for (size_t size = 0; size < kProgram.size(); size += 3 * support::kMutationsShare)
    Exercise(std::string(kProgram, 0, size));
}

TEST(Robustness, TokensTakenOutDoubledAndExchanged) {
  auto sources = std::make_shared<text::SourceMap>();
  text::Diagnostics diagnostics(sources);
  const TokenList list = Tokenize(sources->AddFile("test.tn", kProgram), &diagnostics);
  const auto text_of = [&](const std::vector<std::string_view>& tokens) {
    std::string text;
    for (std::string_view token : tokens) text += std::string(token) + " ";
    return text;
  };
  std::vector<std::string_view> tokens;
  for (const Token& token : list.tokens) tokens.push_back(token.text);
  for (size_t i = 0; i + 1 < tokens.size(); i += support::kMutationsShare) {
    std::vector<std::string_view> changed = tokens;
    if (i % 3 == 0) changed.erase(changed.begin() + static_cast<ptrdiff_t>(i));
    if (i % 3 == 1) changed[i] = tokens[(i * 31) % tokens.size()];
    if (i % 3 == 2)
      changed.insert(changed.begin() + static_cast<ptrdiff_t>(i), tokens[(i * 17) % tokens.size()]);
    Exercise(text_of(changed));
  }
}

TEST(Robustness, EditorsAskAnywhere) {
  for (uint32_t offset = 0; offset < kProgram.size() + 2; offset += 41) {
    for (const char* question : {"hover", "definition", "complete"})
      EXPECT_TRUE(AnswerQuestion(question, kProgram, offset).ok());
  }
}

TEST(Robustness, LongAndDeep) {
  std::string text = "fn f() -> int { 1";
  for (int i = 0; i < 20000; ++i) text += " + 1";
  Exercise(text + " }");
  for (const char* piece : {"(", "[", "{", "-", "f(", "|x| ", "if x { ", "match x { _ => ",
                            "fn f() {", "x[", "loop (a = ", "for x in "}) {
    std::string deep = "fn f() -> int { ";
    for (int i = 0; i < 5000; ++i) deep += piece;
    Exercise(deep);
  }
  std::string deep_type = "fn f(x: ";
  for (int i = 0; i < 5000; ++i) deep_type += "List[fn(";
  Exercise(deep_type);
  std::string many = "fn f() { ";
  for (int i = 0; i < 3000; ++i) many += "let x = 1; ";
  Exercise(many + "}");
  Exercise(std::string("\xff\xfe\0 fn", 6));
}

// What is wrong with a program of `count` cases, one of them the last; "" where nothing is.
std::string ErrorOf(int count, const std::function<std::string(int)>& piece, std::string begin,
                    std::string_view end) {
  for (int i = 0; i < count; ++i) begin += piece(i);
  CheckedProgram checked = Check("test.tn", begin + std::string(end));
  if (checked.diagnostics.ok()) {
    const ir::Module module = Lower(*checked.program, &checked.diagnostics);
    if (checked.diagnostics.ok()) EXPECT_TRUE(ir::Verify(module).ok());
  }
  const auto items = checked.diagnostics.items();
  return items.empty() ? "" : StrCat(items.size(), " ", items[0].code, " ", items[0].message);
}

// Cases that are tried one by one lie in each other as branches do, and ended the process where
// there were thousands.
TEST(Robustness, CasesInEachOtherAreCounted) {
  const std::string ints = "fn f(x: int) -> int { match x { ";
  const auto literal = [](int i) { return StrCat(i, " => ", i, ", "); };
  const auto guard = [](int i) { return StrCat("_ if x > ", i, " => ", i, ", "); };
  const auto text = [](int i) { return StrCat("\"", i, "\" => ", i, ", "); };
  const auto around = [](int i) {
    return StrCat("match x { ", i, " => 1, ", i + 1, " => 2, ", i + 2, " => 3, _ => ");
  };
  const std::string refused = "1 E1017 this match has too many cases or combinations of patterns";
  EXPECT_EQ(ErrorOf(400, literal, ints, "_ => 0 } }"), "");
  EXPECT_EQ(ErrorOf(20000, literal, ints, "_ => 0 } }"), refused);
  EXPECT_EQ(ErrorOf(20000, text, "fn f(x: string) -> int { match x { ", "_ => 0 } }"), refused);
  EXPECT_EQ(ErrorOf(200, guard, ints, "_ => 0 } }"), "");
  EXPECT_EQ(ErrorOf(15000, guard, ints, "_ => 0 } }"), refused);
  // None of them is large by itself.
  EXPECT_EQ(ErrorOf(90, around, "fn f(x: int) -> int { ", "0" + std::string(91, '}')), "");
  EXPECT_EQ(ErrorOf(190, around, "fn f(x: int) -> int { ", "0" + std::string(191, '}')),
            "1 E1017 more than 500 cases that are tried one by one");
}

// Each call tries again what waits for a type, which took the square of their number.
TEST(Robustness, ChoicesThatWaitAreCounted) {
  const auto turn = [](int i) { return StrCat("let b", i, " = a + ", i, "; let c = g(1); "); };
  const std::string begin = "fn g(x: int) -> int { x } fn f(x: int) -> int { let h = |a| { ";
  EXPECT_EQ(ErrorOf(900, turn, begin, "a }; h(x) }"), "");
  EXPECT_EQ(ErrorOf(1900, turn, begin, "a }; h(x) }"),
            "1 E1017 more than 1000 choices wait for types");
}

}  // namespace
}  // namespace tern::lang::robustness_test
