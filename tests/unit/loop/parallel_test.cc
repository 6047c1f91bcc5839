// SPDX-License-Identifier: Apache-2.0
// Which loops may run in parallel: what tells their iterations apart, and what is refused (E0531).
#include "core/loop/analysis/parallel.h"

#include <gtest/gtest.h>

#include <string>

#include "core/loop/passes/pipeline.h"
#include "core/loop/text/parser.h"
#include "core/text/diagnostics.h"

namespace tern::loop::parallel_test {
namespace {

Status Lower(const std::string& text) {
  const Result<SourceFile> file = ParseLoops("test.tloop", text);
  EXPECT_TRUE(file.ok()) << text::RenderText(file.status());
  const Result<Program> lowered = LowerFile(*file, {});
  return lowered.ok() ? OkStatus() : lowered.status().Clone();
}

// A parallel loop over i, of two matrices and two vectors.
std::string Primfn(const std::string& body) {
  return "primfn f<n, m>(A: in float32[n, m], X: in int64[n], C: inout float32[n, m], "
         "V: inout float32[n]) {\n" +
         body + "\n}";
}

TEST(ParallelLoops, IterationsThatAreApart) {
  for (const char* body : {
           "for (i, 0, n) parallel { V[i] = V[i] + 1 }",
           "for (i, 0, n) parallel { for (j, 0, m) { C[i, j] = A[i, j] + C[i, m - 1 - j] } }",
           "for (i, 1, n - 1) parallel { V[i - 1] = A[i, 0] }",
           // Blocks of eight, whole or a part of them, and only what is inside of one.
           "for (o, 0, n / 8) parallel { for (i, 0, 8) { V[o * 8 + i] = V[o * 8 + 7 - i] } }",
           "for (o, 0, n) parallel { for (i, 0, min(8, n - o * 8)) { V[o * 8 + i] = 1 } }",
           "for (i, 0, n; i += 4) parallel { for (k, 0, 4) { V[i + k] = 0 } }",
           // A value of outside moves all of them alike.
           "let first: int64 = m * 3 for (i, 0, n) parallel { V[first + i] = 0 }",
           // Fused axes: rows and columns by quotient and remainder.
           "for (f, 0, n * m) parallel { C[f / m, f % m] = A[f / m, f % m] }",
           // What belongs to one iteration.
           "for (i, 0, n) parallel { allocate T: float32[1] var s: float32 = 0 "
           "for (j, 0, m) { s = s + A[i, j] T[0] = s } V[i] = T[0] }",
           // Nothing is written.
           "for (i, 0, n) parallel { let x: float32 = V[0] }",
       }) {
    const Status status = Lower(Primfn(body));
    EXPECT_TRUE(status.ok()) << body << "\n" << text::RenderText(status);
  }
}

TEST(ParallelLoops, IterationsThatMeetAreRefused) {
  struct Row {
    const char* body;
    const char* reason;
  };
  for (const Row& row : {
           Row{"for (i, 0, n) parallel { V[0] = A[i, 0] }", "of 'V'"},
           Row{"for (i, 0, n - 1) parallel { V[i] = V[i + 1] }", "of 'V'"},
           Row{"for (j, 0, m) parallel { V[0] = V[0] + A[0, j] }", "of 'V'"},
           Row{"for (o, 0, n) parallel { for (i, 0, 9) { V[o * 8 + i] = 1 } }", "of 'V'"},
           Row{"for (o, 0, n) parallel { for (i, 0, m) { V[o * 8 + i] = 1 } }", "of 'V'"},
           Row{"for (i, 0, n) parallel { V[X[i]] = 1 }", "of 'V'"},
           Row{"for (i, 0, n) parallel { let k: int64 = i V[k * 0] = 1 }", "of 'V'"},
           Row{"for (i, 0, n) parallel { C[i, 0] = 1 C[0, i] = 2 }", "of 'C'"},
           Row{"for (f, 0, n * m) parallel { C[f / m, f % n] = 1 }", "of 'C'"},
           Row{"for (i, 0, n) parallel { V[i / 2] = 1 }", "of 'V'"},
           Row{"allocate T: float32[1] for (i, 0, n) parallel { T[0] = A[i, 0] V[i] = T[0] }",
               "of 'T'"},
           Row{"var s: float32 = 0 for (i, 0, n) parallel { s = s + V[i] } V[0] = s",
               "assigns 's'"},
       }) {
    const Status status = Lower(Primfn(row.body));
    ASSERT_FALSE(status.ok()) << row.body;
    EXPECT_EQ(status.error_code(), kCannotRunAtOnce) << row.body;
    EXPECT_NE(status.message().find("cannot run in parallel"), std::string_view::npos);
    EXPECT_NE(status.message().find(row.reason), std::string_view::npos) << row.body << "\n"
                                                                         << status.message();
  }
}

// Every refused loop is named, not the first alone.
TEST(ParallelLoops, AllOfThemAreSaid) {
  const Status status =
      Lower(Primfn("for (i, 0, n) parallel { V[0] = 1 C[0, 0] = 2 }\n"
                   "for (k, 0, n) parallel { V[1] = 1 }"));
  const std::string said = text::RenderText(status);
  EXPECT_NE(said.find("over 'i'"), std::string::npos) << said;
  EXPECT_NE(said.find("'C'"), std::string::npos) << said;
  EXPECT_NE(said.find("over 'k'"), std::string::npos) << said;
}

// Schedules, too: what is computed at a parallel loop and kept whole belongs to all iterations.
TEST(ParallelLoops, Schedules) {
  const std::string te =
      "te f<n, m>(A: float32[n, m]) -> (C: float32[n, m]) {\n"
      "  compute S[i]: float32[n] = sum(j < m, A[i, j])\n"
      "  compute C[i, j] = A[i, j] / S[i]\n  schedule { ";
  for (const char* schedule : {
           "parallel(C, i) parallel(S, i)",
           "compute_at(S, C, i) parallel(C, i) vectorize(C, j)",
           "fuse(C, i, j) parallel(C, i.j.fused)",
           "tile(C, i, j, 4, 8) parallel(C, i.outer) vectorize(C, j.inner)",
           "split(C, j, 16) parallel(C, j.outer)",
           "parallel(C, i) parallel(C, j)",
       }) {
    const Status status = Lower(te + schedule + " } }");
    EXPECT_TRUE(status.ok()) << schedule << "\n" << text::RenderText(status);
  }
}

}  // namespace
}  // namespace tern::loop::parallel_test
