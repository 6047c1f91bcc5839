// SPDX-License-Identifier: Apache-2.0
// The search with costs that are made up, so that its result is known.
#include "core/loop/tune/tuner.h"

#include <functional>

#include "core/base/strings.h"
#include "core/loop/verifier.h"
#include "tests/unit/loop/loop_text.h"

namespace tern::loop::tune::tuner_test {
namespace {

constexpr std::string_view kDot =
    "te dot<n>(A: float32[n], B: float32[n]) -> (C: float32[]) {"
    " compute C[] = sum(k < n, A[k] * B[k]) schedule { vectorize(C, k, scalable = true) } }";

using Cost = std::function<double(const std::string& schedule)>;

// Blocks of four vectors without an epilogue are the best.
double FourMasked(const std::string& schedule) {
  double cost = 100;
  if (schedule.find("interleave = 4") != std::string::npos) cost -= 30;
  if (schedule.find("predicated = true") != std::string::npos) cost -= 10;
  return cost + static_cast<double>(schedule.size()) / 1000;
}

struct Outcome {
  Tuner::Best best;
  std::string text, lines;
  size_t measured = 0, resumed = 0;
};

Outcome Tune(const Cost& cost, TuneOptions options = {}, std::string_view log = {},
             int64_t stop_after = INT64_MAX) {
  const SourceFile file = MustParse(kDot);
  Tuner tuner = Tuner::Make(file, options).value();
  text::SourceMap sources;
  text::Diagnostics diagnostics;
  tuner.Resume(ReadLog("log", log, &sources, &diagnostics));
  EXPECT_TRUE(diagnostics.ok()) << text::RenderText(diagnostics);
  Outcome outcome;
  const double as_written = cost(tuner.as_written().schedule);
  for (const Trial* trial; stop_after > 0 && (trial = tuner.Next()) != nullptr; --stop_after) {
    EXPECT_EQ(trial, tuner.Next());
    EXPECT_TRUE(VerifyLowered(trial->lowered).ok());
    const double made_up = cost(trial->schedule);
    if (made_up < 0)
      tuner.ReportError("made up");
    else
      tuner.Report({made_up, as_written, "beans"});
    ++outcome.measured;
  }
  outcome.best = tuner.best();
  outcome.text = ToText(tuner.BestFile());
  outcome.lines = tuner.TakeNewLines();
  outcome.resumed = tuner.resumed();
  return outcome;
}

TEST(TunerTest, E20FindsTheBestAndWritesItsSchedule) {
  const Outcome outcome = Tune(FourMasked);
  EXPECT_EQ(outcome.best.schedule, "vectorize(C, k, predicated = true, interleave = 4)");
  EXPECT_NE(outcome.text.find(outcome.best.schedule), std::string::npos) << outcome.text;
  EXPECT_LT(outcome.best.ratio, 0.61);
  for (std::string_view choice :
       {"as written", "vectors=scalar", "vectors=fixed\"", "vectors=fixed_predicated",
        "vectors=cleanup", "vectors=predicated", "interleave=2", "interleave=4"})
    EXPECT_NE(outcome.lines.find(StrCat("\"choice\":\"", choice)), std::string::npos) << choice;
}

TEST(TunerTest, E20TheSameSeedGivesTheSameSearch) {
  TuneOptions options;
  options.trials = 20;
  const Outcome once = Tune(FourMasked, options), again = Tune(FourMasked, options);
  EXPECT_EQ(once.lines, again.lines);
  options.seed = 2;
  EXPECT_NE(Tune(FourMasked, options).lines, once.lines);
  options.seed = 0;  // a seed like any other
  EXPECT_EQ(Tune(FourMasked, options).measured, 20u);
}

TEST(TunerTest, E20AnInterruptedSearchGoesOnFromItsLog) {
  TuneOptions options;
  options.trials = 24;
  const Outcome whole = Tune(FourMasked, options);
  for (int64_t stop : {0, 1, 7, 23}) {
    const Outcome part = Tune(FourMasked, options, {}, stop);
    const Outcome rest = Tune(FourMasked, options, part.lines);
    EXPECT_EQ(part.lines + rest.lines, whole.lines) << stop;
    EXPECT_EQ(part.measured + rest.measured, whole.measured);
    EXPECT_EQ(rest.resumed, part.measured);
    EXPECT_EQ(rest.best.schedule, whole.best.schedule);
  }
  EXPECT_EQ(Tune(FourMasked, options, whole.lines).measured, 0u);
}

TEST(TunerTest, E20OthersLinesOfALogAreSkipped) {
  TuneOptions options;
  options.trials = 8;
  std::string lines = Tune(FourMasked, options).lines;
  options.target = FindTarget("wasm32");
  EXPECT_EQ(Tune(FourMasked, options, lines).resumed, 0u);
}

TEST(TunerTest, E20LinesOfOtherSizesAreSkipped) {
  const SourceFile file = MustParse(kDot);
  const std::vector<int64_t> sizes[] = {{16}, {4096}};
  std::vector<LogEntry> log;
  for (const auto& at : sizes) {
    Tuner tuner = Tuner::Make(file, {}).value();
    tuner.MeasureAt(at);
    tuner.Resume(log);
    ASSERT_NE(tuner.Next(), nullptr);
    EXPECT_EQ(tuner.resumed(), 0u);
    tuner.Report({1, 1, "ns"});
    log.assign(tuner.entries().begin(), tuner.entries().end());
  }
  Tuner again = Tuner::Make(file, {}).value();
  again.MeasureAt(sizes[1]);
  again.Resume(log);
  ASSERT_NE(again.Next(), nullptr);
  EXPECT_EQ(again.resumed(), 1u);
  EXPECT_TRUE(again.entries()[0].is_known);
}

TEST(TunerTest, E20TheBaselineComesFirst) {
  const SourceFile file = MustParse(kDot);
  for (const std::string_view target : {"wasm32", "aarch64", "aarch64+sve", "reference"}) {
    TuneOptions options;
    options.target = FindTarget(target);
    options.trials = Tuner::kMinTrials;
    Tuner tuner = Tuner::Make(file, options).value();
    std::vector<std::string> choices;
    while (const Trial* trial = tuner.Next()) {
      EXPECT_TRUE(tuner.space().IsBaseline(trial->point)) << trial->choice;
      choices.push_back(trial->choice);
      tuner.Report({1, 1, "ns"});
    }
    const std::vector<std::string> expected{"as written", "vectors=scalar", "vectors=fixed"};
    EXPECT_EQ(choices, expected) << target;
    Point other = tuner.space().origin();
    other[1] = 1;
    EXPECT_FALSE(tuner.space().IsBaseline(other));
  }
}

TEST(TunerTest, E20NothingSlowerThanTheProgramAsWrittenIsChosen) {
  const auto worse = [](const std::string& schedule) {
    return schedule == "vectorize(C, k, scalable = true)" ? 5.0 : 5.0 + 1e-9;
  };
  const auto equal = [](const std::string&) { return 5.0; };
  const auto broken = [](const std::string& schedule) {
    return schedule == "vectorize(C, k, scalable = true)" ? 5.0 : -1.0;
  };
  for (const Cost& cost : {Cost(worse), Cost(equal), Cost(broken)}) {
    const Outcome outcome = Tune(cost);
    EXPECT_EQ(outcome.best.choice, "as written");
    EXPECT_EQ(outcome.best.ratio, 1);
    EXPECT_EQ(outcome.text, ToText(MustParse(kDot)));
  }
  TuneOptions options;
  options.min_gain = 0.5;  // the best there is gains 40 %
  EXPECT_EQ(Tune(FourMasked, options).best.choice, "as written");
}

TEST(TunerTest, CostsThatAreNoNumbersAreErrors) {
  for (const double cost : {0.0, -0.0, __builtin_nan("")}) {
    const SourceFile file = MustParse(kDot);
    Tuner tuner = Tuner::Make(file, {}).value();
    ASSERT_NE(tuner.Next(), nullptr);
    tuner.Report({cost, 1, "ns"});
    EXPECT_EQ(tuner.entries()[0].error, "its cost is not a number above 0");
  }
}

TEST(TunerTest, ProgramsThatCannotBeLoweredAreRefused) {
  const SourceFile file = MustParse(
      "primfn f<n>(A: inout float32[n]) { for (i, 1, n) vectorized { A[i] = A[i - 1] + 1.0 } }");
  EXPECT_EQ(Tuner::Make(file, {}).status().error_code(), "E0512");
  TuneOptions options;
  options.function = "g";
  EXPECT_EQ(Tuner::Make(file, options).status().error_code(), "E0528");
}

// Loops that depend on themselves are refused by every vector strategy, which is not the end.
TEST(TunerTest, E20ChoicesThatCannotBeAreLoggedAndPassedOver) {
  const SourceFile file =
      MustParse("primfn f<n>(A: inout float32[n]) { for (i, 1, n) { A[i] = A[i - 1] + 1.0 } }");
  Tuner tuner = Tuner::Make(file, {}).value();
  while (tuner.Next() != nullptr) tuner.Report({1, 1, "ns"});
  EXPECT_NE(tuner.TakeNewLines().find("\"error\":\"the loop over 'i' of 'f' cannot be vectorized"),
            std::string::npos);
  EXPECT_EQ(tuner.best().choice, "as written");
}

}  // namespace
}  // namespace tern::loop::tune::tuner_test
