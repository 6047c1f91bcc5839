// SPDX-License-Identifier: Apache-2.0
// Modules: functions by name, imports, and what is refused.
#include "core/object/rfc97/module.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "core/object/any.h"
#include "tests/unit/object/counting.h"

namespace tern::module_test {
namespace {

using ModuleTest = CountedTest;
using ModuleTestBad = CountedTest;

FunctionPtr Constant(std::string_view name, int64_t value) {
  return Function::FromTyped(name, [value] { return value; });
}

TEST_F(ModuleTest, FindsItsOwnFirstThenImports) {
  const ModulePtr main = Module::Make("main"), library = Module::Make("library");
  ASSERT_TRUE(library->Add(Constant("one", 1)).ok());
  ASSERT_TRUE(library->Add(Constant("two", 2)).ok());
  ASSERT_TRUE(main->Add(Constant("two", 22)).ok());
  ASSERT_TRUE(main->Import(library).ok());
  EXPECT_EQ(*(*main->Find("one"))->CallAs<int64_t>(), 1);
  EXPECT_EQ(*(*main->Find("two"))->CallAs<int64_t>(), 22);
  EXPECT_EQ(main->Names(), std::vector<std::string>{"two"});
  EXPECT_EQ(main->imports().size(), 1u);
  const Any any(main);
  EXPECT_EQ(any.type_code(), TERN_TYPE_MODULE);
  EXPECT_EQ(any.TryCast<Module>()->name(), "main");
}

// Each of forty modules imports the one below twice over: 2^40 ways lead to the last.
TEST_F(ModuleTest, DiamondsAreLookedThroughOnce) {
  ModulePtr below = Module::Make("last");
  ASSERT_TRUE(below->Add(Constant("deep", 7)).ok());
  for (int i = 0; i < 40; ++i) {
    const ModulePtr left = Module::Make("left"), right = Module::Make("right");
    const ModulePtr above = Module::Make("above");
    for (const ModulePtr& side : {left, right}) {
      ASSERT_TRUE(side->Import(below).ok());
      ASSERT_TRUE(above->Import(side).ok());
    }
    below = above;
  }
  EXPECT_EQ(*(*below->Find("deep"))->CallAs<int64_t>(), 7);
  EXPECT_FALSE(below->Find("deeper").ok());
}

TEST_F(ModuleTest, AddingBesideFinding) {
#ifndef TERN_SINGLE_THREADED
  const ModulePtr module = Module::Make("shared");
  std::thread adder([&module] {
    for (int i = 0; i < 200; ++i) (void)module->Add(Constant(StrCat("f", i), i)).ok();
  });
  for (int i = 0; i < 200; ++i) {
    const Result<FunctionPtr> found = module->Find(StrCat("f", i));
    if (found.ok()) EXPECT_EQ(*(*found)->CallAs<int64_t>(), i);
  }
  adder.join();
  EXPECT_EQ(module->Names().size(), 200u);
#endif
}

TEST_F(ModuleTestBad, NamesTakenNamesUnknownAndCycles) {
  const ModulePtr a = Module::Make("a"), b = Module::Make("b");
  ASSERT_TRUE(a->Add(Constant("relu", 1)).ok());
  EXPECT_EQ(a->Add(Constant("relu", 2)).message(), "module 'a' has a function 'relu' already");
  EXPECT_EQ(a->Find("rleu").status().ToString(),
            "not found: module 'a' has no function 'rleu'\n  note: did you mean 'relu'?");
  ASSERT_TRUE(a->Import(b).ok());
  EXPECT_EQ(b->Import(a).message(), "module 'b' cannot import 'a', which imports it");
  EXPECT_EQ(a->Import(a).code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tern::module_test
