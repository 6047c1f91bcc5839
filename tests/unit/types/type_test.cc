// SPDX-License-Identifier: Apache-2.0
#include "core/types/type.h"

#include <gtest/gtest.h>

#include "core/text/scanner.h"

namespace tern::types::type_test {
namespace {

TEST(Type, TextReadsBack) {
  for (const char* text :
       {"f32[n, 128]", "i64[]", "(f32[n], bool[2, 3])", "fn(f32[n, 4], i64[]) -> f32[max(m,n)]",
        "none", "?", "()", "u8[((n+1)/2), 2*n+1]", "int", "float", "bool", "string", "List[int]",
        "Map[string, List[f32[n]]]", "'a", "Tree", "Tree['a, f32[n, 2]]",
        "fn('a, bool[2]) -> List[('a, bool)]"}) {
    Result<Type> type = Type::Parse(text);
    ASSERT_TRUE(type.ok()) << text;
    EXPECT_EQ(type->ToText(), text);
    EXPECT_TRUE(*type == *Type::Parse(text));
  }
}

TEST(Type, Differs) {
  EXPECT_FALSE(*Type::Parse("f32[n]") == *Type::Parse("f32[m]"));
  EXPECT_FALSE(*Type::Parse("f32[n]") == *Type::Parse("f64[n]"));
  EXPECT_FALSE(*Type::Parse("(f32[n])") == *Type::Parse("f32[n]"));
}

TEST(Type, ParseErrors) {
  for (const char* text :
       {"",       "f32",     "f32[n", "f99[1]", "(f32[1]",  "fn(f32[1])",     "f32[1] x",
        "f32[,]", "f32[n+]", "List",  "List[]", "List[int", "List[int, int]", "Map[int]",
        "Tree[",  "Tree[]",  "'",     "'1",     "integer",  "int x",          "integer[2]"}) {
    EXPECT_FALSE(Type::Parse(text).ok()) << text;
  }
  EXPECT_FALSE(Type::Parse(std::string(500, '(')).ok());
  EXPECT_EQ(Type::Parse("(f32[n], f33[2])").status().message(),
            "type '(f32[n], f33[2])': expected an element type such as f32, got 'f33' at offset 9");
  EXPECT_EQ(Type::Parse("f32[n +]").status().message(),
            "type 'f32[n +]': expected a number, a symbol or '(', got ']' at offset 7");
}

TEST(Type, WordsAreReadWhole) {
  for (const char* text : {"nonesuch", "none2", "(nonef32[2])", "fnord(int)", "fn2() -> int",
                           "tensorfoo", "f32foo[2]", "int8x[2]", "stringy", "typeTree { A }"}) {
    EXPECT_FALSE(Type::Parse(text).ok()) << text;
    EXPECT_FALSE(DataType::Parse(text).ok()) << text;
  }
}

TEST(Type, LinesAndCommentsAreSpaces) {
  const Result<Type> type = Type::Parse("fn(f32[n, // rows\n  4])\n  -> int");
  ASSERT_TRUE(type.ok());
  EXPECT_EQ(type->ToText(), "fn(f32[n, 4]) -> int");
  EXPECT_FALSE(Type::Parse("f32[n // 2]").ok());
}

TEST(Type, ReadsWhatStandsInAText) {
  text::Scanner in("x: f32[n+1], y", text::kPlainForm);
  in.MoveTo(2);
  EXPECT_EQ(Type::Read(&in).ToText(), "f32[n+1]");
  EXPECT_TRUE(in.Accept(','));
  EXPECT_FALSE(Type::Read(&in).known());
  EXPECT_EQ(in.mistake().message, "expected a type such as f32[n] or int, got 'y'");
  EXPECT_EQ(in.mistake().begin, 13u);
}

TEST(Type, SymbolsAndSubstitution) {
  const Type type = *Type::Parse("(f32[n, m+n], fn(i64[k]) -> f32[n])");
  std::vector<std::string> symbols;
  type.CollectSymbols(&symbols);
  EXPECT_EQ(symbols.size(), 3u);
  const Dim::Binding bindings[] = {{"n", Dim(2)}, {"k", Dim::Symbol("n")}};
  EXPECT_EQ(type.Substitute(bindings).ToText(), "(f32[2, m+2], fn(i64[n]) -> f32[2])");
}

TEST(Type, ScalarsAndDataTypesDiffer) {
  EXPECT_FALSE(Type::Int() == Type::Float());
  EXPECT_FALSE(*Type::Parse("bool") == *Type::Parse("bool[]"));
  EXPECT_FALSE(*Type::Parse("Tree[int]") == *Type::Parse("Bush[int]"));
  EXPECT_FALSE(*Type::Parse("List[int]") == *Type::Parse("List[bool]"));
  EXPECT_TRUE(Type::String().is_scalar());
  EXPECT_FALSE(Type::List(Type::Int()).is_scalar());
}

TEST(Type, VariablesAndSubstitution) {
  const Type type = *Type::Parse("fn('a, List['b]) -> Tree['a, f32[n]]");
  std::vector<std::string> names;
  type.CollectVariables(&names);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b"}));
  const Type::Binding bindings[] = {{"a", Type::Int()}, {"b", Type::Variable("a")}};
  EXPECT_EQ(type.SubstituteVariables(bindings).ToText(), "fn(int, List['a]) -> Tree[int, f32[n]]");
}

TEST(DataType, TextReadsBack) {
  for (const char* text :
       {"type Empty {}", "type Color { Red, Green }",
        "type Tree['a, 'b] { Leaf, Node('a, Tree['a, 'b], f32[n]), Pair(('a, 'b)) }"}) {
    Result<DataType> data = DataType::Parse(text);
    ASSERT_TRUE(data.ok()) << text;
    EXPECT_EQ(data->ToText(), text);
  }
  for (const char* text : {"", "type", "type tree { A }", "type T", "type T { A", "type T { a }",
                           "type T[a] { A }", "type T['a { A }", "type T { A( }", "type T { A } x"})
    EXPECT_FALSE(DataType::Parse(text).ok()) << text;
}

TEST(DataType, FieldsOfAConstructor) {
  const DataType tree = *DataType::Parse("type Tree['a] { Leaf, Node('a, Tree['a]) }");
  int tag = -1;
  ASSERT_NE(tree.Find("Node", &tag), nullptr);
  EXPECT_EQ(tag, 1);
  EXPECT_EQ(tree.Find("Twig"), nullptr);
  const Type arguments[] = {Type::Int()};
  const std::vector<Type> fields = tree.FieldsOf(tag, arguments);
  ASSERT_EQ(fields.size(), 2u);
  EXPECT_EQ(fields[1].ToText(), "Tree[int]");
}

}  // namespace
}  // namespace tern::types::type_test
