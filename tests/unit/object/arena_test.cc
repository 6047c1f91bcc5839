// SPDX-License-Identifier: Apache-2.0
// Arenas: places that are free or not, gaps, and how an allocator keeps them from run to run.
#include "core/object/arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "core/object/run_context.h"
#include "tests/unit/object/counting.h"

namespace tern::arena_test {
namespace {

class ArenaTest : public ::testing::Test {
 protected:
  size_t OffsetOf(const void* memory) const {
    return static_cast<size_t>(static_cast<const char*>(memory) - memory_);
  }

  alignas(64) char memory_[1024] = {};
  Arena arena_{nullptr, memory_, sizeof(memory_)};
};

TEST_F(ArenaTest, GivesEachPlaceOnce) {
  void* first = arena_.Take({128, 256});
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(OffsetOf(first), 128u);
  EXPECT_FALSE(arena_.is_idle());
  EXPECT_EQ(arena_.Take({128, 256}), nullptr);
  EXPECT_EQ(arena_.Take({64, 128}), nullptr) << "its end lies over the first";
  EXPECT_EQ(arena_.Take({320, 64}), nullptr) << "inside the first";
  EXPECT_EQ(arena_.Take({0, 1024}), nullptr) << "around the first";
  void* before = arena_.Take({64, 64});
  void* behind = arena_.Take({384, 640});
  EXPECT_NE(before, nullptr);
  EXPECT_NE(behind, nullptr);
  arena_.Return(first);
  EXPECT_EQ(arena_.Take({128, 256}), first);
  for (void* memory : {first, before, behind}) arena_.Return(memory);
  EXPECT_TRUE(arena_.is_idle());
}

// What a damaged file may ask for.
TEST_F(ArenaTest, RefusesPlacesThatAreNone) {
  for (const Place& place : std::vector<Place>{{0, 0},
                                               {0, 1088},
                                               {1024, 64},
                                               {960, 128},
                                               {32, 64},
                                               {0, 63},
                                               {UINT64_MAX - 63, 64},
                                               {64, UINT64_MAX - 63},
                                               {1 << 20, 64}}) {
    EXPECT_EQ(arena_.Take(place), nullptr) << place.offset << "+" << place.bytes;
  }
  EXPECT_TRUE(arena_.is_idle());
}

TEST_F(ArenaTest, FindsTheLowestGapBesideWhatIsKept) {
  const auto gap = [this](size_t bytes, std::vector<Place> kept = {}) {
    const Place place = arena_.FindGap(bytes, kept);
    return std::pair(place.offset, place.bytes);
  };
  using Pair = std::pair<uint64_t, uint64_t>;
  EXPECT_EQ(gap(100), Pair(0, 128));
  ASSERT_NE(arena_.Take({64, 64}), nullptr);
  ASSERT_NE(arena_.Take({256, 64}), nullptr);
  EXPECT_EQ(gap(64), Pair(0, 64));
  EXPECT_EQ(gap(65), Pair(128, 128));
  EXPECT_EQ(gap(65, {{192, 64}}), Pair(320, 128));
  // In no order, and one behind another.
  EXPECT_EQ(gap(65, {{384, 64}, {320, 64}, {128, 64}}), Pair(448, 128));
  EXPECT_EQ(gap(704), Pair(320, 704));
  EXPECT_EQ(gap(705), Pair(0, 0));
  EXPECT_EQ(gap(64, {{0, 1024}}), Pair(0, 0));
  EXPECT_EQ(gap(SIZE_MAX), Pair(0, 0));
}

// Against a byte map: a place is given exactly where all of it is free, and a gap where one is.
TEST_F(ArenaTest, AgreesWithAMapOfBytes) {
  std::mt19937 random(7);
  std::vector<Place> taken;
  bool used[1024 / 64] = {};
  const auto is_free = [&](const bool* map, uint64_t offset, uint64_t bytes) {
    return offset + bytes <= 1024 &&
           std::none_of(map + offset / 64, map + (offset + bytes) / 64, [](bool b) { return b; });
  };
  const auto fill = [](bool* map, const Place& place, bool value) {
    std::fill_n(map + place.offset / 64, place.bytes / 64, value);
  };
  for (int step = 0; step < 4000; ++step) {
    const Place place = {random() % 17 * 64, 64 + random() % 6 * 64};
    const Place kept = {random() % 16 * 64, 64};
    bool with_kept[1024 / 64];
    std::copy(std::begin(used), std::end(used), with_kept);
    fill(with_kept, kept, true);
    uint64_t lowest = 0;
    while (lowest + place.bytes <= 1024 && !is_free(with_kept, lowest, place.bytes)) lowest += 64;
    const Place gap = arena_.FindGap(static_cast<size_t>(place.bytes) - 5, {&kept, 1});
    ASSERT_EQ(gap.bytes, lowest + place.bytes <= 1024 ? place.bytes : 0) << step;
    if (gap.bytes != 0) ASSERT_EQ(gap.offset, lowest) << step;
    if (void* memory = arena_.Take(place)) {
      ASSERT_TRUE(is_free(used, place.offset, place.bytes)) << step;
      ASSERT_EQ(OffsetOf(memory), place.offset);
      fill(used, place, true);
      taken.push_back(place);
    } else {
      ASSERT_FALSE(is_free(used, place.offset, place.bytes)) << step;
    }
    if (!taken.empty() && random() % 2 == 0) {
      std::swap(taken[random() % taken.size()], taken.back());
      arena_.Return(memory_ + taken.back().offset);
      fill(used, taken.back(), false);
      taken.pop_back();
    }
  }
}

TEST(AllocatorArenas, AreKeptForTheNextRun) {
  CountingPlatform platform;
  const auto pool = MakePooledAllocator(platform.get());
  for (int run = 0; run < 3; ++run) {
    Arena* arena = pool->OpenArena(4096);
    ASSERT_NE(arena, nullptr);
    void* memory = pool->AllocateAt(arena, {64, 128}, 100);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(pool->stats().live_bytes, 100);
    pool->FreeAt(arena, memory, 100);
    pool->CloseArena(arena);
  }
  EXPECT_EQ(platform.allocations, 1);
  EXPECT_EQ(pool->stats().placed, 3);
  EXPECT_EQ(pool->stats().live_blocks, 0);
  EXPECT_EQ(pool->stats().reserved_bytes, 4096);
  // A smaller one is served by it, a larger one replaces it.
  pool->CloseArena(pool->OpenArena(1024));
  EXPECT_EQ(platform.allocations, 1);
  pool->CloseArena(pool->OpenArena(8192));
  EXPECT_EQ(pool->stats().reserved_bytes, 8192);
  pool->Trim();
  EXPECT_EQ(pool->stats().reserved_bytes, 0);
}

// Two machines that run at once over one allocator, and then one after the other.
TEST(AllocatorArenas, OnlyTheLargestIsKept) {
  const auto pool = MakePooledAllocator();
  Arena* small = pool->OpenArena(1024);
  Arena* large = pool->OpenArena(4096);
  EXPECT_NE(small, large);
  pool->CloseArena(large);
  pool->CloseArena(small);
  EXPECT_EQ(pool->stats().reserved_bytes, 4096);
}

TEST(AllocatorArenas, EndWhenWhatOutlivesTheRunEnds) {
  const auto pool = MakePooledAllocator();
  Arena* arena = pool->OpenArena(1024);
  void* memory = pool->AllocateAt(arena, {0, 64}, 64);
  pool->CloseArena(arena);
  EXPECT_EQ(pool->stats().reserved_bytes, 1024);
  Arena* next = pool->OpenArena(1024);
  EXPECT_NE(next, arena);
  pool->FreeAt(arena, memory, 64);
  EXPECT_EQ(pool->stats().reserved_bytes, 1024);
  pool->CloseArena(next);
}

TEST(AllocatorArenas, AreRefusedWhereThereIsNoRoom) {
  EXPECT_EQ(MakeNaiveAllocator()->OpenArena(1024), nullptr) << "keeps no free memory";
  const auto pool = MakePooledAllocator();
  EXPECT_EQ(pool->OpenArena(SIZE_MAX), nullptr);
  pool->set_limit(1000);
  EXPECT_EQ(pool->OpenArena(1001), nullptr);
  Arena* arena = pool->OpenArena(960);
  ASSERT_NE(arena, nullptr);
  // The limit counts what lies in it, not the arena.
  void* memory = pool->AllocateAt(arena, {0, 640}, 600);
  EXPECT_NE(memory, nullptr);
  pool->set_limit(700);
  EXPECT_EQ(pool->AllocateAt(arena, {640, 128}, 128), nullptr);
  pool->FreeAt(arena, memory, 600);
  pool->CloseArena(arena);
  CountingPlatform platform;
  platform.fail = true;
  EXPECT_EQ(MakePooledAllocator(platform.get())->OpenArena(1024), nullptr);
}

TEST(LayOutPlaces, LaysNothingOverWhatIsAlive) {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    std::vector<PlaceRequest> requests(random() % 40);
    uint64_t sum = 0;
    for (PlaceRequest& request : requests) {
      request.bytes = random() % 1000;
      request.first = static_cast<uint32_t>(random() % 30);
      request.last = request.first + static_cast<uint32_t>(random() % 6);
      sum += (request.bytes + 63) / 64 * 64;
    }
    const uint64_t bytes = LayOutPlaces(&requests);
    EXPECT_LE(bytes, sum);
    uint64_t most = 0;
    for (uint32_t time = 0; time < 40; ++time) {
      std::vector<PlaceRequest> alive;
      uint64_t live = 0;
      for (const PlaceRequest& request : requests) {
        if (request.first > time || request.last < time) continue;
        EXPECT_EQ(request.offset % 64, 0u);
        EXPECT_LE(request.offset + request.bytes, bytes);
        for (const PlaceRequest& other : alive)
          EXPECT_TRUE(request.offset >= other.offset + other.bytes ||
                      other.offset >= request.offset + request.bytes);
        alive.push_back(request);
        live += request.bytes;
      }
      most = std::max(most, live);
    }
    EXPECT_GE(bytes, most);
  }
}

// --- through a context, as operators see it

class ContextPlaces : public ::testing::Test {
 protected:
  TensorPtr New(int64_t floats) { return *context_.NewTensor(kF32, {floats}); }
  static const char* AddressOf(const TensorPtr& tensor) {
    return static_cast<const char*>(tensor->data());
  }
  int64_t placed() const { return context_.allocator()->stats().placed; }

  RunContext context_;
};

TEST_F(ContextPlaces, TensorsGetThePlacesThatTheyFill) {
  const Place places[] = {{0, 4096}, {4096, 64}};
  ASSERT_TRUE(context_.OpenArena(8192));
  context_.OfferPlaces(places);
  const TensorPtr other = New(100);
  EXPECT_EQ(placed(), 0) << "fits neither";
  const TensorPtr second = New(1);
  const TensorPtr first = New(1020);
  EXPECT_EQ(placed(), 2);
  EXPECT_EQ(AddressOf(second) - AddressOf(first), 4096);
  const TensorPtr again = New(1020);
  EXPECT_EQ(placed(), 2) << "a place is given once";
  context_.WithdrawPlaces();
  EXPECT_EQ(New(1020)->data() == first->data(), false);
  EXPECT_EQ(placed(), 2);
}

TEST_F(ContextPlaces, WhatIsMadeBesideResultsLiesInGaps) {
  constexpr int64_t kFloats = 16384;  // 64 KiB, more than the lists of small blocks have
  const Place places[] = {{65536, 65536}};
  ASSERT_TRUE(context_.OpenArena(196608));
  context_.OfferPlaces(places);
  void* scratch = context_.Scratch(40000);
  const TensorPtr own = New(kFloats - 100);
  const TensorPtr result = New(kFloats);
  EXPECT_EQ(placed(), 3);
  const char* const base = AddressOf(result) - 65536;
  EXPECT_EQ(static_cast<char*>(scratch), base);
  EXPECT_EQ(AddressOf(own), base + 131072);
  // No gap is left, so both come from elsewhere.
  const TensorPtr more = New(kFloats - 100);
  EXPECT_EQ(placed(), 3);
  EXPECT_NE(context_.Scratch(70000), nullptr);
  EXPECT_EQ(placed(), 3);
  context_.WithdrawPlaces();
}

TEST_F(ContextPlaces, ResultsOutliveTheRun) {
  const Place places[] = {{0, 64}};
  ASSERT_TRUE(context_.OpenArena(64));
  context_.OfferPlaces(places);
  const TensorPtr kept = New(16);
  kept->data_as<float>()[0] = 5;
  context_.CloseArena();
  ASSERT_TRUE(context_.OpenArena(64));
  context_.OfferPlaces(places);
  const TensorPtr next = New(16);
  next->data_as<float>()[0] = 6;
  EXPECT_NE(kept->data(), next->data());
  EXPECT_EQ(kept->data_as<float>()[0], 5);
}

}  // namespace
}  // namespace tern::arena_test
