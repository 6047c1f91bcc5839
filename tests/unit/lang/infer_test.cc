// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/lang/program.h"
#include "core/lang/type_text.h"

namespace tern::lang::infer_test {
namespace {

std::string Errors(std::string_view text) {
  const CheckedProgram checked = Check("test.tn", text);
  return text::RenderText(checked.diagnostics);
}

TEST(Infer, ThePreludeIsRight) { EXPECT_EQ(Errors("fn main() { }"), ""); }

// The type of a function of a program without mistakes.
std::string TypeIn(std::string_view text, std::string_view function) {
  const CheckedProgram checked = Check("test.tn", text);
  if (!checked.diagnostics.ok()) return text::RenderText(checked.diagnostics);
  return TypeText(checked.program->FindFunction(function)->type);
}

TEST(Infer, ScalarsAndRecursion) {
  EXPECT_EQ(TypeIn("fn f(n) { if n <= 1 { 1 } else { n * f(n - 1) } }", "f"), "fn(int) -> int");
  EXPECT_EQ(TypeIn("fn id(x) { x } fn f() { (id(1), id(\"a\")) }", "f"), "fn() -> (int, string)");
  EXPECT_EQ(TypeIn("fn even(n) { if n == 0 { true } else { odd(n - 1) } }"
                   "fn odd(n) { if n == 0 { false } else { even(n - 1) } }",
                   "odd"),
            "fn(int) -> bool");
  EXPECT_EQ(TypeIn("fn compose(f, g) { |x| f(g(x)) }", "compose"),
            "fn(fn(a) -> b, fn(c) -> a) -> fn(c) -> b");
}

TEST(Infer, TensorsAndDimensions) {
  EXPECT_EQ(TypeIn("fn f(x: f32[n, 128], w: f32[128, m]) { relu(x @ w) }", "f"),
            "fn(f32[n, 128], f32[128, m]) -> f32[n, m]");
  EXPECT_EQ(TypeIn("fn f(x: f32[n, 2]) { concat(x, x, axis = 0) }", "f"),
            "fn(f32[n, 2]) -> f32[2*n, 2]");
  EXPECT_EQ(TypeIn("fn g(x: f32[n+1]) -> f32[n] { slice(x, [0], [n]) } fn f(x: f32[m]) { "
                   "g(concat(x, f32([1]), axis=0)) }",
                   "f"),
            "fn(f32[m]) -> f32[m]");
  EXPECT_EQ(TypeIn("fn f(x: f32[n, m]) { reshape(x, [n * m]) }", "f"), "fn(f32[n, m]) -> f32[m*n]");
  EXPECT_EQ(TypeIn("fn f(xs: List[f32[n]]) { map(xs, |x| relu(x) * 2.0) }", "f"),
            "fn(List[f32[n]]) -> List[f32[n]]");
}

}  // namespace
}  // namespace tern::lang::infer_test
