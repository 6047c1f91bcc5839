// SPDX-License-Identifier: Apache-2.0
// Every operator, intrinsic, conversion, reduction and kind of access, in every type, at every
// length around the vectors', on all roads: whole memories must be equal, canaries included.
#include "tests/loops/roads.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/base/half.h"
#include "core/base/strings.h"
#include "native/jit/llvm_compiler.h"
#include "tests/loops/samples.h"

namespace tern::loop {
namespace {

constexpr DType kTypes[] = {kI8, kU8, kI16, kU16, kI32, kU32, kI64, kU64, kF16, kBf16, kF32, kF64};

// Values at the edges of types, with random ones between.
void FillElement(DType type, std::mt19937_64* random, uint8_t* to) {
  static constexpr double kFloats[] = {0.0,   -0.0, 1.0,    -1.0,        0.5,          -2.5,
                                       3.0,   1e30, -1e-30, 65504.0,     2147483648.0, -129.0,
                                       255.5, 1e-7, 127.0,  4294967296.0};
  const uint64_t pick = (*random)();
  if (type.is_bool()) {
    *to = pick & 1;
    return;
  }
  if (!type.is_float()) {
    static constexpr int64_t kInts[] = {0,
                                        1,
                                        -1,
                                        2,
                                        -2,
                                        7,
                                        std::numeric_limits<int64_t>::min(),
                                        std::numeric_limits<int64_t>::max()};
    const uint64_t value = pick % 3 == 0   ? static_cast<uint64_t>(kInts[pick / 3 % 8])
                           : pick % 3 == 1 ? pick >> 60
                                           : (*random)();
    // The extreme values of narrow types are those of the widest, cut to size from the top.
    const uint64_t extreme = value >> (64 - type.bits);
    const uint64_t chosen = pick % 3 == 0 && pick / 3 % 8 > 5 ? extreme : value;
    std::memcpy(to, &chosen, static_cast<size_t>(type.bits) / 8);
    return;
  }
  double value = pick % 2 == 0
                     ? kFloats[pick / 2 % 16]
                     : static_cast<double>(static_cast<int64_t>((*random)() >> 44)) / 64 - 8000;
  if (pick % 61 == 0) value = std::numeric_limits<double>::infinity();
  if (pick % 67 == 0) value = std::numeric_limits<double>::quiet_NaN();
  const auto single = static_cast<float>(value);
  const uint16_t half = type == kF16 ? F32ToF16(single) : F32ToBf16(single);
  if (type.bits == 16) std::memcpy(to, &half, 2);
  if (type.bits == 32) std::memcpy(to, &single, 4);
  if (type.bits == 64) std::memcpy(to, &value, 8);
}

GuardedBuffer RandomBuffer(DType type, size_t count, std::mt19937_64* random) {
  const auto size = static_cast<size_t>(type.size());
  GuardedBuffer buffer(size, count);
  for (size_t i = 0; i < count; ++i) FillElement(type, random, buffer.data() + i * size);
  return buffer;
}

bool IsNan(DType type, const uint8_t* at) {
  if (!type.is_float()) return false;
  uint64_t bits = 0;
  std::memcpy(&bits, at, static_cast<size_t>(type.size()));
  if (type == kF16) return (bits & 0x7fff) > 0x7c00;
  if (type == kBf16) return (bits & 0x7fff) > 0x7f80;
  if (type == kF32) return (bits & 0x7fffffff) > 0x7f800000;
  return (bits & 0x7fffffffffffffff) > 0x7ff0000000000000;
}

// Bit for bit, but that all NaNs are one: engines and processors choose their bits.
// The number of elements where there is none.
size_t FirstDifference(DType type, const GuardedBuffer& a, const GuardedBuffer& b) {
  const auto size = static_cast<size_t>(type.size());
  for (size_t i = 0; i * size < a.size(); ++i) {
    const uint8_t *x = a.data() + i * size, *y = b.data() + i * size;
    if (std::memcmp(x, y, size) != 0 && !(IsNan(type, x) && IsNan(type, y))) return i;
  }
  return a.size() / size;
}

std::string ElementText(DType type, const GuardedBuffer& buffer, size_t index) {
  uint64_t bits = 0;
  const auto size = static_cast<size_t>(type.size());
  if ((index + 1) * size > buffer.size()) return "none";
  std::memcpy(&bits, buffer.data() + index * size, size);
  return StrCat(type.ToString(), " ", FormatHex(bits));
}

void ExpectSame(const Program& program, const std::vector<LoopCall>& a,
                const std::vector<LoopCall>& b) {
  int reported = 0;
  for (size_t i = 0; i < a.size() && reported < 6; ++i) {
    const LoopFunction& function = *program.Find(a[i].function);
    for (size_t k = 0; k < a[i].buffers.size(); ++k) {
      const DType type = function.buffers[k]->dtype;
      const GuardedBuffer &x = a[i].buffers[k], &y = b[i].buffers[k];
      EXPECT_TRUE(x.GuardsAreWhole() && y.GuardsAreWhole()) << function.name << ": dead canaries";
      const size_t index = FirstDifference(type, x, y);
      if (index * static_cast<size_t>(type.size()) == x.size()) continue;
      std::string operands;
      for (size_t j = 0; j < k; ++j)
        operands += " " + ElementText(function.buffers[j]->dtype, a[i].buffers[j], index);
      ADD_FAILURE() << function.name << " n=" << a[i].slots[0] << " element " << index << ": "
                    << ElementText(type, x, index) << " against " << ElementText(type, y, index)
                    << "; operands" << operands;
      ++reported;
    }
  }
}

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

void Append(Program* all, Program part, const std::string& suffix) {
  for (LoopFunction& function : part.functions) {
    function.name += suffix;
    all->functions.push_back(std::move(function));
  }
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
TEST(Reductions, E24EqualOnAllRoads) {
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
  if (!HaveSveRoad()) return;
  const auto road = SveRoad::Make(scalable);
  ASSERT_TRUE(road.ok()) << road.status().ToString();
  for (const int bits : {128, 512, 2048}) {
    std::vector<LoopCall> sve = calls;
    ASSERT_TRUE(road->Run(bits, &sve).ok());
    ExpectSame(fixed, host, sve);
  }
}

class Roads : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!native::LlvmDescription().ok()) GTEST_SKIP() << "there is no LLVM here";
  }
};

TEST_P(Roads, E23HostAndWebAssemblyAgree) {
  const Program program = Everything(Lanes{GetParam()}, true);
  const std::vector<LoopCall> calls = CallsOf(program, GetParam(), 1);
  std::vector<LoopCall> host = calls, node = calls;
  const Status on_host = RunOnHost(program, &host);
  ASSERT_TRUE(on_host.ok()) << on_host.ToString();
  const Status in_node = RunInNode(program, &node);
  ASSERT_TRUE(in_node.ok()) << in_node.ToString();
  ExpectSame(program, host, node);
}

INSTANTIATE_TEST_SUITE_P(Lanes, Roads, ::testing::Values(1, 4, 16));

TEST(SveRoads, E17E23OneObjectForEveryVectorLength) {
  if (!HaveSveRoad()) GTEST_SKIP() << "there is no AArch64 compiler or emulator here";
  const Program scalable = Everything(Lanes{4, true}, true);
  const Program fixed = Everything(Lanes{4}, true);
  const std::vector<LoopCall> calls = CallsOf(fixed, 16, 2);
  std::vector<LoopCall> host = calls;
  ASSERT_TRUE(RunOnHost(fixed, &host).ok());
  const auto road = SveRoad::Make(scalable);
  ASSERT_TRUE(road.ok()) << road.status().ToString();
  for (const int bits : {128, 256, 512, 1024, 2048}) {
    SCOPED_TRACE(bits);
    std::vector<LoopCall> sve = calls;
    const Status ran = road->Run(bits, &sve);
    ASSERT_TRUE(ran.ok()) << ran.ToString();
    ExpectSame(fixed, host, sve);
  }
}

}  // namespace
}  // namespace tern::loop
