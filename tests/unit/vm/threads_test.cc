// SPDX-License-Identifier: Apache-2.0
// One executable, many machines: programs are immutable and shared, a machine belongs to one thread
// at a time. Run under ThreadSanitizer too (preset tsan).
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "core/object/graph/print.h"
#include "core/object/strings/string.h"
#include "tests/unit/vm/vm_test_util.h"

namespace tern::vm::threads_test {
namespace {

#ifndef TERN_SINGLE_THREADED

constexpr int kThreads = 4;

// Constants, closures, tensors, text and a primitive.
constexpr std::string_view kProgram = R"(
.func @main(n: int)
  invoke @make_adder in: 100 dst: %1
  invoke @fib in: %0 dst: %2
  invoke_closure %1 in: %2 dst: %3
  alloc_tensor offset: 0 dtype: f32 shape: 3, 5 dst: %4
  shape_of %4 dst: %5
  call  threads_test.mark in: "a text that lies on the heap", %3 dst: %6
  alloc_adt tag: 0 in: %3, %5, %6 dst: %7
  ret   ret %7
.func @make_adder(n: int)
  alloc_closure @add_to in: %0 dst: %1
  ret   ret %1
.func @add_to(x, captured)
  add   %0, %1 dst: %2
  ret   ret %2
.func @fib(n: int) -> int
  lt    %0, 2 dst: %1
  if    %1 true: base false: more
base:
  ret   ret %0
more:
  sub   %0, 1 dst: %2
  invoke @fib in: %2 dst: %3
  sub   %0, 2 dst: %2
  invoke @fib in: %2 dst: %4
  add   %3, %4 dst: %3
  ret   ret %3
.func @forever()
again:
  goto  on
on:
  goto  again
)";

FunctionPtr MakeMark() {
  return Function::FromTyped("threads_test.mark", [](const String& text, int64_t number) {
    return StrCat(text.view(), " ", number);
  });
}

std::string RunOnce(const ProgramPtr& program) {
  Result<std::unique_ptr<VirtualMachine>> vm = VirtualMachine::Create(program);
  if (!vm.ok()) return std::string(vm.status().message());
  const Result<Any> result = (*vm)->Call("main", {15});
  if (!result.ok()) return std::string(result.status().message());
  return PrintValue(*result);
}

template <typename F>
void OnThreads(F body) {
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back(body);
  for (std::thread& thread : threads) thread.join();
}

TEST(Threads, ManyMachinesRunOneProgram) {
  const ProgramPtr program = MustLink(MustAssemble(kProgram), {MakeMark()});
  const std::string expected = RunOnce(program);
  EXPECT_EQ(expected, R"((710, [3, 5], "a text that lies on the heap 710"))");
  OnThreads([&program, &expected] {
    for (int i = 0; i < 10; ++i) ASSERT_EQ(RunOnce(program), expected);
  });
}

TEST(Threads, OneExecutableIsLinkedByAll) {
  const ExecutablePtr executable = MustAssemble(kProgram);
  const FunctionPtr mark = MakeMark();
  OnThreads([&executable, &mark] {
    for (int i = 0; i < 5; ++i) {
      const ProgramPtr program = MustLink(executable, {mark});
      ASSERT_EQ(RunOnce(program).substr(0, 5), "(710,");
    }
  });
}

TEST(Threads, AMachineIsHandedOn) {
  const ProgramPtr program = MustLink(MustAssemble(kProgram), {MakeMark()});
  std::unique_ptr<VirtualMachine> vm = VirtualMachine::Create(program).value();
  ASSERT_TRUE(vm->Begin("main", std::vector<AnyView>{10}).ok());
  StopReason reason = StopReason::kPaused;
  while (reason == StopReason::kPaused) {
    std::thread([&vm, &reason] { reason = vm->Resume(50).value(); }).join();
  }
  EXPECT_EQ(reason, StopReason::kReturned);
  EXPECT_EQ(PrintValue(vm->TakeResult()).substr(0, 5), "(155,");
}

TEST(Threads, AnotherThreadCancels) {
  const ProgramPtr program = MustLink(MustAssemble(kProgram), {MakeMark()});
  std::unique_ptr<VirtualMachine> vm = VirtualMachine::Create(program).value();
  ASSERT_TRUE(vm->Begin("forever", AnyArgs()).ok());
  std::atomic<bool> done{false};
  std::thread canceller([&vm, &done] {
    while (!done.load()) vm->Cancel();
  });
  const Result<StopReason> stopped = vm->Resume();
  done = true;
  canceller.join();
  ASSERT_TRUE(stopped.ok());
  EXPECT_EQ(*stopped, StopReason::kCancelled);
}

#endif

}  // namespace
}  // namespace tern::vm::threads_test
