// SPDX-License-Identifier: Apache-2.0
// Inputs set, runs without arguments, outputs fetched; every call out of order is an error that
// leaves the machine usable.
#include "core/vm/stateful.h"

#include "tests/unit/vm/vm_test_util.h"

namespace tern::vm::stateful_test {
namespace {

constexpr std::string_view kProgram = R"(
.func @main(x: int, factor: int)
  mul   %0, %1 dst: %2
  alloc_adt tag: 0 in: %0, %2 dst: %3
  alloc_adt tag: 0 in: %3, %1 dst: %4
  ret   ret %4
.func @half(x: int)
  div   10, %0 dst: %1
  ret   ret %1
)";

std::vector<AnyView> Args(std::initializer_list<AnyView> args) { return args; }

TEST(Stateful, C32_SetInvokeGet) {
  auto vm = MakeVm(kProgram);
  StatefulVm state(vm.get());
  ASSERT_TRUE(state.SetInput("main", Args({6, 7})).ok());
  ASSERT_TRUE(state.InvokeStateful("main").ok());
  const int64_t path[] = {0, 1};
  EXPECT_EQ(state.GetOutput("main", path).value().TryCast<int64_t>(), 42);
  EXPECT_EQ(state.OutputArity("main").value(), 2);
  EXPECT_EQ(state.OutputArity("main", path).value(), -1);
  ASSERT_TRUE(state.SetInput("main", Args({1, 2})).ok());
  EXPECT_EQ(state.GetOutput("main", path).value().TryCast<int64_t>(), 42) << "until it runs again";
  ASSERT_TRUE(state.InvokeStateful("main").ok());
  EXPECT_EQ(state.GetOutput("main", path).value().TryCast<int64_t>(), 2);
}

TEST(Stateful, C32_CallsOutOfOrder) {
  auto vm = MakeVm(kProgram);
  StatefulVm state(vm.get());
  EXPECT_FALSE(state.InvokeStateful("main").ok()) << "no inputs";
  EXPECT_FALSE(state.GetOutput("main").ok()) << "not invoked";
  EXPECT_FALSE(state.InvokeStateful("none").ok());
  EXPECT_FALSE(state.GetOutput("none").ok());
  EXPECT_FALSE(state.SetInput("main", Args({1})).ok());
  EXPECT_FALSE(state.InvokeStateful("main").ok()) << "the wrong inputs were not kept";
  EXPECT_FALSE(state.SetInput("main", Args({1, "two"})).ok());
  ASSERT_TRUE(state.SetInput("main", Args({1, 2})).ok());
  EXPECT_FALSE(state.Call("main", Args({1, 2})).ok()) << "stateless after set_input";
  ASSERT_TRUE(state.InvokeStateful("main").ok());
  const int64_t far[] = {5};
  EXPECT_FALSE(state.GetOutput("main", far).ok());
  const int64_t deep[] = {1, 0};
  EXPECT_FALSE(state.GetOutput("main", deep).ok());
  state.ClearInput("main");
  EXPECT_TRUE(state.Call("main", Args({1, 2})).ok());
}

TEST(Stateful, C32_AFailedRunHasNoOutput) {
  auto vm = MakeVm(kProgram);
  StatefulVm state(vm.get());
  ASSERT_TRUE(state.SetInput("half", Args({2})).ok());
  ASSERT_TRUE(state.InvokeStateful("half").ok());
  EXPECT_EQ(state.GetOutput("half").value().TryCast<int64_t>(), 5);
  ASSERT_TRUE(state.SetInput("half", Args({0})).ok());
  EXPECT_FALSE(state.InvokeStateful("half").ok());
  EXPECT_FALSE(state.GetOutput("half").ok());
  ASSERT_TRUE(state.SetInput("half", Args({5})).ok());
  EXPECT_TRUE(state.InvokeStateful("half").ok()) << "usable afterwards";
}

TEST(Stateful, C32_SavedFunctions) {
  auto vm = MakeVm(kProgram);
  StatefulVm state(vm.get());
  ASSERT_TRUE(state.SaveFunction("half", "two", Args({5})).ok());
  EXPECT_EQ(state.Call("two").value().TryCast<int64_t>(), 2);
  EXPECT_EQ(state.FunctionArity("two").value(), 0);
  EXPECT_FALSE(state.Call("two", Args({1})).ok());
  EXPECT_FALSE(state.SetInput("two", Args({1})).ok());
  EXPECT_EQ(state.SaveFunction("half", "two", Args({5})).code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(state.SaveFunction("half", "main", Args({5})).code(), StatusCode::kAlreadyExists);
  EXPECT_FALSE(state.SaveFunction("half", "", Args({5})).ok());
  EXPECT_FALSE(state.SaveFunction("half", "three", Args({})).ok());
  EXPECT_FALSE(state.Call("three").ok());
  EXPECT_EQ(state.Call("half", Args({2})).value().TryCast<int64_t>(), 5);
}

TEST(Stateful, C33_ArityAndParameterNames) {
  auto vm = MakeVm(kProgram);
  const StatefulVm state(vm.get());
  EXPECT_EQ(state.FunctionArity("main").value(), 2);
  EXPECT_EQ(state.ParameterName("main", 1).value(), "factor");
  EXPECT_FALSE(state.ParameterName("main", 2).ok());
  EXPECT_FALSE(state.ParameterName("main", -1).ok());
  EXPECT_FALSE(state.FunctionArity("none").ok());
}

TEST(Stateful, C32_TimeEvaluator) {
  struct Clock {
    int64_t now = 0;
    static int64_t Read(void* clock) { return static_cast<Clock*>(clock)->now += 1000; }
  } clock;
  TernPlatform platform{};
  platform.context = &clock;
  platform.clock_ns = &Clock::Read;
  auto vm = MakeVm(kProgram);
  StatefulVm state(vm.get());
  const Timing timing = state.TimeEvaluator("half", Args({2}), 10, 3, platform).value();
  EXPECT_EQ(timing.repeats, (std::vector<double>{100, 100, 100}));
  EXPECT_EQ(timing.median, 100);
  EXPECT_FALSE(state.TimeEvaluator("half", Args({2}), 0, 3, platform).ok());
  EXPECT_FALSE(state.TimeEvaluator("half", Args({0}), 1, 1, platform).ok()) << "it fails";
  EXPECT_FALSE(state.TimeEvaluator("half", Args({2}), INT64_MAX, 2, platform).ok());
  ASSERT_TRUE(state.SetInput("half", Args({2})).ok());
  EXPECT_FALSE(state.TimeEvaluator("half", Args({2}), 1, 1, platform).ok());
  EXPECT_TRUE(state.TimeEvaluator("half", {}, 1, 1, platform).ok());
  platform.clock_ns = nullptr;
  EXPECT_FALSE(state.TimeEvaluator("half", {}, 1, 1, platform).ok());
}

}  // namespace
}  // namespace tern::vm::stateful_test
