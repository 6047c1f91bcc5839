// SPDX-License-Identifier: Apache-2.0
#include "core/text/scanner.h"

#include <gtest/gtest.h>

#include <string>

#include "core/text/precedence.h"

namespace tern::text {
namespace {

constexpr TextForm kFile{kFileSpaces, kFileComments, "."};
constexpr TextForm kLine{};

TEST(Scanner, SkipsSpacesAndComments) {
  Scanner in(" \t// one\n;; two\r\n x", kFile);
  EXPECT_EQ(in.Peek(), 'x');
  EXPECT_EQ(in.at(), 18u);
}

TEST(Scanner, CommentAtTheEndNeedsNoLineBreak) {
  Scanner in("a // b", kFile);
  EXPECT_EQ(in.TakeWord(), "a");
  EXPECT_TRUE(in.AtEnd());
}

TEST(Scanner, SkipsOnlyWhatTheFormSays) {
  Scanner in("\t// x", kLine);
  EXPECT_EQ(in.Peek(), '\t');
  EXPECT_FALSE(in.AtEnd());
}

TEST(Scanner, ReadsNothingPastTheEnd) {
  Scanner in("ab", kFile);
  in.MoveTo(2);
  EXPECT_EQ(in.Here(), '\0');
  EXPECT_EQ(in.Here(1000), '\0');
  EXPECT_FALSE(in.AcceptHere('\0'));
  EXPECT_FALSE(in.Accept("b"));
  EXPECT_EQ(in.PeekWord(), "");
  EXPECT_EQ(in.PeekNumber("-"), "");
  EXPECT_EQ(in.PeekQuoted(), "");
}

TEST(Scanner, ZeroBytesAreNotTheEnd) {
  Scanner in(std::string_view("\0x", 2), kFile);
  EXPECT_FALSE(in.AtEnd());
  EXPECT_TRUE(in.AcceptHere('\0'));
  EXPECT_EQ(in.TakeWord(), "x");
}

TEST(Scanner, WordsHoldTheMarksOfTheForm) {
  EXPECT_EQ(Scanner("a.b/c", kFile).PeekWord(), "a.b");
  EXPECT_EQ(Scanner("a.b/c", kLine).PeekWord(), "a");
  EXPECT_EQ(Scanner("a.b/c", TextForm{.word_marks = "./"}).PeekWord(), "a.b/c");
  EXPECT_EQ(Scanner("\xc3\xa4", kFile).PeekWord(), "");
}

TEST(Scanner, NumbersAreOneToken) {
  EXPECT_EQ(Scanner("1.5e-3+2", kFile).PeekNumber(), "1.5e-3");
  EXPECT_EQ(Scanner("1E+3", kFile).PeekNumber(), "1E+3");
  EXPECT_EQ(Scanner("1.2.3,", kFile).PeekNumber(), "1.2.3");
  EXPECT_EQ(Scanner("1-2", kFile).PeekNumber(), "1");
}

TEST(Scanner, SignsBelongToNumbersWhereAsked) {
  EXPECT_EQ(Scanner("-1", kFile).PeekNumber(), "");
  EXPECT_EQ(Scanner("-1-2", kFile).PeekNumber("-"), "-1");
  EXPECT_EQ(Scanner("+inf", kFile).PeekNumber("-"), "");
  EXPECT_EQ(Scanner("+inf", kFile).PeekNumber("+-"), "+inf");
  EXPECT_EQ(Scanner("--1", kFile).PeekNumber("-"), "-");
}

TEST(Scanner, QuotedTextsEndOnTheirLine) {
  EXPECT_EQ(Scanner(R"("a\"b" c)", kFile).PeekQuoted(), R"("a\"b")");
  EXPECT_EQ(Scanner(R"("a\\" b")", kFile).PeekQuoted(), R"("a\\")");
  EXPECT_EQ(Scanner("\"a\nb\"", kFile).PeekQuoted(), "");
  EXPECT_EQ(Scanner(R"("a\")", kFile).PeekQuoted(), "");
  EXPECT_EQ(Scanner("\"", kFile).PeekQuoted(), "");
  EXPECT_EQ(Scanner("a\"", kFile).PeekQuoted(), "");
}

constexpr std::string_view kLong[] = {"<<=", "<=", "->"};
constexpr TextForm kOperators{.operators = kLong, .marks = "<=-"};

TEST(Scanner, OperatorsAreTheLongestThatFit) {
  Scanner in(" <<=<==->", kOperators);
  for (std::string_view expected : {"<<=", "<=", "=", "->"}) {
    EXPECT_EQ(in.PeekOperator(), expected);
    EXPECT_TRUE(in.Accept(expected));
  }
  EXPECT_EQ(in.PeekOperator(), "");
}

TEST(Scanner, OperatorsOfOtherFormsAreNone) {
  EXPECT_EQ(Scanner("+", kOperators).PeekOperator(), "");
  EXPECT_EQ(Scanner("<", kLine).PeekOperator(), "");
  EXPECT_EQ(Scanner(std::string_view("\0", 1), kOperators).PeekOperator(), "");
}

TEST(Scanner, CharactersAreWhole) {
  EXPECT_EQ(Scanner(" ab", kFile).PeekCharacter(), "a");
  EXPECT_EQ(Scanner("\u00e4b", kFile).PeekCharacter(), "\u00e4");
  EXPECT_EQ(Scanner("\xe2\x82", kFile).PeekCharacter(), "\xe2");
  EXPECT_EQ(Scanner(" ", kFile).PeekCharacter(), "");
}

std::string MistakeOf(const Scanner& in) {
  const Mistake& mistake = in.mistake();
  return std::to_string(mistake.begin) + "-" + std::to_string(mistake.end) + " " + mistake.message;
}

TEST(Scanner, MistakesSayWhatIsThereInstead) {
  const auto failed = [](std::string_view text) {
    Scanner in(text, kFile);
    in.Expect("(");
    return MistakeOf(in);
  };
  EXPECT_EQ(failed("(x"), "0-0 ");
  EXPECT_EQ(failed(" word+"), "1-5 expected '(', got 'word'");
  EXPECT_EQ(failed("+x"), "0-1 expected '(', got '+'");
  EXPECT_EQ(failed("\u00e4"), "0-2 expected '(', got '\u00e4'");
  EXPECT_EQ(failed("  "), "2-3 expected '(', got the end");
}

TEST(Scanner, MistakesOfWhatWasReadLeaveOutSpaces) {
  Scanner in("a b  c", kFile);
  in.TakeWord();
  const size_t begin = in.at() + 1;
  in.Skip();
  in.TakeWord();
  in.Skip();
  in.FailSince(begin, "not a b");
  EXPECT_EQ(MistakeOf(in), "2-3 not a b");
}

TEST(Scanner, OnlyTheFirstMistakeCountsAndEndsTheText) {
  Scanner in("a b", kFile);
  in.Fail("one");
  in.Fail("two");
  in.FailSince(0, "three");
  in.MoveTo(0);
  EXPECT_EQ(MistakeOf(in), "0-1 expected one, got 'a'");
  EXPECT_TRUE(in.AtEnd());
}

TEST(Scanner, GoesOnBehindAnotherForm) {
  Scanner in("x.y z", kLine);
  Scanner other(in.text(), kFile, in.at());
  EXPECT_EQ(other.TakeWord(), "x.y");
  in.GoOn(other);
  EXPECT_EQ(in.PeekWord(), "z");
  other.Fail("more");
  in.GoOn(other);
  EXPECT_EQ(MistakeOf(in), "4-5 expected more, got 'z'");
  EXPECT_TRUE(in.AtEnd());
}

TEST(Scanner, SinceIsWhatWasRead) {
  Scanner in("x  yz", kFile);
  in.TakeWord();
  const size_t begin = in.at();
  in.TakeWord();
  EXPECT_EQ(in.Since(begin), "  yz");
}

// Writes parentheses around each operation. '^' ends a chain where it stands.
struct Grouping {
  Scanner in;
  struct Chain {
    char op = 0;
  };
  int PeekPrecedence() {
    const char c = in.Peek();
    return c == '+' || c == '-' ? 1 : c == '*' ? 2 : c == '^' ? 3 : 0;
  }
  bool TakeOperator(Chain* chain) {
    chain->op = in.Here();
    return chain->op != '^' && in.AcceptHere(chain->op);
  }
  std::string ParseOperand() { return std::string(in.TakeWord()); }
  std::string Join(Chain* chain, const std::string& a, const std::string& b) {
    return "(" + a + chain->op + b + ")";
  }
};
std::string Group(std::string_view text, int least = 1) {
  Grouping grammar{Scanner(text, kFile)};
  return ParseOperators(grammar, least);
}

TEST(Precedence, OneOperand) { EXPECT_EQ(Group("a"), "a"); }
TEST(Precedence, EqualOnesNestToTheLeft) { EXPECT_EQ(Group("a - b + c"), "((a-b)+c)"); }
TEST(Precedence, TighterOnesBindFirst) {
  EXPECT_EQ(Group("a + b * c - d"), "((a+(b*c))-d)");
  EXPECT_EQ(Group("a * b + c * d"), "((a*b)+(c*d))");
}
TEST(Precedence, LeastLeavesLooserOnes) { EXPECT_EQ(Group("a * b + c", 2), "(a*b)"); }
TEST(Precedence, MissingOperandsAreTheGrammarsToSay) { EXPECT_EQ(Group("a +"), "(a+)"); }
TEST(Precedence, RefusedOperatorEndsTheChain) { EXPECT_EQ(Group("a + b ^ c"), "(a+b)"); }
TEST(Precedence, ExtendsAnOperandThatWasRead) {
  Grouping grammar{Scanner("* b + c", kFile)};
  EXPECT_EQ(ExtendOperators(grammar, std::string("x")), "((x*b)+c)");
}

}  // namespace
}  // namespace tern::text
