// SPDX-License-Identifier: Apache-2.0
// Weak pointers: upgrade, death, cycles, and the race between the two.
#include "core/object/rfc97/weak.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "core/object/allocator.h"
#include "core/object/shape.h"
#include "tests/unit/object/counting.h"

namespace tern::weak_test {
namespace {

using WeakTest = CountedTest;
using WeakTestBad = CountedTest;

TEST_F(WeakTest, D37UpgradesWhileTheObjectLives) {
  const ShapePtr shape = Shape::Make({1, 2});
  const WeakPtr<Shape> weak(shape);
  EXPECT_EQ(shape->ref_count(), 1) << "it does not count";
  {
    const ShapePtr strong = weak.Lock();
    EXPECT_EQ(strong.get(), shape.get());
    EXPECT_EQ(shape->ref_count(), 2);
  }
  EXPECT_FALSE(weak.expired());
  static_assert(sizeof(Object) == 16, "the header has not grown");
}

TEST_F(WeakTest, D37GivesNullAfterDeath) {
  WeakPtr<Shape> weak, copy;
  EXPECT_EQ(weak.Lock(), nullptr);
  {
    const ShapePtr shape = Shape::Make({1, 2});
    weak = shape;
    copy = weak;
    EXPECT_EQ(live(), 1);
  }
  EXPECT_EQ(live(), 0) << "the object is gone though it is pointed to";
  EXPECT_EQ(weak.Lock(), nullptr);
  EXPECT_TRUE(copy.expired());
  // Another object at, most likely, the same address is another object.
  const ShapePtr next = Shape::Make({3, 4});
  EXPECT_EQ(weak.Lock(), nullptr);
  const WeakPtr<Shape> fresh(next);
  EXPECT_EQ(fresh.Lock().get(), next.get());
}

struct Node : Object {
  static constexpr std::string_view kTypeKey = "weak_test.Node";
  using Parent = Object;
  Node() : Object(0, nullptr) {}
  ObjectPtr<Node> child;
  WeakPtr<Node> parent;
};

TEST_F(WeakTest, D37BreaksACycle) {
  {
    ObjectPtr<Node> parent = MakeObject<Node>();
    parent->child = MakeObject<Node>();
    parent->child->parent = parent;
    EXPECT_EQ(parent->child->parent.Lock().get(), parent.get());
    EXPECT_EQ(live(), 2);
  }
  EXPECT_EQ(live(), 0);
}

TEST_F(WeakTest, WorksForObjectsOfACustomAllocator) {
  const ObjectPtr<Allocator> counting = MakeNaiveAllocator();
  SetObjectAllocator(counting);
  WeakPtr<Shape> weak;
  {
    const ShapePtr shape = Shape::Make({1, 2, 3});
    weak = shape;
  }
  SetObjectAllocator(nullptr);
  EXPECT_TRUE(weak.expired());
  EXPECT_EQ(counting->stats().live_blocks, 0);
}

// Tries to revive itself in its own destructor, the last moment at which it could.
struct Watcher : Object {
  static constexpr std::string_view kTypeKey = "weak_test.Watcher";
  using Parent = Object;
  explicit Watcher(bool* told) : Object(0, nullptr), revived(told) {}
  ~Watcher() { *revived = self.Lock() != nullptr; }
  WeakPtr<Watcher> self;
  bool* revived;
};

TEST_F(WeakTestBad, D37AnObjectThatDiesIsNotRevived) {
  bool revived = true;
  {
    const ObjectPtr<Watcher> watcher = MakeObject<Watcher>(&revived);
    watcher->self = watcher;
  }
  EXPECT_FALSE(revived);
}

TEST_F(WeakTest, D37LockRacesWithTheLastReference) {
#ifndef TERN_SINGLE_THREADED
  for (int round = 0; round < 200; ++round) {
    ShapePtr shape = Shape::Make({round, 2});
    const WeakPtr<Shape> weak(shape);
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([&weak, round] {
        for (int i = 0; i < 50; ++i) {
          const ShapePtr strong = weak.Lock();
          if (strong != nullptr && (*strong)[0] != round) std::abort();
          const WeakPtr<Shape> again(strong);
        }
      });
    }
    shape = nullptr;
    for (std::thread& thread : threads) thread.join();
    EXPECT_TRUE(weak.expired());
  }
#endif
}

}  // namespace
}  // namespace tern::weak_test
