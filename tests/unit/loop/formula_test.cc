// SPDX-License-Identifier: Apache-2.0
// Formulas: parsed once, counted, put in; definitions in another language's file; definitions that
// say the same.
#include "core/loop/formula.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "core/base/strings.h"
#include "core/loop/te/builder.h"
#include "core/loop/text/parser.h"
#include "core/loop/text/printer.h"
#include "core/loop/words.h"

namespace tern::loop::formula_test {
namespace {

Result<Formula> Parse(std::string_view text, DType type = kF32) {
  const FormulaParameter parameters[] = {{"a", DataType(type)}, {"b", DataType(type)}};
  return ParseFormula(text, parameters, DataType(type));
}

TEST(Formula, LiteralsTakeTheTypeThatIsComputedWith) {
  EXPECT_EQ(ToText(Parse("select(a > 0, 1, -1)")->value), "select(a > 0.0, 1.0, -1.0)");
  EXPECT_EQ(ToText(Parse("select(a > 0, 1, -1)", kI8)->value), "select(a > 0, int8(1), int8(-1))");
  EXPECT_EQ(ToText(Parse("a + 0.5", kF64)->value), "a + 0.5");
}

TEST(Formula, CountsEvaluationsThroughItsParts) {
  const Formula formula = *Parse("let e = a * a; let d = e + b; d * d + e");
  ASSERT_EQ(formula.parts.size(), 2u);
  EXPECT_EQ(formula.Evaluations(0), 6);  // e is evaluated three times
  EXPECT_EQ(formula.Evaluations(1), 2);
  EXPECT_EQ(formula.NodeCount(), 3 + 3 + 5);
  EXPECT_EQ(Parse("1")->Evaluations(0), 0);
}

TEST(Formula, ValuesArePutInAndNegatedNumbersAreNumbers) {
  const Formula formula = *Parse("select(a < -b, -a, b)");
  const Substitution values[] = {{formula.parameters[1].get(), MakeFloat(DataType(kF32), 0.5)}};
  EXPECT_EQ(ToText(PutIn(formula.value, values)), "select(a < -0.5, -a, 0.5)");
}

TEST(Formula, OnlyPolynomialsAreCostly) {
  EXPECT_TRUE(IsCostly(Parse("a + exp(b)")->value));
  EXPECT_FALSE(IsCostly(Parse("rsqrt(a) + sqrt(b)")->value));
}

TEST(Formula, WhatIsWrongIsSaid) {
  const auto error = [](std::string_view text, DType type = kF32) {
    const Result<Formula> parsed = Parse(text, type);
    return parsed.ok() ? std::string("ok") : std::string(parsed.status().message());
  };
  EXPECT_EQ(error("a +"), "expected an expression, got the end");
  EXPECT_EQ(error("a b"), "expected the end of the formula, got 'b'");
  EXPECT_EQ(error("c + a"), "'c' is not declared");
  EXPECT_EQ(error("let e = a"), "expected ';', got the end");
  EXPECT_EQ(error("let a = b; a"), "'a' is already declared");
  EXPECT_EQ(error("exp(a)", kI32), "'exp' does not take operands of type int32");
  EXPECT_EQ(error("vscale + a"), "a formula has no 'vscale'");
  EXPECT_EQ(error("reduce_sum(a)"), "a formula has no 'reduce_sum'");
  EXPECT_EQ(error("max(k < 4, a)"), "'k' is not declared");
  EXPECT_EQ(error(""), "expected an expression, got the end");
}

TEST(Words, NamesThatCanBeReadBack) {
  EXPECT_TRUE(IsName("batch.1_x"));
  for (std::string_view bad : {"", "1a", ".a", "a-b", "ä"}) EXPECT_FALSE(IsName(bad)) << bad;
  for (std::string_view word : {"exp", "int8", "float32x4", "for", "te", "and", "reduce_x", "inf"})
    EXPECT_TRUE(IsReservedName(word)) << word;
  EXPECT_FALSE(IsReservedName("n2"));
  EXPECT_FALSE(IsExpressionWord("for"));
}

// --- in a file of another language

struct Embedded {
  explicit Embedded(std::string_view text) : text_(text) { sources->AddFile("host", text); }
  std::optional<te::Definition> Read(std::string_view begin) {
    where = {0, static_cast<uint32_t>(text_.find(begin)), static_cast<uint32_t>(text_.size())};
    return ParseDefinitionAt(&where, &diagnostics);
  }
  std::string_view text_;
  std::shared_ptr<text::SourceMap> sources = std::make_shared<text::SourceMap>();
  text::Diagnostics diagnostics{sources};
  text::Span where;
};

TEST(EmbeddedDefinition, IsReadWhereItStands) {
  Embedded host("host { f(x: float32[n]) -> (y: float32[n]) { compute y[i] = x[i] } \"rest\"");
  const auto definition = host.Read("f(");
  ASSERT_TRUE(definition.has_value());
  EXPECT_EQ(definition->name, "f");
  EXPECT_EQ(host.sources->text(definition->span), "f");
  EXPECT_EQ(host.sources->text(0).substr(host.where.end), " \"rest\"");
}

TEST(EmbeddedDefinition, MistakesHavePlacesOfTheFile) {
  Embedded host("// host\n  f(x: float32[n]) -> (y: float32[n]) { compute y[i] = z[i] }");
  EXPECT_FALSE(host.Read("f(").has_value());
  ASSERT_EQ(host.diagnostics.items().size(), 1u);
  EXPECT_EQ(host.sources->Describe(host.diagnostics.items()[0].span), "host:2:56");
}

TEST(EmbeddedDefinition, EndsWhereTheFileEnds) {
  Embedded host("f(x: float32[n]) -> (y: float32[n]) { compute");
  EXPECT_FALSE(host.Read("f(").has_value());
  EXPECT_FALSE(host.diagnostics.ok());
}

// --- the same

te::Definition Read(std::string_view text) {
  const Result<SourceFile> file = ParseLoops("test.tloop", text);
  EXPECT_TRUE(file.ok()) << file.status().ToString();
  return file->definitions.front();
}

TEST(SameDefinition, NamesOfDefinitionsDoNotCountAndAllElseDoes) {
  const std::string text =
      "(x: float32[n]) -> (y: float32[n], z: float32[]) { compute y[i] = exp(x[i]) + 1.0 "
      "compute z[] = sum(i < n, y[i]) schedule { vectorize(y, i) } }";
  const te::Definition a = Read("te a" + text);
  EXPECT_TRUE(te::SameDefinition(a, Read("te b" + text)));
  EXPECT_TRUE(te::SameDefinition(a, Read(ToText(a))));
  const std::pair<std::string_view, std::string_view> changes[] = {
      {"1.0", "2.0"},         {"exp", "log"},         {"sum(", "max("},
      {"x[i]) +", "x[0]) +"}, {"y[i]) s", "x[i]) s"}, {"vectorize", "unroll"},
      {") {", ") relaxed {"}};
  for (const auto& [from, to] : changes) {
    std::string other = "te a" + text;
    ASSERT_NE(other.find(from), std::string::npos) << from;
    other.replace(other.find(from), from.size(), to);
    EXPECT_FALSE(te::SameDefinition(a, Read(other))) << other;
  }
}

}  // namespace
}  // namespace tern::loop::formula_test
