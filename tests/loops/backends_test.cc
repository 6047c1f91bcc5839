// SPDX-License-Identifier: Apache-2.0
// Every operator, intrinsic, conversion, reduction and kind of access, in every type, at every
// length around the vectors', on all backends: whole memories must be equal, canaries included.
#include "tests/loops/backends.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/base/strings.h"
#include "core/loop/passes/pipeline.h"
#include "core/loop/text/parser.h"
#include "native/jit/llvm_compiler.h"
#include "tests/loops/memories.h"
#include "tests/loops/samples.h"

namespace tern::loop::backends_test {
namespace {

constexpr DType kTypes[] = {kI8, kU8, kI16, kU16, kI32, kU32, kI64, kU64, kF16, kBf16, kF32, kF64};

// Lengths 0 … 4 * lanes + 3.
std::vector<LoopCall> CallsOf(const Program& program, int lanes, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<LoopCall> calls;
  for (const LoopFunction& function : program.functions) {
    for (int n = 0; n <= 4 * lanes + 3; n += n > 2 * lanes + 1 ? 3 : 1) {
      LoopCall call{function.name, {}, {n}};
      for (const BufferPtr& buffer : function.buffers) {
        call.buffers.push_back(RandomBuffer(buffer->dtype, static_cast<size_t>(n), &random));
        if (buffer->name != "I") continue;
        for (int i = 0; i < n; ++i) {
          const auto index = static_cast<int32_t>(random() % static_cast<uint64_t>(n));
          std::memcpy(call.buffers.back().data() + 4 * i, &index, 4);
        }
      }
      calls.push_back(std::move(call));
    }
  }
  return calls;
}

Program Everything(Lanes lanes, bool casts) {
  Program all;
  for (const DType type : kTypes) {
    const std::string suffix = "_" + type.ToString();
    Append(&all, AllOperators(type, lanes), suffix);
    if (!lanes.is_scalar()) Append(&all, Indexed(type, lanes), suffix);
    if (!casts) continue;
    Append(&all, Casts(type, kBool, lanes), suffix + "_bool");
    for (const DType to : kTypes)
      Append(&all, Casts(type, to, lanes), suffix + "_" + to.ToString());
  }
  Append(&all, AllOperators(kBool, lanes), "_bool");
  for (const DType to : kTypes) Append(&all, Casts(kBool, to, lanes), "_bool_" + to.ToString());
  return all;
}

// Lanes past n hold the identity, so the same lanes are folded in the same order whatever the
// vector's length.
TEST(Reductions, E24EqualOnAllBackends) {
  if (!native::LlvmDescription().ok()) GTEST_SKIP() << "there is no LLVM here";
  constexpr int kLanes = 4;
  Program fixed, scalable;
  for (const DType type : kTypes) {
    for (const BinaryOp op : {BinaryOp::kAdd, BinaryOp::kMul, BinaryOp::kMin, BinaryOp::kMax}) {
      const std::string suffix = StrCat("_", InfoOf(op).name, "_", type.ToString());
      Append(&fixed, Reduce(op, type, Lanes{kLanes}), suffix);
      Append(&scalable, Reduce(op, type, Lanes{kLanes, true}), suffix);
    }
  }
  std::vector<LoopCall> calls = CallsOf(fixed, kLanes, 3);
  std::erase_if(calls,
                [](const LoopCall& call) { return call.slots[0] < 1 || call.slots[0] > kLanes; });
  std::vector<LoopCall> host = calls, node = calls;
  ASSERT_TRUE(RunOnHost(fixed, &host).ok());
  ASSERT_TRUE(RunInNode(fixed, &node).ok());
  ExpectSame(fixed, host, node);
  if (!HaveSveBackend()) return;
  const auto backend = SveBackend::Make(scalable);
  ASSERT_TRUE(backend.ok()) << backend.status().ToString();
  for (const int bits : {128, 512, 2048}) {
    std::vector<LoopCall> sve = calls;
    ASSERT_TRUE(backend->Run(bits, &sve).ok());
    ExpectSame(fixed, host, sve);
  }
}

class Backends : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!native::LlvmDescription().ok()) GTEST_SKIP() << "there is no LLVM here";
  }
};

// F01: the same core on both.
TEST_P(Backends, E23HostAndWebAssemblyAgree) {
  const Program program = Everything(Lanes{GetParam()}, true);
  const std::vector<LoopCall> calls = CallsOf(program, GetParam(), 1);
  std::vector<LoopCall> host = calls, node = calls;
  const Status on_host = RunOnHost(program, &host);
  ASSERT_TRUE(on_host.ok()) << on_host.ToString();
  const Status in_node = RunInNode(program, &node);
  ASSERT_TRUE(in_node.ok()) << in_node.ToString();
  ExpectSame(program, host, node);
}

INSTANTIATE_TEST_SUITE_P(Lanes, Backends, ::testing::Values(1, 4, 16));

// A sum that overflows ends a loop: LLVM took it for poison, and WebAssembly's goes round.
TEST(Steps, ThatHaveNoRoomEndTheLoop) {
  const auto source = ParseLoops("steps.tloop", R"(
primfn steps<n, m>(A: inout uint8[1]) {
  for (i, 0, n; i += m) { A[0] = A[0] + cast(uint8, 1) }
  for (i, 0, n; i += 6917529027641081856) { A[0] = A[0] + cast(uint8, 16) }
}
)");
  ASSERT_TRUE(source.ok()) << source.status().ToString();
  const auto program = LowerFile(*source, DefaultLowering(*FindTarget("x86_64")));
  ASSERT_TRUE(program.ok()) << program.status().ToString();
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  std::vector<LoopCall> calls;
  for (const int64_t n : {int64_t{0}, int64_t{5}, kMost - 1, kMost}) {
    for (const int64_t m : {int64_t{1} << 62, kMost - 1, kMost}) {
      calls.push_back({"steps", {}, {n, m}});
      calls.back().buffers.emplace_back(1, 1);
    }
  }
  std::vector<LoopCall> expected = calls, node = calls;
  const Status interpreted = RunInInterpreter(*program, 1, &expected);
  ASSERT_TRUE(interpreted.ok()) << interpreted.ToString();
  ASSERT_TRUE(RunInNode(*program, &node).ok());
  ExpectSame(*program, expected, node);
  if (!native::LlvmDescription().ok()) GTEST_SKIP() << "there is no LLVM here";
  ASSERT_TRUE(RunOnHost(*program, &calls).ok());
  ExpectSame(*program, expected, calls);
}

TEST(SveBackends, E17E23OneObjectForEveryVectorLength) {
  if (!HaveSveBackend()) GTEST_SKIP() << "there is no AArch64 compiler or emulator here";
  const Program scalable = Everything(Lanes{4, true}, true);
  const Program fixed = Everything(Lanes{4}, true);
  const std::vector<LoopCall> calls = CallsOf(fixed, 16, 2);
  std::vector<LoopCall> host = calls;
  ASSERT_TRUE(RunOnHost(fixed, &host).ok());
  const auto backend = SveBackend::Make(scalable);
  ASSERT_TRUE(backend.ok()) << backend.status().ToString();
  for (const int bits : {128, 256, 512, 1024, 2048}) {
    SCOPED_TRACE(bits);
    std::vector<LoopCall> sve = calls;
    const Status ran = backend->Run(bits, &sve);
    ASSERT_TRUE(ran.ok()) << ran.ToString();
    ExpectSame(fixed, host, sve);
  }
}

}  // namespace
}  // namespace tern::loop::backends_test
