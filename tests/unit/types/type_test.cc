// SPDX-License-Identifier: Apache-2.0
#include "core/types/type.h"

#include <gtest/gtest.h>

namespace tern::types {
namespace {

TEST(Type, TextReadsBack) {
  for (const char* text :
       {"f32[n, 128]", "i64[]", "(f32[n], bool[2, 3])", "fn(f32[n, 4], i64[]) -> f32[max(m,n)]",
        "none", "?", "()", "u8[((n+1)/2), 2*n+1]"}) {
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
       {"", "f32", "f32[n", "f99[1]", "(f32[1]", "fn(f32[1])", "f32[1] x", "f32[,]", "f32[n+]"}) {
    EXPECT_FALSE(Type::Parse(text).ok()) << text;
  }
  EXPECT_FALSE(Type::Parse(std::string(500, '(')).ok());
}

TEST(Type, SymbolsAndSubstitution) {
  const Type type = *Type::Parse("(f32[n, m+n], fn(i64[k]) -> f32[n])");
  std::vector<std::string> symbols;
  type.CollectSymbols(&symbols);
  EXPECT_EQ(symbols.size(), 3u);
  const Dim::Binding bindings[] = {{"n", Dim(2)}, {"k", Dim::Symbol("n")}};
  EXPECT_EQ(type.Substitute(bindings).ToText(), "(f32[2, m+2], fn(i64[n]) -> f32[2])");
}

}  // namespace
}  // namespace tern::types
