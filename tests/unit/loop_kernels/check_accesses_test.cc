// SPDX-License-Identifier: Apache-2.0
// Which accesses are shown to lie inside their buffers, and what is said of the others.
#include "core/loop_kernels/check_accesses.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/strings.h"
#include "core/loop/te/lower.h"
#include "core/loop/text/parser.h"

namespace tern::loop::check_accesses_test {
namespace {

// "" where all is shown, else the first message.
std::string Check(std::string_view text) {
  const Result<SourceFile> file = ParseLoops("test.tloop", text);
  EXPECT_TRUE(file.ok()) << file.status().ToString();
  if (!file.ok()) return "not parsed";
  text::Diagnostics diagnostics(file->sources);
  if (file->definitions.empty()) {
    CheckAccesses(file->program.functions[0], LoopOrigin::kText, &diagnostics);
  } else {
    const Result<LoopFunction> loops = te::LowerDefinition(file->definitions[0], file->sources);
    EXPECT_TRUE(loops.ok()) << loops.status().ToString();
    CheckAccesses(*loops, LoopOrigin::kDefinition, &diagnostics);
  }
  return diagnostics.ok() ? "" : diagnostics.items()[0].message;
}

std::string Loops(std::string_view body) {
  return StrCat("primfn f<n, m>(A: in float32[n, m], J: in int32[n], R: out float32[n, m], ",
                "F: out float32[n * m], H: out float32[n / 2]) {\n", body, "\n}");
}

TEST(CheckAccesses, DefinitionsAreShown) {
  const std::string_view shown[] = {
      "te f<n>(A: float32[n], B: float32[n]) -> (C: float32[n]) { compute C[i] = A[i] + B[i] }",
      "te f<n, m>(A: float32[n, m], B: float32[m, n]) -> (C: float32[n, m]) {"
      " compute C[i, j] = A[i, j] + B[j, i] }",
      "te f<n, m>(A: float32[n, m]) -> (C: float32[n]) { compute C[i] = sum(k < m, A[i, k]) }",
      // shifted and strided windows
      "te f<n>(A: float32[n + 2]) -> (C: float32[n]) { compute C[i] = A[i] + A[i + 1] + A[i + 2] }",
      "te f<n>(A: float32[2 * n + 1]) -> (C: float32[n]) { compute C[i] = A[2 * i + 1] }",
      "te f<n>(A: float32[n]) -> (C: float32[n / 2]) { compute C[i] = A[2 * i + 1] }",
      "te f<n>(A: float32[n]) -> (C: float32[n]) { compute C[i] = A[n - 1 - i] }",
      "te f<n>(A: float32[n]) -> (C: float32[4 * n]) { compute C[i] = A[i / 4] }",
      "te f<n>(A: float32[4]) -> (C: float32[n]) { compute C[i] = A[i % 4] }",
      "te f<n, m>(A: float32[n, m]) -> (C: float32[n * m]) { compute C[i] = A[i / m, i % m] }",
      "te f<n>(A: float32[n]) -> (C: float32[n]) { compute C[i] = A[min(i + 1, n - 1)] }",
      "te f<n>(A: float32[n]) -> (C: float32[n]) { compute C[i] = A[max(i - 1, 0)] }",
      "te f<n>(A: float32[8], J: int32[n]) -> (C: float32[n]) {"
      " compute C[i] = A[min(max(J[i], 0), 7)] }",
      "te f<n>(A: float32[256], J: uint8[n]) -> (C: float32[n]) { compute C[i] = A[J[i]] }",
      "te f(A: float32[]) -> (C: float32[]) { compute C[] = A[] + 1 }",
  };
  for (const std::string_view text : shown) EXPECT_EQ(Check(text), "") << text;
}

TEST(CheckAccesses, SchedulesAreShown) {
  const std::string_view te =
      "te f<n, m>(A: float32[n, m]) -> (C: float32[n, m]) {\n"
      "  compute T[i, j]: float32[n, m] = A[i, j] * 2\n"
      "  compute C[i, j] = T[i, j] + 1\n  schedule { ";
  const std::string_view schedules[] = {
      "split(C, j, 8) split(C, i, 4)",
      "tile(C, i, j, 4, 8)",
      "split(C, j, 8) reorder(C, j.inner, j.outer)",
      "fuse(C, i, j)",
      "fuse(C, i, j) split(C, i.j.fused, 16) vectorize(C, i.j.fused.inner)",
      "split(C, j, 4) unroll(C, j.inner)",
      "compute_inline(T) vectorize(C, j, scalable = true)",
      "compute_at(T, C, i)",
      "split(C, j, 8) compute_at(T, C, j.outer)",
      "split(C, j, 8) split(C, j.inner, 3)",
  };
  for (const std::string_view schedule : schedules) {
    std::string lines(schedule);
    for (size_t at = 0; (at = lines.find(") ", at)) != std::string::npos;) lines[at + 1] = '\n';
    EXPECT_EQ(Check(StrCat(te, lines, " }\n}")), "") << schedule;
  }
}

TEST(CheckAccesses, LoopsAreShown) {
  const std::string_view shown[] = {
      "for (i, 0, n) { for (j, 0, m) { F[i * m + j] = A[i, j] } }",
      "for (i, 0, n) { for (j, 0, m) { R[i * m + j] = A[i * m + j] } }",
      "for (i, 0, n) { for (j, 0, i + 1) { if (j < m) { R[i, j] = A[i, j] } } }",
      "for (i, 0, n) { for (j, 1, m - 1) { R[i, j] = A[i, j - 1] } }",
      "for (i, 0, n + 7) { if (i < n & 0 < m) { R[i, 0] = A[i, m - 1] } }",
      "for (i, 0, n) { let j: int64 = cast(int64, J[i])\n"
      " if (j >= 0 & j < n & m > 0) { R[j, 0] = A[j, 0] } }",
      "for (i, 0, n; i += 2) { for (j, 0, m) { R[i, j] = 0 } }",
      "for (i, 0, n; i += m + 1) { for (j, 0, m) { R[i, j] = 0 } }",
      "for (j, 0, m) { for (i, 0, n; i += m) { R[i, j] = 0 } }",
      "for (i, 0, n * m) { F[i] = A[i / m, i % m] }",
      "for (i, 0, n) { if (i < 1) { } else { for (j, 0, m) { R[i - 1, j] = A[i, j] } } }",
  };
  for (const std::string_view body : shown) EXPECT_EQ(Check(Loops(body)), "") << body;
}

// Compiled code would go below 0, stay there for ever, or go round to below 0.
TEST(CheckAccessesBad, StepsThatLeaveTheRange) {
  struct Case {
    std::string_view step, said;
  };
  const Case cases[] = {{"0 - m", "-m"},
                        {"m", "m"},
                        {"n - 1", "n - 1"},
                        {"9223372036854775807", "9223372036854775807"}};
  for (const auto& [step, said] : cases) {
    const std::string body =
        StrCat("for (i, 0, n; i += ", step, ") { for (j, 0, m) { R[i, j] = 0 } }");
    EXPECT_EQ(
        Check(Loops(body)),
        StrCat("the loop over 'i' has a step that may not be positive, or too large: ", said));
  }
}

TEST(CheckAccessesBad, WhatCannotBeShownIsNamed) {
  struct Case {
    std::string_view body, message;
  };
  const Case cases[] = {
      {"for (i, 0, n) { for (j, 0, m) { R[i, j] = A[i + 1, j] } }",
       "a load of 'A' that may lie outside: index i + 1 of dimension 0 reaches from 1 to n, the "
       "extent is n"},
      {"for (i, 0, n) { for (j, 0, n) { R[i, j] = 0 } }",
       "a store to 'R' that may lie outside: index j of dimension 1 reaches from 0 to n - 1, the "
       "extent is m"},
      {"for (i, 0 - 1, n) { F[i] = 0 }",
       "a store to 'F' that may lie outside: index i of dimension 0 reaches from -1 to n - 2, the "
       "extent is n * m"},
      {"R[0, 0] = 1",
       "a store to 'R' that may lie outside: index 0 of dimension 0 reaches from 0 to 0, the "
       "extent is n"},
      {"for (i, 0, n) { let j: int64 = cast(int64, J[i])\n if (j < n & m > 0) { R[j, 0] = 0 } }",
       "a store to 'R' that may lie outside: index j of dimension 0 reaches from J[i] to J[i], the "
       "extent is n"},
      // Both sides of a select are evaluated.
      {"for (i, 0, n) { if (m > 0) { R[i, 0] = select(i > 0, A[i - 1, 0], 0) } }",
       "a load of 'A' that may lie outside: index i - 1 of dimension 0 reaches from -1 to n - 2, "
       "the extent is n"},
      // Sums that leave 64 bits prove nothing.
      {"for (i, 0, n) { if (i * 4611686018427387904 * 4 < 1) { F[i + n] = 0 } }",
       "a store to 'F' that may lie outside: index i + n of dimension 0 reaches from n to "
       "2 * n - 1, the extent is n * m"},
      {"for (i, 0, n) { if (m > 0) { R[(i * 4611686018427387904) / 4611686018427387904, 0] = 0 } }",
       "a store to 'R' that may lie outside: index i * 4611686018427387904 / 4611686018427387904 "
       "of dimension 0 reaches from a value to a value, the extent is n"},
      // Modulo nothing is 0, and 0 need not be there.
      {"for (i, 0, n * n) { H[i % (n / 2)] = 0 }", ""},
      {"var i: int64 = 0\n while (i < n) { i = i + 1 }", "a `while` loop need not end"},
      {"for (i, 0, n) { var j: int64 = i\n if (j < n & m > 0) { j = j + 1\n R[j, 0] = 0 } }",
       "a store to 'R' that may lie outside: index j of dimension 0 reaches from a value to a "
       "value, the extent is n"},
      {"allocate L: float32[4]\n if (L[0] > 0) { F[0] = 1 }",
       "the local buffer 'L' may be read before it is written"},
      {"for (i, 0, 1 << 40) { for (j, 0, n) { F[j] = 0 } }", ""},
      {"for (i, 0, 1099511627776) { }",
       "the loop over 'i' runs very often however small the inputs are"},
      {"for (a, 0, n) { let c: int64 = cast(int64, J[a])\n for (i, 0, c) { for (k, 0, c) { } } }",
       "the loop over 'k' runs very often however small the inputs are"},
      {"if (n > 3 & m > 0) { R[ramp(0, 1, 4)] = broadcast(float32(0), 4) }",
       "a store to 'R' by vectors or under a mask"},
  };
  for (const Case& c : cases) {
    const std::string got = Check(Loops(c.body));
    if (c.message.empty())
      EXPECT_NE(got, "") << c.body;
    else
      EXPECT_EQ(got, c.message) << c.body;
  }
}

}  // namespace
}  // namespace tern::loop::check_accesses_test
