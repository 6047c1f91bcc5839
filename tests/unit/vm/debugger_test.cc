// SPDX-License-Identifier: Apache-2.0
// Stepping in both directions, stops with their reasons, budgets, and changing a run.
#include "core/vm/debug/debugger.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/unit/vm/debug_test_util.h"

namespace tern::vm::debugger_test {
namespace {

std::string Where(const Debugger& debugger) {
  return debugger.depth() == 0 ? "end" : PlaceText(debugger.frame(0).pc, debugger.executable());
}

TEST(Debugger, A18ListsFramesWithFunctionsPcsAndRegisters) {
  auto debugger = BeginDebugger(kFrames, {3});
  ASSERT_TRUE(debugger->AddBreakpoint("@factorial if %n == 1").ok());
  EXPECT_EQ(MustRun(debugger.get(), DebugCommand::kContinue).reason, DebugStop::kBreakpoint);
  ASSERT_EQ(debugger->depth(), 4u);
  EXPECT_EQ(Where(*debugger), "@factorial:0");
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(PrintValue(*debugger->Register(i, 0)), StrCat(i + 1));
    EXPECT_EQ(debugger->frame(i).register_count, 2u);
  }
  EXPECT_EQ(PlaceText(debugger->frame(1).pc, debugger->executable()), "@factorial:3");
  EXPECT_EQ(PlaceText(debugger->frame(3).pc, debugger->executable()), "@main:0");
  EXPECT_EQ(PrintValue(*debugger->Evaluate("%n * 10 + depth", 2)), "34");
}

TEST(Debugger, B16PausedAtAnyStepItGoesOnToTheSameResult) {
  auto whole = BeginDebugger(kFrames, {4});
  MustRun(whole.get(), DebugCommand::kContinue);
  const std::string result = PrintValue(*whole->TakeResult());
  EXPECT_EQ(result, "(24, 10, 10)");
  const uint64_t steps = whole->step();
  for (uint64_t at = 1; at < steps; ++at) {
    auto debugger = BeginDebugger(kFrames, {4});
    EXPECT_EQ(MustRun(debugger.get(), DebugCommand::kSeek, at).reason, DebugStop::kTarget);
    EXPECT_EQ(debugger->step(), at);
    EXPECT_EQ(MustRun(debugger.get(), DebugCommand::kContinue).reason, DebugStop::kReturned);
    EXPECT_EQ(PrintValue(*debugger->TakeResult()), result);
  }
}

TEST(Debugger, B16SlicesOfAnySizeDoTheSame) {
  for (uint64_t slice : {1u, 2u, 7u, 1000u}) {
    auto debugger = BeginDebugger(kFrames, {6});
    ASSERT_TRUE(debugger->AddBreakpoint("@count if %n == 2").ok());
    DebugStopInfo stop = MustRun(debugger.get(), DebugCommand::kContinue, 1, slice);
    int slices = 1;
    for (; stop.reason == DebugStop::kSlice; ++slices)
      stop = MustRun(debugger.get(), DebugCommand::kResume, 0, slice);
    EXPECT_EQ(stop.reason, DebugStop::kBreakpoint) << slice;
    EXPECT_EQ(debugger->breakpoints()[0].hits, 1u);
    EXPECT_EQ(PrintValue(*debugger->Register(0, 0)), "2");
    EXPECT_GE(static_cast<uint64_t>(slices) * slice, debugger->step());
    // And backwards.
    stop = MustRun(debugger.get(), DebugCommand::kContinueBack, 1, slice);
    while (stop.reason == DebugStop::kSlice)
      stop = MustRun(debugger.get(), DebugCommand::kResume, 0, slice);
    EXPECT_EQ(stop.reason, DebugStop::kStart);
    EXPECT_EQ(debugger->step(), 0u);
  }
}

TEST(Debugger, ForwardAndBackByAsManyIsTheSameState) {
  auto debugger = BeginDebugger(kFrames, {7});
  std::mt19937 random(3);
  for (int i = 0; i < 200; ++i) {
    const std::string before = StateText(*debugger);
    const uint64_t start = debugger->step(), count = random() % 40 + 1;
    MustRun(debugger.get(), DebugCommand::kStep, count);
    const uint64_t moved = debugger->step() - start;
    if (moved > 0) MustRun(debugger.get(), DebugCommand::kStepBack, moved);
    ASSERT_EQ(StateText(*debugger), before);
    if (MustRun(debugger.get(), DebugCommand::kStep, random() % 5 + 1).reason ==
        DebugStop::kReturned)
      MustRun(debugger.get(), DebugCommand::kSeek, random() % 50);
  }
}

TEST(Debugger, StepsIntoOverAndOut) {
  auto debugger = BeginDebugger(kFrames, {3});
  MustRun(debugger.get(), DebugCommand::kStep);
  EXPECT_EQ(Where(*debugger), "@factorial:0");
  MustRun(debugger.get(), DebugCommand::kFinish);
  EXPECT_EQ(Where(*debugger), "@main:1");
  EXPECT_EQ(PrintValue(*debugger->Register(0, 1)), "6");
  MustRun(debugger.get(), DebugCommand::kNext);
  EXPECT_EQ(Where(*debugger), "@main:2");
  MustRun(debugger.get(), DebugCommand::kNextBack);
  EXPECT_EQ(Where(*debugger), "@main:1");
  MustRun(debugger.get(), DebugCommand::kNextBack);
  EXPECT_EQ(Where(*debugger), "@main:0");
  MustRun(debugger.get(), DebugCommand::kNext, 4);
  EXPECT_EQ(Where(*debugger), "@main:4");
  // Back into the call, and from there to it.
  MustRun(debugger.get(), DebugCommand::kStepBack, 2);
  EXPECT_EQ(Where(*debugger), "@count:1");
  MustRun(debugger.get(), DebugCommand::kFinishBack);
  EXPECT_EQ(Where(*debugger), "@main:2");
  EXPECT_EQ(MustRun(debugger.get(), DebugCommand::kFinishBack).reason, DebugStop::kStart);
  EXPECT_EQ(MustRun(debugger.get(), DebugCommand::kFinish).reason, DebugStop::kReturned);
}

TEST(Debugger, RunsToAPlaceForward) {
  auto debugger = BeginDebugger(kFrames, {3});
  const uint32_t pc = *ParsePlace("@loop:6", debugger->executable());
  EXPECT_EQ(MustRun(debugger.get(), DebugCommand::kRunTo, pc).reason, DebugStop::kTarget);
  EXPECT_EQ(Where(*debugger), "@loop:6");
  EXPECT_TRUE(debugger->Register(0, 2)->is_none());
  EXPECT_TRUE(debugger->RegisterChanged(0, 2));
  EXPECT_FALSE(debugger->RegisterChanged(0, 1));
}

TEST(Debugger, ReverseContinueMeetsBreakpointsInTheirOrder) {
  auto debugger = BeginDebugger(kFrames, {4});
  ASSERT_TRUE(debugger->AddBreakpoint("@factorial").ok());
  MustRun(debugger.get(), DebugCommand::kSeek, 1'000'000);
  std::string seen;
  while (MustRun(debugger.get(), DebugCommand::kContinueBack).reason == DebugStop::kBreakpoint)
    StrAppend(&seen, PrintValue(*debugger->Register(0, 0)), " ");
  EXPECT_EQ(seen, "0 1 2 3 4 ");
  EXPECT_EQ(debugger->stop().reason, DebugStop::kStart);
  seen.clear();
  while (MustRun(debugger.get(), DebugCommand::kContinue).reason == DebugStop::kBreakpoint)
    StrAppend(&seen, PrintValue(*debugger->Register(0, 0)), " ");
  EXPECT_EQ(seen, "4 3 2 1 0 ");
  EXPECT_EQ(debugger->stop().reason, DebugStop::kReturned);
}

TEST(Debugger, ConditionsStopWhereTheyBecomeTrue) {
  auto debugger = BeginDebugger(kFrames, {5});
  ASSERT_TRUE(debugger->AddBreakpoint("if function == \"loop\" && %1 > 10").ok());
  EXPECT_EQ(MustRun(debugger.get(), DebugCommand::kContinue).reason, DebugStop::kBreakpoint);
  EXPECT_EQ(Where(*debugger), "@loop:3");
  EXPECT_EQ(PrintValue(*debugger->Register(0, 1)), "12");
  const uint64_t step = debugger->step();
  EXPECT_EQ(MustRun(debugger.get(), DebugCommand::kContinue).reason, DebugStop::kReturned);
  EXPECT_EQ(MustRun(debugger.get(), DebugCommand::kContinueBack).reason, DebugStop::kBreakpoint);
  EXPECT_EQ(debugger->step(), step);
}

TEST(Debugger, BreakpointsCanBeIgnoredDisabledAndRemoved) {
  auto debugger = BeginDebugger(kFrames, {5});
  const uint32_t id = *debugger->AddBreakpoint("@factorial");
  ASSERT_TRUE(debugger->IgnoreBreakpoint(id, 3).ok());
  EXPECT_EQ(MustRun(debugger.get(), DebugCommand::kContinue).breakpoint, id);
  EXPECT_EQ(PrintValue(*debugger->Register(0, 0)), "2");
  EXPECT_EQ(debugger->breakpoints()[0].hits, 4u);
  ASSERT_TRUE(debugger->EnableBreakpoint(id, false).ok());
  EXPECT_EQ(MustRun(debugger.get(), DebugCommand::kContinue).reason, DebugStop::kReturned);
  ASSERT_TRUE(debugger->RemoveBreakpoint(id).ok());
  EXPECT_FALSE(debugger->RemoveBreakpoint(id).ok());
  EXPECT_FALSE(debugger->EnableBreakpoint(77, true).ok());
}

TEST(Debugger, AConditionThatCannotBeEvaluatedIsCountedNotMet) {
  auto debugger = BeginDebugger(kFrames, {5});
  ASSERT_TRUE(debugger->AddBreakpoint("@factorial if rank(%n) == 2").ok());
  EXPECT_EQ(MustRun(debugger.get(), DebugCommand::kContinue).reason, DebugStop::kReturned);
  EXPECT_EQ(debugger->breakpoints()[0].failures, 6u);
  EXPECT_NE(debugger->breakpoints()[0].failure.find("wants a tensor"), std::string::npos);
}

TensorPtr Pair(float x, float y) { return *Tensor::FromValues<float>({x, y}, {2}); }

TEST(Debugger, StopsOnNaNWhereItIsComputed) {
  const char* text = R"(
.func @main(a: f32[2], b: f32[2])
  call  test.add in: %0, %1 dst: %2
  call  test.div in: %2, %1 dst: %3
  move  %3 dst: %4
  alloc_tensor offset: 0 dtype: f32 shape: 2 dst: %5
  invoke_packed test.add_into arity: 2 outputs: 1 in: %3, %4, %5
  ret   ret %5
)";
  auto debugger = BeginDebugger(text, {Pair(0, 1), Pair(0, 2)});
  ASSERT_TRUE(debugger->AddBreakpoint("nan").ok());
  const DebugStopInfo stop = MustRun(debugger.get(), DebugCommand::kContinue);
  EXPECT_EQ(stop.reason, DebugStop::kBreakpoint);
  EXPECT_EQ(stop.text, "nan: @main:1 computed 1 NaN and 0 infinite in %3");
  EXPECT_EQ(Where(*debugger), "@main:2");
  // The move passes it on; the sum written in place is a computation.
  EXPECT_EQ(MustRun(debugger.get(), DebugCommand::kContinue).text,
            "nan: @main:4 computed 1 NaN and 0 infinite in %5");
  EXPECT_EQ(MustRun(debugger.get(), DebugCommand::kContinueBack).reason, DebugStop::kBreakpoint);
  EXPECT_EQ(Where(*debugger), "@main:2");
}

TEST(Debugger, StopsOnAllocationsOverASize) {
  const char* text = R"(
.func @main()
  alloc_tensor offset: 0 dtype: f32 shape: 4 dst: %0
  alloc_tensor offset: 0 dtype: f32 shape: 4096 dst: %1
  alloc_storage size: 100000 alignment: 64 dtype: f32 device: 0 dst: %2
  ret   ret %0
)";
  auto debugger = BeginDebugger(text);
  ASSERT_TRUE(debugger->AddBreakpoint("alloc 16 KiB").ok());
  EXPECT_EQ(MustRun(debugger.get(), DebugCommand::kContinue).reason, DebugStop::kBreakpoint);
  EXPECT_EQ(Where(*debugger), "@main:2");
  EXPECT_EQ(MustRun(debugger.get(), DebugCommand::kContinue).reason, DebugStop::kBreakpoint);
  EXPECT_EQ(Where(*debugger), "@main:3");
  EXPECT_EQ(MustRun(debugger.get(), DebugCommand::kContinueBack).reason, DebugStop::kBreakpoint);
  EXPECT_EQ(Where(*debugger), "@main:2");
}

// --- budgets

constexpr const char* kForever = R"(
.func @main()
  load_const int 0 dst: %0
again:
  add   %0, 1 dst: %0
  goto  again
)";

int64_t Ticks(void* context) { return *static_cast<int64_t*>(context) += 1'000'000; }

TEST(Debugger, BudgetsStopWithTheirNamesAndCanBeRaised) {
  DebuggerOptions options;
  options.budgets.steps = 1000;
  auto debugger = BeginDebugger(kForever, {}, options);
  EXPECT_EQ(MustRun(debugger.get(), DebugCommand::kContinue).name, "step-limit");
  EXPECT_EQ(debugger->step(), 1000u);
  EXPECT_EQ(MustRun(debugger.get(), DebugCommand::kContinue).name, "step-limit");
  EXPECT_EQ(debugger->step(), 1000u);
  DebugBudgets more = debugger->budgets();
  more.steps = 1500;
  debugger->set_budgets(more);
  EXPECT_EQ(MustRun(debugger.get(), DebugCommand::kContinue).name, "step-limit");
  EXPECT_EQ(debugger->step(), 1500u);
}

TEST(Debugger, TimeIsABudget) {
  int64_t clock = 0;
  TernPlatform platform{};
  platform.struct_size = sizeof(platform);
  platform.context = &clock;
  platform.clock_ns = &Ticks;
  DebuggerOptions options;
  options.platform = &platform;
  options.budgets.time_ns = 20'000'000;
  auto debugger = BeginDebugger(kForever, {}, options);
  const DebugStopInfo stop = MustRun(debugger.get(), DebugCommand::kContinue);
  EXPECT_EQ(stop.name, "time-limit");
  EXPECT_EQ(stop.text, "the budget of 20 ms is used up");
  EXPECT_EQ(debugger->TakeResult().status().error_code(), "S0303");
  // 20 looks at the clock, between which a stretch of the run may go ahead.
  EXPECT_LT(debugger->step(), 20 * kSkippedSteps);
}

TEST(Debugger, DepthIsABudget) {
  const char* text = R"(
.func @main(n: int)
  add   %0, 1 dst: %1
  invoke @main in: %1 dst: %1
  ret   ret %1
)";
  DebuggerOptions options;
  options.budgets.depth = 50;
  auto debugger = BeginDebugger(text, {0}, options);
  EXPECT_EQ(MustRun(debugger.get(), DebugCommand::kContinue).name, "depth-limit");
  EXPECT_EQ(debugger->TakeResult().status().error_code(), "E0303");
  EXPECT_EQ(debugger->depth(), 51u);
  EXPECT_EQ(PrintValue(*debugger->Register(0, 0)), "50");
  DebugBudgets more = debugger->budgets();
  more.depth = 60;
  debugger->set_budgets(more);
  EXPECT_EQ(MustRun(debugger.get(), DebugCommand::kContinue).name, "depth-limit");
  EXPECT_EQ(debugger->depth(), 61u);
}

TEST(Debugger, MemoryIsABudgetThatTheTraceGivesWayTo) {
  // The list of live tensors grows only in @keep.
  const char* text = R"(
.func @main(n: int)
again:
  alloc_tensor offset: 0 dtype: f32 shape: 1024 dst: %1
  sub   %0, 1 dst: %0
  gt    %0, 0 dst: %2
  if    %2 true: again false: done
done:
  load_const int 0 dst: %3
more:
  alloc_adt tag: 0 in: %1, %3 dst: %3
  alloc_tensor offset: 0 dtype: f32 shape: 1024 dst: %1
  goto  more
)";
  DebuggerOptions options;
  options.budgets.bytes = 100'000;
  auto debugger = BeginDebugger(text, {5000}, options);
  EXPECT_EQ(MustRun(debugger.get(), DebugCommand::kContinue).name, "memory-limit");
  EXPECT_EQ(debugger->TakeResult().status().error_code(), "E0302");
  EXPECT_GT(debugger->step(), 20'000u);
  EXPECT_LE(debugger->machine().memory().live_bytes, 100'000 + 2 * 8192);
  EXPECT_GE(PrintValue(*debugger->Register(0, 3), {.max_elements = 1, .max_depth = 40}).size(),
            20u);
}

TEST(Debugger, CancelStopsAndIsForgotten) {
  auto debugger = BeginDebugger(kForever);
  EXPECT_EQ(MustRun(debugger.get(), DebugCommand::kContinue, 1, 100).name, "slice");
  debugger->Cancel();
  EXPECT_EQ(MustRun(debugger.get(), DebugCommand::kResume, 0, 100).name, "cancelled");
  EXPECT_GT(debugger->step(), 50u);
  EXPECT_EQ(MustRun(debugger.get(), DebugCommand::kStep, 5).name, "step");
  debugger->Cancel();  // nothing runs: the next command begins afresh
  EXPECT_EQ(MustRun(debugger.get(), DebugCommand::kStepBack, 5).name, "step");
}

// --- failing, going back, changing

constexpr const char* kDivides = R"(
.func @main(a: int, b: int)
  add   %0, 1 dst: %2
  invoke @divide in: %2, %1 dst: %3
  ret   ret %3
.func @divide(a: int, b: int)
  div   %0, %1 dst: %2
  ret   ret %2
)";

TEST(Debugger, C34AFailedRunCanBeLookedAtRewoundAndMended) {
  const int64_t before = LiveObjectCount();
  {
    auto debugger = BeginDebugger(kDivides, {9, 0});
    const DebugStopInfo stop = MustRun(debugger.get(), DebugCommand::kContinue);
    EXPECT_EQ(stop.name, "trap(E0301)");
    EXPECT_EQ(debugger->depth(), 2u);
    EXPECT_EQ(Where(*debugger), "@divide:0");
    EXPECT_EQ(MustRun(debugger.get(), DebugCommand::kStep).name, "trap(E0301)");
    MustRun(debugger.get(), DebugCommand::kFinishBack);
    EXPECT_EQ(Where(*debugger), "@main:1");
    ASSERT_TRUE(debugger->SetRegister(0, 1, Any(5)).ok());
    EXPECT_EQ(MustRun(debugger.get(), DebugCommand::kContinue).name, "returned");
    EXPECT_EQ(PrintValue(*debugger->TakeResult()), "2");
    // What was set is part of the record.
    MustRun(debugger.get(), DebugCommand::kSeek, 1);
    EXPECT_EQ(PrintValue(*debugger->Register(0, 1)), "5");
    MustRun(debugger.get(), DebugCommand::kSeek, 0);
    EXPECT_EQ(PrintValue(*debugger->Register(0, 1)), "0");
    // And a good run after it, on the same machine.
    ASSERT_TRUE(debugger->Begin("main", std::vector<AnyView>{9, 2}).ok());
    EXPECT_EQ(MustRun(debugger.get(), DebugCommand::kContinue).name, "returned");
    EXPECT_EQ(debugger->machine().depth(), 0u);
  }
  EXPECT_EQ(LiveObjectCount(), before);
}

TEST(Debugger, SetBeforeTheFirstStepChangesTheBeginning) {
  auto debugger = BeginDebugger(kDivides, {9, 0});
  ASSERT_TRUE(debugger->SetRegister(0, 1, Any(2)).ok());
  EXPECT_EQ(MustRun(debugger.get(), DebugCommand::kContinue).name, "returned");
  MustRun(debugger.get(), DebugCommand::kSeek, 0);
  EXPECT_EQ(PrintValue(*debugger->Register(0, 1)), "2");
}

TEST(Debugger, RewindUndoesWhatWasWrittenInPlace) {
  const char* text = R"(
.func @main(a: f32[2])
  invoke_packed test.add_into arity: 2 outputs: 1 in: %0, %0, %0
  invoke_packed test.add_into arity: 2 outputs: 1 in: %0, %0, %0
  ret   ret %0
)";
  const TensorPtr tensor = Pair(1, 2);
  auto debugger = BeginDebugger(text, {tensor});
  MustRun(debugger.get(), DebugCommand::kContinue);
  EXPECT_EQ(PrintValue(*debugger->TakeResult()), "f32[2] [4, 8]");
  MustRun(debugger.get(), DebugCommand::kSeek, 1);
  EXPECT_EQ(PrintValue(*debugger->Register(0, 0)), "f32[2] [2, 4]");
  EXPECT_EQ(PrintValue(Any(tensor)), "f32[2] [4, 8]");
  ASSERT_TRUE(debugger->Rewind().ok());
  EXPECT_EQ(PrintValue(Any(tensor)), "f32[2] [2, 4]");
  EXPECT_EQ(MustRun(debugger.get(), DebugCommand::kContinue).name, "returned");
  EXPECT_EQ(PrintValue(*debugger->TakeResult()), "f32[2] [4, 8]");
}

TEST(Debugger, RewoundAnywhereARunEndsTheSame) {
  auto whole = BeginDebugger(kFrames, {4});
  MustRun(whole.get(), DebugCommand::kContinue);
  const uint64_t steps = whole->step();
  auto debugger = BeginDebugger(kFrames, {4});
  for (uint64_t at = 0; at < steps; at += 3) {
    MustRun(debugger.get(), DebugCommand::kContinue);
    MustRun(debugger.get(), DebugCommand::kSeek, at);
    const std::string state = StateText(*debugger);
    ASSERT_TRUE(debugger->Rewind().ok());
    EXPECT_FALSE(debugger->in_past());
    EXPECT_EQ(StateText(*debugger), state);
    EXPECT_EQ(debugger->trace().end_step(), at);
    EXPECT_EQ(MustRun(debugger.get(), DebugCommand::kContinue).name, "returned");
    EXPECT_EQ(debugger->step(), steps);
    EXPECT_EQ(PrintValue(*debugger->TakeResult()), "(24, 10, 10)");
  }
}

TEST(Debugger, HistoryOfARegister) {
  auto debugger = BeginDebugger(kFrames, {3});
  MustRun(debugger.get(), DebugCommand::kRunTo, *ParsePlace("@loop:6", debugger->executable()));
  std::string text;
  for (const DebugVersion& version : debugger->History(0, 1, 10))
    StrAppend(&text, PrintValue(version.value), " ");
  EXPECT_EQ(text, "6 6 5 3 ");
  EXPECT_EQ(debugger->History(0, 1, 2).size(), 2u);
  EXPECT_TRUE(debugger->History(5, 0, 2).empty());
}

TEST(Debugger, AskingForWhatIsNotThereIsAnError) {
  auto debugger = MakeDebugger(kFrames);
  EXPECT_FALSE(debugger->Run(DebugCommand::kContinue).ok());
  EXPECT_FALSE(debugger->Rewind().ok());
  EXPECT_FALSE(debugger->Begin("nobody", {}).ok());
  ASSERT_TRUE(debugger->Begin("main", std::vector<AnyView>{3}).ok());
  EXPECT_FALSE(debugger->Run(DebugCommand::kResume).ok());
  EXPECT_FALSE(debugger->Run(DebugCommand::kStep, 0).ok());
  EXPECT_FALSE(debugger->Run(DebugCommand::kRunTo, 10'000).ok());
  EXPECT_FALSE(debugger->TakeResult().ok());
  EXPECT_FALSE(debugger->Register(0, 99).ok());
  EXPECT_FALSE(debugger->Register(1, 0).ok());
  EXPECT_FALSE(debugger->SetRegister(0, 99, Any(1)).ok());
  const Status unknown = debugger->FindRegister(0, "%q").status().Clone();
  EXPECT_EQ(unknown.message(), "there is no register %q in @main");
  MustRun(debugger.get(), DebugCommand::kContinue);
  EXPECT_FALSE(debugger->Register(0, 0).ok());
  EXPECT_FALSE(debugger->Rewind().ok());
}

TEST(Debugger, DroppedStepsAreNamedWhenGoingBack) {
  DebuggerOptions options;
  options.recorder.trace.max_steps = 3000;
  options.budgets.steps = 10'000;
  auto debugger = BeginDebugger(kForever, {}, options);
  MustRun(debugger.get(), DebugCommand::kContinue);
  const DebugStopInfo stop = MustRun(debugger.get(), DebugCommand::kContinueBack);
  EXPECT_EQ(stop.name, "start");
  EXPECT_NE(stop.text.find("were dropped"), std::string::npos);
  EXPECT_GE(debugger->step(), 6000u);
  const Result<DebugStopInfo> seek = debugger->Run(DebugCommand::kSeek, 5);
  ASSERT_FALSE(seek.ok());
  EXPECT_NE(seek.status().message().find("step 5 is not recorded any more"), std::string::npos);
}

// --- breakpoints and expressions as text

TEST(Breakpoint, TextsThatAreNone) {
  const ExecutablePtr executable = MustAssemble(kFrames);
  for (const char* text : {"", "  ", "nowhere", "@nobody", "@main:99", "@main:x", "4711", "alloc",
                           "alloc many", "alloc 99999999999 GiB", "@main if", "if", "if %",
                           "nan if (", "if 1 +", "if %1 ==", "-3"}) {
    const Result<Breakpoint> breakpoint = ParseBreakpoint(text, *executable);
    ASSERT_FALSE(breakpoint.ok()) << text;
    EXPECT_FALSE(breakpoint.status().message().empty());
  }
}

TEST(Breakpoint, TextsComeBack) {
  const ExecutablePtr executable = MustAssemble(kFrames);
  for (const char* text : {"@main", "@factorial:3", "nan", "alloc 64 KiB", "if depth > 3",
                           "@loop if %1 > 2 && %0 != 1", "nan if depth == 2"})
    EXPECT_EQ(BreakpointText(*ParseBreakpoint(text, *executable), *executable), text);
  EXPECT_EQ(BreakpointText(*ParseBreakpoint("5", *executable), *executable), "@factorial:0");
}

TEST(Condition, Values) {
  const char* text = R"(
.func @main(x: f32[2, 3], n: int, s: any)
  alloc_adt tag: 0 in: %1, %1 dst: %3
  shape_of %0 dst: %4
  load_consti 7 dst: %5
  ret   ret %3
)";
  const TensorPtr x = *Tensor::FromValues<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  auto debugger = BeginDebugger(text, {x, 4, "text"});
  MustRun(debugger.get(), DebugCommand::kStep, 3);
  const std::pair<const char*, const char*> cases[] = {
      {"1 + 2 * 3", "7"},
      {"(1 + 2) * 3 % 4", "1"},
      {"7 / 2", "3"},
      {"7 / 2.0", "3.5"},
      {"-%n + 1", "-3"},
      {"!(%n == 4)", "false"},
      {"!true != false", "false"},
      {"1 - 2 - 3", "-4"},
      {"1 < 2 && 3 < 2 || 4 - 1 == 3", "true"},
      {"%n > 3 && %n < 5 || false", "true"},
      {"%s == \"text\" && size(%s) == 4", "true"},
      {"%x[1, 2]", "6"},
      {"%x[%n - 3, 0] == 4", "true"},
      {"rank(%x) * 10 + size(%x)", "26"},
      {"shape(%x)[1]", "3"},
      {"dtype(%x) == \"f32\"", "true"},
      {"max(%x) - min(%x)", "5"},
      {"nan(%x) + inf(%x)", "0"},
      {"%3[1]", "4"},
      {"%4 == shape(%x)", "true"},
      {"%5 + 1", "8"},
      {"%5 == 7", "true"},
      {"abs(-3)", "3"},
      {"type(%0)", "\"tensor\""},
      {"none == %0", "false"},
      {"step", "3"},
      {"function", "\"main\""},
      {"1e3 > 999", "true"},
  };
  for (const auto& [expression, expected] : cases) {
    const Result<Any> value = debugger->Evaluate(expression);
    ASSERT_TRUE(value.ok()) << expression << ": " << value.status().ToString();
    EXPECT_EQ(PrintValue(*value), expected) << expression;
  }
}

TEST(Condition, MistakesSayWhereAndWhat) {
  auto debugger = BeginDebugger(kFrames, {4});
  const std::pair<const char*, const char*> cases[] = {
      {"", "column 1: expected a register"},
      {"1 +", "column 4: expected a register"},
      {"(1", "column 3: expected ')'"},
      {"1 2", "column 3: expected an operator"},
      {"1 < 2 < 3", "column 7: expected one comparison at a time"},
      {"true && 1 < 2 == 3", "column 15: expected one comparison at a time"},
      {"1 ! 2", "column 3: expected an operator or the end, got '!'"},
      {"!= 2", "column 1: expected a register"},
      {"nope", "column 1: expected a register, a literal or one of"},
      {"nope(1)", "column 1: expected a function"},
      {"%", "the number or name"},
      {"% 0", "column 3: expected the number or name of a register, got '0'"},
      {"%99999999999", "column 2: expected a smaller number of a register"},
      {"%0[1", "expected ',' or ']'"},
      {"\"open", "a text that ends"},
      {"12x", "column 1: expected a number"},
      {"%nobody", "there is no register %nobody"},
      {"%99", "there is no register %99"},
      {"rank(%0)", "wants a tensor"},
      {"%0[0]", "nothing to index"},
      {"1 / 0", "division of 1 by zero"},
      {"\"a\" + 1", "string"},
      {"none < 1", "no order"},
  };
  for (const auto& [expression, expected] : cases) {
    const Result<Any> value = debugger->Evaluate(expression);
    ASSERT_FALSE(value.ok()) << expression;
    EXPECT_NE(value.status().message().find(expected), std::string::npos)
        << expression << ": " << value.status().message();
  }
  EXPECT_FALSE(debugger->Evaluate(std::string(1000, '(')).ok());
  // Chains nest to the left without any bracket.
  std::string sum = "1", index = "%0";
  for (int i = 0; i < 100'000; ++i) {
    sum += " + 1";
    index += "[0]";
  }
  for (const std::string& chain : {sum, index}) {
    const Result<Any> value = debugger->Evaluate(chain);
    ASSERT_FALSE(value.ok());
    EXPECT_NE(value.status().message().find("a shorter expression"), std::string::npos)
        << value.status().message().substr(0, 200);
  }
}

}  // namespace
}  // namespace tern::vm::debugger_test
