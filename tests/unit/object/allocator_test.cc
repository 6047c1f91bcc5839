// SPDX-License-Identifier: Apache-2.0
// The allocators: reuse, statistics, limits, failure.
#include "core/object/allocator.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "tests/unit/object/counting.h"

namespace tern::allocator_test {
namespace {

TEST(AllocatorTest, PoolReusesBlocks) {
  CountingPlatform platform;
  const auto pool = MakePooledAllocator(platform.get());
  void* first = pool->Allocate(1000, 64);
  pool->Free(first, 1000, 64);
  void* second = pool->Allocate(970, 64);  // of the same class
  EXPECT_EQ(first, second);
  EXPECT_EQ(platform.allocations, 1);
  EXPECT_EQ(pool->stats().hits, 1);
  EXPECT_EQ(pool->stats().allocations, 2);
  pool->Free(second, 970, 64);
}

TEST(AllocatorTest, NaiveNeverReuses) {
  CountingPlatform platform;
  const auto naive = MakeNaiveAllocator(platform.get());
  for (int i = 0; i < 3; ++i) naive->Free(naive->Allocate(100, 64), 100, 64);
  EXPECT_EQ(platform.allocations, 3);
  EXPECT_EQ(platform.blocks, 0);
  EXPECT_EQ(naive->stats().hits, 0);
}

TEST(AllocatorTest, Statistics) {
  const auto pool = MakePooledAllocator();
  void* a = pool->Allocate(100, 64);
  void* b = pool->Allocate(1000, 64);
  EXPECT_EQ(pool->stats().live_bytes, 1100);
  EXPECT_EQ(pool->stats().live_blocks, 2);
  pool->Free(b, 1000, 64);
  EXPECT_EQ(pool->stats().live_bytes, 100);
  EXPECT_EQ(pool->stats().peak_bytes, 1100);
  EXPECT_GE(pool->stats().reserved_bytes, 1100);
  pool->ResetPeak();
  EXPECT_EQ(pool->stats().peak_bytes, 100);
  pool->Free(a, 100, 64);
  pool->Trim();
  EXPECT_EQ(pool->stats().reserved_bytes, 0);
}

TEST(AllocatorTest, EverySizeIsAlignedWritableAndWastesLittle) {
  CountingPlatform platform;
  const auto pool = MakePooledAllocator(platform.get());
  std::mt19937_64 random(1);
  for (int i = 0; i < 500; ++i) {
    const size_t size = i < 200 ? static_cast<size_t>(i * 11) : random() % (3u << 20);
    void* block = pool->Allocate(size, 64);
    ASSERT_EQ(reinterpret_cast<uintptr_t>(block) % 64, 0u);
    std::memset(block, 0xAB, size);
    pool->Free(block, size, 64);
    pool->Trim();
    ASSERT_EQ(platform.bytes, 0);
    void* again = pool->Allocate(size, 64);
    ASSERT_GE(platform.bytes, static_cast<int64_t>(size));
    ASSERT_LE(platform.bytes, static_cast<int64_t>(size + size / 8 + 64));
    pool->Free(again, size, 64);
    pool->Trim();
  }
}

// Sizes of classes, so that nothing is rounded up.
constexpr size_t kMega = size_t{1} << 20;

TEST(AllocatorTest, ALargeBlockThatIsDeadHoldsSmallerOnesAndIsWholeAgain) {
  CountingPlatform platform;
  const auto pool = MakePooledAllocator(platform.get());
  void* whole = pool->Allocate(4 * kMega, 64);
  pool->Free(whole, 4 * kMega, 64);
  void* parts[3];
  for (void*& part : parts) {
    part = pool->Allocate(kMega, 64);
    ASSERT_NE(part, nullptr);
    std::memset(part, 0xAB, kMega);
  }
  EXPECT_EQ(platform.allocations, 1);
  pool->Free(parts[0], kMega, 64);
  pool->Free(parts[2], kMega, 64);
  pool->Free(parts[1], kMega, 64);
  EXPECT_EQ(pool->Allocate(4 * kMega, 64), whole);
  EXPECT_EQ(platform.allocations, 1);
  EXPECT_EQ(pool->stats().hits, 4);
  pool->Free(whole, 4 * kMega, 64);
}

TEST(AllocatorTest, FreeRegionsThatAreTooSmallGiveWayToALargerOne) {
  CountingPlatform platform;
  const auto pool = MakePooledAllocator(platform.get());
  void* small = pool->Allocate(kMega, 64);
  void* kept = pool->Allocate(kMega, 64);
  pool->Free(small, kMega, 64);
  void* large = pool->Allocate(2 * kMega, 64);
  EXPECT_EQ(platform.blocks, 2);
  EXPECT_LT(pool->stats().reserved_bytes, static_cast<int64_t>(3 * kMega + 1000));
  pool->Free(large, 2 * kMega, 64);
  pool->Free(kept, kMega, 64);
}

// A program's runs ask for the same again and again; from some run on the platform is not asked.
// Numbers below what is asked for, the same on every target.
auto Draws(uint64_t seed) {
  return [random = std::mt19937_64(seed)](size_t limit) mutable {
    return static_cast<size_t>(random() % limit);
  };
}

TEST(AllocatorTest, EqualRunsComeToAnEndWithThePlatform) {
  CountingPlatform platform;
  const auto pool = MakePooledAllocator(platform.get());
  auto below = Draws(7);
  struct Tensor {
    size_t bytes;
    size_t born;
    size_t dies;
  };
  std::vector<Tensor> tensors(60);
  for (size_t i = 0; i < tensors.size(); ++i) {
    const size_t bytes = size_t{30000} << (below(7));
    tensors[i] = {bytes + below(bytes), i, i + 1 + below(6)};
  }
  int64_t most_live = 0;
  int64_t asked_before = -1;
  for (int run = 0; run < 20; ++run) {
    asked_before = platform.allocations;
    std::vector<void*> blocks(tensors.size());
    for (size_t now = 0; now < tensors.size() + 8; ++now) {
      for (const Tensor& each : tensors) {
        if (each.born == now) blocks[each.born] = pool->Allocate(each.bytes, 64);
        if (each.dies == now) pool->Free(blocks[each.born], each.bytes, 64);
      }
    }
    most_live = pool->stats().peak_bytes;
  }
  EXPECT_EQ(platform.allocations, asked_before);
  EXPECT_EQ(pool->stats().live_bytes, 0);
  EXPECT_LT(pool->stats().reserved_bytes, 2 * most_live);
}

TEST(AllocatorTest, LargeBlocksInAnyOrderKeepWhatIsInThem) {
  CountingPlatform platform;
  {
    const auto pool = MakePooledAllocator(platform.get());
    auto below = Draws(3);
    struct Held {
      uint8_t* block;
      size_t bytes;
      uint8_t mark;
    };
    std::vector<Held> held;
    const auto check_and_free = [&](size_t i) {
      const auto [block, bytes, mark] = held[i];
      for (size_t at = 0; at < bytes; at += 997) ASSERT_EQ(block[at], mark);
      ASSERT_EQ(block[bytes - 1], mark);
      pool->Free(block, bytes, 64);
      held[i] = held.back();
      held.pop_back();
    };
    for (int step = 0; step < 3000; ++step) {
      if (held.size() > 20 || (!held.empty() && below(2) == 0)) {
        check_and_free(below(held.size()));
        continue;
      }
      const size_t bytes = 20000 + below(size_t{1} << (15 + below(6)));
      auto* block = static_cast<uint8_t*>(pool->Allocate(bytes, 64));
      ASSERT_NE(block, nullptr);
      ASSERT_EQ(reinterpret_cast<uintptr_t>(block) % 64, 0u);
      held.push_back({block, bytes, static_cast<uint8_t>(step)});
      std::memset(block, held.back().mark, bytes);
      ASSERT_GE(pool->stats().reserved_bytes, pool->stats().live_bytes);
    }
    while (!held.empty()) check_and_free(0);
    pool->Trim();
    EXPECT_EQ(pool->stats().reserved_bytes, 0);
  }
  EXPECT_EQ(platform.blocks, 0);
  EXPECT_EQ(platform.bytes, 0);
}

TEST(AllocatorTest, LargeAlignmentAndZeroBytes) {
  const auto pool = MakePooledAllocator();
  void* page = pool->Allocate(5000, 4096);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(page) % 4096, 0u);
  pool->Free(page, 5000, 4096);
  void* nothing = pool->Allocate(0, 64);
  EXPECT_NE(nothing, nullptr);
  pool->Free(nothing, 0, 64);
  pool->Free(nullptr, 10, 64);
  EXPECT_EQ(pool->stats().live_bytes, 0);
}

TEST(AllocatorTestBad, HugeRequestsAndLimits) {
  const auto pool = MakePooledAllocator();
  EXPECT_EQ(pool->Allocate(SIZE_MAX, 64), nullptr);
  EXPECT_EQ(pool->Allocate(SIZE_MAX / 2, 64), nullptr);
  pool->set_limit(1000);
  void* block = pool->Allocate(900, 64);
  EXPECT_NE(block, nullptr);
  EXPECT_EQ(pool->Allocate(101, 64), nullptr);
  pool->Free(block, 900, 64);
  EXPECT_EQ(pool->Allocate(1001, 64), nullptr);
}

TEST(AllocatorTestBad, PoolGivesBackFreeBlocksBeforeItFails) {
  struct Small {
    TernPlatform platform = {};
    int64_t left = 100000;
  } small;
  small.platform.context = &small;
  small.platform.allocate = [](void* context, size_t bytes, size_t) -> void* {
    auto* self = static_cast<Small*>(context);
    if (static_cast<int64_t>(bytes) > self->left) return nullptr;
    self->left -= static_cast<int64_t>(bytes);
    return std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  };
  small.platform.free = [](void* context, void* pointer, size_t bytes, size_t) {
    static_cast<Small*>(context)->left += static_cast<int64_t>(bytes);
    std::free(pointer);
  };
  const auto pool = MakePooledAllocator(&small.platform);
  void* a = pool->Allocate(60000, 64);
  pool->Free(a, 60000, 64);
  void* b = pool->Allocate(80000, 64);  // only fits once the first is given back
  EXPECT_NE(b, nullptr);
  EXPECT_EQ(pool->Allocate(80000, 64), nullptr);
  pool->Free(b, 80000, 64);
}

TEST(AllocatorTest, SafeFromSeveralThreads) {
#ifndef TERN_SINGLE_THREADED
  const auto pool = MakePooledAllocator();
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&pool, t] {
      for (size_t i = 0; i < 2000; ++i) {
        const size_t size = (i * (t + 7)) % 3000;
        auto* block = static_cast<uint8_t*>(pool->Allocate(size, 64));
        if (size > 0) block[size - 1] = 1;
        pool->Free(block, size, 64);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(pool->stats().live_blocks, 0);
  EXPECT_EQ(pool->stats().allocations, 8000);
#endif
}

#if GTEST_HAS_DEATH_TEST
TEST(AllocatorDeathTest, ALargeBlockThatIsFreedTwice) {
  const auto pool = MakePooledAllocator();
  void* block = pool->Allocate(kMega, 64);
  pool->Free(block, kMega, 64);
  EXPECT_DEATH(pool->Free(block, kMega, 64), "freed twice");
}

TEST(AllocatorDeathTest, ImpossibleAlignment) {
  EXPECT_DEATH({ (void)DefaultAllocator()->Allocate(8, 3); }, "impossible alignment");
}
#endif

}  // namespace
}  // namespace tern::allocator_test
