// SPDX-License-Identifier: Apache-2.0
// The results that candidates are held to, and the sizes at which they are compared.
#include "core/loop/tune/reference_run.h"

#include "core/loop/tune/sizes.h"
#include "tests/unit/loop/loop_text.h"

namespace tern::loop::tune::reference_run_test {
namespace {

constexpr std::string_view kScale =
    "te scale<n>(A: float32[n], J: int32[n]) -> (C: float32[n], K: int32[n]) {"
    " compute C[i] = A[i] * 3.0 compute K[i] = J[i] + 1 }";
constexpr std::string_view kSum =
    "primfn sum<n>(A: in float32[n], S: inout float32[1]) {"
    " for (i, 0, n) { S[0] = S[0] + A[i] } }";

LoopFunction MustLower(std::string_view text) {
  Result<LoopFunction> lowered = Lowered(text, Strategy::kSchedule);
  EXPECT_TRUE(lowered.ok()) << lowered.status().ToString();
  return *std::move(lowered);
}

std::vector<uint8_t> ResultsOf(const LoopFunction& function, std::span<const int64_t> sizes,
                               size_t buffer) {
  Workspace memory = Workspace::Make(function, sizes).value();
  EXPECT_TRUE(Interpreter::Make(function)->Run(memory.arguments()).ok());
  const auto bytes = memory.bytes(buffer);
  return {bytes.begin(), bytes.end()};
}

TEST(ReferenceRunTest, E20ResultsOfTheInterpreterAreThoseThatAreExpected) {
  const LoopFunction function = MustLower(kScale);
  const int64_t sizes[] = {5};
  ReferenceRun run = ReferenceRun::Make(function, sizes, 1000000).value();
  ASSERT_EQ(run.buffer_count(), 4u);
  EXPECT_FALSE(run.is_result(0));
  for (const size_t result : {2u, 3u}) {
    EXPECT_TRUE(run.is_result(result));
    EXPECT_FALSE(run.Compare(result, run.before(result)).ok());
    const std::vector<uint8_t> right = ResultsOf(function, sizes, result);
    EXPECT_EQ(run.Compare(result, right).ToString(), OkStatus().ToString());
    EXPECT_FALSE(run.Compare(result, std::span(right).first(4)).ok());
  }
}

TEST(ReferenceRunTest, E20FloatsMayDifferByRoundingAndIntegersNotAtAll) {
  const LoopFunction function = MustLower(kScale);
  const int64_t sizes[] = {5};
  ReferenceRun run = ReferenceRun::Make(function, sizes, 1000000).value();
  std::vector<uint8_t> floats = ResultsOf(function, sizes, 2), ints = ResultsOf(function, sizes, 3);
  const auto add = [&](float by) {
    float value = 0;
    memcpy(&value, floats.data() + 8, 4);
    value += by;
    memcpy(floats.data() + 8, &value, 4);
  };
  add(1e-6f);
  EXPECT_TRUE(run.Compare(2, floats).ok());
  add(1e-2f);
  const Status wrong = run.Compare(2, floats);
  EXPECT_EQ(wrong.error_code(), kOtherResults);
  EXPECT_NE(wrong.message().find("element 2 of 'C' is "), std::string_view::npos)
      << wrong.message();
  add(__builtin_nanf(""));
  EXPECT_FALSE(run.Compare(2, floats).ok());
  ints[4] ^= 1;
  EXPECT_EQ(run.Compare(3, ints).error_code(), kOtherResults);
}

TEST(ReferenceRunTest, WhatABufferHoldsBeforeIsPartOfTheRun) {
  const LoopFunction function = MustLower(kSum);
  const int64_t sizes[] = {4096};
  ReferenceRun run = ReferenceRun::Make(function, sizes, 1000000).value();
  EXPECT_TRUE(run.is_result(1));
  EXPECT_TRUE(run.Compare(1, ResultsOf(function, sizes, 1)).ok());
  EXPECT_FALSE(run.Compare(1, run.before(1)).ok());
}

TEST(ReferenceRunTest, ProgramsThatLeaveTheirBuffersOrDoNotEndAreRefused) {
  const int64_t sizes[] = {64};
  const LoopFunction beyond =
      MustLower("primfn f<n>(A: out float32[n]) { for (i, 0, n) { A[i + 1] = 1.0 } }");
  EXPECT_EQ(ReferenceRun::Make(beyond, sizes, 1000000).status().error_code(), kCannotRun);
  const LoopFunction sum = MustLower(kSum);
  EXPECT_FALSE(ReferenceRun::Make(sum, sizes, 10).ok());
  const int64_t large[] = {int64_t{1} << 40};
  const Status refused = ReferenceRun::Make(sum, large, 1000000).status();
  EXPECT_EQ(refused.error_code(), kCannotRun);
  EXPECT_NE(refused.message().find("give smaller sizes"), std::string_view::npos);
}

TEST(ChooseSizesTest, NamesFirstThenOneForAllThenUsualOnes) {
  const LoopFunction function = MustLower(
      "primfn f<n, m>(A: in float32[n, m], B: out float32[n]) { for (i, 0, n) { B[i] = 1.0 } }");
  const NamedSize given[] = {{"m", 3}};
  EXPECT_EQ(*ChooseSizes(function, given), (std::vector<int64_t>{64, 3}));
  EXPECT_EQ(*ChooseSizes(function, given, 7), (std::vector<int64_t>{7, 3}));
  const NamedSize unknown[] = {{"k", 3}}, negative[] = {{"m", -3}};
  EXPECT_EQ(ChooseSizes(function, unknown).status().message(), "'f' has no size 'k'");
  EXPECT_EQ(ChooseSizes(function, negative).status().error_code(), "E0005");
}

}  // namespace
}  // namespace tern::loop::tune::reference_run_test
