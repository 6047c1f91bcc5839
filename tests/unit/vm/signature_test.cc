// SPDX-License-Identifier: Apache-2.0
// Signatures: text both ways, arguments that fit and that do not. Whole messages are in
// tests/golden/vm.
#include "core/vm/signature.h"

#include <gtest/gtest.h>

#include "core/object/containers/adt.h"
#include "core/object/tensor.h"
#include "core/text/diagnostics.h"

namespace tern::vm::signature_test {
namespace {

std::string Canonical(std::string_view text) {
  const Result<Signature> signature = Signature::Parse(text);
  return signature.ok() ? signature->ToText() : std::string(signature.status().message());
}

TEST(Signature, TextBothWays) {
  for (const std::string_view text :
       {"()", "(%0)", "(x, %1)", "(x: f32[n, 128], w: f32[128, 10]) -> f32[n, 10]",
        "(\"in:0\": any) -> (f32[], i64[?])",
        "(a: int, b: float, c: bool, d: string, e: dtype, f: shape, g: list, h: closure, i: "
        "tensor)",
        "(x: f32[*], y: u8[n, 2 * n, (n + 1) / 2, max(n, 3)]) -> ()", "(x: bool[2])",
        "(input.1: f32[1, 3, h, w])"}) {
    const std::string once = Canonical(text);
    EXPECT_EQ(Canonical(once), once);
    if (text.find("any") == std::string_view::npos) {
      EXPECT_EQ(once, text);
    }
  }
  EXPECT_EQ(Canonical("( x :f32[ n,1 ],%1 )->int"), "(x: f32[n, 1], %1) -> int");
  EXPECT_EQ(Canonical("(x: f32[007, (n), n % 2, floordiv(n,2)])"),
            "(x: f32[7, (n), n % 2, floordiv(n,2)])");
  EXPECT_EQ(Signature::OfArity(2).ToText(), "(%0, %1)");
}

TEST(Signature, BadText) {
  for (const std::string_view text : {"",
                                      "x",
                                      "(",
                                      "(x",
                                      "(x:)",
                                      "(x: f32)",
                                      "(x: f32[)",
                                      "(x: f32[n)",
                                      "(x: f32[n,])",
                                      "(x: g32[n])",
                                      "(x, x)",
                                      "(%1)",
                                      "(x: f32[-1])",
                                      "(x: f32[n +])",
                                      "(x: f32[(n])",
                                      "(x: f32[n // 2])",
                                      "(x: f32[n\n+ 1])",
                                      "(x: f32[floor(n, 2)])",
                                      "(x: f32[99999999999999999999])",
                                      "(x: tensorfoo)",
                                      "(x: f32foo[n])",
                                      "(x) ->",
                                      "(x) - int",
                                      "(x) -> int int",
                                      "(\"x)",
                                      "(\"\")",
                                      "(\"a\\n\")",
                                      "(3x)",
                                      "(x: ((((((((((((((((((int))))))))))))))))))"}) {
    const Result<Signature> signature = Signature::Parse(text);
    ASSERT_FALSE(signature.ok()) << text;
    EXPECT_NE(signature.status().message().find("character"), std::string_view::npos)
        << signature.status().message();
  }
}

TEST(Signature, MistakesSayWhatWasExpected) {
  EXPECT_EQ(Canonical("(x: f32[n, 2)"),
            "signature \"(x: f32[n, 2)\", character 13: expected ',' or ']', got ')'");
  EXPECT_EQ(Canonical("(x: f33[n])"),
            "signature \"(x: f33[n])\", character 5: unknown data type 'f33'");
  EXPECT_EQ(Canonical("(x, y, x)"), "signature \"(x, y, x)\", character 8: two parameters 'x'");
  EXPECT_FALSE(Signature::Parse("(x: f32[" + std::string(5000, '-') + "n])").ok());
}

TensorPtr Zeros(DType dtype, std::initializer_list<int64_t> dims) {
  return Tensor::New(dtype, dims).value();
}

std::string Check(std::string_view text, std::initializer_list<AnyView> args) {
  const Status status =
      Signature::Parse(text)->CheckArguments("f", AnyArgs(args.begin(), args.size()));
  return status.ok() ? "" : std::string(status.error_code());
}

TEST(Signature, ArgumentsThatFit) {
  const TensorPtr t23 = Zeros(kF32, {2, 3});
  const TensorPtr t32 = Zeros(kF32, {3, 2});
  EXPECT_EQ(Check("()", {}), "");
  EXPECT_EQ(Check("(x, y)", {1, t23}), "");
  EXPECT_EQ(Check("(x: f32[n, m], y: f32[m, n])", {t23, t32}), "");
  EXPECT_EQ(Check("(x: f32[?, 3], y: f32[*], z: tensor)", {t23, t32, t32}), "");
  EXPECT_EQ(Check("(x: f32[n, n + 1], y: f32[n + 1, (n * 4) % 3 - 0])", {t23, t32}), "");
  EXPECT_EQ(Check("(a: int, b: float, c: bool, d: string)", {1, 1.5, true, "text"}), "");
  EXPECT_EQ(Check("(b: float)", {1}), "") << "an int will do as a float";
  EXPECT_EQ(Check("(x: (f32[n, m], int))", {Adt::Tuple({t23, 1})}), "");
  EXPECT_EQ(Check("(x: (f32[n, n + 1], int))", {Adt::Tuple({t23, 1})}), "");
}

TEST(Signature, ArgumentsThatDoNot) {
  const TensorPtr t23 = Zeros(kF32, {2, 3});
  EXPECT_EQ(Check("(x)", {}), "E0207");
  EXPECT_EQ(Check("(x)", {1, 2}), "E0207");
  EXPECT_EQ(Check("(x: int)", {1.5}), "E0205");
  EXPECT_EQ(Check("(x: int)", {true}), "E0205");
  EXPECT_EQ(Check("(x: f32[n, m])", {1}), "E0205");
  EXPECT_EQ(Check("(x: i32[n, m])", {t23}), "E0204");
  EXPECT_EQ(Check("(x: f32[n])", {t23}), "E0203");
  EXPECT_EQ(Check("(x: f32[2, 4])", {t23}), "E0203");
  EXPECT_EQ(Check("(x: f32[n, n])", {t23}), "E0203");
  EXPECT_EQ(Check("(x: f32[n, n * 2])", {t23}), "E0203");
  EXPECT_EQ(Check("(x: (int, int))", {Adt::Tuple({1})}), "E0205");
  EXPECT_EQ(Check("(x: (f32[n, n * 2], int))", {Adt::Tuple({t23, 1})}), "E0203");
  EXPECT_EQ(Check("(x: ((f32[n, 2 * n], int), int))", {Adt::Tuple({Adt::Tuple({t23, 1}), 2})}),
            "E0203");
  EXPECT_EQ(Check("(x: (int, int))", {Adt::Tuple({1, 1.5})}), "E0205");
}

// C08: the message names parameter, axis, what was expected, and where that came from.
TEST(Signature, C08_SymbolMessage) {
  const Signature signature = Signature::Parse("(x: f32[n, m], y: f32[n, m])").value();
  const TensorPtr x = Zeros(kF32, {18, 2}), y = Zeros(kF32, {17, 2});
  const AnyView args[] = {x, y};
  const Status status = signature.CheckArguments("main", args);
  EXPECT_EQ(status.message(),
            "shape mismatch for parameter `y` of @main: expected f32[n, m], got f32[17, 2] (axis "
            "0: expected 18, got 17; "
            "n was bound to 18 by axis 0 of `x`)");
  const text::Diagnostic& d = text::DiagnosticsOf(status)->items()[0];
  EXPECT_EQ(d.context[2].second, "expected 18, got 17");
  EXPECT_EQ(d.notes[0], "n was bound to 18 by axis 0 of `x`");
}

// Symbols of results are those of the arguments, also where these are in tuples.
TEST(Signature, ResultsAreComparedWithSymbolsInTuples) {
  const Signature signature = Signature::Parse("(x: (f32[n, m], int)) -> f32[m, n]").value();
  const Any tuple(Adt::Tuple({Zeros(kF32, {2, 3}), 1}));
  const AnyView args[] = {tuple};
  EXPECT_TRUE(signature.CheckResult("main", Zeros(kF32, {3, 2}), args).ok());
  EXPECT_EQ(signature.CheckResult("main", Zeros(kF32, {2, 3}), args).error_code(), "E0203");
}

}  // namespace
}  // namespace tern::vm::signature_test
