// SPDX-License-Identifier: Apache-2.0
// What may be shared between threads: counts, the type table, fields, the registry, modules,
// functions, immutable graphs. Run under ThreadSanitizer too (preset tsan).
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "core/object/containers/adt.h"
#include "core/object/containers/array.h"
#include "core/object/containers/map.h"
#include "core/object/error.h"
#include "core/object/graph/reflection.h"
#include "core/object/graph/serialize_binary.h"
#include "core/object/graph/structural_equal.h"
#include "core/object/graph/structural_hash.h"
#include "core/object/registry.h"
#include "core/object/rfc97/module.h"
#include "core/object/rfc97/weak.h"
#include "core/object/shape.h"
#include "tests/unit/object/counting.h"
#include "tests/unit/object/sketch_types.h"

namespace tern::threads_test {
namespace {

#ifndef TERN_SINGLE_THREADED

using ThreadsTest = CountedTest;

constexpr int kThreads = 4;

// body(number of the thread) on all of them at once.
template <typename F>
void OnThreads(F body) {
  std::atomic<int> waiting{kThreads};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([t, &body, &waiting] {
      --waiting;
      while (waiting.load() > 0) {
      }
      body(t);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

class Noted : public Object {
 public:
  static constexpr std::string_view kTypeKey = "threads_test.Noted";
  using Parent = Object;
  explicit Noted(std::atomic<int>* deleted) : Object(0, nullptr), deleted_(deleted) {}
  ~Noted() { ++*deleted_; }

 private:
  std::atomic<int>* deleted_;
};

TEST_F(ThreadsTest, TheLastHolderDeletesOnce) {
  constexpr int kRounds = 200;
  std::atomic<int> deleted{0};
  std::vector<std::vector<Any>> copies(kThreads);
  for (int round = 0; round < kRounds; ++round) {
    const Any shared(MakeObject<Noted>(&deleted));
    for (std::vector<Any>& own : copies) own.push_back(shared);
  }
  EXPECT_EQ(deleted, 0);
  OnThreads([&copies](int t) {
    for (Any& copy : copies[static_cast<size_t>(t)]) {
      const Any another(copy);
      copy.Reset();
    }
  });
  EXPECT_EQ(deleted, kRounds);
}

TEST_F(ThreadsTest, D37WeakPointersAreMadeAndLockedWhileHoldersCome) {
  std::atomic<int> deleted{0};
  for (int round = 0; round < 50; ++round) {
    std::vector<ObjectPtr<Noted>> holders(kThreads, MakeObject<Noted>(&deleted));
    OnThreads([&holders](int t) {
      ObjectPtr<Noted>& own = holders[static_cast<size_t>(t)];
      const WeakPtr<Noted> weak(own);
      own = nullptr;
      if (const ObjectPtr<Noted> again = weak.Lock()) ASSERT_GE(again->ref_count(), 1);
    });
    EXPECT_EQ(deleted, round + 1);
  }
}

TEST_F(ThreadsTest, D35FieldsAreRegisteredAndReadAtOnce) {
  OnThreads([](int) {
    RegisterSketchTypes();
    const ObjectPtr<Circle> circle = MakeObject<Circle>("c", 2.0, Any());
    while (FieldsOf(circle->type_code()).size() < 3) {
    }
    ASSERT_EQ(*GetField(*circle, "radius").value().As<double>(), 2.0);
    const ObjectPtr<Error> error = Error::Make(Failed("x"));
    ASSERT_EQ(*GetField(*error, "message").value().As<std::string>(), "x");
  });
}

TEST_F(ThreadsTest, TheRegistryIsWrittenAndReadAtOnce) {
  Registry registry;
  ASSERT_TRUE(registry.Register(Function::FromTyped("shared", [] { return 7; })).ok());
  OnThreads([&registry](int t) {
    for (int i = 0; i < 100; ++i) {
      const std::string name = StrCat("own.", t, ".", i);
      ASSERT_TRUE(registry.Register(Function::FromTyped(name, [i] { return i; })).ok());
      ASSERT_EQ(*registry.Find(name).value()->Invoke({})->As<int64_t>(), i);
      ASSERT_TRUE(
          registry.Register(Function::FromTyped("shared", [] { return 7; }), /*replace=*/true)
              .ok());
      ASSERT_EQ(*registry.Find("shared").value()->Invoke({})->As<int64_t>(), 7);
      ASSERT_FALSE(registry.Find(StrCat("own.", t, ".", i + 1)).ok());
      ASSERT_TRUE(registry.Contains(name));
      if (i % 2 == 0) ASSERT_TRUE(registry.Remove(name));
    }
  });
  EXPECT_EQ(registry.Names().size(), size_t{kThreads * 50 + 1});
}

TEST_F(ThreadsTest, ModulesAreFilledAndSearchedAtOnce) {
  const ModulePtr module = Module::Make("m");
  OnThreads([&module](int t) {
    for (int i = 0; i < 50; ++i) {
      const std::string name = StrCat("f.", t, ".", i);
      ASSERT_TRUE(module->Add(Function::FromTyped(name, [i] { return i; })).ok());
      ASSERT_EQ(*module->Find(name).value()->Invoke({})->As<int64_t>(), i);
    }
  });
  EXPECT_EQ(module->Names().size(), size_t{kThreads * 50});
}

TEST_F(ThreadsTest, ImmutableGraphsAreReadByAll) {
  Map<> map{{"key of some length", Any(Array<>({1, 2.5, "text", Any(Shape::Make({2, 3}))}))}};
  map.Set(7, Any(Adt::Tuple({AnyView("a text that lies on the heap"), AnyView(1)})));
  const Any graph(map);
  const std::vector<uint8_t> bytes = SerializeBinary(graph).value();
  const uint64_t hash = StructuralHash(graph).value();
  OnThreads([&](int) {
    for (int i = 0; i < 20; ++i) {
      const Any mine(graph);
      ASSERT_EQ(StructuralHash(mine).value(), hash);
      ASSERT_EQ(SerializeBinary(mine).value(), bytes);
      ASSERT_TRUE(StructuralEqual(mine, DeserializeBinary(bytes).value()));
      Map<> own = *mine.TryCast<Map<>>();
      own.Set("mine", i);  // copies first
      ASSERT_EQ(own.size(), 3u);
    }
  });
  EXPECT_EQ(graph.TryCast<Map<>>()->size(), 2u);
}

TEST_F(ThreadsTest, OneFunctionIsCalledByAll) {
  const FunctionPtr text =
      Function::FromTyped("text", [](const String& word, int64_t n) -> Result<String> {
        if (n < 0) return OutOfRange("n is ", n);
        return String(std::string(static_cast<size_t>(n), word[0]));
      });
  OnThreads([&text](int) {
    for (int i = 0; i < 200; ++i) {
      ASSERT_EQ(text->CallAs<std::string>("x", i)->size(), static_cast<size_t>(i));
      ASSERT_EQ(text->Invoke({"x", -1}).status().message(), "n is -1");
      ASSERT_FALSE(text->Invoke({i, i}).ok());
    }
  });
}

#endif

}  // namespace
}  // namespace tern::threads_test
