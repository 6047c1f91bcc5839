// SPDX-License-Identifier: Apache-2.0
// Programs made up at random, by every strategy that takes them, on every backend: the same memory
// as in the reference interpreter. TERN_LOOP_SEED makes up others.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "core/base/strings.h"
#include "core/loop/passes/pipeline.h"
#include "core/loop/text/parser.h"
#include "native/jit/llvm_compiler.h"
#include "tests/loops/backends.h"
#include "tests/loops/memories.h"
#include "tests/support/random_loop.h"
#include "tests/support/random_schedule.h"
#include "tests/support/rounds.h"

namespace tern::loop::random_backends_test {
namespace {

constexpr int kPrograms = support::Rounds(60);

std::string RandomText(std::mt19937_64* random) {
  std::vector<uint8_t> choices;
  for (int i = 0; i < 60; ++i) choices.push_back(static_cast<uint8_t>((*random)()));
  return support::RandomLoopProgram(choices);
}

// A definition of several tensors, arranged by a schedule.
std::string RandomScheduled(std::mt19937_64* random) {
  std::vector<uint8_t> choices;
  for (int i = 0; i < 240; ++i) choices.push_back(static_cast<uint8_t>((*random)()));
  const support::RandomSchedule made = support::MakeRandomSchedule(choices);
  EXPECT_EQ(made.wrong, "") << made.text;
  return made.text;
}

using MakeText = std::string (*)(std::mt19937_64* random);

// Those that the strategy takes, one function each.
Program LowerRandom(Strategy strategy, const char* target, MakeText make = RandomText) {
  const char* seed = std::getenv("TERN_LOOP_SEED");
  std::mt19937_64 random(seed == nullptr ? 20261121 : std::strtoull(seed, nullptr, 10));
  Program all;
  for (int i = 0; i < kPrograms; ++i) {
    const std::string text = make(&random);
    const Result<SourceFile> source = ParseLoops("random.tloop", text);
    EXPECT_TRUE(source.ok()) << text;
    LoweringOptions options = DefaultLowering(*FindTarget(target));
    options.strategy = strategy;
    Result<Program> lowered = LowerFile(*source, options);
    if (!lowered.ok()) continue;  // a dependence
    lowered->functions[0].name = StrCat("random", i);
    all.functions.push_back(std::move(lowered->functions[0]));
  }
  EXPECT_GT(all.functions.size(), size_t{kPrograms / 5});
  return all;
}

// Calls that the interpreter runs, with what it leaves: it refuses what reaches out of a buffer.
struct Wanted {
  std::vector<LoopCall> calls, results;
};
Wanted RunWanted(const Program& program, int64_t vscale, std::initializer_list<int64_t> sizes) {
  std::mt19937_64 random(7);
  Wanted wanted;
  for (const LoopFunction& function : program.functions) {
    for (const int64_t n : sizes) {
      std::vector<LoopCall> result = {RandomCall(function, n, &random)};
      const LoopCall call = result[0];
      if (!RunInInterpreter(program, vscale, &result).ok()) continue;
      wanted.calls.push_back(call);
      wanted.results.push_back(std::move(result[0]));
    }
  }
  EXPECT_GT(wanted.calls.size(), program.functions.size());
  return wanted;
}

using Backend = std::function<Status(std::vector<LoopCall>*)>;
void ExpectBackendIsTheInterpreter(const Program& program, int64_t vscale, const Backend& backend,
                                   std::initializer_list<int64_t> sizes = {0, 1, 3, 16, 37, 71},
                                   Subnormals subnormals = Subnormals::kKept) {
  Wanted wanted = RunWanted(program, vscale, sizes);
  const Status ran = backend(&wanted.calls);
  ASSERT_TRUE(ran.ok()) << ran.ToString();
  ExpectSame(program, wanted.results, wanted.calls, subnormals);
}

TEST(RandomBackends, HostIsTheInterpreter) {
  if (!native::LlvmDescription().ok()) GTEST_SKIP() << "there is no LLVM here";
  for (const Strategy strategy : {Strategy::kFixed, Strategy::kFixedPredicated}) {
    const Program program = LowerRandom(strategy, "x86_64+avx512");
    ExpectBackendIsTheInterpreter(program, 1,
                                  [&](auto* calls) { return RunOnHost(program, calls); });
  }
}

// By their marks, and without vectors. A schedule may compute a tensor many times, so sizes are
// small.
void ExpectBackendRunsSchedules(const char* target,
                                Status (*backend)(const Program&, std::vector<LoopCall>*),
                                Subnormals subnormals = Subnormals::kKept) {
  for (const Strategy strategy : {Strategy::kTarget, Strategy::kScalar}) {
    const Program program = LowerRandom(strategy, target, RandomScheduled);
    if (strategy == Strategy::kScalar) subnormals = Subnormals::kKept;
    ExpectBackendIsTheInterpreter(
        program, 1, [&](auto* calls) { return backend(program, calls); }, {0, 1, 4, 7, 13},
        subnormals);
  }
}

TEST(RandomBackends, HostRunsSchedulesAsTheInterpreterDoes) {
  if (!native::LlvmDescription().ok()) GTEST_SKIP() << "there is no LLVM here";
  ExpectBackendRunsSchedules("x86_64+avx512", RunOnHost);
}

TEST(RandomBackends, WebAssemblyRunsSchedulesAsTheInterpreterDoes) {
  ExpectBackendRunsSchedules("wasm32", RunInNode);
}

TEST(RandomBackends, WebAssemblyIsTheInterpreter) {
  for (const Strategy strategy : {Strategy::kFixed, Strategy::kFixedPredicated}) {
    const Program program = LowerRandom(strategy, "wasm32");
    ExpectBackendIsTheInterpreter(program, 1,
                                  [&](auto* calls) { return RunInNode(program, calls); });
  }
}

TEST(RandomBackends, SveIsTheInterpreter) {
  if (!HaveSveBackend()) GTEST_SKIP() << "there is no AArch64 compiler or emulator here";
  const Program program = LowerRandom(Strategy::kPredicated, "aarch64+sve");
  const auto backend = SveBackend::Make(program);
  ASSERT_TRUE(backend.ok()) << backend.status().ToString();
  for (const int bits : {128, 512, 2048}) {
    SCOPED_TRACE(bits);
    ExpectBackendIsTheInterpreter(program, bits / 128,
                                  [&](auto* calls) { return backend->Run(bits, calls); });
  }
}

TEST(RandomBackends, HeliumIsTheInterpreter) {
  if (!HaveMveBackend()) GTEST_SKIP() << "there is no clang or emulator of boards here";
  for (const Strategy strategy : {Strategy::kFixed, Strategy::kFixedPredicated}) {
    const Program program = LowerRandom(strategy, "armv8.1m+mve");
    ExpectBackendIsTheInterpreter(
        program, 1, [&](auto* calls) { return RunOnMve(program, calls); }, {0, 1, 3, 16, 37, 71},
        Subnormals::kMayBeZeros);
  }
}

TEST(RandomBackends, HeliumRunsSchedulesAsTheInterpreterDoes) {
  if (!HaveMveBackend()) GTEST_SKIP() << "there is no clang or emulator of boards here";
  ExpectBackendRunsSchedules("armv8.1m+mve", RunOnMve, Subnormals::kMayBeZeros);
}

}  // namespace
}  // namespace tern::loop::random_backends_test
