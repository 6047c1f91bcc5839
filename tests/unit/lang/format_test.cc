// SPDX-License-Identifier: Apache-2.0
#include "core/lang/editor/format.h"

#include <gtest/gtest.h>

#include "core/lang/parse/parser.h"
#include "core/lang/program.h"
#include "tests/unit/lang/tree_text.h"

namespace tern::lang::format_test {
namespace {

std::string Tree(std::string_view text) {
  auto sources = std::make_shared<text::SourceMap>();
  const int32_t file = sources->AddFile("test.tn", text);
  text::Diagnostics diagnostics(sources);
  const std::string tree = TreeText(*ParseFile(file, &diagnostics));
  EXPECT_TRUE(diagnostics.ok()) << text::RenderText(diagnostics);
  return tree;
}

size_t CommentsOf(std::string_view text) {
  auto sources = std::make_shared<text::SourceMap>();
  text::Diagnostics diagnostics(sources);
  const int32_t file = sources->AddFile("test.tn", text);
  return Tokenize(file, &diagnostics).comments.size();
}

// The same tree, the same comments, and a second time changes nothing.
void CheckFormat(std::string_view text) {
  const Result<std::string> once = FormatText("test.tn", text);
  ASSERT_TRUE(once.ok()) << once.status().ToString();
  EXPECT_EQ(Tree(text), Tree(*once)) << *once;
  EXPECT_EQ(CommentsOf(text), CommentsOf(*once)) << *once;
  const Result<std::string> twice = FormatText("test.tn", *once);
  ASSERT_TRUE(twice.ok());
  EXPECT_EQ(*once, *twice);
}

TEST(Format, ThePrelude) { CheckFormat(PreludeText()); }

TEST(Format, KeepsTreesAndComments) {
  const char* const programs[] = {
      "",
      "// only a comment",
      "fn f(){}",
      "fn f() { let x=1; x }",
      "// a\nfn f() { // b\n  // c\n\n\n  let x = 1; // d\n  // e\n  x // f\n  // g\n} // h\n// i",
      "fn f(x) { -(-x) - -1 - (2 - (3 - x)) * (x + 1) / (x * (2 / x)) }",
      "fn f(x, y) { !(x && y) || (x || y) && !y == (x < y) }",
      "fn f(g) { (|x| x + 1)(2) + (|x| x)(1).0 + g(1)(2)[3].0.1 }",
      "fn f() { (0..10, (0..3)[1], -(1..2)[0]) }",
      "fn f(x) { if x { 1 } else if !x { 2 } else { 3 } }",
      "fn f(x) { if x { if x { 1 } else { 2 } } else { match x { true => 1, false => {2} } } }",
      "fn f() { for i in 0..3 { print(i); } for x in [1,2] with (s = 0, t: int = 1) { (s, t) } }",
      "fn f() { loop (i = 0) while i < 3 { i + 1 }; {:} }",
      "fn f() { {\"a\": 1, \"b\": {1: 2}} }",
      "type T { A } type L[a,b] { Nil, Cons(a, L[a,b], fn(a)->b, (a, b)), Long(f32[n+1, 2*(n+1)/3, "
      "?]) }",
      "type T { // why\n  A, // a\n  // b\n  B(int)\n  // end\n}",
      "kernel add(A: f32[n], B: f32[n])->(C: f32[n]) {\n compute C[i] = A[i] + B[i] // why\n\n\n// "
      "}\nschedule{\nvectorize(C, i)\n} }",
      "kernel two(A: f32[n, 4]) -> (B: f32[n], C: f32[4]) relaxed { compute B[i] = A[i, 0] }",
      "fn f(x: f32[n]) -> f32[n] { conv2d(x, x, strides = [2, 2], pads = [1,1,1,1], layout = nchw, "
      "a = -1.5) }",
      "fn long_name_of_a_function(first_parameter: f32[n, 128], second_parameter: f32[128, m], "
      "third: int) -> f32[n, m] { first_parameter @ second_parameter }",
      "fn f() { aaaaaaaaaaaaaaaaaaaaaaaa + bbbbbbbbbbbbbbbbbbbbbbbbbbb + ccccccccccccccccccccccc * "
      "dddddddddddddddd + eeeeeeeeeeeeeee }",
      "fn f() { map(xs, |x| { let y = x; y + 1 }) }",
      "fn f() { match t { (Cons(1, _), \"a\") if x > 1 => { 1 } // one\n // two\n Nil => 2, } }",
      "fn f(xs) { match xs { []|[_]=>1,[x,(1|2),..rest]=>2,[..]|[1, .._]=>3,(A(x|x)|B(x)|C(_, "
      "x))=>4 } }",
      "fn f() { let (A(x)|B(x)) = y; for (a|a) in xs {} map(xs, |([..x] | x)| x) }",
      "fn f() { let (a, b): (int, int) = (1, 2); fn g[a](x: a) -> a { x } g(a) }",
      "fn f() { [1, // one\n 2] }",
      ";; run: tool\nfn f() { 1 }",
  };
  for (const char* program : programs) {
    SCOPED_TRACE(program);
    CheckFormat(program);
  }
}

TEST(Format, RefusesWhatIsNoProgram) {
  for (const char* text : {"fn", "fn f(", "let x = 1", "fn f() { 1 + }", "type T { a }"})
    EXPECT_FALSE(FormatText("test.tn", text).ok()) << text;
}

}  // namespace
}  // namespace tern::lang::format_test
