// SPDX-License-Identifier: Apache-2.0
// Code for x86-64 processors of several generations, whatever this one is: each that it can run,
// and under an emulator the oldest, give what the reference interpreter gives, of numbers at the
// edges of their types. LLVM lowers operators of floats differently for each.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "core/base/strings.h"
#include "core/loop/run/lane_math.h"
#include "native/code/object_target.h"
#include "native/jit/llvm_compiler.h"
#include "tests/loops/backends.h"
#include "tests/loops/memories.h"
#include "tests/loops/samples.h"

namespace tern::loop::levels_test {
namespace {

constexpr DType kTypes[] = {kI8, kU8, kI16, kU16, kI32, kU32, kI64, kU64, kF16, kBf16, kF32, kF64};

// Vectors of 16 bytes, or what does not take long to compile; LLVM folds longer ones by halves.
constexpr Lanes kWide = {4}, kFolded = {16};
Lanes LanesOf(DType type) { return type.bits <= 16 ? Lanes{8} : kWide; }

// The first of them are those that a minimum must tell apart.
constexpr int kSpecial = 6;
// clang-format off
constexpr double kFloatEdges[] = {  // and their negatives
    0, __builtin_nan(""), __builtin_inf(), 1, 0.5, 1.5, 2.5, 127.5, 128, 255.5, 256, 32767.5, 65504,
    65520, 0x1p-24, 0x1p-25, 0x1p-130, 0x1.004p0, 0x1.002p0, 0x1.0020000000001p0,
    0x1.0100000000001p0, 0x1p31, 0x1p32, 0x1p63, 0x1p64, 1e30};
constexpr int64_t kIntEdges[] = {
    0, 1, -1, 2, -7, 31, 100, 127, 128, 32767, 65519, 65520, 0x1000001, 0x20000000000001,
    0x40400001, 0x4040000000100000, INT32_MIN, INT32_MAX, INT64_MIN, INT64_MAX};
// clang-format on

std::vector<Lane> EdgesOf(DType type) {
  std::vector<Lane> edges;
  if (!type.is_float()) {
    for (const int64_t edge : kIntEdges) edges.push_back({.i = edge});
    return edges;
  }
  for (const double edge : kFloatEdges) {
    edges.push_back({.f = RoundFloat(type, edge)});
    edges.push_back({.f = -edges.back().f});
  }
  return edges;
}

// What depends on how a processor computes: not the conversions between integers.
Program Everything() {
  Program all;
  for (const DType type : kTypes) {
    const std::string suffix = "_" + type.ToString();
    Append(&all, AllOperators(type, LanesOf(type)), suffix);
    for (const DType to : kTypes) {
      if (!type.is_float() && !to.is_float()) continue;
      Append(&all, Casts(type, to, kWide), suffix + "_" + to.ToString());
    }
    if (!type.is_float()) continue;
    for (const BinaryOp op : {BinaryOp::kMin, BinaryOp::kMax})
      Append(&all, Reduce(op, type, kFolded), StrCat("_", InfoOf(op).name, suffix));
  }
  return all;
}

bool IsReduction(const LoopFunction& function) { return function.name.starts_with("reduce"); }

// Each edge of A with each of B.
LoopCall PairsOf(const LoopFunction& function) {
  const size_t inputs = function.buffers.size() - 1;
  const DType type = function.buffers[0]->dtype;
  const std::vector<Lane> edges = EdgesOf(type);
  const size_t count = edges.size(), n = inputs == 1 ? count : count * count;
  LoopCall call{function.name, {}, {static_cast<int64_t>(n)}};
  for (size_t k = 0; k < inputs; ++k) {
    GuardedBuffer& buffer = call.buffers.emplace_back(static_cast<size_t>(type.size()), n);
    for (size_t i = 0; i < n; ++i) {
      const size_t pick = k == 0 ? i : k == 1 ? i / count : i * 7 + i / count;
      WriteLane(type, edges[pick % count], buffer.data() + i * buffer.element_bytes);
    }
  }
  call.buffers.emplace_back(static_cast<size_t>(function.buffers.back()->dtype.size()), n);
  return call;
}

// One value at each place among others.
void AddReductions(const LoopFunction& function, std::vector<LoopCall>* calls) {
  const DType type = function.buffers[0]->dtype;
  const auto size = static_cast<size_t>(type.size());
  const auto lanes = static_cast<size_t>(kFolded.count);
  const std::vector<Lane> edges = EdgesOf(type);
  for (size_t pair = 0; pair < kSpecial * kSpecial * lanes; ++pair) {
    GuardedBuffer from(size, lanes);
    for (size_t i = 0; i < lanes; ++i) {
      const size_t pick = i == pair % lanes ? pair / lanes / kSpecial : pair / lanes % kSpecial;
      WriteLane(type, edges[pick], from.data() + i * size);
    }
    calls->push_back(
        {function.name, {from, GuardedBuffer(size, lanes)}, {static_cast<int64_t>(lanes)}});
  }
}

struct Wanted {
  Program program = Everything();
  std::vector<LoopCall> calls, results;

  Wanted() {
    for (const LoopFunction& function : program.functions) {
      if (IsReduction(function))
        AddReductions(function, &calls);
      else
        calls.push_back(PairsOf(function));
    }
    results = calls;
    const Status ran = RunInInterpreter(program, 1, &results);
    EXPECT_TRUE(ran.ok()) << ran.ToString();
  }
};
const Wanted& TheWanted() {
  static const Wanted wanted;
  return wanted;
}

// A processor by LLVM's name, and the target whose features are all that code for it may use.
struct Level {
  const char* cpu;
  const char* needs;
};

native::CodeTarget TargetOf(const Level& level) {
  native::CodeTarget target = *native::FindCodeTarget(level.needs);
  target.cpu = level.cpu;
  return target;
}

bool CanRun(const Level& level) {
  const native::ObjectTarget& needs = *native::FindObjectTarget(level.needs);
  return native::CheckProcessor(needs, native::DetectProcessor()).ok();
}

class Levels : public ::testing::TestWithParam<Level> {
 protected:
  void SetUp() override {
    if (!native::LlvmDescription().ok()) GTEST_SKIP() << "there is no LLVM here";
  }
};

TEST_P(Levels, E23CodeForEachIsTheInterpreter) {
  const Wanted& wanted = TheWanted();
  const auto object = CompileFor(TargetOf(GetParam()), wanted.program, native::Effort::kQuick);
  ASSERT_TRUE(object.ok()) << object.status().ToString();
  if (!CanRun(GetParam())) GTEST_SKIP() << "compiled; this processor cannot run it";
  std::vector<LoopCall> calls = wanted.calls;
  const Status ran = RunObject(*object, &calls);
  ASSERT_TRUE(ran.ok()) << ran.ToString();
  ExpectSame(wanted.program, wanted.results, calls);
}

constexpr Level kNehalem = {"nehalem", "x86-64"}, kHaswell = {"haswell", "x86-64-avx2"};
INSTANTIATE_TEST_SUITE_P(X86, Levels,
                         ::testing::Values(kNehalem, Level{"ivybridge", "x86-64-avx2"}, kHaswell,
                                           Level{"skylake-avx512", "x86-64-avx512"}),
                         [](const auto& level) {
                           std::string name = level.param.cpu;
                           std::erase(name, '-');
                           return name;
                         });

TEST(EmulatedLevels, E23TheOldestProcessorIsTheInterpreter) {
  if (!HaveX86Emulator()) GTEST_SKIP() << "there is no x86-64 compiler or emulator here";
  const Wanted& wanted = TheWanted();
  std::vector<LoopCall> calls = wanted.calls;
  const Status ran = RunInX86Emulator("Nehalem", TargetOf(kNehalem), wanted.program, &calls);
  ASSERT_TRUE(ran.ok()) << ran.ToString();
  ExpectSame(wanted.program, wanted.results, calls);
}

// Else that would say nothing of which instructions the code has.
TEST(EmulatedLevels, TheOldestProcessorRefusesLaterCode) {
  if (!HaveX86Emulator()) GTEST_SKIP() << "there is no x86-64 compiler or emulator here";
  const Program program = PredicatedAdd(kF32, kWide);
  std::vector<LoopCall> calls = {PairsOf(program.functions[0])};
  EXPECT_TRUE(RunInX86Emulator("Haswell", TargetOf(kHaswell), program, &calls).ok());
  EXPECT_FALSE(RunInX86Emulator("Nehalem", TargetOf(kHaswell), program, &calls).ok());
}

}  // namespace
}  // namespace tern::loop::levels_test
