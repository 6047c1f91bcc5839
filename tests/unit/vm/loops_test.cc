// SPDX-License-Identifier: Apache-2.0
// The two loops of the interpreter: what runs for speed and what runs observed do the same, to
// the instruction, whatever the kinds of values; budgets, clocks and lent arguments keep to what is
// promised.
#include <cmath>
#include <string>

#include "core/base/strings.h"
#include "core/object/graph/print.h"
#include "tests/unit/vm/vm_test_util.h"

namespace tern::vm::loops_test {
namespace {

constexpr std::string_view kProgram = R"(
.func @main(a, b, n: int)
  load_const int 0 dst: %3
  move  %0 dst: %4
again:
  add   %4, %1 dst: %5
  sub   %5, %0 dst: %6
  mul   %6, %1 dst: %6
  lt    %6, %5 dst: %7
  if    %7 true: less false: more
less:
  ge    %5, %4 dst: %7
  if    %7 true: +1 false: next
more:
  invoke @pick in: %5, %6 dst: %4
next:
  add   %3, 1 dst: %3
  le    %2, %3 dst: %7
  if    %7 true: done false: +1
  goto  again
done:
  alloc_adt tag: 0 in: %4, %5, %6, %3 dst: %8
  ret   ret %8
.func @pick(x, y)
  gt    %0, %1 dst: %2
  if    %2 true: +1 false: +2
  ret   ret %0
  move  %1 dst: %3
  ret   ret %3
)";

struct Outcome {
  std::string text;
  uint64_t steps = 0;
};

Outcome RunProgram(bool always_step, std::initializer_list<AnyView> args) {
  VmOptions options;
  options.always_step = always_step;
  auto vm = MakeVm(kProgram, {}, options);
  const Result<Any> result = vm->Call("main", args);
  return {result.ok() ? PrintValue(*result) : text::RenderText(result.status()), vm->steps()};
}

// B17: the threaded loop and the switch give the same values, errors and numbers of steps, for
// ints, floats, and kinds that do not go together.
TEST(Loops, B17_BothLoopsDoTheSame) {
  const AnyView values[] = {AnyView(3),    AnyView(-2),    AnyView(INT64_MAX),
                            AnyView(0.5),  AnyView(-1e9),  AnyView(std::nan("")),
                            AnyView(true), AnyView("text")};
  for (const AnyView& a : values) {
    for (const AnyView& b : values) {
      const Outcome fast = RunProgram(false, {a, b, 50});
      const Outcome slow = RunProgram(true, {a, b, 50});
      EXPECT_EQ(fast.text, slow.text);
      EXPECT_EQ(fast.steps, slow.steps) << fast.text;
    }
  }
}

// B17: the same trace, instruction by instruction, from pieces of any size.
TEST(Loops, B17_SlicesOfAnySizeStopAtTheSamePlaces) {
  auto stepped = MakeVm(kProgram);
  std::vector<std::string> trace;
  const AnyView args[] = {AnyView(3), AnyView(2), AnyView(40)};
  ASSERT_TRUE(stepped->Begin("main", args).ok());
  const auto state = [](const VirtualMachine& vm) {
    const FrameView top = vm.frame(vm.depth() - 1);
    std::string text = StrCat(vm.depth(), ":", top.pc);
    for (const Any& value : top.registers) StrAppend(&text, " ", PrintValue(value));
    return text;
  };
  do {
    trace.push_back(state(*stepped));
  } while (*stepped->Resume(1) != StopReason::kReturned);
  for (uint64_t piece : {2u, 3u, 7u, 19u, 20u, 50u, 101u}) {
    auto vm = MakeVm(kProgram);
    ASSERT_TRUE(vm->Begin("main", args).ok());
    while (*vm->Resume(piece) != StopReason::kReturned) {
      ASSERT_EQ(vm->steps() % piece, 0u);
      ASSERT_EQ(state(*vm), trace[static_cast<size_t>(vm->steps())]) << "pieces of " << piece;
    }
    EXPECT_EQ(vm->steps(), trace.size());
  }
}

TEST(Loops, InstructionLimitIsExact) {
  for (uint64_t limit : {1u, 17u, 100u, 20'000u, 50'001u}) {
    VmOptions options;
    options.max_instructions = limit;
    auto vm = MakeVm(kProgram, {}, options);
    EXPECT_EQ(vm->Call("main", {3, 2, 1'000'000}).status().error_code(), "S0301");
    EXPECT_EQ(vm->steps(), limit);
    EXPECT_EQ(vm->stop_reason(), StopReason::kInstructionLimit);
  }
}

// A22: ten million tail calls in one frame.
TEST(Loops, A22_TailCallsInConstantSpace) {
  auto vm = MakeVm(R"(
.func @even(n: int)
  if_equal %0, 0 true: +1 false: +2
  ret   ret true
  sub   %0, 1 dst: %0
  tail_invoke @odd in: %0
.func @odd(n)
  if_equal %0, 0 true: +1 false: +2
  ret   ret false
  sub   %0, 1 dst: %0
  tail_invoke @even in: %0
)");
#if defined(__x86_64__)
  const int64_t count = 10'000'000;
#else
  const int64_t count = 1'000'000;  // emulated
#endif
  EXPECT_EQ(vm->Call("even", {count}).value().TryCast<bool>(), true);
  EXPECT_EQ(vm->max_depth_seen(), 1u);
}

constexpr std::string_view kDeep = R"(
.func @down(n: int, x)
  gt    %0, 0 dst: %2
  if    %2 true: +1 false: leaf
  sub   %0, 1 dst: %2
  invoke @down in: %2, %1 dst: %3
  ret   ret %3
leaf:
  ret   ret %1
.func @fail(x)
  alloc_adt tag: 0 in: %0 dst: %1
  invoke @inner in: %1 dst: %2
  ret   ret %2
.func @inner(t)
  fatal "stop here"
)";

// A18: recursion grows the stack while arguments are lent; what comes back is counted once.
TEST(Loops, A18_DeepRecursionEndsAtTheLimit) {
  auto vm = MakeVm(kDeep);
  const TensorPtr x = Tensor::FromValues<float>({1}, {1}).value();
  {
    const Any result = vm->Call("down", {9'000, x}).value();
    EXPECT_EQ(result.object(), static_cast<Object*>(x.get()));
    EXPECT_EQ(x->ref_count(), 2);
  }
  EXPECT_EQ(x->ref_count(), 1);
  EXPECT_EQ(vm->max_depth_seen(), 9'001u);
  EXPECT_EQ(vm->Call("down", {20'000, x}).status().error_code(), "E0303");
  EXPECT_EQ(vm->stop_reason(), StopReason::kDepthLimit);
  EXPECT_EQ(vm->depth(), 10'000u);
  vm->Reset();
  EXPECT_EQ(x->ref_count(), 1);
}

// Frames that stay after a failure hold what they show, though it was lent to them.
TEST(Loops, C34_LentArgumentsOutliveAFailedRun) {
  auto vm = MakeVm(kDeep);
  {
    const TensorPtr x = Tensor::FromValues<float>({7}, {1}).value();
    EXPECT_FALSE(vm->Call("fail", {x}).ok());
  }
  EXPECT_EQ(PrintValue(vm->frame(0).registers[0]), "f32[1] [7]");
  EXPECT_EQ(vm->frame(1).registers[0].object(), vm->frame(0).registers[1].object());
  ASSERT_TRUE(vm->SetRegister(0, 1, Any(1)).ok()) << "the callee keeps the tuple";
  EXPECT_TRUE(vm->frame(1).registers[0].is_object());
  EXPECT_EQ(vm->Call("down", {0, 5}).value().TryCast<int64_t>(), 5);
}

TEST(Loops, ShapeHeapEntriesAreQuickAndChecked) {
  constexpr std::string_view kHeap = R"(
.func @main(size: int, at)
  call  vm.builtin.alloc_shape_heap in: %0 dst: %2
  call  vm.builtin.store_dim in: %2, %1, 42 dst: void
  call  vm.builtin.load_dim in: %2, %1 dst: %3
  ret   ret %3
)";
  for (const bool always_step : {false, true}) {
    VmOptions options;
    options.always_step = always_step;
    auto vm = MakeVm(kHeap, {}, options);
    EXPECT_EQ(vm->Call("main", {4, 3}).value().TryCast<int64_t>(), 42);
    const Status status = vm->Call("main", {4, 4}).status();
    EXPECT_NE(status.ToString().find("shape heap index 4 is out of range: the heap has 4 entries"),
              std::string::npos)
        << status.ToString();
    EXPECT_FALSE(vm->Call("main", {4, -1}).ok());
    EXPECT_FALSE(vm->Call("main", {4, 1.5}).ok());
  }
}

// B29: a function of the file replaced by a native one, and put back.
TEST(Loops, B29_ReplacedFunctions) {
  int64_t calls = 0;
  const FunctionPtr native = Function::FromTyped("native.pick", [&calls](Any x, Any y) -> Any {
    ++calls;
    return *x.TryCast<int64_t>() > *y.TryCast<int64_t>() ? x : y;
  });
  auto vm = MakeVm(StrCat(kProgram, R"(
.func @tail(a, b)
  tail_invoke @pick in: %0, %1
.func @closure(a, b)
  alloc_closure @pick in: %1 dst: %2
  invoke_closure %2 in: %0 dst: %3
  ret   ret %3
.func @tail_closure(a, b)
  alloc_closure @pick in: %1 dst: %2
  tail_invoke_closure %2 in: %0
)"));
  for (const char* function : {"main", "tail", "closure", "tail_closure", "pick"}) {
    const bool is_main = std::string_view(function) == "main";
    const auto run = [&] {
      return PrintValue(is_main ? vm->Call(function, {3, 2, 40}).value()
                                : vm->Call(function, {3, 2}).value());
    };
    const std::string expected = run();
    EXPECT_EQ(calls, 0);
    ASSERT_TRUE(vm->ReplaceFunction("pick", native).ok());
    EXPECT_EQ(run(), expected) << function;
    EXPECT_GT(calls, 0) << function;
    calls = 0;
    ASSERT_TRUE(vm->ReplaceFunction("pick", nullptr).ok());
    EXPECT_EQ(run(), expected);
    EXPECT_EQ(calls, 0);
  }
  EXPECT_FALSE(vm->ReplaceFunction("none", native).ok());
}

TEST(Loops, TimeLimit) {
  struct Clock {
    int64_t now = 0;
    static int64_t Read(void* clock) { return static_cast<Clock*>(clock)->now += 1'000'000; }
  } clock;
  TernPlatform platform{};
  platform.struct_size = sizeof(platform);
  platform.context = &clock;
  platform.clock_ns = &Clock::Read;
  VmOptions options;
  options.platform = &platform;
  options.max_time_ns = 20'000'000;
  auto vm = MakeVm(kProgram, {}, options);
  const Status status = vm->Call("main", {3, 2, INT64_MAX}).status();
  EXPECT_EQ(status.error_code(), "S0303") << status.ToString();
  EXPECT_EQ(vm->stop_reason(), StopReason::kTimeLimit);
  EXPECT_TRUE(vm->Call("main", {3, 2, 10}).ok());
  options.platform = nullptr;
  EXPECT_FALSE(VirtualMachine::Create(MustLink(MustAssemble(kProgram)), options).ok())
      << "no clock";
}

TEST(Loops, AMachineThatRunsBeginsNoOtherRun) {
  VirtualMachine* running = nullptr;
  Status inner;
  const FunctionPtr again = Function::FromPacked("again", [&](AnyArgs) -> Result<Any> {
    inner = running->Call("main", {}).status().Clone();
    return Any(1);
  });
  auto vm = MakeVm(R"(
.func @main()
  call  again in: dst: %0
  ret   ret %0
)",
                   {again});
  running = vm.get();
  EXPECT_EQ(vm->Call("main", {}).value().TryCast<int64_t>(), 1);
  EXPECT_FALSE(inner.ok());
}

}  // namespace
}  // namespace tern::vm::loops_test
