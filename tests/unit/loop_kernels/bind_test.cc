// SPDX-License-Identifier: Apache-2.0
// Texts of kernels beside the signatures of their functions.
#include "core/loop_kernels/bind.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/strings.h"
#include "core/text/diagnostics.h"

namespace tern::loop::bind_test {
namespace {

Result<BoundKernel> Bind(std::string_view signature, std::string_view text) {
  const Result<vm::Signature> function = vm::Signature::Parse(signature);
  EXPECT_TRUE(function.ok()) << function.status().ToString();
  return BindKernel({"f", text, &*function});
}

TEST(Bind, SpecsOfKernels) {
  struct Case {
    std::string_view signature, text, wanted, slots;
  };
  const Case cases[] = {
      {"(x: f32[n, 128], b: f32[128]) -> f32[n, 128]",
       "te f<n>(A: float32[n, 128], B: float32[128]) -> (C: float32[n, 128]) {"
       " compute C[i, j] = A[i, j] + B[j] }",
       "(x: f32[n, 128], b: f32[128]) -> (C: f32[n, 128])", "n"},
      // A tensor between is a workspace; results keep their order.
      {"(x: f32[n, m]) -> (f32[n], f32[n + 1])",
       "te f<m, n>(A: float32[n, m]) -> (S: float32[n], P: float32[n + 1]) {\n"
       " compute T[i]: float32[n] = sum(k < m, A[i, k])\n compute S[i] = T[i] * 2\n"
       " compute P[i] = T[max(i - 1, 0)] }",
       "(x: f32[n, m]) -> (S: f32[n], P: f32[n + 1], T: f32[n])", "m, n"},
      {"(x: f32[n], alpha: f32[]) -> f32[n]",
       "te f<n>(A: float32[n], alpha: float32) -> (C: float32[n]) { compute C[i] = A[i] * alpha }",
       "(x: f32[n], alpha: f32[]) -> (C: f32[n])", "n, alpha"},
      {"(%0: i64[n], \"a b\": i64[n])",
       "te f<n>(A: int64[n], B: int64[n]) -> (C: int64[n]) { compute C[i] = A[i] + B[i] }",
       "(A: i64[n], \"a b\": i64[n]) -> (C: i64[n])", "n"},
      {"(x: f32[n]) -> f32[2 * n]",
       "te f<n>(A: float32[n]) -> (C: float32[n + n]) { compute C[i] = A[i / 2] }",
       "(x: f32[n]) -> (C: f32[n + n])", "n"},
      {"(x: f32[?]) -> f32[?]", "te f<k>(A: float32[k]) -> (C: float32[k]) { compute C[i] = A[i] }",
       "(x: f32[k]) -> (C: f32[k])", "k"},
  };
  for (const Case& c : cases) {
    const Result<BoundKernel> bound = Bind(c.signature, c.text);
    ASSERT_TRUE(bound.ok()) << text::RenderText(bound.status());
    EXPECT_EQ(bound->signature, c.wanted);
    EXPECT_EQ(StrJoin(bound->slots, ", "), c.slots);
  }
}

TEST(Bind, ASizeWithoutAShapeIsNotShownToFit) {
  // T[max(i - 1, 0)] of P[n + 1] has no element where n is 0.
  const Result<BoundKernel> bound =
      Bind("(x: f32[n]) -> f32[n + 1]",
           "te f<n>(A: float32[n]) -> (P: float32[n + 1]) { compute P[i] = A[max(i - 1, 0)] }");
  ASSERT_TRUE(bound.ok());
  EXPECT_EQ(bound->proof.error_code(), "E0517");
}

TEST(Bind, LoweredForItsTarget) {
  const Result<BoundKernel> bound =
      Bind("(x: f32[n]) -> f32[n]",
           "te f<n>(A: float32[n]) -> (C: float32[n]) { compute C[i] = A[i] + 1 }");
  ASSERT_TRUE(bound.ok());
  EXPECT_TRUE(bound->proof.ok());
  for (const Target& target : AllTargets()) {
    const Result<LoopFunction> lowered = LowerKernel(*bound, target);
    EXPECT_TRUE(lowered.ok()) << target.name << lowered.status().ToString();
  }
}

TEST(BindBad, WhatDoesNotFitIsSaid) {
  const std::string_view good = "(x: f32[n, 4]) -> f32[n]";
  struct Case {
    std::string_view signature, text, code, message;
  };
  const std::string_view sum =
      "te f<n>(A: float32[n, 4]) -> (C: float32[n]) { compute C[i] = sum(k < 4, A[i, k]) }";
  const Case cases[] = {
      {good, "", "E0516", "kernel 'f': expected one definition, got 0"},
      {good, "te g<n>(A: float32[n]) -> (C: float32[n]) { compute C[i] = A[i] }", "E0516",
       "kernel 'f': the text defines 'g'"},
      {good, "te f<n>(", "E0510", ""},
      {good, "te f<n>(A: float32[n]) -> (C: float32[n]) { compute C[i] = Z[i] }", "E0511", ""},
      {"(x: f32[n, 4], y: f32[n]) -> f32[n]", sum, "E0516",
       "kernel 'f': it takes 1 inputs, @f takes 2"},
      {"(x: f64[n, 4]) -> f32[n]", sum, "E0516",
       "kernel 'f': `x` of @f is f64[n, 4], the loops have f32 of rank 2"},
      {"(x: f32[n]) -> f32[n]", sum, "E0516",
       "kernel 'f': `x` of @f is f32[n], the loops have f32 of rank 2"},
      {"(x: f32[n, 5]) -> f32[n]", sum, "E0516",
       "kernel 'f': axis 1 of `x` of @f is 5, the loops have 4"},
      {"(x: f32[n, 4]) -> f32[n + 1]", sum, "E0516",
       "kernel 'f': axis 0 of result 0 of @f is n + 1, the loops have n"},
      {"(x: f32[n, 4]) -> (f32[n], f32[n])", sum, "E0516",
       "kernel 'f': it has 1 results, @f has 2"},
      {"(x: int) -> f32[n]", sum, "E0516",
       "kernel 'f': `x` of @f is int, the loops have f32 of rank 2"},
      {"(x: f32[2 * n]) -> f32[n]",
       "te f<n>(A: float32[2 * n]) -> (C: float32[n]) { compute C[i] = A[i] }", "E0516",
       "kernel 'f': no input has the size 'n' alone as an extent"},
      {"(x: f32[n]) -> f32[n]", "primfn f<n>(A: inout float32[n]) { }", "E0516",
       "kernel 'f': 'A' is both read and written"},
      {"(x: f32[n]) -> f32[n]", "primfn f<n>(C: out float32[n], A: in float32[n]) { }", "E0516",
       "kernel 'f': inputs come first, then results, then workspaces"},
      {"(x: f32[n]) -> f32[?]",
       "te f<n>(A: float32[n]) -> (C: float32[n << 2]) { compute C[i] = A[0] }", "E0516", ""},
  };
  for (const Case& c : cases) {
    const Result<BoundKernel> bound = Bind(c.signature, c.text);
    ASSERT_FALSE(bound.ok()) << c.text;
    const text::Diagnostics* all = text::DiagnosticsOf(bound.status());
    const std::string code = all != nullptr ? std::string(all->items()[0].code)
                                            : std::string(bound.status().error_code());
    EXPECT_EQ(code, c.code) << c.text;
    if (!c.message.empty())
      EXPECT_EQ(all != nullptr ? all->items()[0].message : bound.status().message(), c.message);
  }
}

TEST(BindBad, LongTextsAreRefused) {
  const std::string text(kMaxKernelText + 1, ' ');
  EXPECT_EQ(Bind("(x: f32[n]) -> f32[n]", text).status().error_code(), "E0516");
}

}  // namespace
}  // namespace tern::loop::bind_test
