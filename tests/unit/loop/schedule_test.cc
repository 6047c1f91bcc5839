// SPDX-License-Identifier: Apache-2.0
// Schedules that cannot be are refused, with the tensor, the axis and what there is instead.
#include "tests/unit/loop/loop_text.h"

namespace tern::loop::schedule_test {
namespace {

std::string ScheduleError(std::string_view schedule) {
  const std::string text = StrCat(
      "te f<n, m>(A: float32[n, m]) -> (C: float32[n, m], S: float32[n]) {\n"
      "compute T[i, j]: float32[n, m] = A[i, j] * 2.0\n"
      "compute C[i, j] = T[i, j] + T[j, i]\n"
      "compute S[i] = sum(k < m, A[i, k])\n"
      "schedule { ",
      schedule, " } }");
  const Result<LoopFunction> function = Lowered(text, Strategy::kSchedule);
  return function.ok() ? "" : text::RenderText(function.status());
}

TEST(ScheduleTest, ImpossibleOnesAreRefused) {
  const struct {
    const char *schedule, *message;
  } kCases[] = {
      {"vectorize(X, i)", "no tensor 'X' is computed"},
      {"vectorize(A, i)", "no tensor 'A' is computed"},
      {"vectorize(C, k)", "'C' has no axis 'k'"},
      {"split(C, i, 4) vectorize(C, i)", "was made into others"},
      {"vectorize(C, j) unroll(C, j)", "already vectorized"},
      {"vectorize(C, j) split(C, j, 4)", "already vectorized"},
      {"split(C, j, 4) unroll(C, j.inner) split(C, j.inner, 2)", "already unrolled"},
      {"parallel(C, j) fuse(C, i, j)", "already parallel"},
      {"compute_inline(T) split(T, i, 2)", "was inlined by an earlier line"},
      {"compute_at(T, C, i) compute_inline(T)", "is already computed in a loop of 'C'"},
      {"compute_at(T, C, i) compute_at(T, C, j)", "is already computed in the loop over 'i'"},
      {"parallel(S, k)", "is a reduce axis"},
      {"fuse(C, j, i)", "must be directly inside"},
      {"fuse(S, i, k)", "both reduce axes or neither"},
      {"reorder(C, i, i)", "is named twice"},
      {"compute_at(C, S, i)", "is a result and must be computed whole"},
      {"compute_at(T, S, i)", "'S' does not read 'T'"},
      {"compute_at(T, C, k)", "'C' has no axis 'k'"},
      {"compute_inline(C)", "is a result"},
      {"split(C, j, vscale * 4)", "must be vectorized"},
      {"unroll(C, j)", "only a constant number of steps can be unrolled"},
      {"split(C, j, 1000) split(C, i, 10) unroll(C, j.inner) unroll(C, i.inner)", "copies of"},
  };
  for (const auto& each : kCases) {
    const std::string error = ScheduleError(each.schedule);
    EXPECT_NE(error.find(each.message), std::string::npos) << each.schedule << "\n" << error;
    EXPECT_NE(error.find("error[E0514]"), std::string::npos) << error;
  }
}

// Of C[i, j] = sum(k, T[i, k] * B[k, j]).
constexpr const char* kSchedules[] = {
    "split(C, i, 3)",
    "tile(C, i, j, 2, 3)",
    "fuse(C, i, j) split(C, i.j.fused, 4)",
    "reorder(C, k, i, j)",
    "reorder(C, i, k, j) vectorize(C, j, scalable = true)",
    "split(C, k, 4) reorder(C, k.outer, i, j, k.inner)",
    "split(C, k, 4) unroll(C, k.inner) parallel(C, i)",
    "split(C, j, 4) reorder(C, j.inner, i, j.outer)",
    "vectorize(C, j)",
    "vectorize(C, j, predicated = true, interleave = 2)",
    "reorder(C, i, k, j) vectorize(C, j, 2, scalable = true, predicated = false, interleave = 3)",
    "vectorize(C, k, 2, interleave = 2)",
    "vectorize(C, i, scalable = true)",
    "compute_at(T, C, i)",
    "compute_at(T, C, j) vectorize(T, j)",
    "split(C, i, 2) compute_at(T, C, i.outer)",
    "split(C, k, 4) compute_at(T, C, k.outer) vectorize(T, j)",
    "compute_inline(T) vectorize(C, j)",
    "split(C, i, 5) split(C, i.inner, 2) vectorize(T, i)",
    "split(C, j, 4) vectorize(C, j.inner) parallel(C, j.outer)",
    "parallel(C, i) split(C, i, 3)",
    "compute_at(T, C, i) split(C, i, 2)",
    "compute_at(T, C, i) fuse(C, i, j)",
    "compute_at(T, C, j) fuse(C, i, j) split(C, i.j.fused, 3)",
    "compute_at(T, C, i) tile(C, i, j, 2, 3) reorder(C, j.inner, i.outer)",
    "compute_at(T, C, k) split(C, k, 4) reorder(C, k.inner, k.outer)",
    "tile(C, i, j, 2, 3) compute_at(T, C, i.outer) vectorize(T, j)",
    "split(C, i, 4) fuse(C, i.outer, i.inner) compute_at(T, C, i.outer.i.inner.fused)",
    "split(C, i, 4) unroll(C, i.inner) compute_at(T, C, i.outer) tile(T, i, j, 3, 4)",
    "reorder(C, k, i, j) compute_at(T, C, k) fuse(T, i, j) split(T, i.j.fused, 4)",
};

// Every arrangement of loops computes what the plain one does.
TEST(ScheduleTest, ArrangementsAgree) {
  const std::string head =
      "te f<n, m>(A: float32[n, m], B: float32[m, n]) -> (C: float32[n, n]) {\n"
      "compute T[i, j]: float32[n, m] = A[i, j] * 2.0\n"
      "compute C[i, j] = sum(k < m, T[i, k] * B[k, j])\n"
      "schedule { ";
  const auto run = [&](std::string_view schedule, int64_t n, int64_t m) {
    const Result<LoopFunction> function =
        Lowered(StrCat(head, schedule, " } }"), Strategy::kSchedule);
    EXPECT_TRUE(function.ok()) << schedule << text::RenderText(function.status());
    if (!function.ok()) return RunResult();
    const int64_t sizes[] = {n, m};
    RunOptions options;
    options.vscale = 2;
    Result<RunResult> result = RunOn(Interpreter::Make(*function).value(), sizes, options);
    EXPECT_TRUE(result.ok()) << schedule << result.status().ToString() << ToText(*function);
    return result.ok() ? *std::move(result) : RunResult();
  };
  for (int64_t n : {0, 1, 4, 7}) {
    for (int64_t m : {0, 1, 6}) {
      const RunResult plain = run("", n, m);
      for (const char* schedule : kSchedules) {
        const RunResult result = run(schedule, n, m);
        // The made-up numbers are multiples of 1/8, so that sums are exact in any order.
        EXPECT_EQ(result.outputs, plain.outputs) << schedule << " n=" << n << " m=" << m;
        EXPECT_EQ(result.broken_canary, -1);
      }
    }
  }
}

}  // namespace
}  // namespace tern::loop::schedule_test
