// SPDX-License-Identifier: Apache-2.0
// E20: the search through the C interface, with costs that are made up, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "core/api/loop_api.h"
#include "tests/unit/api/take.h"

namespace loop_tune_api_test {
namespace {

constexpr std::string_view kTriple =
    "te triple<n>(x: int32[n], s: int32) -> (y: int32[n]) { compute y[i] = x[i] * s }\n";

using api_test::Has;
using api_test::Take;

tern_loop_tune_request Request() {
  tern_loop_tune_request request{};
  request.struct_size = sizeof(request);
  request.sizes = "n=6";
  request.trials = 5;
  request.min_gain = 0.03;
  return request;
}

class LoopTuneApi : public testing::Test {
 protected:
  void TearDown() override { tern_loop_tuner_free(tuner_); }
  std::string Create(const tern_loop_tune_request& request, std::string_view text = kTriple) {
    tern_loop_tuner_free(tuner_);
    tuner_ = nullptr;
    return Take(tern_loop_tuner_create(text.data(), text.size(), &request, &tuner_));
  }
  using Call = tern_status* (*)(tern_loop_tuner*, tern_buffer**);
  std::string Json(Call call) {
    tern_buffer* json = nullptr;
    const std::string error = Take(call(tuner_, &json));
    return error.empty() ? Take(json) : error;
  }
  std::string Next() { return Json(&tern_loop_tuner_next); }
  std::string Result(int32_t which) {
    tern_buffer* json = nullptr;
    const std::string error = Take(tern_loop_tuner_result(tuner_, which, &json));
    return error.empty() ? Take(json) : error;
  }
  std::string Report(double cost) {
    return Take(tern_loop_tuner_report(tuner_, cost, 100, nullptr));
  }

  tern_loop_tuner* tuner_ = nullptr;
};

TEST_F(LoopTuneApi, E20ASearchFromItsBeginningToItsEnd) {
  ASSERT_EQ(Create(Request()), "");
  EXPECT_TRUE(Has(Json(&tern_loop_tuner_describe),
                  R"({"function":"triple","sizes":{"n":6},"slots":["6",)"));
  for (const double cost : {100.0, 90.0, 50.0, 0.0, 60.0}) {
    const std::string step = Next();
    EXPECT_TRUE(Has(step, R"("done":false)")) << step;
    EXPECT_TRUE(Has(Next(), R"("entries":[])"));  // told once, and the same candidate
    tern_buffer* module = nullptr;
    uint32_t scratch = 9;
    ASSERT_EQ(Take(tern_loop_tuner_emit_wasm(tuner_, TERN_TUNE_CANDIDATE, 0, &module, &scratch)),
              "");
    EXPECT_TRUE(Take(module).starts_with(std::string_view("\0asm", 4)));
    EXPECT_EQ(cost > 0 ? Report(cost) : Take(tern_loop_tuner_fail(tuner_, "made up")), "");
  }
  const std::string end = Next();
  EXPECT_TRUE(Has(end, R"("done":true)")) << end;
  EXPECT_TRUE(Has(end, R"(\"cost\":60)")) << end;
  EXPECT_TRUE(Has(Result(TERN_TUNE_BEST), R"("ratio":0.5,"measured":5,"resumed":0)"));
  EXPECT_TRUE(Has(Result(TERN_TUNE_AS_WRITTEN), R"("choice":"as written")"));
}

TEST_F(LoopTuneApi, E20BuffersAreComparedWithTheInterpreters) {
  ASSERT_EQ(Create(Request()), "");
  size_t bytes = 0;
  const auto* x = static_cast<const int32_t*>(tern_loop_tuner_buffer(tuner_, 0, &bytes));
  ASSERT_EQ(bytes, 24u);
  const std::string about = Json(&tern_loop_tuner_describe);
  const int32_t scale = std::stoi(about.substr(about.find("\"6\",\"") + 5));
  std::vector<int32_t> y;
  for (int i = 0; i < 6; ++i) y.push_back(x[i] * scale);
  EXPECT_EQ(Take(tern_loop_tuner_check(tuner_, 1, y.data(), bytes)), "");
  y[4] += 1;
  EXPECT_TRUE(Has(Take(tern_loop_tuner_check(tuner_, 1, y.data(), bytes)), "E0530"));
  EXPECT_TRUE(Has(Take(tern_loop_tuner_check(tuner_, 1, y.data(), 20)), "24 bytes, got 20"));
  EXPECT_NE(Take(tern_loop_tuner_check(tuner_, 1, nullptr, bytes)), "");
  EXPECT_NE(Take(tern_loop_tuner_check(tuner_, 2, y.data(), bytes)), "");
  EXPECT_EQ(tern_loop_tuner_buffer(tuner_, 2, &bytes), nullptr);
}

TEST_F(LoopTuneApi, BadRequestsAreRefused) {
  tern_loop_tune_request request = Request();
  request.trials = 2;
  EXPECT_EQ(Create(request), "E0003: a search of 2 schedules: expected 3 or more");
  for (const double gain : {-1.0, 1.0, std::nan("")}) {
    request = Request();
    request.min_gain = gain;
    EXPECT_TRUE(Has(Create(request), "E0003")) << gain;
  }
  request = Request();
  for (const char* sizes : {"n", "n=", "n=x", "n=-1", "m=1", "n=1,", "=1"}) {
    request.sizes = sizes;
    EXPECT_TRUE(Has(Create(request), "E0005")) << sizes;
  }
  request = Request();
  request.log = "{}\n";
  EXPECT_TRUE(Has(Create(request), "E0529"));
  request = Request();
  request.function = "twice";
  EXPECT_TRUE(Has(Create(request), "E0528"));
  EXPECT_TRUE(Has(Create(Request(), "te triple<"), "E0510"));
  EXPECT_TRUE(Has(Create(Request(), "primfn f<n>(y: out int32[n]) { y[n] = 1 }"), "E0515"));
  EXPECT_NE(Take(tern_loop_tuner_create(nullptr, 3, nullptr, &tuner_)), "");
  EXPECT_EQ(tuner_, nullptr);
}

TEST_F(LoopTuneApi, CallsOutOfOrderAreRefused) {
  EXPECT_NE(Next(), "");
  EXPECT_TRUE(Has(Next(), "the tuner is NULL"));
  EXPECT_TRUE(Has(Report(1), "the tuner is NULL"));
  EXPECT_TRUE(Has(Result(TERN_TUNE_BEST), "the tuner is NULL"));
  ASSERT_EQ(Create(Request()), "");
  EXPECT_TRUE(Has(Result(7), "which is 7"));
  while (Has(Next(), R"("done":false)")) ASSERT_EQ(Report(std::nan("")), "");
  EXPECT_TRUE(Has(Report(1), "at its end"));
  EXPECT_TRUE(Has(Take(tern_loop_tuner_fail(tuner_, "why")), "at its end"));
  EXPECT_TRUE(Has(Result(TERN_TUNE_CANDIDATE), "at its end"));
  EXPECT_TRUE(Has(Result(TERN_TUNE_BEST), R"("choice":"as written")"));  // nothing was measured
}

}  // namespace
}  // namespace loop_tune_api_test
