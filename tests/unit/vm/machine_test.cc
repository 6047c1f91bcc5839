// SPDX-License-Identifier: Apache-2.0
// The machine: running in pieces, stopping, failing and going on; closures, limits, hooks; what
// stays counted.
#include "core/vm/vm.h"

#include <string>

#include "core/base/json.h"
#include "core/object/containers/adt.h"
#include "core/object/graph/print.h"
#include "tests/unit/vm/vm_test_util.h"

namespace tern::vm::machine_test {
namespace {

constexpr std::string_view kFib = R"(
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
)";

constexpr std::string_view kForever = R"(
.func @main()
again:
  goto  on
on:
  goto  again
.func @deep(n: int)
  add   %0, 1 dst: %1
  invoke @deep in: %1 dst: %1
  ret   ret %1
.func @one()
  ret   ret 1
)";

TEST(Machine, RunsRecursion) {
  auto vm = MakeVm(kFib);
  const Result<Any> result = vm->Call("fib", {20});
  ASSERT_TRUE(result.ok()) << text::RenderText(result.status());
  EXPECT_EQ(result->TryCast<int64_t>(), 6765);
  EXPECT_EQ(vm->depth(), 0u);
  EXPECT_EQ(vm->max_depth_seen(), 20u);
}

// B16: stopped after every instruction, the result is the same, and so is the number of steps.
TEST(Machine, B16_Resumes) {
  auto vm = MakeVm(kFib);
  ASSERT_TRUE(vm->Call("fib", {10}).ok());
  const uint64_t steps = vm->steps();
  ASSERT_TRUE(vm->Begin("fib", std::vector<AnyView>{10}).ok());
  uint64_t pieces = 0;
  for (;; ++pieces) {
    const Result<StopReason> stopped = vm->Resume(1);
    ASSERT_TRUE(stopped.ok());
    EXPECT_EQ(vm->steps(), pieces + 1);
    if (*stopped == StopReason::kReturned) break;
    EXPECT_EQ(*stopped, StopReason::kPaused);
  }
  EXPECT_EQ(pieces + 1, steps);
  EXPECT_EQ(vm->TakeResult().TryCast<int64_t>(), 55);
  EXPECT_FALSE(vm->Resume(1).ok()) << "nothing is left to resume";
}

// A22: tail calls in constant space.
TEST(Machine, A22_TailCallsUseOneFrame) {
  auto vm = MakeVm(R"(
.func @count(n: int)
  if_equal %0, 0 true: +1 false: +2
  ret   ret "done"
  sub   %0, 1 dst: %0
  tail_invoke @count in: %0
)");
  const Result<Any> result = vm->Call("count", {1'000'000});
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_EQ(vm->max_depth_seen(), 1u);
}

TEST(Machine, LimitsEndARunAndNothingElse) {
  VmOptions options;
  options.max_instructions = 10'000;
  options.max_depth = 50;
  options.max_bytes = 1000;
  auto vm = MakeVm(std::string(kForever) + R"(
.func @memory()
  alloc_tensor offset: 0 dtype: f32 shape: 1000 dst: %0
  ret   ret %0
)",
                   {}, options);
  Status status = vm->Call("main", {}).status();
  EXPECT_EQ(status.error_code(), "S0301") << status.ToString();
  EXPECT_EQ(vm->steps(), 10'000u);
  status = vm->Call("deep", {0}).status();
  EXPECT_EQ(status.error_code(), "E0303") << status.ToString();
  EXPECT_EQ(vm->depth(), 50u) << "the frames stay to be looked at";
  EXPECT_EQ(vm->frame(49).registers[0].TryCast<int64_t>(), 49);
  EXPECT_EQ(vm->frame(10).pc, vm->frame(49).pc);
  status = vm->Call("memory", {}).status();
  EXPECT_EQ(status.code(), StatusCode::kOutOfMemory) << status.ToString();
  EXPECT_EQ(vm->stop_reason(), StopReason::kByteLimit);
  EXPECT_EQ(vm->Call("one", {}).value().TryCast<int64_t>(), 1);
  EXPECT_EQ(vm->depth(), 0u);
}

TEST(Machine, RegisterLimit) {
  VmOptions options;
  options.max_registers = 100;
  auto vm = MakeVm(kForever, {}, options);
  EXPECT_EQ(vm->Call("deep", {0}).status().error_code(), "E0303");
  EXPECT_EQ(vm->depth(), 50u);
}

// A function that takes long asks whether the run is over, as operators do.
TEST(Machine, CancelInsideACallThatIsMadeAgain) {
  VirtualMachine* running = nullptr;
  int calls = 0;
  const auto body = [&](RunContext& context, AnyArgs) -> Result<Any> {
    if (++calls == 1) running->Cancel();
    if (context.IsStopped()) return context.TakeStop();
    return Any(5);
  };
  for (const bool always_step : {false, true}) {
    calls = 0;
    VmOptions options;
    options.always_step = always_step;
    auto vm = MakeVm(R"(
.func @main()
  call  long in: dst: %0
  ret   ret %0
)",
                     {Function::FromPacked("long", body)}, options);
    running = vm.get();
    ASSERT_TRUE(vm->Begin("main", {}).ok());
    EXPECT_EQ(*vm->Resume(), StopReason::kCancelled);
    EXPECT_EQ(vm->frame(0).pc, 0u);
    EXPECT_EQ(vm->steps(), 0u);
    EXPECT_EQ(*vm->Resume(), StopReason::kReturned);
    EXPECT_EQ(vm->TakeResult().TryCast<int64_t>(), 5);
    EXPECT_EQ(vm->steps(), 2u);
    EXPECT_EQ(calls, 2);
  }
}

TEST(Machine, WhatKernelsMayDoFollowsFromTheLimits) {
  const auto body = [](RunContext& context, AnyArgs args) -> Result<Any> {
    TERN_TRY(context.Charge(*args[0].TryCast<int64_t>()));
    return Any(context.work_left());
  };
  VmOptions options;
  options.max_instructions = 8;
  auto vm = MakeVm(R"(
.func @main(n: int)
  call  work in: %0 dst: %0
  ret   ret %0
)",
                   {Function::FromPacked("work", body)}, options);
  const int64_t most = int64_t{8} << 20;
  EXPECT_EQ(vm->Call("main", {most - 1}).value().TryCast<int64_t>(), 1);
  EXPECT_EQ(vm->Call("main", {most}).value().TryCast<int64_t>(), 0) << "each run has its own";
  EXPECT_EQ(vm->Call("main", {most + 1}).status().error_code(), "S0301");
  EXPECT_EQ(vm->stop_reason(), StopReason::kInstructionLimit);
  EXPECT_FALSE(MakeVm(".func @main(n: int)\n  call work in: %0 dst: %0\n  ret ret %0\n",
                      {Function::FromPacked("work", body)})
                   ->Call("main", {INT64_MAX})
                   .ok())
      << "no run can do so much";
}

TEST(Machine, CancelBeforeTheNextSlice) {
  VirtualMachine* running = nullptr;
  const FunctionPtr cancel = Function::FromPacked("cancel", [&running](AnyArgs) -> Result<Any> {
    running->Cancel();
    return Any();
  });
  auto vm = MakeVm(R"(
.func @main()
  call  cancel in: dst: void
  load_const int 5 dst: %0
  ret   ret %0
)",
                   {cancel});
  running = vm.get();
  ASSERT_TRUE(vm->Begin("main", {}).ok());
  EXPECT_EQ(*vm->Resume(), StopReason::kCancelled);
  EXPECT_EQ(vm->frame(0).pc, 1u);
  EXPECT_EQ(*vm->Resume(), StopReason::kReturned) << "a cancelled run may go on";
  EXPECT_EQ(vm->TakeResult().TryCast<int64_t>(), 5);
  EXPECT_EQ(vm->Call("main", {}).status().error_code(), "S0302");
}

TEST(Machine, Breakpoints) {
  auto vm = MakeVm(kFib);
  vm->SetBreakpoint(2);  // ret in the base case
  ASSERT_TRUE(vm->Begin("fib", std::vector<AnyView>{3}).ok());
  int hits = 0;
  for (;;) {
    const StopReason stopped = *vm->Resume();
    if (stopped == StopReason::kReturned) break;
    EXPECT_EQ(stopped, StopReason::kBreakpoint);
    EXPECT_EQ(vm->frame(vm->depth() - 1).pc, 2u);
    ++hits;
  }
  EXPECT_EQ(hits, 3);
  vm->ClearBreakpoints();
  EXPECT_TRUE(vm->Call("fib", {3}).ok());
}

class Recorder : public Hooks {
 public:
  HookAction BeforeInstruction(const VirtualMachine&, uint32_t pc) override {
    trace += std::to_string(pc) + "<";
    return pc == pause_at ? HookAction::Pause(StopReason::kStepped) : HookAction::Continue();
  }
  HookAction AfterInstruction(const VirtualMachine& vm, uint32_t pc) override {
    trace += std::to_string(pc) + "> ";
    if (vm.depth() > deepest) deepest = vm.depth();
    return HookAction::Continue();
  }
  std::string trace;
  uint32_t pause_at = UINT32_MAX;
  size_t deepest = 0;
};

TEST(Machine, HooksSeeEveryInstruction) {
  auto vm = MakeVm(R"(
.func @main(n: int)
  invoke @twice in: %0 dst: %1
  ret   ret %1
.func @twice(n)
  add   %0, %0 dst: %1
  ret   ret %1
)");
  Recorder recorder;
  vm->SetHooks(&recorder);
  ASSERT_EQ(vm->Call("main", {4}).value().TryCast<int64_t>(), 8);
  EXPECT_EQ(recorder.trace, "0<0> 2<2> 3<3> 1<1> ");
  EXPECT_EQ(recorder.deepest, 2u);
  recorder.pause_at = 3;
  ASSERT_TRUE(vm->Begin("main", std::vector<AnyView>{4}).ok());
  EXPECT_EQ(*vm->Resume(), StopReason::kStepped);
  EXPECT_EQ(vm->stop_reason(), StopReason::kStepped);
  EXPECT_EQ(vm->frame(1).registers[1].TryCast<int64_t>(), 8);
}

// C34: an error names its place; the machine is usable afterwards and nothing is left over.
TEST(Machine, C34_ErrorsHaveAPlaceAndLeaveNothing) {
  const auto fail = Function::FromTyped(
      "fail", [](Tensor* t) -> Status { return InvalidArgument("axis 3 of ", t->TypeText()); });
  auto vm = MakeVm(R"(
.func @main(x: f32[n])
  alloc_tensor offset: 0 dtype: f32 shape: 4 dst: %1
  call  @inner in: %1 dst: %2
  ret   ret %2
.func @inner(t)
  .loc "softmax_7"
  call  fail in: %0 dst: %1
  ret   ret %1
.func @good()
  ret   ret 5
)",
                   {fail});
  const TensorPtr x = Tensor::FromValues<float>({1}, {1}).value();
  const Status status = vm->Call("main", {x}).status();
  const text::Diagnostics* diagnostics = text::DiagnosticsOf(status);
  ASSERT_NE(diagnostics, nullptr);
  const text::Diagnostic& d = diagnostics->items()[0];
  EXPECT_EQ(d.message, "axis 3 of f32[4]");
  EXPECT_EQ(d.function, "inner");
  EXPECT_EQ(d.pc, 0);
  EXPECT_EQ(d.node, "softmax_7");
  EXPECT_EQ(d.notes.back(), "called from @main at instruction 1");
  EXPECT_EQ(vm->state(), VirtualMachine::State::kFailed);
  EXPECT_EQ(vm->frame(0).pc, 1u);
  EXPECT_TRUE(vm->frame(0).registers[1].Is<Tensor>());
  EXPECT_EQ(vm->Call("good", {}).value().TryCast<int64_t>(), 5);
  EXPECT_EQ(vm->memory().live_bytes, 0);
  EXPECT_EQ(x->ref_count(), 1);
}

// A03, A04, A09: registers are references; what a callee returns is what the caller gets.
TEST(Machine, A04_ResultsAreNotCopied) {
  void* made = nullptr;
  const auto make = Function::FromTyped("make", [&made](RunContext& context) -> Result<TensorPtr> {
    TERN_TRY_ASSIGN(TensorPtr t, context.NewTensor(kF32, {4}));
    made = t->data();
    return t;
  });
  auto vm = MakeVm(R"(
.func @main()
  invoke @inner in: dst: %0
  move  %0 dst: %1
  alloc_adt tag: 0 in: %0, %1 dst: %2
  kill  %0, %1
  ret   ret %2
.func @inner()
  call  make in: dst: %0
  ret   ret %0
)",
                   {make});
  const Any result = vm->Call("main", {}).value();
  const Adt& pair = *result.TryCast<Adt>();
  EXPECT_EQ(pair[0].TryCast<Tensor>()->data(), made);
  EXPECT_EQ(pair[0].object(), pair[1].object());
  EXPECT_EQ(pair[0].object()->ref_count(), 2);
  const int64_t before = vm->memory().allocations;
  ASSERT_TRUE(vm->Call("inner", {}).ok());
  EXPECT_EQ(vm->memory().allocations - before, before)
      << "main allocates what inner does, and no more";
}

// A20: memory goes down at the kill; the next run takes the same blocks.
TEST(Machine, A20_SteadyRunsAllocateNothing) {
  auto vm = MakeVm(R"(
.func @main()
  alloc_tensor offset: 0 dtype: f32 shape: 1000 dst: %0
  kill  %0
  alloc_tensor offset: 0 dtype: f32 shape: 1000 dst: %1
  ret   ret %1
)");
  ASSERT_TRUE(vm->Call("main", {}).ok());
  const AllocatorStats first = vm->memory();
  EXPECT_GT(first.hits, 0) << "the second tensor takes the block of the first";
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(vm->Call("main", {}).ok());
  EXPECT_EQ(vm->memory().reserved_bytes, first.reserved_bytes);
  EXPECT_EQ(vm->memory().allocations, 11 * first.allocations);
  EXPECT_EQ(vm->memory().hits, first.hits + 10 * first.allocations);
  EXPECT_LT(vm->memory().peak_bytes, 4500);
}

// A18: frames are recycled.
TEST(Machine, A18_ManyCallsLittleStack) {
  auto vm = MakeVm(R"(
.func @main(n: int)
again:
  invoke @same in: %0 dst: %1
  sub   %1, 1 dst: %0
  gt    %0, 0 dst: %1
  if    %1 true: again false: +1
  ret   ret %0
.func @same(n)
  ret   ret %0
)");
  ASSERT_TRUE(vm->Call("main", {100'000}).ok());
  EXPECT_EQ(vm->max_depth_seen(), 2u);
}

// B26: all missing names in one error, each with its uses.
TEST(Machine, B26_MissingPrimitivesAreReportedTogether) {
  const ExecutablePtr executable = MustAssemble(R"(
.func @main(x)
  call  missing.one in: %0 dst: %0
  call  missing.two{axis=1} in: %0 dst: %0
  call  missing.one in: %0 dst: %0
  call  vm.builtin.move in: %0 dst: %0
  ret   ret %0
)");
  const Result<ProgramPtr> program = Program::Link(executable);
  ASSERT_FALSE(program.ok());
  const text::Diagnostics* diagnostics = text::DiagnosticsOf(program.status());
  ASSERT_NE(diagnostics, nullptr);
  ASSERT_EQ(diagnostics->error_count(), 2u);
  EXPECT_EQ(diagnostics->items()[0].code, "E0107");
  EXPECT_EQ(diagnostics->items()[0].notes[1], "used in @main at instruction 2");
}

// The program was decoded once for each of them, which ended at no time.
TEST(Machine, ManyMissingPrimitivesAreCountedAndTheFirstNamed) {
  constexpr size_t kMissing = 100'000;
  std::string text = ".func @main(x)\n";
  for (size_t i = 0; i < kMissing; ++i)
    StrAppend(&text, "  call  my.primitive", i, " in: %0 dst: %0\n");
  const Result<ProgramPtr> program = Program::Link(MustAssemble(text + "  ret   ret %0\n"));
  ASSERT_FALSE(program.ok());
  const text::Diagnostics* diagnostics = text::DiagnosticsOf(program.status());
  ASSERT_NE(diagnostics, nullptr);
  EXPECT_EQ(diagnostics->error_count(), kMissing);
  ASSERT_EQ(diagnostics->items().size(), text::Diagnostics::kMaxKept);
  const text::Diagnostic& last = diagnostics->items().back();
  EXPECT_NE(last.message.find("'my.primitive199'"), std::string::npos) << last.message;
  EXPECT_EQ(last.notes[0], "used in @main at instruction 199");
}

// C28: the machine's state reaches a builtin through the special register.
TEST(Machine, C28_VmRegister) {
  const auto check =
      Function::FromTyped("check", [](RunContext& context, void* vm) { return vm == &context; });
  auto vm = MakeVm(R"(
.func @main()
  call  check in: %vm dst: %0
  ret   ret %0
)",
                   {check});
  EXPECT_EQ(vm->Call("main", {}).value().TryCast<bool>(), true);
}

TEST(Machine, StateAsJson) {
  auto vm = MakeVm(kFib);
  ASSERT_TRUE(vm->Begin("fib", std::vector<AnyView>{5}).ok());
  ASSERT_TRUE(vm->Resume(4).ok());
  JsonWriter json;
  vm->WriteState(&json);
  EXPECT_EQ(json.text().substr(0, 73),
            R"({"state":"paused","steps":4,"frames":[{"function":"fib","pc":0,"registers)")
      << json.text();
}

TEST(Machine, BadUse) {
  auto vm = MakeVm(kFib);
  EXPECT_EQ(vm->Call("fibb", {1}).status().error_code(), "E0206");
  EXPECT_EQ(vm->Call(7u, {}).status().code(), StatusCode::kOutOfRange);
  EXPECT_EQ(vm->Call("fib", {}).status().error_code(), "E0207");
  EXPECT_EQ(vm->Call("fib", {1.5}).status().error_code(), "E0205");
  EXPECT_FALSE(vm->Resume().ok());
  EXPECT_FALSE(VirtualMachine::Create(nullptr).ok());
  VmOptions options;
  options.max_depth = 0;
  EXPECT_FALSE(VirtualMachine::Create(MustLink(MustAssemble(kFib)), options).ok());
}

// Types that become wider one copy at a time, and copies in the order that needs a sweep for each,
// are verified in the time that they are long; 4e8 steps before.
TEST(Machine, LongChainsOfCopiesAreVerifiedInTime) {
  constexpr int kCopies = 20000;
  std::string text = ".func @main(x: int) -> int\n";
  for (int i = 1; i <= kCopies; ++i) StrAppend(&text, "  load_const int 0 dst: %", i, "\n");
  StrAppend(&text, "  to_float %0 dst: %", kCopies + 1, "\n");
  for (int i = 1; i <= kCopies; ++i) StrAppend(&text, "  move %", i + 1, " dst: %", i, "\n");
  StrAppend(&text, "  ret ret %0\n");
  auto vm = MakeVm(text);
  EXPECT_EQ(*vm->Call("main", {7})->TryCast<int64_t>(), 7);
}

}  // namespace
}  // namespace tern::vm::machine_test
