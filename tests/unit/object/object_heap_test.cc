// SPDX-License-Identifier: Apache-2.0
// The heap of objects: reuse, counting, custom allocators swapped while objects live, threads.
#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

#include "core/object/allocator.h"
#include "core/object/boxed.h"
#include "core/object/containers/adt.h"
#include "core/object/containers/closure.h"
#include "core/object/containers/map.h"
#include "core/object/containers/sequence.h"
#include "core/object/function.h"
#include "core/object/shape.h"
#include "core/object/strings/string.h"
#include "tests/support/rounds.h"
#include "tests/unit/object/counting.h"

namespace tern::object_heap_test {
namespace {

class ObjectHeapTest : public CountedTest {
 protected:
  void TearDown() override {
    SetObjectAllocator(nullptr);
    CountedTest::TearDown();
  }
};
using ObjectHeapTestBad = ObjectHeapTest;

TEST_F(ObjectHeapTest, D36ACustomAllocatorIsAskedAndCounts) {
  const ObjectPtr<Allocator> counting = MakeNaiveAllocator();
  SetObjectAllocator(counting);
  {
    const ObjectPtr<BoxInt> box = BoxInt::Make(1);
    const Any text(std::string(100, 'x'));
    const ShapePtr shape = Shape::Make({1, 2, 3});
    EXPECT_EQ(counting->stats().live_blocks, 3);
    EXPECT_EQ(live(), 3);
    EXPECT_EQ(box->value(), 1);
  }
  EXPECT_EQ(counting->stats().live_blocks, 0);
  EXPECT_EQ(counting->stats().allocations, 3);
  // Values in place ask for nothing.
  const Any number(5), small("seven77");
  EXPECT_EQ(counting->stats().allocations, 3);
}

TEST_F(ObjectHeapTest, D36SwappingWhileObjectsLive) {
  const ObjectPtr<Allocator> first = MakeNaiveAllocator(), second = MakePooledAllocator();
  ShapePtr plain = Shape::Make({1});
  SetObjectAllocator(first);
  ShapePtr of_first = Shape::Make({2});
  SetObjectAllocator(second);
  ShapePtr of_second = Shape::Make({3});
  SetObjectAllocator(nullptr);
  const ShapePtr plain_again = Shape::Make({4});
  EXPECT_EQ(first->stats().live_blocks, 1);
  EXPECT_EQ(second->stats().live_blocks, 1);
  plain = nullptr;
  of_first = nullptr;
  EXPECT_EQ(first->stats().live_blocks, 0) << "it goes back to where it came from";
  EXPECT_EQ(second->stats().live_blocks, 1);
  of_second = nullptr;
  EXPECT_EQ(second->stats().live_blocks, 0);
}

TEST_F(ObjectHeapTest, D36ObjectsKeepTheirAllocatorAlive) {
  ObjectPtr<Adt> tuple;
  {
    SetObjectAllocator(MakePooledAllocator());
    tuple = Adt::Tuple({Shape::Make({1}), Any(std::string(50, 'a')), 7});
    SetObjectAllocator(nullptr);
  }
  // Its fields are custom blocks within a custom block, and go while it goes.
  EXPECT_EQ(live(), 3);
  tuple = nullptr;
  EXPECT_EQ(live(), 0);
}

TEST_F(ObjectHeapTest, D36APooledAllocatorReusesBlocks) {
  const ObjectPtr<Allocator> pool = MakePooledAllocator();
  SetObjectAllocator(pool);
  for (int i = 0; i < 100; ++i) BoxInt::Make(i);
  EXPECT_EQ(pool->stats().allocations, 100);
  EXPECT_EQ(pool->stats().hits, 99);
  SetObjectAllocator(nullptr);
}

TEST_F(ObjectHeapTest, D36FreedBlocksAreUsedAgain) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(TERN_ASAN)
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
  GTEST_SKIP() << "nothing is kept where dead memory is watched";
#endif
#endif
  std::set<const void*> addresses;
  for (int i = 0; i < 100; ++i) addresses.insert(BoxInt::Make(i).get());
  EXPECT_EQ(addresses.size(), 1u);
  addresses.clear();
  for (int i = 0; i < 100; ++i) addresses.insert(LongString::Make("of text too").get());
  EXPECT_EQ(addresses.size(), 1u);
#endif
}

TEST_F(ObjectHeapTest, D36TextThatShrankFreesNoMoreThanItHas) {
  // A block may be kept as one for less than it holds, never for more.
  for (size_t room = 17; room < 600; room += 7) {
    String text(std::string(room, 'a'));
    text.Reserve(room + 40);
    text.Resize(17);
    Any short_text(std::move(text));
    short_text.Reset();
    for (size_t length = 17; length < 64; ++length) {
      const Any again(std::string(length, 'b'));
      EXPECT_EQ(*again.TryCast<std::string_view>(), std::string(length, 'b'));
    }
  }
}

TEST_F(ObjectHeapTest, ManySizesLiveAndDie) {
  std::vector<Any> kept;
  for (size_t length = 0; length < 600; ++length) kept.emplace_back(std::string(length, 'z'));
  for (size_t length = 0; length < 600; ++length)
    EXPECT_EQ(kept[length].TryCast<std::string_view>()->size(), length);
  EXPECT_EQ(live(), 600 - 8);
  kept.clear();
  for (int i = 0; i < 5000; ++i) kept.emplace_back(Shape::Make({i}));
  EXPECT_EQ(live(), 5000);
}

class Link : public Object {
 public:
  static constexpr std::string_view kTypeKey = "object_heap_test.Link";
  using Parent = Object;
  explicit Link(Any next) : Object(0, nullptr), next_(std::move(next)) {}

 private:
  Any next_;
};

// A chain of so many objects, each held by the one before.
template <typename F>
void MakeAndDropChain(int length, F wrap) {
  Any chain(Sequence::Make());
  for (int i = 0; i < length; ++i) chain = wrap(std::move(chain));
}

TEST_F(ObjectHeapTest, LongChainsDieWithoutOverflowingTheStack) {
  constexpr int kLength = support::Rounds(300'000);
  MakeAndDropChain(kLength, [](Any next) { return Any(Adt::Make(1, {{AnyView(next)}})); });
  MakeAndDropChain(kLength, [](Any next) { return Any(Closure::Make(1, {{AnyView(next)}})); });
  MakeAndDropChain(kLength, [](Any next) { return Any(Sequence::Make({AnyView(next)})); });
  MakeAndDropChain(kLength, [](Any next) { return Any(Map<>{{"next", AnyView(next)}}); });
  MakeAndDropChain(kLength, [](Any next) { return Any(MakeObject<Link>(std::move(next))); });
  MakeAndDropChain(kLength, [](Any next) {
    return Any(Function::FromTyped("f", [next = std::move(next)] { return next; }));
  });
  EXPECT_EQ(live(), 0);
}

TEST_F(ObjectHeapTest, D36LongChainsOfCustomBlocksGoBackToTheirAllocator) {
  const ObjectPtr<Allocator> counting = MakeNaiveAllocator();
  int64_t made = 0;
  MakeAndDropChain(10'000, [&](Any next) {  // custom blocks and others in turns
    SetObjectAllocator(++made % 3 == 0 ? counting : nullptr);
    return Any(Adt::Make(1, {{AnyView(next), AnyView("a text that lies on the heap")}}));
  });
  SetObjectAllocator(nullptr);
  EXPECT_EQ(counting->stats().live_blocks, 0);
  EXPECT_GT(counting->stats().allocations, 3000);
  EXPECT_EQ(live(), 0);
}

TEST_F(ObjectHeapTest, TreesThatAreDeepAndWideDieWhole) {
  Any tree(Sequence::Make());
  for (int i = 0; i < 1000; ++i) {
    const SequencePtr level = Sequence::Make();
    for (int j = 0; j < 20; ++j) level->PushBack(Any(Shape::Make({j})));
    level->PushBack(std::move(tree));
    tree = Any(level);
  }
  tree.Reset();
  EXPECT_EQ(live(), 0);
}

TEST_F(ObjectHeapTest, CountsAddUpOverThreads) {
#ifndef TERN_SINGLE_THREADED
  // Objects made in one thread and dropped in another, which has made none.
  std::vector<Any> made;
  std::thread maker([&made] {
    for (int i = 0; i < 3000; ++i) made.emplace_back(Shape::Make({i}));
  });
  maker.join();
  EXPECT_EQ(live(), 3000);
  std::thread dropper([&made] { made.clear(); });
  dropper.join();
  EXPECT_EQ(live(), 0);
  // An object that dies with its thread's own variables.
  std::thread([] { thread_local const Any last(Shape::Make({1})); }).join();
  EXPECT_EQ(live(), 0);
#endif
}

TEST_F(ObjectHeapTest, SwappingBesideMaking) {
#ifndef TERN_SINGLE_THREADED
  std::thread swapper([] {
    for (int i = 0; i < 200; ++i) {
      SetObjectAllocator(MakePooledAllocator());
      SetObjectAllocator(nullptr);
    }
  });
  std::vector<std::thread> makers;
  for (int t = 0; t < 2; ++t) {
    makers.emplace_back([] {
      for (int i = 0; i < 3000; ++i) Adt::Tuple({Shape::Make({i}), i});
    });
  }
  swapper.join();
  for (std::thread& maker : makers) maker.join();
#endif
}

}  // namespace
}  // namespace tern::object_heap_test
