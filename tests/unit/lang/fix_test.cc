// SPDX-License-Identifier: Apache-2.0
#include "core/lang/editor/fix.h"

#include <gtest/gtest.h>

#include "core/base/strings.h"
#include "core/lang/program.h"

namespace tern::lang::fix_test {
namespace {

TEST(Fix, WhatIsFixedChecks) {
  struct Case {
    std::string_view before, after;
  };
  const Case cases[] = {
      {"fn f() -> int {\n  let x = 1\n  x\n}\n", "fn f() -> int {\n  let x = 1;\n  x\n}\n"},
      {"fn f() -> float { 2 }", "fn f() -> float { 2.0 }"},
      {"fn f(n: int) -> float { n * 2.0 + 1.0 }", "fn f(n: int) -> float { float(n) * 2.0 + 1.0 }"},
      {"fn f(x: f32[n]) -> i64[n] { x }", "fn f(x: f32[n]) -> i64[n] { i64(x) }"},
      {"fn f() -> f32[2] { [1, 2] }", "fn f() -> f32[2] { f32([1, 2]) }"},
      {"fn f(n: int) -> string {\n  let text: string = n\n  text\n}",
       "fn f(n: int) -> string {\n  let text: string = string(n);\n  text\n}"},
      // The second mistake shows once the first is gone.
      {"fn f() {\n  g(1)\n  g(2)\n}\nfn g(x: float) -> () { print(x) }\n",
       "fn f() {\n  g(1.0);\n  g(2.0)\n}\nfn g(x: float) -> () { print(x) }\n"},
      {"fn f() -> int {\n  var x = 1;\n  let mut y = x;\n  y\n}\n",
       "fn f() -> int {\n  let x = 1;\n  let y = x;\n  y\n}\n"},
      {"// é ü\nfn f() -> float { 7 }", "// é ü\nfn f() -> float { 7.0 }"},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.before);
    const FixedSource fixed = FixSource("test.tn", one.before);
    EXPECT_EQ(fixed.text, one.after);
    EXPECT_FALSE(fixed.applied.empty());
    EXPECT_TRUE(fixed.left.ok()) << text::RenderText(fixed.left);
    EXPECT_TRUE(Check("test.tn", fixed.text).diagnostics.ok());
  }
}

TEST(Fix, LeavesWhatIsRightOrNeedsAnAuthor) {
  for (const std::string_view text :
       {"fn f() -> int { 1 }", "fn f(x: Option[int]) -> int { match x { Some(n) => n } }",
        "fn f() -> int { missing(1) }", "fn f( {", "", "\xff\xfe", "fn f() -> int { \"text\" }",
        "fn f() -> int { return 1 }", "fn f(x: int) -> int { x = 2 x }",
        "fn f() -> int {\n  1\n\nfn g() -> int { 2 }\n"}) {
    const FixedSource fixed = FixSource("test.tn", text);
    EXPECT_EQ(fixed.text, text);
    EXPECT_TRUE(fixed.applied.empty());
  }
}

// The only fix of the only error, whether or not it is whole.
std::string Applied(std::string_view text) {
  const CheckedProgram checked = Check("test.tn", text);
  for (const text::Diagnostic& error : checked.diagnostics.items()) {
    if (error.fixes.empty()) continue;
    std::string result(text);
    const text::Edit& edit = error.fixes[0].edits[0];
    return result.replace(edit.span.begin, edit.span.end - edit.span.begin, edit.replacement);
  }
  return "";
}

TEST(Fix, TheCaseThatIsAddedStandsBehindTheLastOne) {
  const std::string_view type = "type Color { Red, Green, Blue }\n";
  for (const std::string_view match :
       {"match c { Red => 1, Blue => 2 }", "match c { Red => 1, Blue => 2, }", "match c { }",
        "match c { Red => 1, Blue => { 2 } }", "match c { Red => 1, Blue => (2) }",
        "match c {\n  Red => 1,\n  Green => 2,  // the last\n}"}) {
    std::string text = StrCat(type, "fn f(c: Color) -> int { ", match, " }");
    SCOPED_TRACE(text);
    for (int missing = 3; missing > 0 && !Check("test.tn", text).diagnostics.ok(); --missing) {
      text = Applied(text);
    }
    EXPECT_TRUE(Check("test.tn", text).diagnostics.ok()) << text;
  }
}

TEST(Fix, KeepsTheRestOfAProgramThatStaysWrong) {
  const FixedSource fixed =
      FixSource("test.tn", "fn f() -> float { 2 }\nfn g() -> int { missing() }\n");
  EXPECT_EQ(fixed.text, "fn f() -> float { 2.0 }\nfn g() -> int { missing() }\n");
  EXPECT_EQ(StrJoin(fixed.applied, "|"), "test.tn:1:19: write it as a float");
  EXPECT_EQ(fixed.left.error_count(), 1u);
}

}  // namespace
}  // namespace tern::lang::fix_test
