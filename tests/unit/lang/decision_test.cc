// SPDX-License-Identifier: Apache-2.0
#include "core/lang/decision.h"

#include <gtest/gtest.h>

#include "core/base/strings.h"
#include "core/lang/program.h"

namespace tern::lang {
namespace {

// The first diagnostic of a match over a value of type (Chain, bool, int).
std::string FirstMessage(std::string_view arms) {
  const std::string text =
      StrCat("type Chain { End, Link(int, Chain) } fn f(v: (Chain, bool, int)) -> int { match v {",
             arms, "} }");
  const CheckedProgram checked = Check("test.tn", text);
  if (checked.diagnostics.items().empty()) return "ok";
  return checked.diagnostics.items()[0].message;
}

TEST(Decision, TellsWhatIsMissing) {
  EXPECT_EQ(FirstMessage("_ => 1"), "ok");
  EXPECT_EQ(FirstMessage("(End, _, _) => 1"), "no case matches (Link(_, _), _, _)");
  EXPECT_EQ(FirstMessage("(End, true, _) => 1, (Link(_, _), _, _) => 2"),
            "no case matches (End, false, _)");
  EXPECT_EQ(FirstMessage("(_, _, 0) => 1, (_, _, 1) => 2"), "no case matches (_, _, 2)");
  EXPECT_EQ(FirstMessage("(Link(_, End), _, _) => 1, (End, _, _) => 2"),
            "no case matches (Link(_, Link(_, _)), _, _)");
  EXPECT_EQ(FirstMessage("(Link(0x10, _), _, _) => 1, (Link(16, _), _, _) => 2, _ => 3"),
            "this case is never reached");
  EXPECT_EQ(FirstMessage("(_, b, n) if b && n > 0 => 1"), "no case matches (_, _, _)");
  EXPECT_EQ(FirstMessage("(_, true, _) => 1, (End, false, _) => 2, (Link(_, _), false, _) => 3"),
            "ok");
}

TEST(Decision, TellsWhatIsNeverReached) {
  EXPECT_EQ(FirstMessage("_ => 1, (End, _, _) => 2"), "this case is never reached");
  EXPECT_EQ(FirstMessage("(_, true, _) => 1, (_, false, _) => 2, _ => 3"),
            "this case is never reached");
  EXPECT_EQ(FirstMessage("(_, b, _) if b => 1, _ => 2"), "ok");
}

TEST(Decision, GivesUpOnExplosions) {
  std::string text = "type B { X, Y } fn f(v: (";
  constexpr int kColumns = 24;
  for (int i = 0; i < kColumns; ++i) text += i == 0 ? "B" : ", B";
  text += ")) -> int { match v {";
  // Each case tests two columns: a tree of all of them is exponential.
  for (int row = 0; row + 1 < kColumns; ++row) {
    text += "(";
    for (int i = 0; i < kColumns; ++i)
      StrAppend(&text, i == 0 ? "" : ", ",
                i == row                        ? "X"
                : i == (row * 7 + 3) % kColumns ? "Y"
                                                : "_");
    StrAppend(&text, ") => ", row, ", ");
  }
  const CheckedProgram checked = Check("test.tn", text + "_ => 99 } }");
  for (const text::Diagnostic& diagnostic : checked.diagnostics.items())
    EXPECT_TRUE(diagnostic.code == "E1017" || diagnostic.code == "W1013") << diagnostic.message;
}

}  // namespace
}  // namespace tern::lang
