// SPDX-License-Identifier: Apache-2.0
// Hooks: every write, frame, call and allocation is told once and in order; a log of them is enough
// to put a run back. Restoring refuses states that no run could have.
#include "core/vm/hooks.h"

#include <string>

#include "core/base/strings.h"
#include "core/object/graph/print.h"
#include "tests/unit/vm/vm_test_util.h"

namespace tern::vm::hooks_test {
namespace {

constexpr std::string_view kProgram = R"(
.func @main(n: int)
  invoke @twice in: %0 dst: %1
  call  test.add in: %1, 1 dst: %2
  kill  %1
  tail_invoke @last in: %2
.func @twice(n)
  add   %0, %0 dst: %1
  ret   ret %1
.func @last(n)
  move  %0 dst: %1
  ret   ret %1
)";

FunctionPtr TestAdd() {
  return Function::FromTyped("test.add", [](int64_t a, int64_t b) { return a + b; });
}

size_t Count(std::string_view text, std::string_view word) {
  size_t count = 0;
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
    ++count;
  return count;
}

// Everything as text.
class TextLog : public Hooks {
 public:
  explicit TextLog(uint32_t events = kHookAll) : events_(events) {}
  uint32_t wants() const override { return events_; }
  HookAction BeforeInstruction(const VirtualMachine&, uint32_t pc) override {
    StrAppend(&text, pc, "< ");
    return {};
  }
  HookAction AfterInstruction(const VirtualMachine&, uint32_t pc) override {
    StrAppend(&text, ">", pc, "\n");
    return {};
  }
  void OnRegisterWrite(const VirtualMachine&, const RegisterWrite& write) override {
    StrAppend(&text, write.frame, "%", write.reg, ":", PrintValue(write.old_value), "->",
              PrintValue(write.new_value), " ");
  }
  void OnFramePush(const VirtualMachine&, const FrameEvent& event) override {
    StrAppend(&text, "push", event.frame, "@", event.function, "(", PrintValue(event.registers[0]),
              ") ");
  }
  void OnFramePop(const VirtualMachine&, const FrameEvent& event) override {
    StrAppend(&text, "pop", event.frame, "@", event.function, " ");
    for (const Any& value : event.registers) StrAppend(&text, PrintValue(value), ",");
    text += ' ';
  }
  CallAction BeforeCall(const VirtualMachine&, const CallEvent& call, Any* result) override {
    StrAppend(&text, "call ", call.function.name(), "/", call.args.size(), " ");
    if (!skips) return CallAction::kRun;
    *result = Any(100);
    return CallAction::kSkip;
  }
  void AfterCall(const VirtualMachine&, const CallEvent&, const Status& status,
                 const AnyView& result) override {
    StrAppend(&text, status.ok() ? PrintValue(result) : std::string(status.message()), " ");
  }
  void OnAllocation(const VirtualMachine&, const AllocationEvent& event) override {
    StrAppend(&text, event.is_free ? "free " : "alloc ", event.bytes, " ");
  }
  std::string text;
  bool skips = false;

 private:
  uint32_t events_;
};

TEST(Hooks, TellEverything) {
  auto vm = MakeVm(kProgram, {TestAdd()});
  TextLog log;
  vm->SetHooks(&log);
  ASSERT_EQ(vm->Call("main", {4}).value().TryCast<int64_t>(), 9);
  EXPECT_EQ(log.text,
            "0< push1@1(4) >0\n"
            "4< 1%1:none->8 >4\n"
            "5< pop1@1 4,8, 0%1:none->8 >5\n"
            "1< call test.add/2 9 0%2:none->9 >1\n"
            "2< 0%1:8->none >2\n"
            "3< pop0@0 4,none,9, push0@2(9) >3\n"
            "6< 0%1:none->9 >6\n"
            "7< pop0@2 9,9, >7\n");
  vm->SetHooks(nullptr);
  log.text.clear();
  ASSERT_TRUE(vm->Call("main", {4}).ok());
  EXPECT_EQ(log.text, "") << "hooks that are gone are not called";
}

TEST(Hooks, OnlyWhatTheyWant) {
  auto vm = MakeVm(kProgram, {TestAdd()});
  TextLog log(kHookCalls);
  vm->SetHooks(&log);
  ASSERT_TRUE(vm->Call("main", {4}).ok());
  EXPECT_EQ(log.text, "call test.add/2 9 ");
}

TEST(Hooks, Allocations) {
  auto vm = MakeVm(R"(
.func @main()
  alloc_tensor offset: 0 dtype: f32 shape: 4 dst: %0
  kill  %0
  ret   ret 1
)");
  TextLog log(kHookAllocations);
  vm->SetHooks(&log);
  ASSERT_TRUE(vm->Call("main", {}).ok());
  EXPECT_GE(Count(log.text, "alloc "), 1u) << log.text;
  EXPECT_EQ(Count(log.text, "alloc "), Count(log.text, "free "));
}

// B32: an instrument sees calls with their arguments, and may answer in their place.
TEST(Hooks, B32_InstrumentSkipsACall) {
  auto vm = MakeVm(kProgram, {TestAdd()});
  TextLog log(kHookCalls);
  log.skips = true;
  vm->SetHooks(&log);
  EXPECT_EQ(vm->Call("main", {4}).value().TryCast<int64_t>(), 100);
  EXPECT_EQ(log.text, "call test.add/2 ");
}

TEST(Hooks, B32_InstrumentSeesFailures) {
  const auto fail =
      Function::FromTyped("test.add", [](int64_t, int64_t) -> Status { return Failed("no"); });
  auto vm = MakeVm(kProgram, {fail});
  TextLog log(kHookCalls | kHookInstructions);
  vm->SetHooks(&log);
  EXPECT_FALSE(vm->Call("main", {4}).ok());
  EXPECT_TRUE(log.text.ends_with("1< call test.add/2 no ")) << log.text;
  EXPECT_EQ(vm->stop_reason(), StopReason::kFailed);
}

TEST(Hooks, PauseAfterAnInstruction) {
  class Pauser : public Hooks {
   public:
    HookAction AfterInstruction(const VirtualMachine&, uint32_t pc) override {
      return pc == 4 ? HookAction::Pause(StopReason::kWatched) : HookAction::Continue();
    }
  } hooks;
  auto vm = MakeVm(kProgram, {TestAdd()});
  vm->SetHooks(&hooks);
  ASSERT_TRUE(vm->Begin("main", std::vector<AnyView>{4}).ok());
  EXPECT_EQ(*vm->Resume(), StopReason::kWatched);
  EXPECT_EQ(vm->steps(), 2u);
  EXPECT_EQ(vm->frame(1).pc, 5u);
  EXPECT_EQ(*vm->Resume(), StopReason::kReturned);
  EXPECT_EQ(StopReasonName(StopReason::kNotFinite), "not finite");
}

// B16: a run put back to any step goes on to the same result.
TEST(Hooks, B16_RestoredRunsGoOn) {
  auto vm = MakeVm(kProgram, {TestAdd()});
  ASSERT_TRUE(vm->Begin("main", std::vector<AnyView>{4}).ok());
  std::vector<RunState> states;
  do {
    states.push_back(vm->SaveState());
  } while (*vm->Resume(1) != StopReason::kReturned);
  ASSERT_EQ(states.size(), 8u);
  for (const RunState& state : states) {
    ASSERT_TRUE(vm->RestoreState(state).ok());
    EXPECT_EQ(vm->steps(), state.steps);
    EXPECT_EQ(*vm->Resume(), StopReason::kReturned);
    EXPECT_EQ(vm->TakeResult().TryCast<int64_t>(), 9);
    EXPECT_EQ(vm->steps(), 8u);
  }
}

TEST(Hooks, B16_FramesArePutBackOneByOne) {
  auto vm = MakeVm(kProgram, {TestAdd()});
  ASSERT_TRUE(vm->Begin("main", std::vector<AnyView>{4}).ok());
  ASSERT_TRUE(vm->Resume(3).ok());  // twice has returned
  ASSERT_EQ(vm->depth(), 1u);
  // Undo the return, then the call.
  ASSERT_TRUE(vm->SetRegister(0, 1, Any()).ok());
  ASSERT_TRUE(vm->SetPc(0).ok());
  ASSERT_TRUE(vm->PushFrame({1, 5, {Any(4), Any(8)}}).ok());
  EXPECT_EQ(vm->frame(0).pc, 0u);
  ASSERT_TRUE(vm->PopFrame().ok());
  EXPECT_EQ(vm->frame(0).pc, 0u);
  ASSERT_TRUE(vm->SetRegister(0, 0, Any(10)).ok());
  EXPECT_EQ(*vm->Resume(), StopReason::kReturned);
  EXPECT_EQ(vm->TakeResult().TryCast<int64_t>(), 21);
}

TEST(Hooks, AFailedRunIsPutBack) {
  auto vm = MakeVm(R"(
.func @main(n)
  add   %0, 1 dst: %1
  ret   ret %1
)");
  EXPECT_FALSE(vm->Call("main", {"text"}).ok());
  ASSERT_TRUE(vm->SetRegister(0, 0, Any(2)).ok());
  EXPECT_EQ(*vm->Resume(), StopReason::kReturned);
  EXPECT_EQ(vm->TakeResult().TryCast<int64_t>(), 3);
}

TEST(Hooks, BadStatesAreRefused) {
  auto vm = MakeVm(kProgram, {TestAdd()});
  EXPECT_FALSE(vm->SetPc(0).ok()) << "no frame";
  EXPECT_FALSE(vm->PopFrame().ok());
  ASSERT_TRUE(vm->Begin("main", std::vector<AnyView>{4}).ok());
  ASSERT_TRUE(vm->Resume(2).ok());
  EXPECT_FALSE(vm->SetPc(0).ok()) << "of another function";
  EXPECT_FALSE(vm->SetRegister(2, 0, Any()).ok());
  EXPECT_FALSE(vm->SetRegister(0, 3, Any()).ok());
  EXPECT_FALSE(vm->PushFrame({1, 4, {Any(), Any()}}).ok()) << "the next instruction is no call";
  EXPECT_FALSE(vm->RestoreState({{{9, 0, {}}}, 0}).ok());
  EXPECT_FALSE(vm->RestoreState({{{1, 99, {Any(), Any()}}}, 0}).ok());
  EXPECT_FALSE(vm->RestoreState({{{1, 4, {Any()}}}, 0}).ok());
  RunState state = vm->SaveState();
  state.frames[0].pc = 2;  // kill
  EXPECT_FALSE(vm->RestoreState(state).ok());
  EXPECT_EQ(vm->depth(), 2u) << "nothing was changed";
  EXPECT_EQ(*vm->Resume(), StopReason::kReturned);
}

}  // namespace
}  // namespace tern::vm::hooks_test
