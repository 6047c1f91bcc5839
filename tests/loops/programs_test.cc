// SPDX-License-Identifier: Apache-2.0
// The programs of tests/loop/programs, lowered for each target by each strategy: what the reference
// interpreter leaves in memory at that vector length, the compiled code must leave too, bit for
// bit, canaries included.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/strings.h"
#include "core/loop/passes/pipeline.h"
#include "core/loop/run/interpreter.h"
#include "core/loop/text/parser.h"
#include "native/jit/llvm_compiler.h"
#include "tests/loops/backends.h"
#include "tests/loops/memories.h"
#include "tests/support/read_file.h"

namespace tern::loop::programs_test {
namespace {

std::vector<std::string> ProgramFiles() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator("tests/loop/programs"))
    files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

// All programs in one, so that one object file and one module hold them.
Program Lower(Strategy strategy, const char* target) {
  Program all;
  for (const std::string& file : ProgramFiles()) {
    const auto source = ParseLoops(file, ReadFile(file));
    EXPECT_TRUE(source.ok()) << file << "\n" << source.status().ToString();
    if (!source.ok()) continue;
    LoweringOptions options;
    options.target = FindTarget(target);
    if (strategy == Strategy::kTarget) options = DefaultLowering(*options.target);
    options.strategy = strategy;
    auto lowered = LowerFile(*source, options);
    EXPECT_TRUE(lowered.ok()) << file << "\n" << lowered.status().ToString();
    if (!lowered.ok()) continue;
    for (LoopFunction& function : lowered->functions) all.functions.push_back(std::move(function));
  }
  return all;
}

// Of a vector that is filled by the widest element that the function has.
int64_t LanesOf(const LoopFunction& function, int64_t vector_bits) {
  int64_t bits = 8;
  for (const BufferPtr& buffer : function.buffers)
    bits = std::max<int64_t>(bits, buffer->dtype.bits);
  return vector_bits / bits;
}

// Every length up to 4 vectors and 3.
std::vector<LoopCall> CallsOf(const Program& program, int64_t vector_bits) {
  std::mt19937_64 random(7);
  std::vector<LoopCall> calls;
  for (const LoopFunction& function : program.functions) {
    for (int64_t n = 0; n <= 4 * LanesOf(function, vector_bits) + 3; ++n)
      calls.push_back(RandomCall(function, n, &random));
  }
  return calls;
}

struct HostCase {
  const char* name;
  Strategy strategy;
  const char* target;
  int vector_bits = 128;
};

class Programs : public ::testing::TestWithParam<HostCase> {
 protected:
  void SetUp() override {
    if (!native::LlvmDescription().ok()) GTEST_SKIP() << "there is no LLVM here";
  }
};

TEST_P(Programs, E21E23HostIsTheInterpreter) {
  const Program program = Lower(GetParam().strategy, GetParam().target);
  const std::vector<LoopCall> calls = CallsOf(program, GetParam().vector_bits);
  std::vector<LoopCall> expected = calls, host = calls;
  const Status interpreted = RunInInterpreter(program, 1, &expected);
  ASSERT_TRUE(interpreted.ok()) << interpreted.ToString();
  const Status ran = RunOnHost(program, &host);
  ASSERT_TRUE(ran.ok()) << ran.ToString();
  ExpectSame(program, expected, host);
}

INSTANTIATE_TEST_SUITE_P(
    Host, Programs,
    ::testing::Values(HostCase{"Scalar", Strategy::kScalar, "x86_64+avx2"},
                      HostCase{"Fixed", Strategy::kFixed, "x86_64+avx2", 256},
                      HostCase{"Predicated", Strategy::kFixedPredicated, "x86_64+avx512", 512},
                      HostCase{"Target", Strategy::kTarget, "x86_64+avx512", 512}),
    [](const auto& info) { return std::string(info.param.name); });

class WasmPrograms : public ::testing::TestWithParam<HostCase> {};

TEST_P(WasmPrograms, E23WebAssemblyIsTheInterpreter) {
  const Program program = Lower(GetParam().strategy, GetParam().target);
  const std::vector<LoopCall> calls = CallsOf(program, GetParam().vector_bits);
  std::vector<LoopCall> expected = calls, node = calls;
  ASSERT_TRUE(RunInInterpreter(program, 1, &expected).ok());
  const Status ran = RunInNode(program, &node);
  ASSERT_TRUE(ran.ok()) << ran.ToString();
  ExpectSame(program, expected, node);
}

INSTANTIATE_TEST_SUITE_P(
    Node, WasmPrograms,
    ::testing::Values(HostCase{"Scalar", Strategy::kScalar, "wasm32"},
                      HostCase{"Fixed", Strategy::kFixed, "reference"},
                      HostCase{"FixedPredicated", Strategy::kFixedPredicated, "reference"},
                      HostCase{"Predicated", Strategy::kPredicated, "reference"},
                      HostCase{"Target", Strategy::kTarget, "wasm32"}),
    [](const auto& info) { return std::string(info.param.name); });

// Tails that loops fold, and vectors that schedules ask for, of which some are longer than MVE's.
class MvePrograms : public ::testing::TestWithParam<HostCase> {};

TEST_P(MvePrograms, E21HeliumIsTheInterpreter) {
  if (!HaveMveBackend()) GTEST_SKIP() << "there is no qemu-system-arm here";
  const Program program = Lower(GetParam().strategy, GetParam().target);
  const std::vector<LoopCall> calls = CallsOf(program, GetParam().vector_bits);
  std::vector<LoopCall> expected = calls, mve = calls;
  ASSERT_TRUE(RunInInterpreter(program, 1, &expected).ok());
  const Status ran = RunOnMve(program, &mve);
  ASSERT_TRUE(ran.ok()) << ran.ToString();
  const bool vectors = GetParam().strategy != Strategy::kScalar;
  ExpectSame(program, expected, mve, vectors ? Subnormals::kMayBeZeros : Subnormals::kKept);
}

INSTANTIATE_TEST_SUITE_P(Qemu, MvePrograms,
                         ::testing::Values(HostCase{"Target", Strategy::kTarget, "armv8.1m+mve"},
                                           HostCase{"Scalar", Strategy::kScalar, "armv8.1m+mve"},
                                           HostCase{"Fixed", Strategy::kFixed, "armv8.1m+mve"}),
                         [](const auto& info) { return std::string(info.param.name); });

// A counter of 32 bits would go round, or stop early.
TEST(MveLoops, TrapWhereCountersHaveNoRoom) {
  if (!HaveMveBackend()) GTEST_SKIP() << "there is no qemu-system-arm here";
  const auto source = ParseLoops("last.tloop", R"(
primfn last<n, m>(A: out int32[1]) {
  A[0] = 0
  for (i, 0, n; i += m) {
    A[0] = 7
  }
}
)");
  ASSERT_TRUE(source.ok()) << source.status().ToString();
  const auto program = LowerFile(*source, DefaultLowering(*FindTarget("armv8.1m+mve")));
  ASSERT_TRUE(program.ok()) << program.status().ToString();
  const auto run = [&](int64_t n, int64_t m) {
    LoopCall call{"last", {}, {n, m}};
    call.buffers.emplace_back(4, 1);
    std::vector<LoopCall> calls = {call};
    const Status ran = RunOnMve(*program, &calls);
    return ran.ok() ? StrCat("A is ", int{calls[0].buffers[0].data()[0]}) : ran.ToString();
  };
  EXPECT_EQ(run(-1, 1), "A is 0");
  EXPECT_EQ(run((int64_t{1} << 30) - 1, int64_t{1} << 29), "A is 7");
  constexpr int64_t kTooLong = int64_t{1} << 30, kCutToFew = (int64_t{1} << 32) + 2;
  for (const int64_t size : {kTooLong, kCutToFew})
    EXPECT_NE(run(size, 4).find("exit code 3"), std::string::npos) << run(size, 4);
  EXPECT_NE(run(5, kCutToFew).find("exit code 3"), std::string::npos);
}

class SvePrograms : public ::testing::TestWithParam<HostCase> {};

TEST_P(SvePrograms, E17E18E19E22E24OneObjectAtEveryLengthIsTheInterpreter) {
  if (!HaveSveBackend()) GTEST_SKIP() << "there is no AArch64 compiler or emulator here";
  const Program program = Lower(GetParam().strategy, GetParam().target);
  const auto backend = SveBackend::Make(program);
  ASSERT_TRUE(backend.ok()) << backend.status().ToString();
  for (const int bits : {128, 256, 512, 1024, 2048}) {
    SCOPED_TRACE(bits);
    const std::vector<LoopCall> calls = CallsOf(program, bits);
    std::vector<LoopCall> expected = calls, sve = calls;
    ASSERT_TRUE(RunInInterpreter(program, bits / 128, &expected).ok());
    const Status ran = backend->Run(bits, &sve);
    ASSERT_TRUE(ran.ok()) << ran.ToString();
    ExpectSame(program, expected, sve);
  }
}

INSTANTIATE_TEST_SUITE_P(Qemu, SvePrograms,
                         ::testing::Values(HostCase{"Cleanup", Strategy::kCleanup, "aarch64+sve"},
                                           HostCase{"Predicated", Strategy::kPredicated,
                                                    "aarch64+sve"},
                                           HostCase{"Target", Strategy::kTarget, "aarch64+sve"}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tern::loop::programs_test
