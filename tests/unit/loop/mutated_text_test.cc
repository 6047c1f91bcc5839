// SPDX-License-Identifier: Apache-2.0
// Loop texts changed word by word: each is refused with a message or lowered, in every way; and a
// control run of what was lowered counts, or refuses, what a full run does.
// TERN_MUTATED_TEXTS says how many.
#include <cstdlib>

#include "tests/support/loop_tokens.h"
#include "tests/support/rounds.h"
#include "tests/unit/loop/loop_text.h"

namespace tern::loop::mutated_text_test {
namespace {

constexpr const char* kTexts[] = {
    "primfn masked<n>(A: in int32[n], B: in int32[n], C: inout int32[2]) {"
    " var count: int32 = 0 for (i, 0, n) vectorize_scalable { if (A[i] > B[i]) {"
    " count = count + 1 C[1] = C[1] + A[i] } } C[0] = count }",
    "primfn rows<n, m>(A: in float32[n, m], I: in int32[n], C: inout float32[m]) {"
    " for (i, 0, n) { for (j, 0, m) vectorized(4) interleave(2) {"
    " let t: float32 = A[i, j] * 2.0 C[j] = C[j] + select(t > 0.0, t, A[I[i], 0]) } } }",
    "primfn pieces<n>(A: in int8[2 * n], C: out int8[n]) { for (i, 0, n / 4) parallel {"
    " allocate T: int8[4] for (k, 0, 4) unrolled { T[k] = A[2 * (i * 4 + k)] }"
    " for (k, 0, 4) vectorized { C[i * 4 + k] = max(T[k], int8(3)) } } }",
    "te product<n, m, k>(A: float32[n, k], B: float32[k, m]) -> (C: float32[n, m]) {"
    " compute C[i, j] = sum(q < k, A[i, q] * B[q, j])"
    " schedule { tile(C, i, j, 2, 8) split(C, q, 4) reorder(C, q.outer, i.inner, q.inner, j.inner)"
    " unroll(C, i.inner) vectorize(C, j.inner) parallel(C, i.outer) } }",
    "te blur<n>(X: int32[n + 2]) -> (Y: int32[n]) { compute T[i]: int32[n + 2] = X[i] * 2"
    " compute Y[i] = T[i] + T[i + 1] + T[i + 2] schedule { split(Y, i, 8)"
    " compute_at(T, Y, i.outer) vectorize(T, i, scalable = true) vectorize(Y, i.inner) } }",
    "te norm<n, m>(a: float32[n, m]) -> (y: float32[n, m]) {"
    " compute s[i]: float32[n] = sum(q < m, exp(a[i, q])) compute r[i]: float32[n] = 1.0 / s[i]"
    " compute y[i, j] = a[i, j] * r[i] schedule { compute_inline(r) compute_at(s, y, i)"
    " fuse(y, i, j) split(y, i.j.fused, 4) unroll(y, i.j.fused.inner) } }",
};

// Whether there was something to compare: data may decide, or the program run too long.
bool CompareControl(const LoopFunction& function, int64_t n, int64_t vscale) {
  const Result<Interpreter> interpreter = Interpreter::Make(function);
  if (!interpreter.ok() || interpreter->control_reads_memory()) return false;
  const std::vector<int64_t> sizes(function.sizes.size(), n);
  Result<Workspace> workspace = Workspace::Make(function, sizes);
  if (!workspace.ok()) return false;
  RunOptions options;
  options.vscale = vscale;
  options.max_steps = 20000;
  const Result<Counters> wanted = interpreter->Run(workspace->arguments(), options);
  if (!wanted.ok() && wanted.status().error_code() == "S0301") return false;
  const Result<Counters> got = interpreter->RunControl(sizes, workspace->scalars(), options);
  EXPECT_EQ(got.ok(), wanted.ok()) << ToText(function);
  if (!got.ok() || !wanted.ok()) return true;
  for (int i = 0; i < kInstructionClasses; ++i)
    EXPECT_EQ(got->instructions[i], wanted->instructions[i]) << ToText(function);
  EXPECT_EQ(got->vector_iterations, wanted->vector_iterations) << ToText(function);
  EXPECT_EQ(got->scalar_iterations, wanted->scalar_iterations) << ToText(function);
  EXPECT_EQ(got->active_lanes, wanted->active_lanes) << ToText(function);
  EXPECT_EQ(got->bytes_loaded, wanted->bytes_loaded) << ToText(function);
  EXPECT_EQ(got->bytes_stored, wanted->bytes_stored) << ToText(function);
  return true;
}

TEST(MutatedTextTest, IsRefusedOrLowered) {
  const char* wanted = std::getenv("TERN_MUTATED_TEXTS");
  const uint64_t count = wanted == nullptr ? static_cast<uint64_t>(support::Rounds(10000))
                                           : std::strtoull(wanted, nullptr, 10);
  uint64_t parsed = 0, compared = 0;
  for (uint64_t seed = 0; seed < count; ++seed) {
    const std::string text =
        support::MutateLoopText(kTexts[seed % std::size(kTexts)], seed * 2654435761u);
    if (!ParseLoops("test.tloop", text).ok()) continue;
    ++parsed;
    for (const Strategy strategy : {Strategy::kScalar, Strategy::kFixed, Strategy::kFixedPredicated,
                                    Strategy::kCleanup, Strategy::kPredicated}) {
      const Result<LoopFunction> lowered = Lowered(text, strategy);
      if (!lowered.ok()) {
        EXPECT_NE(text::RenderText(lowered.status()), "") << text;
        continue;
      }
      compared += CompareControl(*lowered, static_cast<int64_t>(seed % 23),
                                 1 + static_cast<int64_t>(seed % 16));
    }
  }
  EXPECT_GT(parsed, count / 50);
  EXPECT_GT(compared, parsed);
}

}  // namespace
}  // namespace tern::loop::mutated_text_test
