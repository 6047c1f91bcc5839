// SPDX-License-Identifier: Apache-2.0
// Registry: exact names, factories, suggestions, threads.
#include "core/object/registry.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/unit/object/counting.h"

namespace tern::registry_test {
namespace {

using RegistryTest = CountedTest;
using RegistryTestBad = CountedTest;

Result<FunctionPtr> MakeScale(std::string_view name, const Attrs& attrs) {
  AttrReader reader("scale", attrs);
  const int64_t by = reader.Int("by", 1);
  TERN_TRY(reader.Finish());
  return Function::FromTyped(name, [by](int64_t x) { return x * by; });
}

TEST_F(RegistryTest, ExactNameFirst) {
  Registry registry;
  ASSERT_TRUE(registry.RegisterFactory("scale", MakeScale).ok());
  ASSERT_TRUE(
      registry.Register(Function::FromTyped("scale{by=7}", [](int64_t) { return 0; })).ok());
  EXPECT_EQ(*registry.Find("scale{by=7}").value()->Invoke({2})->As<int64_t>(), 0);
  EXPECT_EQ(*registry.Find("scale{by=5}").value()->Invoke({2})->As<int64_t>(), 10);
  EXPECT_EQ(*registry.Find("scale").value()->Invoke({2})->As<int64_t>(), 2);
}

TEST_F(RegistryTest, FactoryRunsOncePerName) {
  Registry registry;
  ASSERT_TRUE(registry.RegisterFactory("scale", MakeScale).ok());
  const FunctionPtr first = registry.Find("scale{by=3}").value();
  EXPECT_EQ(registry.Find("scale{by=3}").value(), first);
  EXPECT_EQ(first->name(), "scale{by=3}");
  ASSERT_TRUE(registry.RegisterFactory("scale", MakeScale, /*replace=*/true).ok());
  EXPECT_NE(registry.Find("scale{by=3}").value(), first);
}

TEST_F(RegistryTest, NamesAreSorted) {
  Registry registry;
  ASSERT_TRUE(registry.RegisterFactory("scale", MakeScale).ok());
  ASSERT_TRUE(registry.Register(Function::FromTyped("add", [](int64_t a) { return a; })).ok());
  (void)registry.Find("scale{by=2}");
  EXPECT_EQ(registry.Names(), (std::vector<std::string>{"add", "scale"}));
  EXPECT_TRUE(registry.Contains("scale{by=9}"));
  EXPECT_TRUE(registry.Contains("add"));
  EXPECT_FALSE(registry.Contains("sub"));
}

TEST_F(RegistryTest, ReplaceAndRemove) {
  Registry registry;
  const auto one = Function::FromTyped("f", [] { return 1; });
  ASSERT_TRUE(registry.Register(one).ok());
  EXPECT_EQ(registry.Register(Function::FromTyped("f", [] { return 2; })).message(),
            "a function 'f' is registered already");
  ASSERT_TRUE(registry.Register(Function::FromTyped("f", [] { return 2; }), true).ok());
  EXPECT_EQ(one->ref_count(), 1);
  EXPECT_EQ(*registry.Find("f").value()->Invoke({})->As<int64_t>(), 2);
  EXPECT_TRUE(registry.Remove("f"));
  EXPECT_FALSE(registry.Remove("f"));
  EXPECT_FALSE(registry.Find("f").ok());
}

int provider_calls = 0;
Registry* provided = nullptr;

// What it registers was left out until the first name that is missing.
bool ProvideScale() {
  ++provider_calls;
  return provider_calls == 1 && provided->RegisterFactory("scale", MakeScale).ok();
}

TEST_F(RegistryTest, TheProviderIsAskedForMissingNames) {
  Registry registry;
  provided = &registry;
  provider_calls = 0;
  ASSERT_TRUE(registry.Register(Function::FromTyped("one", [] { return 1; })).ok());
  registry.SetProvider(&ProvideScale);
  EXPECT_TRUE(registry.Contains("one") && registry.Find("one").ok());
  EXPECT_EQ(registry.Names(), std::vector<std::string>({"one"}));
  EXPECT_EQ(provider_calls, 0);
  EXPECT_EQ(*registry.Find("scale{by=5}").value()->Invoke({2})->As<int64_t>(), 10);
  EXPECT_TRUE(registry.Contains("scale{by=6}"));
  EXPECT_EQ(provider_calls, 1);
}

TEST_F(RegistryTestBad, WhatTheProviderHasNotIsMissing) {
  Registry registry;
  provided = &registry;
  provider_calls = 0;
  registry.SetProvider(&ProvideScale);
  EXPECT_FALSE(registry.Contains("scalr"));
  EXPECT_EQ(registry.Find("scalr").status().notes().front(), "did you mean 'scale'?");
  EXPECT_EQ(provider_calls, 2);
}

TEST_F(RegistryTestBad, MissingNamesGetASuggestion) {
  Registry registry;
  ASSERT_TRUE(registry.RegisterFactory("conv2d", MakeScale).ok());
  const Status status = registry.Find("conv2{by=2}").status();
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_EQ(
      status.ToString(),
      "not found: no function or operator 'conv2' is registered\n  note: did you mean 'conv2d'?");
  EXPECT_TRUE(Registry().Find("x").status().notes().empty());
}

TEST_F(RegistryTestBad, BadAttributesAreTheFactorysError) {
  Registry registry;
  ASSERT_TRUE(registry.RegisterFactory("scale", MakeScale).ok());
  EXPECT_EQ(registry.Find("scale{by=x}").status().message(),
            "scale: attribute 'by': expected an integer, got 'x'");
  EXPECT_EQ(registry.Find("scale{of=1}").status().message(), "scale: unknown attribute 'of'");
  EXPECT_FALSE(registry.Find("scale{by=1").ok());
  EXPECT_FALSE(registry.RegisterFactory("scale", MakeScale).ok());
}

TEST_F(RegistryTest, SafeFromSeveralThreads) {
#ifndef TERN_SINGLE_THREADED
  Registry registry;
  ASSERT_TRUE(registry.RegisterFactory("scale", MakeScale).ok());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&registry] {
      for (int i = 0; i < 200; ++i) {
        const FunctionPtr f = registry.Find(StrCat("scale{by=", i, "}")).value();
        ASSERT_EQ(*f->Invoke({2})->As<int64_t>(), 2 * i);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
#endif
}

}  // namespace
}  // namespace tern::registry_test
