// SPDX-License-Identifier: Apache-2.0
// Control runs against full ones, and what is reported of lanes: the figures that the page shows.
#include "core/loop/report/lane_report.h"

#include "core/loop/report/lane_footprint.h"
#include "core/loop/run/workspace.h"
#include "tests/support/random_loop.h"
#include "tests/support/rounds.h"
#include "tests/unit/loop/loop_text.h"

namespace tern::loop::lanes_test {
namespace {

constexpr std::string_view kAdd =
    "te add<n>(a: float32[n], b: float32[n]) -> (c: float32[n]) {\n"
    "  compute c[i] = a[i] + b[i]\n"
    "  schedule { vectorize(c, i, scalable = true) }\n"
    "}\n";

constexpr Strategy kStrategies[] = {Strategy::kScalar, Strategy::kFixed, Strategy::kFixedPredicated,
                                    Strategy::kCleanup, Strategy::kPredicated};

std::string CountsOf(const Counters& c) {
  std::string text =
      StrCat(c.vector_iterations, " ", c.scalar_iterations, " ", c.last_active, " ", c.active_lanes,
             " ", c.issued_lanes, " ", c.bytes_loaded, " ", c.bytes_stored);
  for (int64_t count : c.instructions) StrAppend(&text, " ", count);
  return text;
}

// What every element of an access is, for iterations that are shown and those that are skipped.
class TouchedCounter : public Observer {
 public:
  int64_t skipped = 0, sum = 0, touched = 0;
  void OnAccess(const AccessEvent& event) override {
    if (event.iteration != last_.first) last_ = {event.iteration, {}};
    std::vector<int64_t> on;
    for (size_t lane = 0; lane < event.indices.size(); ++lane) {
      if (event.active[lane] != 0) on.push_back(event.indices[lane]);
    }
    for (int64_t index : on) Add(index);
    last_.second.push_back(on);
  }
  void OnAlike(const AlikeIterations& alike) override {
    skipped += alike.count;
    ASSERT_EQ(alike.steps.size(), last_.second.size());
    for (size_t i = 0; i < alike.steps.size(); ++i) {
      for (int64_t index : last_.second[i]) {
        for (int64_t k = 1; k <= alike.count; ++k) Add(index + k * alike.steps[i]);
      }
    }
  }

 private:
  void Add(int64_t index) {
    sum += index * index;
    ++touched;
  }
  std::pair<int64_t, std::vector<std::vector<int64_t>>> last_;
};

struct Compared {
  int64_t skipped = 0;
  bool compared = false;
};

// Runs with and without data; every count and every element touched is the same.
Compared Compare(const LoopFunction& function, int64_t n, int64_t vscale, int64_t first = 0,
                 int64_t count = 0) {
  const Interpreter interpreter = Interpreter::Make(function).value();
  if (interpreter.control_reads_memory()) return {};
  const std::vector<int64_t> sizes(function.sizes.size(), n);
  Workspace workspace = Workspace::Make(function, sizes).value();
  TouchedCounter in_full, in_control;
  RunOptions options;
  options.vscale = vscale;
  options.observer = &in_full;
  const Result<Counters> wanted = interpreter.Run(workspace.arguments(), options);
  options.observer = &in_control;
  ControlOptions control;
  control.first = first;
  control.count = count;
  const Result<Counters> got = interpreter.RunControl(sizes, workspace.scalars(), options, control);
  EXPECT_EQ(wanted.ok(), got.ok());
  if (!wanted.ok() || !got.ok()) return {};
  EXPECT_EQ(CountsOf(*got), CountsOf(*wanted)) << ToText(function) << n << " at " << vscale;
  EXPECT_EQ(in_control.sum, in_full.sum) << ToText(function);
  EXPECT_EQ(in_control.touched, in_full.touched);
  return {in_control.skipped, true};
}

TEST(ControlRunTest, CountsWhatFullRunsCount) {
  for (Strategy strategy : kStrategies) {
    const LoopFunction function = Lowered(kAdd, strategy).value();
    for (int64_t n : {0, 1, 3, 4, 5, 18, 60, 255, 256, 257, 1000}) {
      for (int64_t vscale = 1; vscale <= 16; ++vscale) Compare(function, n, vscale);
    }
    EXPECT_GT(Compare(function, 1000, 1).skipped, 200);
  }
}

TEST(ControlRunTest, CountsWhatFullRunsCountOfRandomPrograms) {
  uint64_t state = 20261122;
  int compared = 0;
  int64_t skipped = 0;
  for (int seed = 0; seed < support::Rounds(300); ++seed) {
    std::vector<uint8_t> choices;
    for (int i = 0; i < 60; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      choices.push_back(static_cast<uint8_t>(state >> 56));
    }
    const std::string text = support::RandomLoopProgram(choices);
    for (Strategy strategy : kStrategies) {
      const Result<LoopFunction> function = Lowered(text, strategy);
      if (!function.ok()) continue;
      const Compared made = Compare(*function, seed % 90, 1 + seed % 5);
      compared += made.compared;
      skipped += made.skipped;
    }
  }
  EXPECT_GT(compared, support::Rounds(300) / 2);
  EXPECT_GT(skipped, support::Rounds(300));
}

TEST(ControlRunTest, LoopsAroundLoopsAndStridesAreFollowed) {
  constexpr std::string_view kPrograms[] = {
      "te rows<n>(x: float32[n, n], m: float32[n]) -> (y: float32[n, n]) {\n"
      "  compute y[i, j] = x[i, j] * m[j]\n  schedule { vectorize(y, j, scalable = true) }\n}\n",
      "te product<n>(a: float32[n, n], b: float32[n, n]) -> (c: float32[n, n]) {\n"
      "  compute c[i, j] = sum(k < n, a[i, k] * b[k, j])\n"
      "  schedule { vectorize(c, j, scalable = true) }\n}\n",
      "te dot<n>(a: float32[n], b: float32[n]) -> (s: float32[1]) {\n"
      "  compute s[i] = sum(k < n, a[k] * b[k])\n"
      "  schedule { vectorize(s, k, scalable = true, interleave = 4) }\n}\n",
      "primfn strided<n>(a: in float32[n * 3], c: out float32[n]) {\n"
      "  for (i, 0, n) vectorize_scalable { c[i] = a[i * 3] }\n}\n",
      "primfn triangle<n>(a: in float32[n, n], c: out float32[n, n]) {\n"
      "  for (i, 0, n) { for (j, 0, i) vectorize_scalable { c[i, j] = a[i, j] } }\n}\n",
      "primfn upper<n>(a: in float32[n], c: out float32[n]) {\n"
      "  for (i, 0, n) vectorize_scalable { if (i < 5) { c[i] = a[i] } else { c[i] = 0.0 } }\n}\n",
      "primfn backward<n>(a: in float32[n], c: out float32[n]) {\n"
      "  for (i, 0, n) vectorize_scalable { c[n - 1 - i] = a[i] }\n}\n",
  };
  for (std::string_view text : kPrograms) {
    for (Strategy strategy : kStrategies) {
      const Result<LoopFunction> function = Lowered(text, strategy);
      ASSERT_TRUE(function.ok()) << text << text::RenderText(function.status());
      for (int64_t n : {0, 1, 7, 40}) {
        for (int64_t vscale : {1, 3, 16}) EXPECT_TRUE(Compare(*function, n, vscale).compared);
      }
    }
  }
}

TEST(ControlRunTest, ALocalBufferMayBeEmpty) {
  const LoopFunction function = Lowered(
                                    "primfn none<n>(c: out float32[n]) {\n"
                                    "  for (i, 0, n) { allocate t: int8[0] c[i] = 1.0 }\n}\n",
                                    Strategy::kScalar)
                                    .value();
  EXPECT_TRUE(Compare(function, 9, 1).compared);
}

TEST(ControlRunTest, IterationsThatAreAskedForAreShown) {
  const LoopFunction function = Lowered(kAdd, Strategy::kPredicated).value();
  const int64_t all = Compare(function, 1000, 1).skipped;
  EXPECT_EQ(Compare(function, 1000, 1, 100, 20).skipped, all - 20);
}

TEST(ControlRunTest, ManyIterationsTakeNoTime) {
  const LoopFunction function = Lowered(kAdd, Strategy::kPredicated).value();
  const Interpreter interpreter = Interpreter::Make(function).value();
  const int64_t n = int64_t{1} << 40;
  RunOptions options;
  options.max_steps = 1000;
  const Result<Counters> counters = interpreter.RunControl({&n, 1}, {}, options);
  ASSERT_TRUE(counters.ok()) << text::RenderText(counters.status());
  EXPECT_EQ(counters->vector_iterations, n / 4);
  EXPECT_EQ(counters->bytes_stored, n * 4);
}

TEST(ControlRunTest, AccessesOutsideAreErrorsAsInFullRuns) {
  const LoopFunction function = Lowered(
                                    "primfn past<n>(a: in float32[n], c: out float32[n]) {\n"
                                    "  for (i, 0, n) vectorize_scalable { c[i] = a[i + 1] }\n}\n",
                                    Strategy::kPredicated)
                                    .value();
  const Interpreter interpreter = Interpreter::Make(function).value();
  const int64_t n = 1 << 20;
  const Result<Counters> counters = interpreter.RunControl({&n, 1}, {});
  ASSERT_FALSE(counters.ok());
  EXPECT_EQ(counters.status().error_code(), "E0515");
  EXPECT_NE(counters.status().ToString().find("a load of 'a' at element 1048576"),
            std::string::npos)
      << counters.status().ToString();
}

TEST(ControlRunTest, EndlessLoopsMeetTheLimit) {
  const LoopFunction function = Lowered(
                                    "primfn endless<n>(c: out float32[n]) {\n"
                                    "  var i: int64 = 0\n  while (i < 1) { c[0] = 0.0 }\n}\n",
                                    Strategy::kScalar)
                                    .value();
  const Interpreter interpreter = Interpreter::Make(function).value();
  RunOptions options;
  options.max_steps = 100000;
  const int64_t n = 1;
  const Result<Counters> counters = interpreter.RunControl({&n, 1}, {}, options);
  ASSERT_FALSE(counters.ok());
  EXPECT_EQ(counters.status().error_code(), "S0301");
}

// --- the report

std::string Report(std::string_view text, const std::string& strategies, const LaneRequest& lanes) {
  LoweringRequest request;
  request.file_name = "p.tloop";
  request.text = text;
  request.strategies = strategies;
  Result<std::string> report = ReportLanes(request, lanes);
  return report.ok() ? *report : text::RenderText(report.status());
}

LaneRequest Asked(int64_t n, int64_t vscale) {
  LaneRequest lanes;
  lanes.n = n;
  lanes.vscales = {vscale};
  lanes.check_lanes = 1 << 16;
  return lanes;
}

bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

TEST(LaneReportTest, TheLastIterationIsMaskedAndTouchesOneLine) {
  const std::string report = Report(kAdd, "predicated", Asked(18, 4));
  EXPECT_TRUE(Has(report, R"("vector_iterations":2,"scalar_iterations":0,"last_active":2,)"
                          R"("utilisation":0.5625)"))
      << report;
  EXPECT_TRUE(Has(report, R"("method":"control","checked":true)")) << report;
  EXPECT_TRUE(Has(report, R"({"k":1,"folded":1,"part":"vector","vector":true,"lanes":16,)"
                          R"("active":2,"accesses":[{"buffer":0,"op":"load","index":16,"step":1,)"
                          R"("mask":"1100000000000000","bytes":8,"masked_bytes":56,"lines":[1]})"))
      << report;
  EXPECT_TRUE(Has(report, R"("element_bytes":4,"elements":18,"bytes_touched":72,"lines":2})"))
      << report;
}

TEST(LaneReportTest, AlikeIterationsAreFolded) {
  const std::string report = Report(kAdd, "fixed", Asked(1003, 1));
  EXPECT_TRUE(Has(report, R"({"k":3,"folded":245,"part":"vector")")) << report;
  EXPECT_TRUE(Has(report, R"({"k":249,"folded":1,"part":"vector","vector":true,"lanes":4,)"))
      << report;
  EXPECT_TRUE(Has(report, R"({"k":252,"folded":1,"part":"epilogue","vector":false,"lanes":1,)"))
      << report;
  EXPECT_TRUE(Has(report, R"("mask":null)")) << report;
  EXPECT_TRUE(Has(report, R"("left_out":0)")) << report;
}

TEST(LaneReportTest, ARowThatStandsForOthersStandsForSeveral) {
  // Five rows are shown of more than six.
  for (int64_t vectors = 1; vectors <= 9; ++vectors) {
    const std::string report = Report(kAdd, "predicated", Asked(4 * vectors, 1));
    EXPECT_EQ(Has(report, R"("accesses":[]})"), vectors > 6) << vectors << report;
    EXPECT_EQ(Has(report, StrCat(R"("folded":)", vectors - 5)), vectors >= 6) << vectors << report;
  }
}

TEST(LaneReportTest, IterationsAreToldWhereTheyAreAskedFor) {
  LaneRequest lanes = Asked(1000000, 2);
  lanes.first = 70000;
  lanes.count = 3;
  const std::string report = Report(kAdd, "predicated", lanes);
  EXPECT_TRUE(Has(report, R"({"k":70002,"folded":1,)")) << report.substr(0, 3000);
  EXPECT_TRUE(Has(report, R"("index":560016)")) << report.substr(0, 3000);
  EXPECT_TRUE(Has(report, R"("checked":null)"));
}

TEST(LaneReportTest, CountersAloneHaveNoRows) {
  LaneRequest lanes = Asked(100000, 1);
  lanes.head = lanes.tail = 0;
  lanes.vscales = {1, 16};
  const std::string report = Report(kAdd, "fixed,cleanup,predicated", lanes);
  EXPECT_FALSE(Has(report, "iterations\":["));
  EXPECT_TRUE(Has(report, R"("strategy":"cleanup","n":100000,"vscale":16)")) << report;
  EXPECT_TRUE(Has(report, R"("vector_iterations":1562,"scalar_iterations":32)")) << report;
}

TEST(LaneReportTest, GathersWhoseIndexIsDataAreRunInFull) {
  const std::string report = Report(
      "primfn take<n>(x: in float32[n], i: in int64[n], y: out float32[n]) {\n"
      "  for (k, 0, n) vectorize_scalable { y[k] = x[i[k]] }\n}\n",
      "predicated", Asked(9, 1));
  EXPECT_TRUE(Has(report, R"("method":"run","checked":null)")) << report;
  EXPECT_TRUE(Has(report, R"("indices":[)")) << report;
}

TEST(LaneReportTest, RowsAreBounded) {
  const std::string report = Report(
      "primfn rows<n>(x: inout float32[n, 5]) {\n"
      "  for (i, 0, n) { for (j, 0, 5) vectorize_scalable { x[i, j] = x[i, j] + 1.0 } }\n}\n",
      "fixed", Asked(2000, 1));
  EXPECT_FALSE(Has(report, R"("left_out":0)")) << report;
  EXPECT_LT(report.size(), 300000u);
}

TEST(LaneReportTest, BadRequestsAreRefused) {
  LaneRequest lanes = Asked(-1, 1);
  EXPECT_TRUE(Has(Report(kAdd, "fixed", lanes), "the size 'n' of 'add' has no value"));
  EXPECT_TRUE(Has(Report(kAdd, "fixd", Asked(4, 1)), "there is no strategy 'fixd'"));
  EXPECT_TRUE(Has(Report(kAdd, "fixed", Asked(4, 17)), "vscale must be from 1 to 16, got 17"));
  EXPECT_TRUE(Has(Report(kAdd, "fixed", Asked(int64_t{1} << 62, 1)), "more than 2^63 bytes"));
  EXPECT_TRUE(Has(Report("te add<n>(", "fixed", Asked(4, 1)), "p.tloop:1"));
  EXPECT_TRUE(Has(Report("", "fixed", Asked(4, 1)), "has no function"));
  for (int64_t LaneRequest::*field :
       {&LaneRequest::head, &LaneRequest::tail, &LaneRequest::first, &LaneRequest::count}) {
    lanes = Asked(4, 1);
    lanes.*field = -1;
    EXPECT_TRUE(Has(Report(kAdd, "fixed", lanes), "error[E0003]: iterations to show: expected"));
  }
  lanes = Asked(4, 1);
  lanes.head = 65;
  EXPECT_TRUE(Has(Report(kAdd, "fixed", lanes), "count from 0 to 400; got 65, 2, 0, 0"));
  lanes = Asked(4, 1);
  lanes.function = "sub";
  EXPECT_TRUE(Has(Report(kAdd, "fixed", lanes), "there is no function 'sub'"));
}

// --- footprints

TEST(FootprintTest, StepsThatTouchAreOneRange) {
  Footprint lines;
  const TouchedElements four{{0, 1, 2, 3}, 4};
  lines.Add(four);
  lines.AddSteps(four, 4, 1000000);
  EXPECT_EQ(lines.CountLines(), 250001);
}

TEST(FootprintTest, StepsWithGapsAreListedOrUnknown) {
  const TouchedElements one{{0}, 4};
  Footprint few, many;
  few.Add(one);
  few.AddSteps(one, 64, 100);
  EXPECT_EQ(few.CountLines(), 101);
  few.AddSteps(one, 32, 100);
  EXPECT_EQ(few.CountLines(), 151);
  many.AddSteps(one, 64, 1000000);
  EXPECT_EQ(many.CountLines(), -1);
}

}  // namespace
}  // namespace tern::loop::lanes_test
