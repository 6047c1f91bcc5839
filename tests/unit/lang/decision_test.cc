// SPDX-License-Identifier: Apache-2.0
#include "core/lang/decision.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/base/strings.h"
#include "core/lang/program.h"

namespace tern::lang::decision_test {
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

TEST(Decision, OfLists) {
  const auto message = [](std::string_view arms) {
    const std::string text = StrCat("fn f(v: (List[bool], bool)) -> int { match v {", arms, "} }");
    const CheckedProgram checked = Check("test.tn", text);
    return checked.diagnostics.items().empty() ? "ok" : checked.diagnostics.items()[0].message;
  };
  EXPECT_EQ(message("([], _) => 1, ([_, ..], _) => 2"), "ok");
  EXPECT_EQ(message("([..], true) => 1, (_, false) => 2"), "ok");
  EXPECT_EQ(message("([], _) => 1, ([true, ..], _) => 2"), "no case matches ([false, ..], _)");
  EXPECT_EQ(message("([_, _, _], _) => 1"), "no case matches ([], _)");
  EXPECT_EQ(message("([] | [_] | [_, _], _) => 1"), "no case matches ([_, _, _, ..], _)");
  EXPECT_EQ(message("([..] | [], _) => 1"), "this alternative is never reached");
}

// --- against trying one row after the other

// A value of type (List[bool], List[bool], int), as the patterns below see it.
struct Value {
  enum class Kind : uint8_t { kBool, kInt, kList, kTuple } kind = Kind::kTuple;
  int64_t number = 0;
  std::vector<Value> parts = {};
};

bool Matches(const Pattern& pattern, const Value& value) {
  switch (pattern.kind) {
    case PatternKind::kLiteral:
      if (value.kind == Value::Kind::kBool)
        return (pattern.literal->text == "true") == (value.number != 0);
      return ParseInt64(pattern.literal->text) == value.number;
    case PatternKind::kOr:
      return std::any_of(pattern.args.begin(), pattern.args.end(),
                         [&](const PatternPtr& arg) { return Matches(*arg, value); });
    case PatternKind::kList:
    case PatternKind::kTuple: {
      const size_t count = pattern.item_count();
      if (pattern.has_rest ? value.parts.size() < count : value.parts.size() != count) return false;
      for (size_t i = 0; i < count; ++i) {
        if (!Matches(*pattern.args[i], value.parts[i])) return false;
      }
      return true;
    }
    default: return true;
  }
}

class TreeWalk {
 public:
  TreeWalk(const DecisionTree& tree, const Value& value) : tree_(tree), value_(value) {}

  // The arm, or -1 where none matches.
  int Run(const Decision& decision) const {
    switch (decision.kind) {
      case Decision::Kind::kMatch: return static_cast<int>(decision.arm);
      case Decision::Kind::kLiterals: {
        for (const Decision::Case& one : decision.cases) {
          if (Matches(*one.literal, At(decision.place))) return Run(*one.then);
        }
        return Run(*decision.otherwise);
      }
      case Decision::Kind::kLengths: {
        const size_t length = At(decision.place).parts.size();
        size_t chosen = 0;
        while (chosen + 1 < decision.cases.size() && decision.cases[chosen + 1].length <= length)
          ++chosen;
        return Run(*decision.cases[chosen].then);
      }
      default: return -1;
    }
  }

 private:
  const Value& At(int place) const {
    const Place& part = tree_.places[static_cast<size_t>(place)];
    return part.parent < 0 ? value_ : At(part.parent).parts[static_cast<size_t>(part.index)];
  }

  const DecisionTree& tree_;
  const Value& value_;
};

std::string RandomPattern(std::mt19937* random, char type, int depth) {
  const auto pick = [&](uint32_t n) { return static_cast<uint32_t>((*random)() % n); };
  if (depth > 0 && pick(4) == 0)
    return StrCat("(", RandomPattern(random, type, depth - 1), " | ",
                  RandomPattern(random, type, depth - 1), ")");
  if (pick(3) == 0) return "_";
  if (type == 'b') return pick(2) == 0 ? "true" : "false";
  if (type == 'i') return StrCat(static_cast<int>(pick(3)));
  std::string text = "[";
  for (uint32_t i = pick(4); i > 0; --i)
    StrAppend(&text, text == "[" ? "" : ", ", RandomPattern(random, 'b', depth - 1));
  if (pick(2) == 0) text += text == "[" ? ".." : ", ..";
  return text + "]";
}

std::string RandomRow(std::mt19937* random) {
  const auto tuple = [&] {
    return StrCat("(", RandomPattern(random, 'l', 2), ", ", RandomPattern(random, 'l', 2), ", ",
                  RandomPattern(random, 'i', 1), ")");
  };
  std::string row = tuple();
  while ((*random)() % 3 == 0) StrAppend(&row, " | ", tuple());
  return row;
}

std::vector<Value> AllValues() {
  std::vector<Value> lists, values;
  for (size_t length = 0; length <= 4; ++length) {
    for (int64_t bits = 0; bits < int64_t{1} << length; ++bits) {
      lists.push_back({.kind = Value::Kind::kList});
      for (size_t i = 0; i < length; ++i)
        lists.back().parts.push_back({.kind = Value::Kind::kBool, .number = bits >> i & 1});
    }
  }
  for (const Value& a : lists) {
    for (const Value& b : lists) {
      for (int64_t n = 0; n < 4; ++n)
        values.push_back({.parts = {a, b, {.kind = Value::Kind::kInt, .number = n}}});
    }
  }
  return values;
}

TEST(Decision, IsTheFirstRowThatMatches) {
  std::mt19937 random(7);
  const std::vector<Value> values = AllValues();
  int whole = 0;
  for (int round = 0; round < 60; ++round) {
    std::string text = "fn f(v: (List[bool], List[bool], int)) -> int { match v {";
    for (int row = 0; row < 2 + round % 5; ++row)
      StrAppend(&text, RandomRow(&random), " => ", row, ",");
    const CheckedProgram checked = Check("test.tn", text + "} }");
    SCOPED_TRACE(text);
    const Expr& match = *checked.program->file->items[0].function->body->children[0];
    ASSERT_EQ(match.kind, ExprKind::kMatch);
    std::vector<DecisionRow> rows;
    for (const Arm& arm : match.arms) rows.push_back({arm.pattern.get()});
    const DecisionTree tree = BuildDecision(rows);
    ASSERT_FALSE(tree.too_large);
    bool any_missing = false;
    std::vector<int> reached(rows.size());
    for (const Value& value : values) {
      const auto first = std::find_if(rows.begin(), rows.end(), [&](const DecisionRow& row) {
        return Matches(*row.pattern, value);
      });
      const int expected = first == rows.end() ? -1 : static_cast<int>(first - rows.begin());
      ASSERT_EQ(TreeWalk(tree, value).Run(*tree.root), expected);
      any_missing = any_missing || expected < 0;
      if (expected >= 0) ++reached[static_cast<size_t>(expected)];
    }
    EXPECT_EQ(tree.missing.empty(), !any_missing) << tree.missing;
    for (size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(tree.uses[i] > 0, reached[i] > 0) << i;
    whole += any_missing ? 0 : 1;
  }
  EXPECT_GT(whole, 3);
}

}  // namespace
}  // namespace tern::lang::decision_test
