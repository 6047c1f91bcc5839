// SPDX-License-Identifier: Apache-2.0
// Values and comparisons.
#include "tests/loops/memories.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>

#include "core/base/check.h"
#include "core/base/half.h"
#include "core/base/strings.h"
#include "core/loop/run/interpreter.h"

namespace tern::loop {
namespace {

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

bool IsNan(DType type, const uint8_t* at) {
  if (!type.is_float()) return false;
  uint64_t bits = 0;
  std::memcpy(&bits, at, static_cast<size_t>(type.size()));
  if (type == kF16) return (bits & 0x7fff) > 0x7c00;
  if (type == kBf16) return (bits & 0x7fff) > 0x7f80;
  if (type == kF32) return (bits & 0x7fffffff) > 0x7f800000;
  return (bits & 0x7fffffffffffffff) > 0x7ff0000000000000;
}

// A subnormal float32 for which the other side has a zero of its sign.
bool IsFlushed(DType type, const uint8_t* subnormal, const uint8_t* zero) {
  if (type != kF32) return false;
  uint32_t x = 0, y = 0;
  std::memcpy(&x, subnormal, sizeof x);
  std::memcpy(&y, zero, sizeof y);
  return (x & 0x7f800000) == 0 && y == (x & 0x80000000);
}

// Bit for bit, but that all NaNs are one: engines and processors choose their bits.
// The number of elements where there is none.
size_t FirstDifference(DType type, const GuardedBuffer& a, const GuardedBuffer& b,
                       Subnormals subnormals) {
  const auto size = static_cast<size_t>(type.size());
  for (size_t i = 0; i * size < a.size(); ++i) {
    const uint8_t *x = a.data() + i * size, *y = b.data() + i * size;
    if (std::memcmp(x, y, size) == 0 || (IsNan(type, x) && IsNan(type, y))) continue;
    if (subnormals == Subnormals::kKept || !IsFlushed(type, x, y)) return i;
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

}  // namespace

GuardedBuffer RandomBuffer(DType type, size_t count, std::mt19937_64* random) {
  const auto size = static_cast<size_t>(type.size());
  GuardedBuffer buffer(size, count);
  for (size_t i = 0; i < count; ++i) FillElement(type, random, buffer.data() + i * size);
  return buffer;
}

LoopCall RandomCall(const LoopFunction& function, int64_t n, std::mt19937_64* random) {
  LoopCall call{function.name, {}, {}};
  // The last size is the one that is vectorized; the others stay small.
  for (size_t i = 0; i < function.sizes.size(); ++i)
    call.slots.push_back(function.sizes[i]->name == "n" ? n : 3);
  const auto counts = ElementCounts(function, call.slots);
  TERN_CHECK(counts.ok(), "a call of sizes that fit");
  for (size_t k = 0; k < function.buffers.size(); ++k) {
    const Buffer& buffer = *function.buffers[k];
    const auto count = static_cast<size_t>((*counts)[k]);
    call.buffers.push_back(RandomBuffer(buffer.dtype, count, random));
    if (buffer.name != "I") continue;
    for (size_t i = 0; i < count; ++i) {
      const auto index = static_cast<int32_t>((*random)() % 8);
      std::memcpy(call.buffers.back().data() + 4 * i, &index, 4);
    }
  }
  for (const VarPtr& scalar : function.scalars) {
    const GuardedBuffer value = RandomBuffer(scalar->type.element(), 1, random);
    int64_t slot = 0;
    std::memcpy(&slot, value.data(), value.size());
    call.slots.push_back(slot);
  }
  return call;
}

void ExpectSame(const Program& program, const std::vector<LoopCall>& a,
                const std::vector<LoopCall>& b, Subnormals subnormals) {
  int reported = 0;
  for (size_t i = 0; i < a.size() && reported < 6; ++i) {
    const LoopFunction& function = *program.Find(a[i].function);
    for (size_t k = 0; k < a[i].buffers.size(); ++k) {
      const DType type = function.buffers[k]->dtype;
      const GuardedBuffer &x = a[i].buffers[k], &y = b[i].buffers[k];
      EXPECT_TRUE(x.GuardsAreWhole() && y.GuardsAreWhole()) << function.name << ": dead canaries";
      const size_t index = FirstDifference(type, x, y, subnormals);
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

}  // namespace tern::loop
