// SPDX-License-Identifier: Apache-2.0
// Symbolic dimensions: the normal form, what simplifies, and that it means what the arithmetic
// means.
#include "core/types/dim.h"

#include <gtest/gtest.h>

#include <random>

namespace tern::types::dim_test {
namespace {

Dim Read(std::string_view text) {
  Result<Dim> dim = Dim::Parse(text);
  EXPECT_TRUE(dim.ok()) << text;
  return dim.ok() ? *dim : Dim::Any();
}

TEST(Dim, NormalForm) {
  const std::pair<const char*, const char*> cases[] = {
      {"n+1+n", "2*n+1"},
      {"(n+1)*(n-1)", "n*n-1"},
      {"m*n - n*m", "0"},
      {"1 + b*a", "a*b+1"},
      {"n/2*2", "2*(n/2)"},
      {"(2*n)/2", "n"},
      {"(4*n+6)/2", "2*n+3"},
      {"(n-1)/2+1", "((n+1)/2)"},
      {"ceildiv(n,2)", "((n+1)/2)"},
      {"((n+1)/2+1)/2", "((n+3)/4)"},
      {"(n*m*4)/(n*2)", "2*m"},
      {"(n*n+3*n+2)/(n+1)", "n+2"},
      {"n*m/k", "((m*n)/k)"},
      {"max(n,0)", "n"},
      {"max(n,n-1)", "n"},
      {"min(n+1,n)", "n"},
      {"min(9223372036854775807,n)", "n"},
      {"max(n,m)", "max(m,n)"},
      {"min(n,4)", "min(n,4)"},
      {"-n+4", "-n+4"},
      {"max(min(n,m-5),0)", "max(min(m-5,n),0)"},
      {"max(min(n,m),0)", "min(m,n)"},
      {"max((n/2),0)", "(n/2)"},
      {"max(n,max(m,n))", "max(m,n)"},
      {"max(max(min(n,1000000000),n),min(n,1000000000))", "n"},
      {"min(max(n,m),n)", "n"},
      {"max(max(k,n),max(n,m))", "max(max(k,m),n)"},
      {"max(4,max(n,2))", "max(n,4)"},
      {"max(max(n,m),max(n,m)-1)", "max(m,n)"},
      {"min(min(n,7),min(m,5))", "min(min(m,n),5)"},
      {"max(n+1,max(m,n))", "max(m,n+1)"},
      {"7/2", "3"},
      {"(0-7)/2", "-4"},
      {"?", "?"},
      {"?+1", "?"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(Read(text).ToText(), expected) << text;
}

TEST(Dim, TextReadsBack) {
  for (const char* text :
       {"n", "2*n*m+3*n-1", "((n+1)/2)", "max(m,n)+1", "min((n/2),4)", "((m*n)/k)"}) {
    const Dim dim = Read(text);
    EXPECT_TRUE(Read(dim.ToText()) == dim) << text;
  }
}

TEST(Dim, Compares) {
  EXPECT_EQ(CompareDims(Read("n+1"), Read("1+n")), DimRelation::kEqual);
  EXPECT_EQ(CompareDims(Read("n+1"), Read("n")), DimRelation::kDifferent);
  EXPECT_EQ(CompareDims(Read("n"), Read("m")), DimRelation::kUnknown);
  EXPECT_EQ(CompareDims(Dim::Any(), Dim::Any()), DimRelation::kUnknown);
  EXPECT_FALSE(Dim::Any() == Dim::Any());
  EXPECT_TRUE(DimIsNegative(Read("0-n")));
  EXPECT_FALSE(DimIsNegative(Read("n-1")));
}

TEST(Dim, UnknownWhereItCannotBeTold) {
  EXPECT_TRUE(FloorDiv(Dim(4), Dim(0)).is_any());
  EXPECT_TRUE((Dim(INT64_MAX) + Dim(1)).is_any());
  EXPECT_TRUE((Dim(INT64_MAX) * Read("2*n")).is_any());
  EXPECT_TRUE(FloorDiv(Dim::Any(), Dim(2)).is_any());
  Dim wide(0), product(1);
  for (int i = 0; i < 200; ++i) wide = wide + Dim::Symbol("s" + std::to_string(i));
  EXPECT_TRUE(wide.is_any());
  for (int i = 0; i < 8; ++i)
    product = product * (Read("a+b+c") + Dim::Symbol("t" + std::to_string(i)));
  EXPECT_TRUE(product.is_any());
}

// As calls compute them.
TEST(Dim, SignsBindTighterThanProducts) {
  EXPECT_EQ(Read("-n/2").ToText(), Read("(0-n)/2").ToText());
  EXPECT_EQ(Read("2*-n").ToText(), "-2*n");
  EXPECT_EQ(Read("-3/2").constant(), -2);
  EXPECT_EQ(Read("-7%4").constant(), 1);
  EXPECT_TRUE(Read("n % n") == Dim(0));
}

TEST(Dim, ParseErrorsSayWhere) {
  for (const char* text : {"", "n+", "(n", "n)", "max(n)", "floor(n,2)", "n m",
                           "99999999999999999999", "n,1", ".5", "n // 2"}) {
    Result<Dim> dim = Dim::Parse(text);
    ASSERT_FALSE(dim.ok()) << text;
    EXPECT_NE(std::string(dim.status().message()).find("expected"), std::string::npos);
    EXPECT_NE(std::string(dim.status().message()).find("offset"), std::string::npos);
  }
  EXPECT_FALSE(Dim::Parse(std::string(1000, '(')).ok());
  EXPECT_FALSE(Dim::Parse(std::string(100000, '-') + "n").ok());
}

TEST(Dim, Scales) {
  Dim out;
  ASSERT_TRUE(ScaleDim(Read("n"), 2.0f, &out));
  EXPECT_EQ(out.ToText(), "2*n");
  ASSERT_TRUE(ScaleDim(Read("n"), 0.5f, &out));
  EXPECT_EQ(out.ToText(), "(n/2)");
  ASSERT_TRUE(ScaleDim(Read("n"), 3.14159f, &out));
  EXPECT_TRUE(out.is_any());
  ASSERT_TRUE(ScaleDim(Dim(5), 1.5f, &out));
  EXPECT_EQ(out.constant(), 7);
}

TEST(Dim, SymbolNames) {
  EXPECT_EQ(SymbolName("batch size"), "batch_size");
  EXPECT_EQ(SymbolName("3d"), "d3d");
  EXPECT_EQ(SymbolName("_1"), "d_1");
  EXPECT_EQ(SymbolName(""), "d");
}

// A random expression computed twice: over numbers, and over symbols that are then replaced by
// those numbers.
struct Pair {
  int64_t number;
  Dim dim;
};

int64_t Floor(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

TEST(Dim, SubstitutionIsTheArithmetic) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    const int64_t n = random() % 9 + 1, m = random() % 9 + 1;
    std::vector<Pair> values{{n, Dim::Symbol("n")}, {m, Dim::Symbol("m")}, {3, Dim(3)}};
    for (int step = 0; step < 6; ++step) {
      const Pair a = values[random() % values.size()], b = values[random() % values.size()];
      switch (random() % 6) {
        case 0: values.push_back({a.number + b.number, a.dim + b.dim}); break;
        case 1: values.push_back({a.number - b.number, a.dim - b.dim}); break;
        case 2: values.push_back({a.number * b.number, a.dim * b.dim}); break;
        case 3:
          if (b.number != 0) values.push_back({Floor(a.number, b.number), FloorDiv(a.dim, b.dim)});
          break;
        case 4: values.push_back({std::max(a.number, b.number), MaxDim(a.dim, b.dim)}); break;
        default: values.push_back({std::min(a.number, b.number), MinDim(a.dim, b.dim)}); break;
      }
      if (values.back().dim.is_any()) values.pop_back();
    }
    const Dim::Binding bindings[] = {{"n", Dim(n)}, {"m", Dim(m)}};
    for (const Pair& value : values) {
      const Dim got = value.dim.Substitute(bindings);
      ASSERT_TRUE(got.is_constant()) << value.dim.ToText();
      ASSERT_EQ(got.constant(), value.number) << value.dim.ToText() << " n=" << n << " m=" << m;
    }
  }
}

// Each step mentions the extent before it twice, so that its text would double: it becomes "?".
TEST(Dim, WhatDoublesBecomesUnknown) {
  const Dim n = Dim::Symbol("n"), two(2);
  Dim quotient = n, power = n, largest = n;
  int quotients = 0, powers = 0;
  for (int step = 0; step < 64; ++step) {
    quotient = quotient + FloorDiv(quotient + Dim(1), two);
    power = power * power;
    largest = MaxDim(largest * two, largest + n * n);
    EXPECT_LT(quotient.ToText().size(), 100'000u);
    EXPECT_LT(power.ToText().size(), 1000u);
    EXPECT_LT(largest.ToText().size(), 100'000u);
    quotients += !quotient.is_any();
    powers += !power.is_any();
  }
  // What programs write is kept.
  EXPECT_GT(quotients, 4);
  EXPECT_EQ(powers, 6);  // n^64
  EXPECT_TRUE(quotient.is_any() && power.is_any() && largest.is_any());
}

TEST(Dim, LongNamesAreKept) {
  const std::string name(10'000, 'n');
  EXPECT_EQ(Dim::Symbol(name).ToText(), name);
  EXPECT_EQ((Dim::Symbol(name) + Dim(1)).ToText(), name + "+1");
}

}  // namespace
}  // namespace tern::types::dim_test
