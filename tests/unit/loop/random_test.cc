// SPDX-License-Identifier: Apache-2.0
// Programs made up at random: whatever may be vectorized computes what the scalar loop does.
#include "tests/support/random_loop.h"

#include "tests/support/rounds.h"
#include "tests/unit/loop/loop_text.h"

namespace tern::loop::random_test {
namespace {

TEST(RandomLoopsTest, StrategiesAgree) {
  uint64_t state = 20261121;
  int vectorized = 0;
  for (int seed = 0; seed < support::Rounds(600); ++seed) {
    std::vector<uint8_t> choices;
    for (int i = 0; i < 60; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      choices.push_back(static_cast<uint8_t>(state >> 56));
    }
    const std::string text = support::RandomLoopProgram(choices);
    const Result<LoopFunction> scalar_loops = Lowered(text, Strategy::kScalar);
    ASSERT_TRUE(scalar_loops.ok()) << text << text::RenderText(scalar_loops.status());
    const Interpreter scalar = Interpreter::Make(*scalar_loops).value();
    for (Strategy strategy : {Strategy::kFixed, Strategy::kFixedPredicated, Strategy::kCleanup,
                              Strategy::kPredicated}) {
      const Result<LoopFunction> function = Lowered(text, strategy);
      if (!function.ok()) continue;  // a dependence
      ++vectorized;
      const Interpreter vectors = Interpreter::Make(*function).value();
      for (int64_t n : {0, 1, 7, 16, 37}) {
        RunOptions options;
        options.vscale = 1 + seed % 5;
        const Result<RunResult> wanted = RunOn(scalar, {&n, 1}),
                                got = RunOn(vectors, {&n, 1}, options);
        ASSERT_EQ(wanted.ok(), got.ok()) << text << ToText(*function);
        if (!got.ok()) continue;
        ASSERT_EQ(got->outputs, wanted->outputs) << StrategyName(strategy) << " n " << n << "\n"
                                                 << text << ToText(*function);
        ASSERT_EQ(got->broken_canary, -1);
      }
    }
  }
  // A quarter of all; the others depend on themselves.
  EXPECT_GT(vectorized, support::Rounds(600));
}

}  // namespace
}  // namespace tern::loop::random_test
