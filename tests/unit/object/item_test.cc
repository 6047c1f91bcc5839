// SPDX-License-Identifier: Apache-2.0
// The 8-byte item and the pool of slots behind it.
#include "core/object/containers/item.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "core/object/shape.h"
#include "core/object/strings/string.h"
#include "tests/unit/object/counting.h"

namespace tern::internal::item_test {
namespace {

using ItemTest = CountedTest;
using PodPoolTest = CountedTest;

bool SameBytes(const TernAny& a, const TernAny& b) { return memcmp(&a, &b, sizeof a) == 0; }

TernAny CodePoints(std::initializer_list<uint32_t> points) {
  TernAny any = MakeAny(TERN_TYPE_SMALL_UCS4);
  any.small_len = static_cast<int32_t>(points.size());
  std::copy(points.begin(), points.end(), any.v.char32);
  return any;
}

TernAny Device(int32_t type, int32_t id) {
  TernAny any = MakeAny(TERN_TYPE_DEVICE);
  any.v.device = {type, id};
  return any;
}

TEST_F(ItemTest, D25ImmediatesComeBackByteForByte) {
  const std::vector<AnyView> values = {AnyView(nullptr),
                                       AnyView(0),
                                       AnyView(-1),
                                       AnyView(Item::kMaxInt),
                                       AnyView(Item::kMinInt),
                                       AnyView(true),
                                       AnyView(false),
                                       AnyView(0.0),
                                       AnyView(-0.0),
                                       AnyView(1.5),
                                       AnyView(-2.5f),
                                       AnyView(std::numeric_limits<double>::infinity()),
                                       AnyView(kF32),
                                       AnyView(kBf16),
                                       AnyView(CodePoints({})),
                                       AnyView(CodePoints({0x1F600})),
                                       AnyView(CodePoints({'a', 0x10FFFF}))};
  for (const AnyView& value : values) {
    const Item item = Item::Immediate(value.c_any());
    ASSERT_FALSE(item.is_hole()) << value.type_name();
    EXPECT_TRUE(SameBytes(item.View(), value.c_any())) << value.type_name();
  }
}

TEST_F(ItemTest, D25TextOfEveryLengthUpToSevenIsImmediate) {
  std::string text;
  for (size_t length = 0; length <= 7; ++length) {
    const Any value{std::string_view(text)};
    const Item item = Item::Immediate(value.c_any());
    ASSERT_FALSE(item.is_hole());
    EXPECT_TRUE(SameBytes(item.View(), value.c_any())) << length;
    EXPECT_EQ(Item::OfText(text).bits(), item.bits());
    text += length % 2 == 0 ? '\xFF' : '\0';
  }
}

TEST_F(ItemTest, D25WhatIsNoImmediate) {
  const std::vector<AnyView> values = {AnyView(Item::kMaxInt + 1),
                                       AnyView(Item::kMinInt - 1),
                                       AnyView(INT64_MIN),
                                       AnyView(0.1),
                                       AnyView(CodePoints({UINT32_MAX})),
                                       AnyView(Device(1, 0))};
  for (const AnyView& value : values) {
    EXPECT_TRUE(Item::Immediate(value.c_any()).is_hole());
    ItemPool pool;
    const Item item = pool.Share(value.c_any());
    EXPECT_EQ(item.tag(), Item::kSlot);
    EXPECT_TRUE(SameBytes(item.View(), value.c_any()));
    EXPECT_TRUE(SameBytes(pool.Take(item).c_any(), value.c_any()));
  }
}

TEST_F(ItemTest, D25EqualImmediatesHaveEqualBits) {
  EXPECT_EQ(Item::Immediate(AnyView(7).c_any()).bits(), Item::OfInt(7).bits());
  EXPECT_NE(Item::Immediate(AnyView(1).c_any()).bits(),
            Item::Immediate(AnyView(true).c_any()).bits());
  EXPECT_NE(Item::Immediate(AnyView(1).c_any()).bits(),
            Item::Immediate(AnyView(1.0).c_any()).bits());
  EXPECT_NE(Item::OfText("a").bits(), Item::OfText(std::string_view("a\0", 2)).bits());
}

TEST_F(ItemTest, ObjectsAreCounted) {
  const ShapePtr shape = Shape::Make({1, 2});
  ItemPool pool;
  const Item item = pool.Share(AnyView(shape).c_any());
  EXPECT_TRUE(item.is_object());
  EXPECT_EQ(shape->ref_count(), 2);
  const Item copy = pool.Copy(item);
  EXPECT_EQ(shape->ref_count(), 3);
  EXPECT_EQ(pool.Take(copy).TryCast<Shape>(), shape.get());
  EXPECT_EQ(shape->ref_count(), 2);
  pool.Drop(item);
  EXPECT_EQ(shape->ref_count(), 1);
}

TEST_F(ItemTest, TextOfUpToFifteenBytesLiesInASlot) {
  for (size_t length = 8; length <= 15; ++length) {
    const std::string text(length, 'x');
    ItemPool pool;
    const Item item = pool.OfText(text);
    EXPECT_EQ(item.tag(), Item::kSlot);
    EXPECT_EQ(AnyToText(item.View()), text);
    EXPECT_EQ(live(), 0);
    const Any taken = pool.Take(item);
    EXPECT_EQ(*taken.TryCast<std::string_view>(), text);
  }
  ItemPool pool;
  const Item item = pool.OfText(std::string(16, 'x'));
  EXPECT_TRUE(item.is_object());
  pool.Drop(item);
}

TEST_F(ItemTest, AStringThatOthersHoldStaysTheirs) {
  const Any text{"ten bytes."};
  ItemPool pool;
  const Item shared = pool.Share(text.c_any());
  EXPECT_EQ(shared.object(), text.object());
  pool.Drop(shared);
  const Item alone = pool.Adopt(Any("ten bytes.").Release());
  EXPECT_EQ(alone.tag(), Item::kSlot);
  EXPECT_EQ(live(), 1);
  pool.Drop(alone);
}

TEST_F(ItemTest, TextWithZerosInside) {
  const std::string text("eight\0by\0", 9);
  ItemPool pool;
  const Item item = pool.OfText(text);
  EXPECT_EQ(AnyToText(item.View()), text);
  pool.Drop(item);
}

TEST_F(PodPoolTest, D26AddressesAreStableOverAMillionInserts) {
  constexpr int kCount = 1'000'000;
  PodPool pool;
  std::vector<PodSlot*> slots;
  slots.reserve(kCount);
  for (int i = 0; i < kCount; ++i) {
    slots.push_back(pool.Take());
    slots.back()->value.any = MakeIntAny(TERN_TYPE_INT, i);
  }
  int64_t wrong = 0;
  for (int i = 0; i < kCount; ++i) wrong += slots[static_cast<size_t>(i)]->value.any.v.i != i;
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(pool.bytes(), size_t{kCount} * sizeof(PodSlot) * 101 / 100);
}

TEST_F(PodPoolTest, D26FreedSlotsAreReusedLastFirst) {
  PodPool pool;
  std::vector<PodSlot*> slots;
  for (int i = 0; i < 100; ++i) slots.push_back(pool.Take());
  const size_t bytes = pool.bytes();
  for (int i = 10; i < 60; ++i) pool.Give(slots[static_cast<size_t>(i)]);
  EXPECT_EQ(slots[59]->free.next, slots[58]);  // the free list goes through the slots
  for (int i = 59; i >= 10; --i) EXPECT_EQ(pool.Take(), slots[static_cast<size_t>(i)]);
  EXPECT_EQ(pool.bytes(), bytes);
  const std::set<PodSlot*> different(slots.begin(), slots.end());
  EXPECT_EQ(different.count(pool.Take()), 0u);
}

TEST_F(PodPoolTest, D26SlotsAreAlignedAndApart) {
  PodPool pool;
  std::set<uintptr_t> addresses;
  for (int i = 0; i < 5000; ++i) addresses.insert(reinterpret_cast<uintptr_t>(pool.Take()));
  EXPECT_EQ(addresses.size(), 5000u);
  uintptr_t before = 0;
  for (const uintptr_t address : addresses) {
    EXPECT_EQ(address & 7, 0u);
    EXPECT_GE(address - before, sizeof(PodSlot));
    before = address;
  }
  pool.Clear();
  EXPECT_EQ(pool.bytes(), 0u);
  EXPECT_NE(pool.Take(), nullptr);
}

}  // namespace
}  // namespace tern::internal::item_test
